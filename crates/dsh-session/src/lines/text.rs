//! Repair of stored text: what no text can hold is read as U+FFFD.

use std::borrow::Cow;

use crate::damage::DamageKind;

/// A line as text, and what had to be repaired.
pub(super) fn repaired(line: &[u8]) -> (Cow<'_, str>, Vec<DamageKind>) {
    let mut damage = Vec::new();
    let text = String::from_utf8_lossy(line);
    if let Cow::Owned(_) = text {
        let count = line.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        damage.push(DamageKind::InvalidUtf8 { count });
    }
    let lone = lone_surrogates(&text);
    if lone.is_empty() {
        return (text, damage);
    }
    damage.push(DamageKind::LoneSurrogates { count: lone.len() });
    let mut bytes = text.into_owned().into_bytes();
    for at in lone {
        if let Some(escape) = bytes.get_mut(at..at + REPLACEMENT.len()) {
            escape.copy_from_slice(REPLACEMENT);
        }
    }
    // An escape takes the place of another: both are of the same length and ASCII.
    (Cow::Owned(String::from_utf8(bytes).unwrap_or_default()), damage)
}

/// The escape of U+FFFD.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// Where the escapes stand that have no other half. A backslash of JSON stands in a string, or the text is none.
fn lone_surrogates(text: &str) -> Vec<usize> {
    let mut lone = Vec::new();
    // Whoever writes this format escapes control characters alone.
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return lone;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        match unit(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    lone
}

/// The UTF-16 unit that is escaped here.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::repaired;
    use crate::damage::DamageKind;

    #[test]
    fn halves_are_replaced_and_pairs_are_not() {
        let (text, damage) = repaired(br#"{"a":"\ud83d\ude00 \ud83d \uDE00 \\ud800 \ud83d\ud83d\ude00 \u12"}"#);
        assert_eq!(text, r#"{"a":"\ud83d\ude00 \ufffd \ufffd \\ud800 \ufffd\ud83d\ude00 \u12"}"#);
        assert_eq!(damage, [DamageKind::LoneSurrogates { count: 3 }]);
    }

    #[test]
    fn broken_characters_are_counted() {
        let (text, damage) = repaired(b"a\xffb\xf0\x9fc");
        assert_eq!(text, "a\u{fffd}b\u{fffd}c");
        assert_eq!(damage, [DamageKind::InvalidUtf8 { count: 2 }]);
    }
}
