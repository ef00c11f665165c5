//! A turn's two ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A turn begins. Its number stands in the record: the one before, and one more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnStarted {}

impl TurnStarted {
    /// A turn begins.
    pub fn new() -> Self {
        Self {}
    }
}

/// A turn is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnEnded {
    /// How it ended.
    pub end: TurnEnd,
}

impl TurnEnded {
    /// It ended so.
    pub fn new(end: TurnEnd) -> Self {
        Self { end }
    }
}

/// How a turn ended. In JSON a string or an object of one key, `{"failed":{"code":…,"message":…}}`.
///
/// ```
/// use dsh_session::TurnEnd;
///
/// assert_eq!(TurnEnd::failed("model::network", "no route").to_string(), "failed: no route (model::network)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEnd {
    /// The model had said all.
    Completed,
    /// A step failed, or the prompt could not be put together.
    #[non_exhaustive]
    Failed {
        /// The stable code of the error.
        code: String,
        /// Its text.
        message: String,
    },
    /// Somebody cancelled it.
    Cancelled,
    /// The process ended in the middle; noted when the session went on.
    Interrupted,
    /// A limit was reached.
    #[non_exhaustive]
    Limit {
        /// Which.
        which: TurnLimit,
    },
    /// The input was not let through; no request has it.
    #[non_exhaustive]
    Refused {
        /// Why.
        reason: String,
    },
    /// A listener ended it before the model had said all.
    #[non_exhaustive]
    Ended {
        /// Why.
        reason: String,
    },
}

impl TurnEnd {
    /// A failure with its stable code.
    pub fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Failed { code: code.into(), message: message.into() }
    }

    /// A limit was reached.
    pub fn limit(which: TurnLimit) -> Self {
        Self::Limit { which }
    }

    /// The input was refused.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }

    /// A listener ended it.
    pub fn ended(reason: impl Into<String>) -> Self {
        Self::Ended { reason: reason.into() }
    }
}

impl fmt::Display for TurnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Failed { code, message } => write!(f, "failed: {message} ({code})"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Limit { which } => write!(f, "limit reached: {which}"),
            Self::Refused { reason } => write!(f, "refused: {reason}"),
            Self::Ended { reason } => write!(f, "ended: {reason}"),
        }
    }
}

/// What a turn may not have more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnLimit {
    /// Steps.
    Steps,
    /// Tokens.
    Tokens,
    /// Wall time.
    Time,
    /// Identical calls in a row.
    SameCalls,
    /// A limit that only a later version knows.
    #[serde(other)]
    Other,
}

impl fmt::Display for TurnLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Tokens => "tokens",
            Self::Time => "time",
            Self::SameCalls => "identical calls in a row",
            Self::Other => "one that a later version knows",
        })
    }
}
