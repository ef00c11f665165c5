//! `dsh.toml` (C1), read alone, and a text as a `--config KEY=VALUE`.

use dsh_cli::fuzzing::{Configuration, ConfigurationReading, Decoded, InlineText, SCHEMA};
use serde_json::Value;

use crate::found::{is_a_text, shown_is_right};
use crate::text::at;

/// What the schema for editors cannot say: two of a list have one name.
const BEYOND: [&str; 1] = ["prompt::duplicate_section"];

/// Checks bytes as a `dsh.toml`.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn configuration(bytes: &[u8]) {
    let read = dsh_cli::fuzzing::configuration(bytes);
    shown_is_right(&read.decoded, &read.shown);
    if !is_a_text(bytes, &read.decoded, &read.shown) {
        return;
    }
    let text = read.decoded.text.clone();
    assert!(read.reading == dsh_cli::fuzzing::configuration_says(&text), "read twice: {read:?}");
    let flag = dsh_cli::fuzzing::configuration_flag(&text);
    shown_is_right(&Decoded { offsets: (0..=text.len()).collect(), text }, &flag);
    match &read.reading {
        None => {
            assert!(read.shown.findings.iter().all(|finding| finding.code == "config::not_toml" && finding.is_error));
        }
        Some(reading) => {
            printed_says_the_same(reading);
            reading.texts.iter().for_each(|inline| comes_from_its_place(inline, &read.decoded.text));
            agrees_with_the_schema(&read);
        }
    }
}

/// What `dsh config` prints is a `dsh.toml` that says the same.
fn printed_says_the_same(reading: &ConfigurationReading) {
    let printed = dsh_cli::fuzzing::configuration_says(&reading.toml);
    let Some(printed) = printed else { unreachable!("no TOML:\n{}", reading.toml) };
    assert_eq!(printed.json.to_string(), reading.json.to_string(), "{}", reading.toml);
    assert_eq!(printed.toml, reading.toml);
}

/// Each character of a string comes from itself or from an escape, and all of them in order.
fn comes_from_its_place(inline: &InlineText, text: &str) {
    let InlineText { value, place, characters } = inline;
    at(text, place.clone());
    let mut end = place.start;
    for (character, range) in value.chars().zip(characters) {
        let written = at(text, range.clone());
        assert!(end <= range.start && range.end <= place.end, "{inline:?} in {text:?}");
        end = range.end;
        let is_itself = written.chars().eq([character]);
        assert!(is_itself || written.starts_with('\\'), "{character:?} is not {written:?}: {inline:?} in {text:?}");
    }
}

/// The JSON Schema that editors get says of a `dsh.toml` what the reader says.
fn agrees_with_the_schema(read: &Configuration) {
    thread_local!(static VALIDATOR: Option<jsonschema::Validator> = {
        serde_json::from_str(SCHEMA).ok().and_then(|schema: Value| jsonschema::validator_for(&schema).ok())
    });
    let text = &read.decoded.text;
    let Ok(said) = toml::from_str::<Value>(text) else { return };
    // JSON has no dates, and no such floats.
    if said.to_string().contains("$__toml_private") || has_null(&said) {
        return;
    }
    let findings: Vec<_> = read.shown.findings.iter().filter(|finding| finding.is_error).map(|it| it.code).collect();
    let is_fine = findings.iter().all(|code| BEYOND.contains(code));
    let is_valid = VALIDATOR.with(|validator| validator.as_ref().is_some_and(|validator| validator.is_valid(&said)));
    assert_eq!(is_valid, is_fine, "the schema and the reader, who found {findings:?} in\n{text}");
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
