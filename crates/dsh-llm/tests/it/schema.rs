//! A tool's schema and its bytes.

use dsh_llm::{NO_PARAMETERS, ToolSchema, canonical_json};

use crate::support::tool;

#[test]
fn a_schema_has_its_parts_and_the_canonical_bytes_of_the_whole() {
    let schema = ToolSchema::new("re\"ad", "One\nline.", r#"{ "type": "object", "required": ["b", "a"] }"#).unwrap();
    assert_eq!(schema.name(), "re\"ad");
    assert_eq!(schema.description(), "One\nline.");
    assert_eq!(schema.parameters_json(), r#"{"required":["a","b"],"type":"object"}"#);
    assert_eq!(
        schema.json(),
        r#"{"description":"One\nline.","name":"re\"ad","parameters":{"required":["a","b"],"type":"object"}}"#
    );
    assert_eq!(schema.parameters().unwrap(), serde_json::json!({"type": "object", "required": ["a", "b"]}));
}

/// X5
#[test]
fn a_fingerprint_is_the_blake3_of_the_bytes_and_stays_the_same() {
    // Pinned, since lock files hold fingerprints: it must not change with a machine, a run or a version.
    let schema = tool(r#"{"type":"object"}"#);
    assert_eq!(schema.json(), r#"{"description":"d","name":"t","parameters":{"type":"object"}}"#);
    assert_eq!(schema.fingerprint(), blake3::hash(schema.json().as_bytes()));
    assert_eq!(
        schema.fingerprint().to_hex().as_str(),
        "0e0deadab64163c699e1933e09df4f10f8f2c602b162d9990d4d336a50d23040"
    );
}

/// S8
#[test]
fn a_changed_copy_leaves_the_original_alone() {
    let original = tool(r#"{"properties":{"b":{},"a":{}}}"#);
    let before = original.json().to_owned();
    let renamed = original.with_name("other").unwrap();
    let told = original.with_description("better");
    let changed = original.with_parameters(r#"{"type": "object"}"#).unwrap();
    assert_eq!(original.json(), before);
    assert_eq!((renamed.name(), renamed.description()), ("other", "d"));
    assert_eq!((told.name(), told.description()), ("t", "better"));
    assert_eq!((changed.name(), changed.parameters_json()), ("t", r#"{"type":"object"}"#));
    assert_eq!(renamed.parameters_json(), original.parameters_json());
    assert_eq!(original.with_parameters("[]").unwrap_err().code(), "llm::invalid_tool_parameters");
    assert_eq!(original.with_parameters("{").unwrap_err().code(), "llm::json_syntax");
}

#[test]
fn schemas_are_equal_when_their_bytes_are() {
    use std::collections::HashSet;
    let (one, same) = (tool(r#"{"b":1,"a":2}"#), tool(r#"{"a":2,"b":1}"#));
    assert_eq!(one, same);
    assert_ne!(one, tool(r#"{"a":2,"b":1.0}"#));
    assert_eq!(HashSet::from([one, same]).len(), 1);
}

#[test]
fn parameters_must_be_an_object() {
    for parameters in ["null", "true", "1", "\"{}\"", "[]"] {
        let source = format!("  {parameters}");
        let error = ToolSchema::new("t", "", &source).unwrap_err();
        assert_eq!((error.code(), error.offset()), ("llm::invalid_tool_parameters", Some(2)), "{parameters}");
    }
}

#[test]
fn the_parameters_of_a_tool_without_any_are_canonical() {
    assert_eq!(canonical_json(NO_PARAMETERS).unwrap(), NO_PARAMETERS);
    assert_eq!(tool(NO_PARAMETERS).parameters_json(), NO_PARAMETERS);
}
