//! One entry of a trace: what a step gave.

use serde_json::{Value, json};

/// What one step gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The step's result, `null` where it has none.
    Ok(Value),
    /// The step failed.
    Err(Failed),
}

/// How a step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The code, as `FORMAT.md` lists it.
    pub code: &'static str,
    /// The scenario's own message, for code `user`; what is wrong, for code `runner`.
    pub message: Option<String>,
}

impl Entry {
    /// A step without a result.
    pub const DONE: Self = Self::Ok(Value::Null);

    /// The entry as a trace holds it.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Ok(value) => json!({"ok": value}),
            Self::Err(Failed { code, message: None }) => json!({"err": code}),
            Self::Err(Failed { code, message: Some(message) }) => json!({"err": code, "message": message}),
        }
    }
}

impl From<Failed> for Entry {
    fn from(failed: Failed) -> Self {
        Self::Err(failed)
    }
}

impl Failed {
    /// A failure that needs no message.
    pub fn with(code: &'static str) -> Self {
        Self { code, message: None }
    }

    /// A failure that the scenario itself caused.
    pub fn user(message: impl Into<String>) -> Self {
        Self { code: "user", message: Some(message.into()) }
    }

    /// A file that cannot be run.
    pub fn runner(message: impl Into<String>) -> Self {
        Self { code: "runner", message: Some(message.into()) }
    }
}

/// The codes of `FORMAT.md`'s table but `user`, which carries a message.
pub const CODES: [&str; 12] = [
    "duplicate_section",
    "duplicate_variable",
    "invalid_variable_name",
    "unknown_variable",
    "valueless_variable",
    "malformed_reference",
    "tool_order_duplicate",
    "tool_order_missing_rest",
    "tool_order_unknown",
    "reserved_tool_name",
    "duplicate_service",
    "inactive",
];
