//! A tool call's two ends.

use dsh_llm::ToolResult;
use serde::{Deserialize, Serialize};

/// A tool is about to run. It is written first, so that after a crash a call without it has certainly not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallStarted {
    /// The call.
    pub call_id: String,
}

impl CallStarted {
    /// This call is about to run.
    pub fn new(call_id: impl Into<String>) -> Self {
        Self { call_id: call_id.into() }
    }
}

/// A call has its result, its only one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallEnded {
    /// The result, with the call's id.
    pub result: ToolResult,
    /// The stable code of what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether it was denied, and never ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
}

impl CallEnded {
    /// A result.
    pub fn new(result: ToolResult) -> Self {
        Self { result, code: None, denied: false }
    }

    /// The stable code of what went wrong.
    #[must_use]
    pub fn code<C: Into<String>>(mut self, code: impl Into<Option<C>>) -> Self {
        self.code = code.into().map(Into::into);
        self
    }

    /// Whether it was denied, and never ran.
    #[must_use]
    pub fn denied(mut self, denied: bool) -> Self {
        self.denied = denied;
        self
    }
}
