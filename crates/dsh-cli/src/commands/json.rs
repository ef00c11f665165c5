//! JSON where bytes matter: objects are written by hand, each value exactly as it is given.

use dsh_kernel::Owner;
use dsh_system_prompt::PartLayer;
use serde_json::Value;

use crate::diagnostic::json::escaped;

/// An object with these fields, which are JSON, in this order.
pub(super) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{}:{value}", string(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// A string, in which what cannot be seen stands as escapes.
pub(super) fn string(text: &str) -> String {
    escaped(&Value::from(text).to_string())
}

/// A number as a person would write it: without a fraction where it has none.
pub(super) fn number(number: f64) -> String {
    let text = Value::from(number).to_string();
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// An array of these values, which are JSON.
pub(super) fn array(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

/// What `write` makes of a value, or `null`.
pub(super) fn or_null<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), write)
}

/// Who registered a part.
pub(super) fn owner(owner: Option<&Owner>) -> String {
    or_null(owner, |owner| string(&owner.to_string()))
}

/// The layer that a part stands in.
pub(super) fn layer(layer: PartLayer) -> String {
    string(match layer {
        PartLayer::Global => "global",
        PartLayer::Scope(_) => "agent",
        // Nothing that the command mounts edits an assembly.
        PartLayer::Assembly | _ => "assembly",
    })
}
