//! Diagnostics as JSON: docs/json.md describes the shape.

use serde_json::{Value, json};

use super::plain::{self, one_line};
use super::{Counts, Diagnostic, Place, Sources};

/// What was found, one entry each.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    diagnostics.iter().map(|diagnostic| one(diagnostic, sources)).collect()
}

/// The JSON as it is printed: in one line, with what cannot be seen as escapes.
pub(crate) fn printed(value: &Value) -> String {
    escaped(&value.to_string()) + "\n"
}

/// JSON that says the same, with what cannot be seen as escapes.
pub(crate) fn escaped(json: &str) -> String {
    plain::json(json)
}

/// How much was found.
pub(crate) fn counts(counts: Counts) -> Value {
    json!({ "errors": counts.errors, "warnings": counts.warnings, "notes": counts.notes })
}

fn one(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let lines = |texts: &[String]| texts.iter().map(|text| one_line(text)).collect::<Vec<_>>();
    let places = diagnostic.places.iter().enumerate();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.to_string(),
        "headline": one_line(&diagnostic.headline),
        "agents": diagnostic.agents,
        "places": places.filter_map(|(index, at)| place(at, index == 0, sources)).collect::<Vec<_>>(),
        "notes": lines(&diagnostic.notes),
        "helps": lines(&diagnostic.helps),
    })
}

fn place(place: &Place, primary: bool, sources: &Sources) -> Option<Value> {
    let at = sources.locate(place.span)?;
    Some(json!({
        "file": at.is_file.then_some(at.path),
        "said_by": (!at.is_file).then_some(at.path),
        "line": at.start.line,
        "column": at.start.column,
        "end_line": at.end.line,
        "end_column": at.end.column,
        "start": at.bytes.0,
        "end": at.bytes.1,
        "label": one_line(&place.label),
        "primary": primary,
    }))
}
