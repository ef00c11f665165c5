//! How a run went: always an answer, never an error (G2).

use std::fmt;

use dsh_llm::Usage;
use dsh_session::{SessionId, TurnEnd, TurnLimit};
use serde_json::Value;

/// How a run went. It is made by a provider, and what it says of the final answer is checked against the request.
///
/// ```
/// use dsh_subagent::{SubagentResult, SubagentStop};
///
/// let result = SubagentResult::completed("Two tests fail.");
/// assert_eq!((result.stop, &*result.text), (SubagentStop::Completed, "Two tests fail."));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SubagentResult {
    /// Why it ended.
    pub stop: SubagentStop,
    /// The final answer, or what there was of it; empty where there was nothing.
    pub text: String,
    /// The final answer as JSON, where the request had a schema and the answer is of it.
    pub value: Option<Value>,
    /// What it cost, as far as the provider says; agents under it are not in it.
    pub usage: Usage,
    /// How many steps it had.
    pub steps: u32,
    /// The child's session, where it had one.
    pub session: Option<SessionId>,
}

impl SubagentResult {
    /// The child has said all.
    pub fn completed(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::stopped(SubagentStop::Completed) }
    }

    /// It ended for this reason, with nothing to show.
    pub fn stopped(stop: SubagentStop) -> Self {
        Self { stop, text: String::new(), value: None, usage: Usage::default(), steps: 0, session: None }
    }

    /// It failed, with a stable code and a text for the host.
    pub fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::stopped(SubagentStop::failed(code, message))
    }

    /// Whether the final answer is there, and of the schema that was asked for.
    pub fn is_completed(&self) -> bool {
        self.stop == SubagentStop::Completed
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubagentStop {
    /// The child has said all.
    Completed,
    /// The final answer is not of the schema that was asked for, the second one neither.
    #[non_exhaustive]
    InvalidOutput {
        /// What is wrong with it, each violation on a line.
        violations: String,
    },
    /// The child, or the provider, failed.
    #[non_exhaustive]
    Failed {
        /// The stable code of the error.
        code: String,
        /// Its text, for the host.
        message: String,
    },
    /// Somebody cancelled it: its handle, its parent, or whoever spoke to the child.
    Cancelled,
    /// Its parent, whoever started it, or its provider was disposed.
    Disposed,
    /// A limit was reached: its own, or one of those that it worked for.
    #[non_exhaustive]
    Limit {
        /// Which.
        which: TurnLimit,
    },
    /// A listener did not let the prompt through.
    #[non_exhaustive]
    Refused {
        /// Why.
        reason: String,
    },
    /// A listener ended it before the child had said all.
    #[non_exhaustive]
    Ended {
        /// Why.
        reason: String,
    },
}

impl SubagentStop {
    /// A failure with its stable code.
    pub fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Failed { code: code.into(), message: message.into() }
    }

    /// A limit was reached.
    pub fn limit(which: TurnLimit) -> Self {
        Self::Limit { which }
    }

    /// The prompt was not let through.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }

    /// Somebody ended it before the child had said all.
    pub fn ended(reason: impl Into<String>) -> Self {
        Self::Ended { reason: reason.into() }
    }

    /// A stable word for it, such as `invalid_output`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::InvalidOutput { .. } => "invalid_output",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
            Self::Disposed => "disposed",
            Self::Limit { .. } => "limit",
            Self::Refused { .. } => "refused",
            Self::Ended { .. } => "ended",
        }
    }
}

impl From<TurnEnd> for SubagentStop {
    fn from(end: TurnEnd) -> Self {
        match end {
            TurnEnd::Completed => Self::Completed,
            TurnEnd::Failed { code, message, .. } => Self::Failed { code, message },
            TurnEnd::Cancelled | TurnEnd::Interrupted => Self::Cancelled,
            TurnEnd::Limit { which, .. } => Self::Limit { which },
            TurnEnd::Refused { reason, .. } => Self::Refused { reason },
            TurnEnd::Ended { reason, .. } => Self::Ended { reason },
            other => Self::Ended { reason: other.to_string() },
        }
    }
}

impl fmt::Display for SubagentStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed | Self::Cancelled | Self::Disposed => f.write_str(self.as_str()),
            Self::InvalidOutput { violations } => write!(f, "the answer is not of the schema asked for:{violations}"),
            Self::Failed { code, message } => write!(f, "failed: {message} ({code})"),
            Self::Limit { which } => write!(f, "limit reached: {which}"),
            Self::Refused { reason } => write!(f, "refused: {reason}"),
            Self::Ended { reason } => write!(f, "ended: {reason}"),
        }
    }
}
