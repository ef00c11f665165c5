//! The hash of what a project asks for.

use std::fmt;
use std::str::FromStr;

/// The BLAKE3 of a [`TrustSet`](super::TrustSet), which stands for it in records and on the command line.
///
/// It is written as 64 lower-case hexadecimal digits, always in full: a beginning of it would be easy to meet by another set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrustHash(blake3::Hash);

/// Digits of a hash.
const DIGITS: usize = 64;

impl TrustHash {
    /// The hash of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }
}

impl fmt::Display for TrustHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

/// Why a text is no hash.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotAHash {
    /// It has so many characters.
    Length(usize),
    /// This character of it is no hexadecimal digit.
    Digit(char),
}

impl FromStr for TrustHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        if let Some(wrong) = text.chars().find(|character| !character.is_ascii_hexdigit()) {
            return Err(NotAHash::Digit(wrong));
        }
        // Of digits alone, only a wrong number of them is refused.
        blake3::Hash::from_hex(text).ok().map(Self).ok_or(NotAHash::Length(text.len()))
    }
}

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a hash has {DIGITS} hexadecimal digits, and ")?;
        match self {
            Self::Length(length) => write!(f, "this has {length}")?,
            Self::Digit(wrong) => write!(f, "`{}` is none", wrong.escape_debug())?,
        }
        f.write_str("; `dsh trust` prints the hash of a folder")
    }
}

impl std::error::Error for NotAHash {}

#[cfg(test)]
mod tests {
    use super::{NotAHash, TrustHash};

    #[test]
    fn a_hash_is_read_back_from_what_it_is_shown_as() {
        let hash = TrustHash::of(b"a");
        let shown = hash.to_string();
        assert_eq!(shown.len(), 64);
        assert_eq!(shown.parse(), Ok(hash));
        assert_eq!(shown.to_ascii_uppercase().parse(), Ok(hash));
    }

    #[test]
    fn what_is_no_hash_is_told_why() {
        let parse = |text: &str| text.parse::<TrustHash>();
        assert_eq!(parse(""), Err(NotAHash::Length(0)));
        assert_eq!(parse(&"a".repeat(63)), Err(NotAHash::Length(63)));
        assert_eq!(parse(&"a".repeat(65)), Err(NotAHash::Length(65)));
        assert_eq!(parse(&"é".repeat(32)), Err(NotAHash::Digit('é')));
        assert_eq!(parse(&format!(" {}", "a".repeat(63))), Err(NotAHash::Digit(' ')));
        assert_eq!(
            NotAHash::Length(12).to_string(),
            "a hash has 64 hexadecimal digits, and this has 12; `dsh trust` prints the hash of a folder"
        );
        assert!(NotAHash::Digit('\u{1b}').to_string().contains(r"`\u{1b}` is none"));
    }
}
