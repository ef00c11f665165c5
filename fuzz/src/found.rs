//! What the command says of a file: its text, the places in it, and every form in which a finding is shown.

use dsh_cli::fuzzing::{Decoded, Finding, Shown};
use dsh_system_prompt::hidden_characters;

/// The text is that of the file: without a byte order mark, lines ended by LF, and each byte led back to where it was. (X12)
fn decoded_is_the_file(bytes: &[u8], decoded: &Decoded) {
    let Decoded { text, offsets } = decoded;
    let Ok(file) = std::str::from_utf8(bytes) else { unreachable!("{bytes:?} are no text, and {text:?} was read") };
    let expected = file.strip_prefix('\u{feff}').unwrap_or(file).replace("\r\n", "\n");
    assert_eq!(*text, expected, "{file:?}");
    for (offset, character) in text.char_indices() {
        let rest = file.get(offsets.get(offset).copied().unwrap_or(usize::MAX)..).unwrap_or_default();
        assert!(rest.starts_with(character) || (character == '\n' && rest.starts_with("\r\n")), "{offset} of {file:?}");
    }
    assert_eq!(offsets.last(), Some(&file.len()), "the end of {file:?}");
}

/// Whether the file is a text; if so, it is that of the bytes, and if not, the first wrong byte is told.
pub(crate) fn is_a_text(bytes: &[u8], decoded: &Decoded, shown: &Shown) -> bool {
    let is_text = !shown.findings.iter().any(|finding| finding.code.starts_with("file::"));
    if is_text {
        decoded_is_the_file(bytes, decoded);
    } else {
        wrong_byte_is_told(bytes, shown);
    }
    is_text
}

/// Bytes that are no text are told by the first of them that is wrong. (X12)
fn wrong_byte_is_told(bytes: &[u8], shown: &Shown) {
    let [finding] = shown.findings.as_slice() else {
        unreachable!("a file that is no text has one finding, and not {:?}", shown.findings)
    };
    assert!(finding.is_error && matches!(finding.code, "file::not_utf8" | "file::utf16"), "{finding:?}");
    if finding.code == "file::utf16" {
        let is_mark = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        assert!(is_mark || bytes.get(..4).is_some_and(|start| start.contains(&0)), "{finding:?}");
        return;
    }
    let wrong = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let before = std::str::from_utf8(bytes.get(..wrong).unwrap_or_default()).unwrap_or_default();
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.split('\n').count();
    let column = 1 + before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let byte = bytes.get(wrong).copied().unwrap_or_default();
    let said = format!("0x{byte:02x}, in line {line}, column {column} (offset {wrong})");
    assert!(finding.headline.contains(&said), "{:?} does not say {said}", finding.headline);
    let place = finding.places.first();
    assert_eq!(place.map(|place| place.in_file.start), Some(wrong), "{finding:?} of {bytes:?}");
    assert_eq!(place.map(|place| place.start), Some((line, column)), "{finding:?} of {bytes:?}");
}

/// Every place lies in the text, lines and columns are those that counting finds, and no form shows what cannot be seen. (I59)
pub(crate) fn shown_is_right(decoded: &Decoded, shown: &Shown) {
    for finding in &shown.findings {
        is_placed(decoded, finding);
        if let Some(human) = finding.human.as_deref().map(without_colours) {
            assert!(human.contains(finding.code), "{human}");
            can_be_seen(&human);
        }
    }
    for lines in [&shown.concise, &shown.github] {
        assert_eq!(lines.lines().count(), shown.findings.len(), "{lines}");
        can_be_seen(lines);
    }
    for json in [&shown.json, &shown.sarif] {
        assert!(serde_json::from_str::<serde_json::Value>(json).is_ok(), "{json}");
        can_be_seen(json);
    }
}

fn is_placed(Decoded { text, offsets }: &Decoded, finding: &Finding) {
    for place in &finding.places {
        let range = &place.range;
        // One byte is pointed at where one is wrong, be it the first of a character or the one behind the last.
        let end = if range.end == range.start + 1 { range.start } else { range.end };
        assert!(range.start <= end, "{finding:?}");
        assert!(text.is_char_boundary(range.start) && text.is_char_boundary(end), "{finding:?} in {text:?}");
        let before = text.get(..range.start).unwrap_or_default();
        let line = before.split('\n').count();
        let column = 1 + before.rsplit('\n').next().map_or(0, |line| line.chars().count());
        assert_eq!(place.start, (line, column), "{finding:?} in {text:?}");
        assert_eq!(Some(&place.in_file.start), offsets.get(range.start), "{finding:?} in {text:?}");
        assert!(place.in_file.start <= place.in_file.end, "{finding:?} in {text:?}");
    }
}

#[track_caller]
fn can_be_seen(shown: &str) {
    let hidden = hidden_characters(shown).next();
    assert!(hidden.is_none(), "{hidden:?} in {shown:?}");
}

fn without_colours(shown: &str) -> String {
    let mut parts = shown.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}
