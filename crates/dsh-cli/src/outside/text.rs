//! Bytes of a text file made text (X12).

use std::fmt;

/// The byte order mark.
const MARK: char = '\u{feff}';

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

/// What a text has lost in being decoded, so that its bytes can be told as those of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// How long the byte order mark was.
    mark: usize,
    /// The line ends of the text that were CRLF.
    returns: Vec<usize>,
}

impl Lost {
    /// Where this byte of the text stands in the file.
    pub(crate) fn offset_in_file(&self, offset: usize) -> usize {
        self.mark + offset + self.returns.partition_point(|end| *end < offset)
    }
}

/// The text of a file: UTF-8, without a byte order mark, lines ended by LF (X12).
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, TextError> {
    decode_noting(bytes).map(|(text, _)| text)
}

/// As [`decode`], with what was lost.
pub(crate) fn decode_noting(bytes: Vec<u8>) -> Result<(String, Lost), TextError> {
    if looks_like_utf16(&bytes) {
        return Err(TextError::Utf16);
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
        let before = String::from_utf8_lossy(error.as_bytes().get(..offset).unwrap_or_default());
        // A second mark is a character of the text.
        let before = before.strip_prefix(MARK).unwrap_or(&before);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        TextError::NotUtf8 { offset, byte, line, column }
    })?;
    let mut lost = Lost::default();
    if text.starts_with(MARK) {
        text.remove(0);
        lost.mark = MARK.len_utf8();
    }
    if text.contains("\r\n") {
        let ends = text.match_indices("\r\n").enumerate();
        lost.returns = ends.map(|(before, (offset, _))| offset - before).collect();
        text = text.replace("\r\n", "\n");
    }
    Ok((text, lost))
}

/// Whether the bytes start with UTF-16's mark, or with two characters that hold a zero byte each on the same side.
fn looks_like_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(bytes, [a, 0, b, 0, ..] if *a != 0 && *b != 0)
        || matches!(bytes, [0, a, 0, b, ..] if *a != 0 && *b != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{TextError, decode, decode_noting};

    #[test]
    fn a_byte_order_mark_goes_and_crlf_becomes_lf() {
        // X12
        assert_eq!(decode(b"\xef\xbb\xbfone\r\ntwo\rthree\n".to_vec()), Ok("one\ntwo\rthree\n".to_owned()));
    }

    #[test]
    fn each_byte_of_the_text_is_led_back_to_the_file() {
        for file in ["\u{feff}one\r\n\r\ntwo\rthree\n\u{feff}\r\n", "plain\n", "", "\r\n"] {
            let (text, lost) = decode_noting(file.as_bytes().to_vec()).unwrap();
            for (offset, character) in text.char_indices() {
                let rest = file.get(lost.offset_in_file(offset)..).unwrap();
                assert!(rest.starts_with(character) || (character == '\n' && rest.starts_with("\r\n")), "{rest:?}");
            }
            assert_eq!(lost.offset_in_file(text.len()), file.len());
        }
    }

    #[test]
    fn a_wrong_byte_is_told_by_its_offset() {
        // X12
        let wrong = |offset, byte, line, column| Err(TextError::NotUtf8 { offset, byte, line, column });
        assert_eq!(decode(b"caf\xe9".to_vec()), wrong(3, 0xe9, 1, 4));
        assert_eq!(decode(b"\xef\xbb\xbfab\xff".to_vec()), wrong(5, 0xff, 1, 3));
        assert_eq!(decode(b"one\r\n\xc3\xa9\xff".to_vec()), wrong(7, 0xff, 2, 2));
    }

    proptest! {
        #[test]
        fn a_wrong_byte_is_where_counting_finds_it(before in "[\u{feff}\r\na\u{e9}]{0,12}") {
            // X12
            let mut file = before.clone().into_bytes();
            file.push(0xff);
            let text = decode(before.clone().into_bytes()).unwrap();
            let (line, column) = (text.split('\n').count(), text.rsplit('\n').next().unwrap().chars().count() + 1);
            prop_assert_eq!(decode(file), Err(TextError::NotUtf8 { offset: before.len(), byte: 0xff, line, column }));
        }
    }

    #[test]
    fn utf_16_is_named_as_such_with_and_without_its_mark() {
        for bytes in [b"\xff\xfeh\0i\0".as_slice(), b"\xfe\xff\0h\0i", b"h\0i\0", b"\0h\0i"] {
            assert_eq!(decode(bytes.to_vec()), Err(TextError::Utf16));
        }
        assert_eq!(decode(b"a\0".to_vec()), Ok("a\0".to_owned()));
    }
}
