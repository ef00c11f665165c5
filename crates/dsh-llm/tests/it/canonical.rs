//! Canonical JSON, rule by rule.

use crate::support::canonical;

/// Asserts that `source` becomes `expected`, and that `expected` stays as it is.
#[track_caller]
fn becomes(source: &str, expected: &str) {
    assert_eq!(canonical(source), expected);
    assert_eq!(canonical(expected), expected, "canonical text is its own canonical form");
}

/// X5
#[test]
fn keys_are_sorted_and_white_space_goes() {
    becomes(
        " {\t\"type\" : \"object\",\r\n \"additionalProperties\":false, \"title\":\"T\" } ",
        r#"{"additionalProperties":false,"title":"T","type":"object"}"#,
    );
    becomes("[ ]", "[]");
    becomes("{ }", "{}");
    becomes(" true ", "true");
}

/// X5
#[test]
fn keys_are_sorted_by_utf16_code_units_not_by_code_points() {
    becomes(
        "{\"\u{ff5e}\":1,\"\u{1f600}\":2,\"\u{e000}\":3,\"z\":4}",
        "{\"z\":4,\"\u{1f600}\":2,\"\u{e000}\":3,\"\u{ff5e}\":1}",
    );
    becomes(
        "{\"required\":[\"\u{e000}\",\"\u{1f600}\",\"ab\",\"a\",\"\"]}",
        "{\"required\":[\"\",\"a\",\"ab\",\"\u{1f600}\",\"\u{e000}\"]}",
    );
}

