//! A plain renderer, written from S11 and X1 alone, slow and simple, to compare the compiled one with.
#![expect(clippy::expect_used, clippy::string_slice, reason = "a test helper: it may panic, and reads plainer for it")]

use dsh_template::{ErrorKind, Lookup};

use crate::support::Outcome;

/// Renders `text` by the letter of S11; the names it referred to are added to `names` with the place of their `{{`.
pub(crate) fn render<'v>(text: &str, lookup: impl Fn(&str) -> Lookup<'v>, names: &mut Vec<(String, usize)>) -> Outcome {
    let mut out = String::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if !rest.starts_with("{{") {
            let next = rest.chars().next().expect("not at the end");
            out.push(next);
            at += next.len_utf8();
            continue;
        }
        if let Some((string, len)) = quoted(rest) {
            out += &string;
            at += len;
            continue;
        }
        let inside = &rest[2..];
        let complete = inside.find("}}").filter(|close| !inside[..*close].contains(['{', '}']));
        if let Some(close) = complete {
            let (name, range) = (&inside[..close], at..at + close + 4);
            if !well_formed(name) {
                return Err((ErrorKind::MalformedReference, range));
            }
            names.push((name.to_owned(), at));
            match lookup(name) {
                Lookup::Value(value) => out += value,
                Lookup::Valueless => return Err((ErrorKind::ValuelessVariable, range)),
                Lookup::Unknown => return Err((ErrorKind::UnknownVariable, range)),
            }
            at = range.end;
        } else if inside.contains("}}") {
            let broken_off = inside.find(['{', '}']).expect("there are closing braces");
            return Err((ErrorKind::MalformedReference, at..at + 2 + broken_off + 1));
        } else {
            out += "{{";
            at += 2;
        }
    }
    Ok(out)
}

fn well_formed(name: &str) -> bool {
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let all = letters.to_owned() + "0123456789_";
    name.chars().next().is_some_and(|first| letters.contains(first)) && name.chars().all(|c| all.contains(c))
}

/// The string that a `{{"..."}}` at the start of `rest` stands for, and the length of the whole form. Every later quote is tried
/// as the closing one.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let body = rest.strip_prefix("{{\"")?;
    body.match_indices("\"}}").find_map(|(end, _)| Some((json_string(&body[..end])?, 3 + end + 3)))
}

/// What the inside of a JSON string stands for, by way of UTF-16, where a lone surrogate shows by itself.
fn json_string(inside: &str) -> Option<String> {
    let mut units = Vec::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\0'..='\u{1f}' => return None,
            '\\' => match chars.next()? {
                plain @ ('"' | '\\' | '/') => units.push(plain as u16),
                'b' => units.push(8),
                't' => units.push(9),
                'n' => units.push(10),
                'f' => units.push(12),
                'r' => units.push(13),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    if digits.len() != 4 || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
                        return None;
                    }
                    units.push(u16::from_str_radix(&digits, 16).ok()?);
                }
                _ => return None,
            },
            _ => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
        }
    }
    String::from_utf16(&units).ok()
}
