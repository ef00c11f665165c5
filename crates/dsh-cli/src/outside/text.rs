//! Bytes of a text file made text (X12).

use std::fmt;

/// Why bytes are not text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TextError {
    /// The bytes at this offset of the file are not UTF-8.
    NotUtf8 {
        /// Bytes from the start of the file, a byte order mark counted.
        offset: usize,
        /// The byte there.
        byte: u8,
        /// Its line, from 1.
        line: usize,
        /// Its column, in characters from 1.
        column: usize,
    },
    /// The file is in UTF-16.
    Utf16,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 { offset, byte, line, column } => write!(
                f,
                "not UTF-8: the first wrong byte is 0x{byte:02x}, in line {line}, column {column} (offset {offset})"
            ),
            Self::Utf16 => f.write_str("in UTF-16, and dsh reads UTF-8"),
        }
    }
}

/// The text of a file: UTF-8, without a byte order mark, lines ended by LF (X12).
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, TextError> {
    if looks_like_utf16(&bytes) {
        return Err(TextError::Utf16);
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
        let before = String::from_utf8_lossy(error.as_bytes().get(..offset).unwrap_or_default());
        let before = before.trim_start_matches('\u{feff}');
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        TextError::NotUtf8 { offset, byte, line, column }
    })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text })
}

/// Whether the bytes start with UTF-16's mark, or with two characters that hold a zero byte each on the same side.
fn looks_like_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(bytes, [a, 0, b, 0, ..] if *a != 0 && *b != 0)
        || matches!(bytes, [0, a, 0, b, ..] if *a != 0 && *b != 0)
}

#[cfg(test)]
mod tests {
    use super::{TextError, decode};

    #[test]
    fn a_byte_order_mark_goes_and_crlf_becomes_lf() {
        // X12
        assert_eq!(decode(b"\xef\xbb\xbfone\r\ntwo\rthree\n".to_vec()), Ok("one\ntwo\rthree\n".to_owned()));
    }

    #[test]
    fn a_wrong_byte_is_told_by_its_offset() {
        // X12
        let wrong = |offset, byte, line, column| Err(TextError::NotUtf8 { offset, byte, line, column });
        assert_eq!(decode(b"caf\xe9".to_vec()), wrong(3, 0xe9, 1, 4));
        assert_eq!(decode(b"\xef\xbb\xbfab\xff".to_vec()), wrong(5, 0xff, 1, 3));
        assert_eq!(decode(b"one\r\n\xc3\xa9\xff".to_vec()), wrong(7, 0xff, 2, 2));
    }

    #[test]
    fn utf_16_is_named_as_such_with_and_without_its_mark() {
        for bytes in [b"\xff\xfeh\0i\0".as_slice(), b"\xfe\xff\0h\0i", b"h\0i\0", b"\0h\0i"] {
            assert_eq!(decode(bytes.to_vec()), Err(TextError::Utf16));
        }
        assert_eq!(decode(b"a\0".to_vec()), Ok("a\0".to_owned()));
    }
}
