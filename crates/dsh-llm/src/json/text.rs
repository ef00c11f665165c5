//! The one canonical form of a JSON string: the shortest escapes, all else as it is.

use std::fmt::Write as _;

/// Appends `text` as a JSON string in canonical form, the form of ECMAScript's `JSON.stringify` and of RFC 8785.
///
/// Escaped are `"`, `\` and the characters below U+0020: as `\b \t \n \f \r`, else as `\u00xx` with small letters.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    // Every character that needs an escape is one byte, so the runs between them are whole characters.
    for run in text.split_inclusive(needs_escape) {
        let Some(last) = run.chars().next_back().filter(|&last| needs_escape(last)) else {
            out.push_str(run);
            continue;
        };
        out.push_str(run.trim_end_matches(last));
        match last {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control => write_control(out, control),
        }
    }
    out.push('"');
}

/// `text` as a JSON string of its own.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

fn needs_escape(c: char) -> bool {
    c < ' ' || c == '"' || c == '\\'
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
