//! A BLAKE3 of canonical bytes, as records hold it.

use std::fmt;

use dsh_llm::Message;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The BLAKE3 of canonical bytes; in JSON 64 hexadecimal digits.
///
/// ```
/// use dsh_session::Digest;
///
/// let digest = Digest::of(b"");
/// assert!(digest.to_string().starts_with("af1349b9f5f9a1a6"));
/// assert_eq!(serde_json::to_string(&digest)?.len(), 66);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// Of a message's JSON, which are the bytes that its record has.
    pub(crate) fn of_message(message: &Message) -> Self {
        // A message is made of strings and lists, which are never refused.
        Self::of(&serde_json::to_vec(message).unwrap_or_default())
    }

    /// The hash itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        blake3::Hash::from_hex(&text).map(Self).map_err(serde::de::Error::custom)
    }
}
