//! An instruction file: bytes to a raw section (X1, X12).

use dsh_template::Lookup;

use crate::found::{is_a_text, shown_is_right};
use crate::text::at;

/// Checks bytes as an instruction file.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn instructions(bytes: &[u8]) {
    let read = dsh_cli::fuzzing::instruction_file(bytes);
    shown_is_right(&read.decoded, &read.shown);
    assert_eq!(is_a_text(bytes, &read.decoded, &read.shown), read.is_text);
    if !read.is_text {
        assert!(read.section.is_none());
        return;
    }
    // What people wrote for people never fails a prompt.
    assert_eq!(read.shown.findings.len(), 0, "{:?}", read.shown.findings);
    let text = read.decoded.text.as_str();
    let Some(section) = &read.section else {
        assert!(text.trim().is_empty(), "left out: {text:?}");
        return;
    };
    let head = "Instructions from AGENTS.md:\n\n";
    let says = text.strip_suffix('\n').unwrap_or(text);
    assert_eq!(section.text.as_str(), format!("{head}{says}"));
    let rendered = section.text.compile().render(|_| Lookup::Unknown);
    assert_eq!(rendered.as_deref(), Ok(section.text.as_str()), "raw text stands for itself");
    for ((offset, character), range) in section.text.as_str().char_indices().zip(&section.characters) {
        let written = at(text, range.clone());
        if offset < head.len() {
            assert_eq!(*range, 0..0, "what stands before a file is nowhere in it");
        } else {
            assert!(written.chars().eq([character]), "{character:?} is not {written:?} in {text:?}");
        }
    }
}
