//! Names that others choose, as a prompt may hold them (X12): hidden characters are written as escapes, and no two names look alike by it.

use std::ffi::OsStr;

/// Text of somebody else's choice, like the name of a branch.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\\' || c.is_control() || matches!(c, '\u{202a}'..='\u{202e}') {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The name of a file or a folder; bytes that are no text are escapes too.
pub(super) fn shown_name(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(&shown(chunk.valid()));
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")));
    }
    text
}
