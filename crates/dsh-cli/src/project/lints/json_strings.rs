//! The strings of a JSON text as they are written, and where each character of what they say stands.

use std::ops::Range;

/// What stands between the quotes of each string of this JSON, in order.
pub(super) fn strings(json: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + json.get(at..)?.find('"')? + 1;
        let mut end = start;
        loop {
            end += json.get(end..)?.find(['"', '\\'])?;
            if json.as_bytes().get(end) == Some(&b'"') {
                at = end + 1;
                return Some(start..end);
            }
            // Whatever is escaped, its first character ends nothing.
            end = json.ceil_char_boundary(end + 2);
        }
    })
}

/// What a string says.
pub(super) fn decode(raw: &str) -> String {
    characters(raw).map(|(_, character)| character).collect()
}

/// Where the character at this offset of what a string says is written.
pub(super) fn locate(raw: &str, offset: usize) -> Option<Range<usize>> {
    let mut said = 0;
    let (range, _) = characters(raw).find(|(_, character)| {
        let is_here = said == offset;
        said += character.len_utf8();
        is_here
    })?;
    Some(range)
}

/// Each character that a string says, and where it is written. What is no JSON says what it is.
fn characters(raw: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = raw.get(at..)?;
        let (character, length) = escaped(rest).or_else(|| rest.chars().next().map(|own| (own, own.len_utf8())))?;
        let range = at..at + length;
        at = range.end;
        Some((range, character))
    })
}

/// The character that an escape at the beginning stands for, and the length of the escape.
fn escaped(text: &str) -> Option<(char, usize)> {
    let simple = |character| Some((character, 2));
    match text.strip_prefix('\\')?.chars().next()? {
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'u' => {
            let unit = |from: usize| u16::from_str_radix(text.get(from..from + 4)?, 16).ok();
            let first = unit(2)?;
            let second = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| unit(8));
            let mut decoded = char::decode_utf16([Some(first), second].into_iter().flatten());
            let character = decoded.next()?.ok()?;
            Some((character, if character.len_utf16() == 2 { 12 } else { 6 }))
        }
        other => Some((other, 1 + other.len_utf8())),
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, locate, strings};

    #[test]
    fn strings_are_found_whatever_is_escaped_in_them() {
        let json = r#"{"a": ["b\"\\", "", "é\é", "\u0022"], "c": 1, "open"#;
        let found: Vec<&str> = strings(json).map(|range| json.get(range).unwrap()).collect();
        assert_eq!(found, ["a", r#"b\"\\"#, "", "é\\é", r"\u0022", "c"]);
    }

    #[test]
    fn each_character_is_led_back_to_how_it_is_written() {
        let raw = r"é\u200b\udb40\udc41x\n\ud800 \/";
        let said = decode(raw);
        assert_eq!(said, "é\u{200b}\u{e0041}x\n\\ud800 /");
        let written = |character: char| raw.get(locate(raw, said.find(character).unwrap()).unwrap()).unwrap();
        assert_eq!(written('\u{200b}'), r"\u200b");
        assert_eq!(written('\u{e0041}'), r"\udb40\udc41");
        assert_eq!((written('x'), written('\n'), written('/')), ("x", r"\n", r"\/"));
        assert_eq!(locate(raw, 1), None);
    }

    #[test]
    fn serde_reads_the_same() {
        for text in ["a\u{7}\u{202e}\\\"\u{1F468}\u{200D}\u{1F469}\n", ""] {
            let json = serde_json::Value::from(text).to_string();
            let range = strings(&json).next().unwrap();
            assert_eq!(decode(json.get(range).unwrap()), text);
        }
    }
}
