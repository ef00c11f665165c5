//! Canonical order a second time, on another reader's values: slow, simple, and written from the words of X5 alone.

use serde_json::{Map, Value};

/// The value with its keys and sets in canonical order, read as a schema.
pub(super) fn canonical_order(value: &Value) -> Value {
    schema(value)
}

fn schema(value: &Value) -> Value {
    let Value::Object(members) = value else { return data(value) };
    sorted(members, |key, value| match key {
        "properties" | "patternProperties" | "$defs" | "definitions" => in_place(value, schema),
        "dependentSchemas" | "dependencies" => each(value, schema),
        "required" => set(value),
        "dependentRequired" => each(value, set),
        "default" | "const" | "enum" | "examples" => value.clone(),
        "prefixItems" | "allOf" | "anyOf" | "oneOf" => list(value, data),
        "items" => list(value, schema),
        "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "additionalProperties"
        | "additionalItems"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => schema(value),
        _ => data(value),
    })
}

/// A list of schemas; what is none is what `single` makes of it.
fn list(value: &Value, single: fn(&Value) -> Value) -> Value {
    value.as_array().map_or_else(|| single(value), |items| items.iter().map(schema).collect())
}

/// What is no keyword's: keys sorted at every level.
fn data(value: &Value) -> Value {
    match value {
        Value::Object(members) => sorted(members, |_, value| data(value)),
        Value::Array(items) => items.iter().map(data).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Names to values, sorted by name.
fn each(value: &Value, inner: fn(&Value) -> Value) -> Value {
    value.as_object().map_or_else(|| data(value), |members| sorted(members, |_, value| inner(value)))
}

/// Names to values, in the author's order.
fn in_place(value: &Value, inner: fn(&Value) -> Value) -> Value {
    let members =
        |members: &Map<String, Value>| members.iter().map(|(key, value)| (key.clone(), inner(value))).collect();
    value.as_object().map_or_else(|| data(value), members)
}

/// Names that mean a set.
fn set(value: &Value) -> Value {
    let names: Option<Vec<&str>> = value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
    let Some(mut names) = names else { return data(value) };
    names.sort_by_key(|name| name.encode_utf16().collect::<Vec<_>>());
    names.into()
}

fn sorted(members: &Map<String, Value>, inner: impl Fn(&str, &Value) -> Value) -> Value {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(key, _)| key.encode_utf16().collect::<Vec<_>>());
    members.into_iter().map(|(key, value)| (key.clone(), inner(key, value))).collect()
}

/// The value with the keys of every object turned round.
pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect(),
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The numbers of a JSON text as they are written, in alphabetical order.
pub(super) fn numbers(json: &str) -> Vec<&str> {
    let mut outside = String::with_capacity(json.len());
    let (mut inside, mut escaped) = (false, false);
    for character in json.chars() {
        let is_quote = character == '"' && !escaped;
        escaped = inside && character == '\\' && !escaped;
        inside ^= is_quote;
        // One byte for one, so that the ranges are those of the text.
        outside.extend(std::iter::repeat_n(
            if inside { ' ' } else { character },
            if inside { character.len_utf8() } else { 1 },
        ));
    }
    let is_part = |character: char| character.is_ascii_digit() || matches!(character, '.' | 'e' | 'E' | '+' | '-');
    let mut numbers = Vec::new();
    let mut from = 0;
    for word in outside.split_inclusive(|character| !is_part(character)) {
        let digits = word.trim_end_matches(|character| !is_part(character));
        if digits.contains(|digit: char| digit.is_ascii_digit()) {
            numbers.extend(json.get(from..from + digits.len()));
        }
        from += word.len();
    }
    numbers.sort_unstable();
    numbers
}
