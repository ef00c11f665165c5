//! What is refused, with which code, and where.

use dsh_llm::{ErrorKind, MAX_DEPTH, ToolSchema, canonical_json, parse_tool_list};

use crate::support::{canonical, refused, tool};

#[track_caller]
fn refuses(source: &str, code: &str, offset: usize) {
    assert_eq!(refused(source, canonical_json(source)), (code, offset), "{source}");
}

#[test]
fn what_is_not_json_is_refused_where_it_stops_being_json() {
    for (source, offset) in [
        ("", 0),
        ("  ", 2),
        ("\u{feff}", 3),
        ("{", 1),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("[,1]", 1),
        ("]", 0),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("{1:1}", 1),
        ("{\"a\":1 \"b\":2}", 7),
        ("{\"a\":1]", 6),
        ("{} {}", 3),
        ("1,", 1),
        ("tru", 0),
        ("[true1]", 1),
        ("NaN", 0),
        ("[True]", 1),
        ("'a'", 0),
        ("[1] // one", 4),
        ("\"é", 3),
        ("\"a\nb\"", 2),
        ("\"a\\", 2),
        ("\"a\\x\"", 2),
        ("\"\\u12", 1),
        ("\"\\u12é4\"", 1),
        ("\"\\u+123\"", 1),
        ("01", 1),
        ("-", 1),
        ("-a", 1),
        ("+1", 0),
        (".5", 0),
        ("1.", 2),
        ("1.e5", 2),
        ("1e", 2),
        ("1e+", 3),
        ("[\u{a0}1]", 1),
        ("[\u{b}1]", 1),
        ("[\u{c}1]", 1),
        ("\"\u{1f}\"", 1),
        ("\"\u{0}\"", 1),
        ("[é]", 1),
        ("[1\u{2028}]", 2),
    ] {
        refuses(source, "llm::json_syntax", offset);
    }
}

#[test]
fn half_of_a_surrogate_pair_is_refused() {
    for (source, offset) in [
        (r#"["\ud800"]"#, 2),
        (r#"["x\udc00"]"#, 3),
        (r#"["\ud800\ud800"]"#, 2),
        (r#"["\ud800\n"]"#, 2),
        (r#"["\ud800\u0041"]"#, 2),
        (r#"["\ud83d\ude00\ude00"]"#, 14),
        (r#"{"\udbff":1}"#, 2),
    ] {
        refuses(source, "llm::lone_surrogate", offset);
    }
    refuses(r#"["\ud800\u00"]"#, "llm::json_syntax", 8);
    assert_eq!(canonical(r#"["\ud800\udc00\udbff\udfff"]"#), "[\"\u{10000}\u{10ffff}\"]");
}

#[test]
fn a_key_that_stands_twice_is_refused_at_its_second_place() {
    refuses(r#"{"a":1,"b":2,"a":3}"#, "llm::duplicate_key", 13);
    refuses(r#"{"a":1,"\u0061":3}"#, "llm::duplicate_key", 7);
    refuses(r#"{"b":1,"a":1,"a":2,"b":2}"#, "llm::duplicate_key", 13);
    refuses(r#"{"default":{"":1,"":1}}"#, "llm::duplicate_key", 17);
    refuses(r#"{"a":1,"a":2,"a":3}"#, "llm::duplicate_key", 7);
    let error = canonical_json("{\"a\\n\":1,\"a\\n\":2}").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the key "a\n" stands twice in one object, at byte 9: keep one; the first is at byte 1"#
    );
    assert_eq!((error.help(), error.offset(), error.first_offset()), ("keep one", Some(9), Some(1)));
}

#[test]
fn a_comma_behind_the_last_entry_is_told_as_such() {
    for source in ["[1,]", "{\"a\":1 , }", "[[1,],2]"] {
        let error = canonical_json(source).unwrap_err();
        assert!(error.problem().ends_with(" after a comma"), "{error}");
        assert_eq!(
            (error.help(), error.first_offset()),
            ("JSON has no comma behind the last entry: take it out", None)
        );
    }
}

#[test]
fn what_nests_too_deep_is_refused_and_never_overflows_the_stack() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(canonical(&deep(MAX_DEPTH)), deep(MAX_DEPTH));
    refuses(&deep(MAX_DEPTH + 1), "llm::too_deep", MAX_DEPTH);
    refuses(&deep(100_000), "llm::too_deep", MAX_DEPTH);
    refuses(&"{\"a\":".repeat(100_000), "llm::too_deep", MAX_DEPTH * 5);
    let source = deep(100_000);
    assert_eq!(refused(&source, parse_tool_list(&source)).0, "llm::too_deep");
}

#[test]
fn the_deepest_parameters_can_still_be_parsed_by_serde_json_inside_a_wire_body() {
    let inside = MAX_DEPTH - 1;
    let deepest = tool(&format!("{{\"default\":{}{}}}", "[".repeat(inside), "]".repeat(inside)));
    assert!(deepest.parameters().is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&format!("{{\"a\":[{{\"b\":{}}}]}}", deepest.json())).is_ok());
}

#[test]
fn a_number_beyond_floats_is_kept_in_the_text_and_refused_as_a_value() {
    let schema = tool(r#"{"type":"object","maximum":1e400}"#);
    assert_eq!(schema.parameters_json(), r#"{"maximum":1e400,"type":"object"}"#);
    let error = schema.parameters().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NumberOutOfRange);
    let offset = error.offset().unwrap();
    assert!((11..=16).contains(&offset), "{offset}");
}

#[test]
fn an_error_says_what_where_and_what_would_be_right() {
    let error = parse_tool_list(r#"[{"name":"a"},{"name":"b","parameters":[]}]"#).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParameters);
    assert_eq!(error.code(), error.kind().code());
    assert_eq!((error.tool_index(), error.tool_name(), error.offset()), (Some(1), Some("b"), Some(39)));
    assert_eq!(
        error.to_string(),
        "a tool's parameters are an array, in tools[1] `b`, at byte 39: give a JSON Schema object; \
         a tool without parameters has {\"properties\":{},\"type\":\"object\"}"
    );
    assert_eq!(format!("{error:?}"), format!("Error(llm::invalid_tool_parameters: {error})"));
    assert_eq!(error.problem(), "a tool's parameters are an array");
    assert!(error.help().starts_with("give a JSON Schema object"));
}

#[test]
fn an_empty_name_is_refused_without_a_place() {
    for error in [ToolSchema::new("", "", "{}").unwrap_err(), tool("{}").with_name("").unwrap_err()] {
        assert_eq!((error.code(), error.offset()), ("llm::invalid_tool_name", None));
        assert_eq!(error.to_string(), "a tool has an empty name: give the tool a name");
    }
}
