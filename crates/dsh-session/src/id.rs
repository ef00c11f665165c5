//! The name of a session: sorts by its time of birth, and is safe as the name of a file.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, ErrorKind};

/// The longest name.
const LONGEST: usize = 64;
/// Crockford's digits: in order, and without those that are read as another.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The name of a session.
///
/// One that is [made](Self::new) sorts, as text, by its time of birth. Any name of 1 to 64 of `a`-`z`, `0`-`9`, `-` and `_` that
/// begins with a letter or a digit is taken. So a name holds no `/` and no `.`, and can never leave a store's folder. A clone is
/// one reference count.
///
/// ```
/// use dsh_session::SessionId;
///
/// let (one, two) = (SessionId::new(1_760_000_000_000, 7), SessionId::new(1_760_000_000_001, 3));
/// assert!(one < two);
/// assert_eq!(one.as_str(), "01k742sg000000000000000007");
/// assert_eq!("demo".parse::<SessionId>()?.as_str(), "demo");
/// assert_eq!("../demo".parse::<SessionId>().unwrap_err().code(), "session::invalid_id");
/// # Ok::<(), dsh_session::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// A name from the milliseconds since the Unix epoch and from chance; of `random` the lower 80 bits count. This crate reads no
    /// clock and has no chance of its own: the host passes both in.
    pub fn new(millis: u64, random: u128) -> Self {
        let number = (u128::from(millis) << 80) | (random & ((1 << 80) - 1));
        let digit = |place: u32| {
            let digit = usize::try_from((number >> (5 * place)) & 31).unwrap_or_default();
            char::from(DIGITS.get(digit).copied().unwrap_or(b'0'))
        };
        Self((0..26).rev().map(digit).collect::<String>().into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = Error;

    /// # Errors
    ///
    /// `session::invalid_id`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let begins = text.bytes().next().is_some_and(good);
        if begins && text.len() <= LONGEST && text.bytes().all(|byte| good(byte) || matches!(byte, b'-' | b'_')) {
            return Ok(Self(text.into()));
        }
        let shown: String = text.chars().take(LONGEST).collect();
        let problem = format!("{shown:?} is no name of a session");
        Err(Error::new(ErrorKind::InvalidId, problem)
            .with_help("a name has 1 to 64 of a-z, 0-9, `-` and `_`, and begins with a letter or a digit"))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({})", self.0)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
