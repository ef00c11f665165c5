//! Case 02: what is no change in a schema changes no byte, and what is one does.
//!
//! A run of `dsh` knows of no earlier one: keeping the old order of properties across a reload is for a source that reloads.

use crate::support::Project;

/// The block of tools of a project that has this file of them.
#[track_caller]
fn block(list: &str) -> String {
    let project = Project::new("tool_schemas = [\"tools.json\"]\n").file("tools.json", list);
    project.prompt(&["--tools"])
}

#[test]
fn the_order_of_keys_and_of_sets_is_no_change() {
    // X5
    let first = r#"{"tools": [{"name": "find", "description": "d", "inputSchema": {"type": "object",
        "properties": {"b": {"type": "string", "enum": ["z", "a"]}, "a": {"type": "integer", "minimum": 1}},
        "required": ["b", "a"], "dependentRequired": {"b": ["c", "a"], "a": []}, "additionalProperties": false}}]}"#;
    let second = r#"[{"parameters": {"additionalProperties": false, "dependentRequired": {"a": [], "b": ["a", "c"]},
        "required": ["a", "b"], "properties": {"b": {"enum": ["z", "a"], "type": "string"}, "a": {"minimum": 1, "type": "integer"}},
        "type": "object"}, "description": "d", "name": "find"}]"#;
    assert_eq!(block(first), block(second));
    assert_eq!(
        block(first),
        concat!(
            r#"[{"description":"d","name":"find","parameters":{"additionalProperties":false,"#,
            r#""dependentRequired":{"a":[],"b":["a","c"]},"properties":{"b":{"enum":["z","a"],"type":"string"},"#,
            r#""a":{"minimum":1,"type":"integer"}},"required":["a","b"],"type":"object"}}]"#
        )
    );
}

#[test]
fn properties_keep_the_order_in_which_they_are_written() {
    // X5: models write arguments in it. A property that is named like a keyword is a property.
    let with = |properties: &str| {
        block(&format!("[{{\"name\": \"t\", \"parameters\": {{\"properties\": {{{properties}}}}}}}]"))
    };
    for keys in [["b", "a"], ["a", "b"], ["required", "enum"], ["type", "properties"], ["10", "9"]] {
        let block = with(&format!("\"{}\": {{}}, \"{}\": {{}}", keys[0], keys[1]));
        let right = format!("{{\"properties\":{{\"{}\":{{}},\"{}\":{{}}}}}}", keys[0], keys[1]);
        assert_eq!(block, format!("[{{\"description\":\"\",\"name\":\"t\",\"parameters\":{right}}}]"));
    }
}

#[test]
fn arrays_whose_order_means_something_stay() {
    // X5
    for keyword in ["enum", "oneOf", "anyOf", "allOf", "prefixItems", "examples", "default", "type"] {
        let with = |array: &str| {
            block(&format!(
                "[{{\"name\": \"t\", \"parameters\": {{\"properties\": {{\"p\": {{\"{keyword}\": {array}}}}}}}}}]"
            ))
        };
        let (one, other) = (with(r#"["z", "a"]"#), with(r#"["a", "z"]"#));
        assert!(one.contains(r#"["z","a"]"#) && other.contains(r#"["a","z"]"#), "{keyword}: {one}");
        assert_ne!(one, other, "another order is a change");
    }
}

#[test]
fn numbers_keep_their_digits() {
    // X5
    for digits in
        ["9007199254740993", "-9007199254740993", "123456789012345678901234567890", "1.0", "1", "1e400", "-0", "1E+2"]
    {
        let list =
            format!("[{{\"name\": \"t\", \"parameters\": {{\"properties\": {{\"p\": {{\"default\": {digits}}}}}}}}}]");
        assert!(block(&list).contains(&format!("{{\"default\":{digits}}}")), "{digits}: {}", block(&list));
    }
}
