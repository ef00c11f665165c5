//! What changes the account of the past: a summary, and a repair.

use dsh_llm::{Message, Usage};
use serde::{Deserialize, Serialize};

/// A summary takes the place of the oldest part of the conversation. The log keeps everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Compacted {
    /// The `seq` of the last record that it stands for. An answer takes the results of its calls with it, wherever they stand.
    pub through_seq: u64,
    /// What stands in their place.
    pub summary: Message,
    /// What it cost, where a model made it and its provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Compacted {
    /// This stands for all up to and including the record of this `seq`.
    pub fn new(through_seq: u64, summary: Message) -> Self {
        Self { through_seq, summary, usage: None }
    }

    /// What it cost.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<Option<Usage>>) -> Self {
        self.usage = usage.into();
        self
    }
}

/// The log was opened for writing, and its torn end was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Repaired {
    /// The line that was cut, from 1.
    pub line: u64,
    /// How many bytes were there of it.
    pub cut_bytes: u64,
}

impl Repaired {
    /// So many bytes of this line were cut off.
    pub fn new(line: u64, cut_bytes: u64) -> Self {
        Self { line, cut_bytes }
    }
}
