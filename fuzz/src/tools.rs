//! Files of tool schemas: lists of tools as others write them, and the canonical JSON of their parameters (X5).

mod order;

use dsh_llm::{
    Error, ErrorKind, ListedTool, ToolSchema, canonical_json, keep_old_bytes, parse_each_tool, parse_tool_list,
};
use serde_json::Value;

use self::order::{canonical_order, numbers, reversed};
use crate::text::{at, lossy};

/// Checks a text as a JSON Schema and as a file of tools.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn tools(bytes: &[u8]) {
    let source = &*lossy(bytes);
    canonical(source);
    list(source);
}

/// What another reader of JSON makes of a text: it takes no byte order mark.
fn other(source: &str) -> serde_json::Result<Value> {
    serde_json::from_str(source.strip_prefix('\u{feff}').unwrap_or(source))
}

/// An error's places lie in the text.
fn is_placed(error: &Error, source: &str) {
    let offset = error.offset().unwrap_or(usize::MAX);
    assert!(source.is_char_boundary(offset), "{error} in {source:?}");
    if let Some(first) = error.first_offset() {
        assert!(first < offset && source.is_char_boundary(first), "{error} in {source:?}");
    }
    assert!(!error.problem().is_empty() && !error.help().is_empty());
}

fn canonical(source: &str) {
    let canonical = match canonical_json(source) {
        Ok(canonical) => canonical,
        Err(error) => {
            is_placed(&error, source);
            // Whatever another reader takes is taken, but for what readers disagree on and what is too deep.
            let lenient = matches!(error.kind(), ErrorKind::DuplicateKey | ErrorKind::TooDeep);
            assert!(lenient || other(source).is_err(), "{error}, and serde_json reads {source:?}");
            return;
        }
    };
    assert_eq!(canonical_json(&canonical).ok().as_deref(), Some(canonical.as_str()), "its own canonical form");
    assert!(!canonical.contains(|c| c < ' '), "in one line: {canonical:?}");
    assert_eq!(numbers(&canonical), numbers(source), "digit for digit: {source:?}");

    // A number may be too large for the other reader.
    if let (Ok(said), Ok(ours)) = (other(source), other(&canonical)) {
        assert_eq!(ours.to_string(), canonical_order(&said).to_string(), "in canonical order: {source:?}");
        let written = ours.to_string();
        if numbers(&written) == numbers(&canonical) {
            assert_eq!(written, canonical, "no white space, one form of each string");
            let turned = reversed(&said).to_string();
            let schema = |text: &str| ToolSchema::new("t", "d", &format!("{{\"not\":{text}}}")).ok();
            if let (Some(one), Some(other)) = (schema(source.trim_start_matches('\u{feff}')), schema(&turned)) {
                assert!(one.equal_up_to_order(&other) && other.equal_up_to_order(&one), "{source:?}, {turned:?}");
                assert_eq!(keep_old_bytes(std::slice::from_ref(&one), vec![other]), [one]);
            }
        }
    }
    match ToolSchema::new("t", "d", source) {
        Ok(schema) => assert_eq!(schema.parameters_json(), canonical),
        Err(error) => assert!(error.kind() == ErrorKind::InvalidParameters && !canonical.starts_with('{'), "{error}"),
    }
}

fn list(source: &str) {
    let strict = parse_tool_list(source);
    let (list, errors) = match parse_each_tool(source) {
        Ok(read) => read,
        Err(error) => {
            is_placed(&error, source);
            assert_eq!(error.tool_index(), None);
            assert_eq!(strict.err().map(|strict| strict.to_string()), Some(error.to_string()));
            return;
        }
    };
    assert!(canonical_json(source).is_ok(), "a list is JSON: {source:?}");
    assert_eq!(strict.as_ref().err().map(ToString::to_string), errors.first().map(ToString::to_string));
    if let Ok(strict) = &strict {
        assert_eq!(*strict, list);
    }
    for error in &errors {
        is_placed(error, source);
    }
    let wrong: Vec<_> = errors.iter().map(Error::tool_index).collect();
    assert!(wrong.is_sorted() && wrong.iter().all(Option::is_some), "{wrong:?} in {source:?}");

    let mut end = 0;
    for tool in list.tools() {
        assert!(tool.range.start >= end, "entries in order: {source:?}");
        end = tool.range.end;
        listed(tool, source);
    }
    let names = list.tools().iter().map(|tool| tool.schema.name());
    assert!(list.schemas().map(ToolSchema::name).eq(names));
    assert_eq!(list.dropped_count(), list.tools().iter().map(|tool| tool.dropped.len()).sum::<usize>());

    // What did not change keeps its bytes, whatever was done to the order.
    let old = list.clone().into_schemas();
    assert_eq!(keep_old_bytes(&old, list.into_schemas()), old);
}

/// An entry of a list, and the places of all that was read from it.
fn listed(tool: &ListedTool, source: &str) {
    let entry = at(source, tool.range.clone());
    let said = |range: std::ops::Range<usize>| {
        assert!(tool.range.start <= range.start && range.end <= tool.range.end, "{tool:?} in {source:?}");
        serde_json::from_str::<String>(at(source, range)).ok()
    };
    assert_eq!(said(tool.name_range.clone()).as_deref(), Some(tool.schema.name()), "{tool:?} in {source:?}");
    for field in &tool.dropped {
        assert_eq!(said(field.range.clone()).as_deref(), Some(&*field.name), "{tool:?} in {source:?}");
    }
    let alone = parse_tool_list(&format!("[{entry}]")).map(dsh_llm::ToolList::into_schemas);
    assert_eq!(alone.ok().as_deref(), Some(std::slice::from_ref(&tool.schema)), "alone: {entry:?}");

    let schema = &tool.schema;
    assert_eq!(canonical_json(schema.parameters_json()).ok().as_deref(), Some(schema.parameters_json()));
    let again = ToolSchema::new(schema.name(), schema.description(), schema.parameters_json()).ok();
    assert_eq!(again.as_ref(), Some(schema));
    assert_eq!(again.map(|again| again.fingerprint()), Some(schema.fingerprint()));
    assert_eq!(schema.fingerprint(), blake3::hash(schema.json().as_bytes()));
    if let Ok(parameters) = schema.parameters() {
        let whole = serde_json::json!({
            "description": schema.description(), "name": schema.name(), "parameters": parameters,
        });
        assert_eq!(serde_json::from_str::<Value>(schema.json()).ok(), Some(whole));
    }
    assert!(schema.equal_up_to_order(schema));
    assert!(schema.with_name("other").is_ok_and(|other| !other.equal_up_to_order(schema) || schema.name() == "other"));
}
