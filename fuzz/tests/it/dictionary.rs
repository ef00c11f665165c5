//! The dictionaries of the fuzzers, which random inputs are made of, too.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of tests: what cannot be read fails the test")]

use std::fs;
use std::path::Path;

/// The entries of a target's dictionary: each is bytes in quotes, on a line of its own.
pub(crate) fn dictionary(target: &str) -> Vec<Vec<u8>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionaries").join(format!("{target}.dict"));
    let text = String::from_utf8(fs::read(file).unwrap()).unwrap();
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(entry).collect()
}

fn entry(line: &str) -> Vec<u8> {
    let quoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(quoted) = quoted else { panic!("no entry of a dictionary: {line}") };
    let mut bytes = Vec::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        let escape = if character == '\\' { characters.next() } else { None };
        match escape {
            Some('x') => {
                let digits: String = characters.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            Some(plain @ ('"' | '\\')) => bytes.extend(plain.to_string().bytes()),
            Some(other) => panic!("no escape of a dictionary: {other:?} in {line}"),
            None => bytes.extend(character.to_string().bytes()),
        }
    }
    bytes
}

#[test]
fn an_entry_is_bytes_in_quotes() {
    assert_eq!(entry(r#""a\"\\\x0aé""#), "a\"\\\né".as_bytes());
}
