//! The record of a folder's trust, as the file says it.
//!
//! Three lines, each ended by a line feed:
//!
//! ```text
//! dsh trust record 1
//! path /srv/project
//! hash 0f3c…
//! ```
//!
//! The number counts the form. The path is the real one of the project's folder: a backslash in it is doubled, and what is no text in
//! one line (control characters, bytes that are not UTF-8) is written as `\n`, `\r`, `\t` or `\xNN`. The hash is that of the set which was trusted.

use std::path::Path;

use super::TrustHash;

/// The first line.
const HEADER: &str = "dsh trust record 1\n";

/// The record of this folder.
pub(super) fn write(project: &Path, hash: &TrustHash) -> String {
    format!("{HEADER}path {}\nhash {hash}\n", one_line(project))
}

/// The hash that the record of this folder holds, or why it is none.
pub(super) fn read(bytes: &[u8], project: &Path) -> Result<TrustHash, &'static str> {
    let Ok(text) = str::from_utf8(bytes) else { return Err("it is not text") };
    if text.is_empty() {
        return Err("it is empty");
    }
    let Some(lines) = text.strip_prefix(HEADER) else {
        let is_other = text.starts_with("dsh trust record ");
        return Err(if is_other { "it has a form that this version of dsh does not know" } else { "it is no record" });
    };
    let broken = "it is cut off or has been changed";
    let (path, rest) = lines.strip_prefix("path ").and_then(|rest| rest.split_once('\n')).ok_or(broken)?;
    if path != one_line(project) {
        return Err("it is the record of another folder");
    }
    let hash = rest.strip_prefix("hash ").and_then(|rest| rest.strip_suffix('\n')).ok_or(broken)?;
    hash.parse::<TrustHash>().ok().ok_or(broken)
}

/// A path as one line of text, no two alike.
fn one_line(path: &Path) -> String {
    let mut line = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => line.push_str("\\\\"),
                _ if character.is_control() => escape(character.encode_utf8(&mut [0; 4]).as_bytes(), &mut line),
                _ => line.push(character),
            }
        }
        escape(chunk.invalid(), &mut line);
    }
    line
}

fn escape(bytes: &[u8], line: &mut String) {
    line.extend(bytes.iter().copied().flat_map(std::ascii::escape_default).map(char::from));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::TrustHash;
    use super::{one_line, read, write};

    #[test]
    fn a_record_is_read_back_for_its_own_folder_alone() {
        let hash = TrustHash::of(b"a");
        for path in ["/srv/project", "/srv/two\nlines", "/srv/back\\slash", "/srv/ö \u{1b}[0m", ""] {
            let record = write(Path::new(path), &hash);
            assert_eq!(record.lines().count(), 3, "{record}");
            assert_eq!(read(record.as_bytes(), Path::new(path)), Ok(hash));
            assert_eq!(read(record.as_bytes(), Path::new("/srv")), Err("it is the record of another folder"));
        }
    }

    #[test]
    fn every_damage_to_a_record_is_noticed() {
        let path = Path::new("/srv/project");
        let record = write(path, &TrustHash::of(b"a"));
        for end in 0..record.len() {
            assert!(read(&record.as_bytes()[..end], path).is_err(), "cut off after {end} bytes");
        }
        assert!(read(format!("{record}x").as_bytes(), path).is_err());
        assert!(read(format!("{record}\n").as_bytes(), path).is_err());
        assert!(read(record.replace('\n', "\r\n").as_bytes(), path).is_err());
        assert_eq!(read(b"\xff", path), Err("it is not text"));
        assert_eq!(
            read(record.replace("record 1", "record 2").as_bytes(), path),
            Err("it has a form that this version of dsh does not know")
        );
    }

    #[cfg(unix)]
    #[test]
    fn paths_that_are_not_utf_8_or_have_line_breaks_are_told_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let line = |bytes: &[u8]| one_line(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(line(b"/a\xff\xfe"), r"/a\xff\xfe");
        assert_eq!(line(br"/a\xff\xfe"), r"/a\\xff\\xfe");
        assert_eq!(line(b"/a\nb\x7f"), r"/a\nb\x7f");
        assert_eq!(line("/\u{85}".as_bytes()), r"/\xc2\x85");
        assert_eq!(line(b"/\xc2"), r"/\xc2");
    }
}
