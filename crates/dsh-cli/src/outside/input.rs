//! Standard input that is no terminal, and a file that the command line names.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
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
    read(&mut input.lock(), limit)
}

fn read(input: &mut impl Read, limit: u64) -> Piped {
    let mut bytes = Vec::new();
    if let Err(error) = input.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        return Piped::Failed(in_words(&error));
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Piped::TooLong;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Piped::Text(text),
        Err(error) => Piped::NotUtf8(error.utf8_error().valid_up_to()),
    }
}

/// The text of a regular file that a person named on the command line, wherever it lies; of at most `limit` bytes.
pub(crate) fn read_named(path: &Path, limit: u64) -> io::Result<String> {
    let file = opened(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    let length = file.take(limit.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(length).is_ok_and(|length| length > limit) {
        return Err(io::Error::other(format!("it is longer than {limit} bytes")));
    }
    Ok(text)
}

/// Opening never waits: a pipe without a writer opens at once, and is refused for what it is.
#[cfg(unix)]
fn opened(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn opened(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::{Piped, read};

    #[test]
    fn input_is_text_of_a_bounded_length() {
        assert!(matches!(read(&mut "añ".as_bytes(), 3), Piped::Text(text) if text == "añ"));
        assert!(matches!(read(&mut "añ".as_bytes(), 2), Piped::TooLong));
        assert!(matches!(read(&mut b"ab\xff".as_slice(), 9), Piped::NotUtf8(2)));
    }
}
