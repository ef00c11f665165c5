//! What holds where nobody says anything else.

use serde_json::{Value, json};

/// Every key that has a value by itself, with it; keys of tables are joined by dots.
pub(crate) fn defaults() -> Vec<(&'static str, Value)> {
    vec![
        ("identity", json!(true)),
        ("instructions.names", json!(["CLAUDE.md"])),
        ("instructions.max_bytes", json!(32_768)),
        ("instructions.order", json!(10)),
        ("limits.steps", json!(100)),
        ("limits.same_calls", json!(3)),
    ]
}
