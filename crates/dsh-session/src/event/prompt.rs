//! A system prompt with its tools, kept once and named by its hash.

use std::sync::Arc;

use dsh_llm::{ToolSchema, escape_json};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::Digest;

/// A system prompt with its tools. Requests refer to it by hash, so that a log holds each distinct one once.
///
/// ```
/// use dsh_session::{Digest, Prompt};
///
/// let prompt = Prompt::new("You are dsh.", []);
/// assert_eq!(prompt.hash, Digest::of(br#"{"system":"You are dsh.","tools":[]}"#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The BLAKE3 of `{"system":…,"tools":[…]}`: the text as JSON, and the tools' canonical bytes.
    pub hash: Digest,
    /// The system prompt.
    #[serde(with = "text")]
    pub system: Arc<str>,
    /// The tools, in the order of the request.
    #[serde(with = "tools")]
    pub tools: Arc<[ToolSchema]>,
}

impl Prompt {
    /// A system prompt with its tools; shared ones are kept shared.
    pub fn new(system: impl Into<Arc<str>>, tools: impl Into<Arc<[ToolSchema]>>) -> Self {
        let (system, tools) = (system.into(), tools.into());
        Self { hash: hash_of(&system, &tools), system, tools }
    }

    /// Whether it is this text with these tools; what is the very same is not looked at.
    pub(crate) fn is(&self, system: &Arc<str>, tools: &Arc<[ToolSchema]>) -> bool {
        (Arc::ptr_eq(&self.system, system) || self.system == *system)
            && (Arc::ptr_eq(&self.tools, tools) || self.tools == *tools)
    }

    /// Whether the hash is that of what it holds.
    pub(crate) fn is_whole(&self) -> bool {
        self.hash == hash_of(&self.system, &self.tools)
    }
}

fn hash_of(system: &str, tools: &[ToolSchema]) -> Digest {
    let mut head = String::with_capacity(system.len() + system.len() / 16 + 32);
    head.push_str("{\"system\":\"");
    escape_json(&mut head, system);
    head.push_str("\",\"tools\":[");
    let mut hasher = blake3::Hasher::new();
    hasher.update(head.as_bytes());
    for (index, tool) in tools.iter().enumerate() {
        if index > 0 {
            hasher.update(b",");
        }
        hasher.update(tool.json().as_bytes());
    }
    hasher.update(b"]}");
    hasher.finalize().into()
}

/// A shared text.
mod text {
    use super::{Arc, Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        Ok(String::deserialize(deserializer)?.into())
    }
}

/// A list of tools.
mod tools {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer, ToolSchema};

    /// A tool with its parameters as text, so that no number in them changes a digit.
    #[derive(Serialize, Deserialize)]
    struct Stored<T> {
        name: T,
        description: T,
        parameters: T,
    }

    pub(super) fn serialize<S: Serializer>(tools: &[ToolSchema], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(tools.iter().map(|tool| Stored {
            name: tool.name(),
            description: tool.description(),
            parameters: tool.parameters_json(),
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[ToolSchema]>, D::Error> {
        let stored = Vec::<Stored<String>>::deserialize(deserializer)?;
        let tools = stored.into_iter().map(|tool| ToolSchema::new(tool.name, tool.description, &tool.parameters));
        tools.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
    }
}
