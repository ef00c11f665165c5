//! The one canonical form of a JSON string: the shortest escapes, all else as it is.

use std::fmt::Write as _;

/// Appends `text` as a JSON string in canonical form, the form of ECMAScript's `JSON.stringify` and of RFC 8785.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    escape_json(out, text);
    out.push('"');
}

/// Appends `text` as it stands between the quotes of a JSON string, in the form of ECMAScript's `JSON.stringify` and of RFC 8785.
///
/// Escaped are `"`, `\` and the characters below U+0020: as `\b \t \n \f \r`, else as `\u00xx` with small letters.
///
/// ```
/// let mut out = String::from("say: ");
/// dsh_llm::escape_json(&mut out, "\"né\"\n\u{1}");
/// assert_eq!(out, r#"say: \"né\"\n\u0001"#);
/// ```
pub fn escape_json(out: &mut String, text: &str) {
    let mut rest = text;
    // Every character that needs an escape is one byte, so whatever stands before and after it is whole characters.
    while let Some(at) = first_to_escape(rest.as_bytes()) {
        let Some((plain, after)) = rest.split_at_checked(at) else { break };
        out.push_str(plain);
        let mut chars = after.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\t') => out.push_str("\\t"),
            Some('\n') => out.push_str("\\n"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\r') => out.push_str("\\r"),
            Some(control) => write_control(out, control),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

/// Where the first byte stands that needs an escape. Blocks are looked at as a whole, which compiles to a few vector instructions.
fn first_to_escape(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 32;
    let clean =
        bytes.chunks_exact(BLOCK).take_while(|block| !block.iter().fold(false, |any, &b| any | needs_escape(b)));
    let from = clean.count() * BLOCK;
    let found = bytes.get(from..)?.iter().position(|&byte| needs_escape(byte))?;
    Some(from + found)
}

/// `text` as a JSON string of its own.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

const fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

#[expect(clippy::let_underscore_must_use, reason = "writing to a String cannot fail")]
fn write_control(out: &mut String, control: char) {
    let _ = write!(out, "\\u{:04x}", u32::from(control));
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_what_must_be_escaped_is_escaped() {
        let text = "\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}\u{2028}é\u{1F600}\n\n";
        assert_eq!(quoted(text), "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{2028}é\u{1F600}\\n\\n\"");
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn a_string_is_written_as_serde_json_writes_it() {
        for code in 0..=0xffff_u32 {
            if let Some(c) = char::from_u32(code) {
                let text = format!("a{c}b{c}{c}");
                assert_eq!(quoted(&text), serde_json::to_string(&text).unwrap(), "U+{code:04X}");
            }
        }
    }
}
