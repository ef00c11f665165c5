//! Standard input that is no terminal, and a file that the command line names.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::Path;

use super::failure::in_words;

/// What standard input has.
#[derive(Debug)]
pub(crate) enum Piped {
    /// It is a terminal, and was not asked for: nothing is read.
    Terminal,
    /// This, to its end.
    Text(String),
    /// More than can be taken.
    TooLong,
    /// Something that is no text, from this byte on.
    NotUtf8(usize),
    /// It cannot be read: why.
    Failed(String),
}

/// Reads standard input to its end; a terminal only where it was `asked` for.
pub(crate) fn piped_input(limit: u64, asked: bool) -> Piped {
    let input = io::stdin();
    if input.is_terminal() && !asked {
        return Piped::Terminal;
    }
    let read = read(&mut input.lock(), limit);
    match read {
        Ok(Bounded::Text(text)) => Piped::Text(text),
        Ok(Bounded::TooLong) => Piped::TooLong,
        Ok(Bounded::NotUtf8(offset)) => Piped::NotUtf8(offset),
        Err(error) => Piped::Failed(in_words(&error)),
    }
}

/// All of standard input, a terminal's too; of at most `limit` bytes.
pub(crate) fn standard_input(limit: u64) -> io::Result<String> {
    text(read(&mut io::stdin().lock(), limit)?, limit)
}

/// The text of a regular file that a person named on the command line, wherever it lies; of at most `limit` bytes.
pub(crate) fn read_named(path: &Path, limit: u64) -> io::Result<String> {
    let mut file = opened(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    text(read(&mut file, limit)?, limit)
}

/// What was read of something that has an end, or should have.
#[derive(Debug)]
enum Bounded {
    Text(String),
    TooLong,
    /// From this byte on.
    NotUtf8(usize),
}

fn read(input: &mut impl Read, limit: u64) -> io::Result<Bounded> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Ok(Bounded::TooLong);
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Bounded::Text(text),
        Err(error) => Bounded::NotUtf8(error.utf8_error().valid_up_to()),
    })
}

fn text(read: Bounded, limit: u64) -> io::Result<String> {
    match read {
        Bounded::Text(text) => Ok(text),
        Bounded::TooLong => Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes"))),
        Bounded::NotUtf8(offset) => {
            Err(io::Error::new(ErrorKind::InvalidData, format!("it is not UTF-8, from byte {offset} on")))
        }
    }
}

#[cfg(unix)]
fn opened(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, open};

    Ok(open(path, super::folder::reading(), Mode::empty())?.into())
}

#[cfg(not(unix))]
fn opened(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::{Bounded, read, text};

    #[test]
    fn input_is_text_of_a_bounded_length() {
        let read = |bytes: &[u8], limit| read(&mut &*bytes, limit).unwrap();
        assert!(matches!(read("añ".as_bytes(), 3), Bounded::Text(text) if text == "añ"));
        assert!(matches!(read("añ".as_bytes(), 2), Bounded::TooLong));
        assert!(matches!(read(b"ab\xff", 9), Bounded::NotUtf8(2)));
        let refused = |bytes: &[u8], limit| text(read(bytes, limit), limit).unwrap_err().to_string();
        assert_eq!(refused(b"abc", 2), "it has more than 2 bytes");
        assert_eq!(refused(b"ab\xff", 9), "it is not UTF-8, from byte 2 on");
    }
}
