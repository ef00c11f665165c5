//! The quoted form `{{"..."}}`: reading a JSON string inside a template, and decoding it.

use alloc::string::String;

use memchr::memchr;

use crate::scan::part;

/// Why what follows `{{"` is not the quoted form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteFault {
    /// The text ends inside the string.
    Unclosed,
    /// A control character stands in it as itself.
    Control,
    /// A backslash begins no escape of JSON.
    Escape,
    /// An escape gives half of a surrogate pair.
    LoneSurrogate,
    /// The closing quote is not followed by `}}`.
    NotClosedByBraces,
}

/// The place of the quote that closes the string beginning at `body` (just after its opening quote), if `}}` follows it; else
/// what is wrong and where. The place is at most the end of the text.
pub(crate) fn closing_quote(text: &str, body: usize) -> Result<usize, (QuoteFault, usize)> {
    let bytes = text.as_bytes();
    let mut at = body;
    loop {
        match bytes.get(at) {
            None => return Err((QuoteFault::Unclosed, bytes.len())),
            Some(b'"') => {
                let closed = bytes.get(at + 1..).is_some_and(|tail| tail.starts_with(b"}}"));
                return if closed { Ok(at) } else { Err((QuoteFault::NotClosedByBraces, at + 1)) };
            }
            Some(b'\\') => match escaped(bytes, at) {
                Ok((_, after)) => at = after,
                Err(fault) => return Err((fault, at)),
            },
            Some(0..=0x1f) => return Err((QuoteFault::Control, at)),
            Some(_) => at += 1,
        }
    }
}

/// Appends what `body` stands for; `body` is what [`closing_quote`] found to be valid.
pub(crate) fn decode_into(body: &str, out: &mut String) {
    let mut at = 0;
    while let Some(found) = body.as_bytes().get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let backslash = at + found;
        out.push_str(part(body, at..backslash));
        let Ok((character, after)) = escaped(body.as_bytes(), backslash) else {
            debug_assert!(false, "an escape that was read once");
            return;
        };
        out.push(character);
        at = after;
    }
    out.push_str(part(body, at..body.len()));
}

/// How many bytes [`decode_into`] appends.
pub(crate) fn decoded_len(body: &str) -> usize {
    let (mut at, mut len) = (0, body.len());
    while let Some(found) = body.as_bytes().get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let backslash = at + found;
        let Ok((character, after)) = escaped(body.as_bytes(), backslash) else { break };
        // An escape is longer than its character.
        len -= after - backslash - character.len_utf8();
        at = after;
    }
    len
}

/// The character that the escape at `backslash` stands for, and where the escape ends.
fn escaped(bytes: &[u8], backslash: usize) -> Result<(char, usize), QuoteFault> {
    let character = match bytes.get(backslash + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return escaped_unit(bytes, backslash),
        Some(_) | None => return Err(QuoteFault::Escape),
    };
    Ok((character, backslash + 2))
}

/// The same for an escape of the form `\uXXXX`, and for two of them that make a pair.
fn escaped_unit(bytes: &[u8], backslash: usize) -> Result<(char, usize), QuoteFault> {
    let first = unit(bytes, backslash).ok_or(QuoteFault::Escape)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, backslash + 6));
    }
    if let (0xd800..=0xdbff, Some(second @ 0xdc00..=0xdfff)) = (first, unit(bytes, backslash + 6)) {
        let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        if let Some(character) = char::from_u32(code) {
            return Ok((character, backslash + 12));
        }
    }
    Err(QuoteFault::LoneSurrogate)
}

/// The UTF-16 unit that the escape `\uXXXX` at `backslash` writes.
fn unit(bytes: &[u8], backslash: usize) -> Option<u32> {
    let digits = bytes.get(backslash..backslash + 6)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}
