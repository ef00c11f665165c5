//! SARIF 2.1.0, which code hosts and editors read: one run with a rule for each code, and a result for each diagnostic.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::plain::one_line;
use super::{Diagnostic, Place, Sources};
use crate::rules;

/// The log of a run that ended with this status.
pub(crate) fn log(diagnostics: &[Diagnostic], sources: &Sources, status: u8) -> Value {
    let codes: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    // Code hosts refuse a log with a result that has no location: what is in no file is told of the run.
    let (placed, of_the_run): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        diagnostics.iter().partition(|diagnostic| is_placed(diagnostic, sources));
    let results: Vec<Value> = placed.into_iter().map(|diagnostic| result(diagnostic, &codes, sources)).collect();
    let notifications: Vec<Value> = of_the_run.into_iter().map(notification).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "dsh",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().copied().map(rule).collect::<Vec<_>>(),
            } },
            // 2 is for a configuration that could not be read: then what was found is not all there is.
            "invocations": [{
                "executionSuccessful": status < 2,
                "exitCode": status,
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// What a code means, as `dsh rule` tells it: there is no page on the network to link to.
fn rule(code: &str) -> Value {
    let Some(rule) = rules::find(code) else { return json!({ "id": code }) };
    json!({
        "id": code,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.description() },
        "help": { "text": rule.plain(), "markdown": rule.markdown() },
        "defaultConfiguration": { "level": rule.severity.to_string() },
    })
}

/// Whether a diagnostic is about a place in a file.
pub(crate) fn is_placed(diagnostic: &Diagnostic, sources: &Sources) -> bool {
    diagnostic.places.first().is_some_and(|place| location(place, None, sources).is_some())
}

/// What is about no place in a file.
fn notification(diagnostic: &Diagnostic) -> Value {
    json!({
        "descriptor": { "id": diagnostic.code },
        "level": diagnostic.severity.to_string(),
        "message": { "text": text(diagnostic) },
    })
}

fn text(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![one_line(&diagnostic.headline)];
    lines.extend(diagnostic.remarks());
    lines.join("\n")
}

fn result(diagnostic: &Diagnostic, codes: &[&str], sources: &Sources) -> Value {
    let (first, others) = diagnostic.places.split_at(diagnostic.places.len().min(1));
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": codes.binary_search(&diagnostic.code).unwrap_or_default(),
        // SARIF has the same three words.
        "level": diagnostic.severity.to_string(),
        "message": { "text": text(diagnostic) },
        "locations": first.iter().filter_map(|place| location(place, None, sources)).collect::<Vec<_>>(),
    });
    let others = others.iter().enumerate();
    let related: Vec<Value> = others.filter_map(|(index, place)| location(place, Some(index + 1), sources)).collect();
    if let (Some(result), false) = (result.as_object_mut(), related.is_empty()) {
        result.insert("relatedLocations".to_owned(), related.into());
    }
    result
}

fn location(place: &Place, id: Option<usize>, sources: &Sources) -> Option<Value> {
    let at = sources.locate(place.span).filter(|at| at.is_file)?;
    let mut location = Map::new();
    if let Some(id) = id {
        location.insert("id".to_owned(), id.into());
    }
    location.insert(
        "physicalLocation".to_owned(),
        json!({
            "artifactLocation": { "uri": uri(at.path) },
            "region": {
                "startLine": at.start.line,
                "startColumn": at.start.column,
                "endLine": at.end.line,
                "endColumn": at.end.column,
            },
        }),
    );
    if !place.label.is_empty() {
        location.insert("message".to_owned(), json!({ "text": one_line(&place.label) }));
    }
    Some(location.into())
}

/// The path as a reference: relative to where the command ran, unless it is absolute.
fn uri(path: &str) -> String {
    let encoded: String = path.bytes().map(encoded).collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

/// A byte as references have it. A colon would make a scheme of a first part that has one.
fn encoded(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_becomes_a_reference_that_names_nothing_else() {
        assert_eq!(uri("../a b/dsh.toml"), "../a%20b/dsh.toml");
        assert_eq!(uri("c:d/%41?#é"), "c%3Ad/%2541%3F%23%C3%A9");
        assert_eq!(uri("/srv/x.md"), "file:///srv/x.md");
    }
}