/// X5
#[test]
fn the_authors_order_stays_in_the_four_keywords_that_hold_named_schemas() {
    for keyword in ["properties", "patternProperties", "$defs", "definitions"] {
        becomes(
            &format!(r#"{{"{keyword}":{{"z":{{"type":"string","title":"t"}},"a":true}}}}"#),
            &format!(r#"{{"{keyword}":{{"z":{{"title":"t","type":"string"}},"a":true}}}}"#),
        );
    }
    becomes(r#"{"dependentSchemas":{"z":{},"a":{}}}"#, r#"{"dependentSchemas":{"a":{},"z":{}}}"#);
}

/// X5
#[test]
fn a_property_that_is_named_like_a_keyword_is_a_property() {
    // `properties`, `required`, `enum`, `default` below are names of properties; their values are schemas.
    becomes(
        r#"{"properties":{"required":{"type":"array","items":{}},"properties":{"type":"object","description":"d"},
            "enum":{"required":["b","a"],"enum":["b","a"]},"default":{"z":1,"a":[{"y":1,"x":2}]}}}"#,
        r#"{"properties":{"required":{"items":{},"type":"array"},"properties":{"description":"d","type":"object"},"enum":{"enum":["b","a"],"required":["a","b"]},"default":{"a":[{"x":2,"y":1}],"z":1}}}"#,
    );
    becomes(
        r#"{"properties":{"properties":{"properties":{"z":{},"a":{"required":["z","y"]}},"$id":"i"}}}"#,
        r#"{"properties":{"properties":{"$id":"i","properties":{"z":{},"a":{"required":["y","z"]}}}}}"#,
    );
}

/// X5
#[test]
fn required_and_the_arrays_of_dependent_required_are_sorted_and_no_others() {
    becomes(
        r#"{"required":["c","a","b"],"dependentRequired":{"z":["c","a"],"a":["y","x"]},"type":["string","null"]}"#,
        r#"{"dependentRequired":{"a":["x","y"],"z":["a","c"]},"required":["a","b","c"],"type":["string","null"]}"#,
    );
    for keyword in ["enum", "oneOf", "anyOf", "allOf", "prefixItems", "examples", "type", "x-order", "items"] {
        let text = format!(r#"{{"{keyword}":["c","a","b"]}}"#);
        becomes(&text, &text);
    }
    becomes(
        r#"{"dependencies":{"z":["c","a"],"a":{"required":["c","a"]}}}"#,
        r#"{"dependencies":{"a":{"required":["a","c"]},"z":["c","a"]}}"#,
    );
}

#[test]
fn a_required_loses_nothing_and_one_that_is_no_list_of_names_stays_as_it_is() {
    becomes(r#"{"required":["b","a","b"]}"#, r#"{"required":["a","b","b"]}"#);
    becomes(r#"{"required":["c",1,"a"]}"#, r#"{"required":["c",1,"a"]}"#);
    becomes(r#"{"required":true}"#, r#"{"required":true}"#);
    becomes(r#"{"required":{"z":["c","a"],"a":1}}"#, r#"{"required":{"a":1,"z":["c","a"]}}"#);
    becomes(r#"{"dependentRequired":["c","a"]}"#, r#"{"dependentRequired":["c","a"]}"#);
}

/// X5
#[test]
fn values_of_the_author_keep_the_order_of_their_keys() {
    for keyword in ["default", "const"] {
        becomes(
            &format!(r#"{{"{keyword}": {{"z": 1, "required": ["b", "a"], "a": [{{"y": 1, "x": 2}}]}}}}"#),
            &format!(r#"{{"{keyword}":{{"z":1,"required":["b","a"],"a":[{{"y":1,"x":2}}]}}}}"#),
        );
    }
    for keyword in ["enum", "examples"] {
        becomes(
            &format!(r#"{{"{keyword}": [{{"z": 1, "a": {{"y": 1, "x": 2}}}}, "b", "a"]}}"#),
            &format!(r#"{{"{keyword}":[{{"z":1,"a":{{"y":1,"x":2}}}},"b","a"]}}"#),
        );
    }
}

/// X5
#[test]
fn numbers_are_copied_digit_for_digit() {
    let numbers = "[9007199254740993,1.0,1,1e400,-0,-0.0,1E+2,0.10,123456789012345678901234567890,1e-7]";
    becomes(numbers, numbers);
    for keyword in ["default", "maximum", "x-limit", "enum"] {
        becomes(&format!("{{\"{keyword}\": {numbers} }}"), &format!("{{\"{keyword}\":{numbers}}}"));
    }
}

#[test]
fn strings_have_one_form() {
    becomes(r#"["\u0061\/\u00e9\u2028\ud83d\uDE00"]"#, "[\"a/é\u{2028}\u{1f600}\"]");
    becomes(r#"["\u0008\u0009\u000A\u000c\u000D\u0022\u005C\u001F\u0000"]"#, r#"["\b\t\n\f\r\"\\\u001f\u0000"]"#);
    becomes("[\"\u{7f}\"]", "[\"\u{7f}\"]");
    // Keys too, before they are sorted and compared; and the author's values, whose order alone is theirs.
    becomes(r#"{"\u0062":1,"a":2,"default":"\u0041"}"#, r#"{"a":2,"b":1,"default":"A"}"#);
    becomes(r#"{"\u0070roperties":{"b":1,"a":2}}"#, r#"{"properties":{"b":1,"a":2}}"#);
}

/// X5
#[test]
fn the_rules_hold_wherever_a_schema_stands() {
    let (plain, sorted) = (
        r#"{"required":["b","a"],"properties":{"b":1,"a":2}}"#,
        r#"{"properties":{"b":1,"a":2},"required":["a","b"]}"#,
    );
    for keyword in [
        "items",
        "additionalProperties",
        "additionalItems",
        "contains",
        "contentSchema",
        "not",
        "if",
        "then",
        "else",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    ] {
        becomes(&format!("{{\"{keyword}\":{plain}}}"), &format!("{{\"{keyword}\":{sorted}}}"));
    }
    for keyword in ["items", "prefixItems", "allOf", "anyOf", "oneOf"] {
        becomes(&format!("{{\"{keyword}\":[{plain},true]}}"), &format!("{{\"{keyword}\":[{sorted},true]}}"));
    }
    for keyword in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"] {
        becomes(&format!("{{\"{keyword}\":{{\"p\":{plain}}}}}"), &format!("{{\"{keyword}\":{{\"p\":{sorted}}}}}"));
    }
}

#[test]
fn the_value_of_an_unknown_keyword_is_data() {
    let data = r#"{"x-ui":{"required":["b","a"],"properties":{"b":1,"a":2},"default":{"z":1,"y":2}}}"#;
    becomes(data, r#"{"x-ui":{"default":{"y":2,"z":1},"properties":{"a":2,"b":1},"required":["b","a"]}}"#);
    let list = r#"{"properties":{"p":[{"required":["b","a"]}]}}"#;
    becomes(list, list);
    // So is an object where a list of schemas should stand, and an array at the root.
    becomes(r#"{"allOf":{"required":["b","a"]}}"#, r#"{"allOf":{"required":["b","a"]}}"#);
    becomes(r#"[{"required":["b","a"]}]"#, r#"[{"required":["b","a"]}]"#);
}

#[test]
fn a_byte_order_mark_goes() {
    assert_eq!(canonical("\u{feff}{\"a\":\"\u{feff}\"}"), "{\"a\":\"\u{feff}\"}");
}

#[test]
fn a_wide_text_costs_no_more_than_a_sort() {
    // Anything quadratic here (finding double keys, joining pieces) would take minutes, not a second.
    let keys: Vec<String> = (0..100_000).map(|key| format!("\"{key:06}\":\"\\n\"")).collect();
    let reversed: Vec<_> = keys.iter().rev().map(String::as_str).collect();
    assert_eq!(canonical(&format!("{{{}}}", reversed.join(","))), format!("{{{}}}", keys.join(",")));
}
