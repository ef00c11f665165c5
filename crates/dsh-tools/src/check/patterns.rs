//! Patterns of a schema that cannot be used: what takes more than linear time is no pattern here, and is told of when a tool is
//! registered, not when a model calls it first (T4).

use dsh_llm::ToolSchema;
use serde_json::{Map, Value, json};

use super::keywords::{holds_literals, holds_named_schemas};
use super::schema::options;

/// What is wrong with the first pattern that arguments cannot be checked with, and its JSON pointer.
pub(crate) fn unusable_pattern(schema: &ToolSchema) -> Option<String> {
    // Keys stand in canonical JSON as they are, and most schemas have no pattern.
    if !schema.parameters_json().contains("\"pattern") {
        return None;
    }
    let parameters = schema.parameters().ok()?;
    in_value(&parameters, &mut String::new())
}

fn in_value(value: &Value, at: &mut String) -> Option<String> {
    match value {
        Value::Object(object) => in_object(object, at),
        Value::Array(all) => {
            all.iter().enumerate().find_map(|(index, one)| below(at, &index.to_string(), one, in_value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn in_object(object: &Map<String, Value>, at: &mut String) -> Option<String> {
    object.iter().find_map(|(key, value)| match (key.as_str(), value) {
        (keyword, _) if holds_literals(keyword) => None,
        ("pattern", Value::String(pattern)) => (!is_usable(pattern)).then(|| told(pattern, at, key)),
        ("patternProperties", Value::Object(named)) => {
            let unusable = named.keys().find(|pattern| !is_usable(pattern)).map(|pattern| told(pattern, at, key));
            unusable.or_else(|| below(at, key, value, in_named))
        }
        (keyword, Value::Object(_)) if holds_named_schemas(keyword) => below(at, key, value, in_named),
        _ => below(at, key, value, in_value),
    })
}

fn in_named(named: &Value, at: &mut String) -> Option<String> {
    named.as_object()?.iter().find_map(|(name, value)| below(at, name, value, in_value))
}

/// Looks into a part of a value, whose place is then one step longer.
fn below(
    at: &mut String,
    step: &str,
    value: &Value,
    look: impl FnOnce(&Value, &mut String) -> Option<String>,
) -> Option<String> {
    let length = at.len();
    at.push('/');
    at.push_str(&step.replace('~', "~0").replace('/', "~1"));
    let found = look(value, at);
    at.truncate(length);
    found
}

/// Whether a pattern can be used, as the checker itself has it.
fn is_usable(pattern: &str) -> bool {
    options().build(&json!({ "pattern": pattern })).is_ok()
}

fn told(pattern: &str, at: &str, key: &str) -> String {
    let pattern: String = pattern.chars().take(80).flat_map(char::escape_debug).collect();
    format!(
        "its pattern `{pattern}` at {}/{key} cannot be used; arguments are checked in time that is linear in their length, so \
         write it as a regular expression without look-around and backreferences, and with small repetitions",
        at.escape_debug()
    )
}
