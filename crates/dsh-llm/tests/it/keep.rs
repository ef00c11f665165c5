//! Equality up to order, and a source's bytes across its own reload.

use dsh_llm::{ToolSchema, keep_old_bytes};

use crate::support::{list, tool};

const FIRST: &str = r#"[{"name":"find","description":"d","parameters":{"type":"object",
 "properties":{"b":{"type":"string","enum":["z","a"]},"a":{"type":"integer"}},"required":["b","a"]}}]"#;
const SECOND: &str = r#"[{"description":"d","parameters":{"required":["a","b"],"properties":{"a":{"type":"integer"},
 "b":{"enum":["z","a"],"type":"string"}},"type":"object"},"name":"find"}]"#;

/// X5, case 02
#[test]
fn a_server_that_reorders_keys_across_a_reconnect_gives_the_same_bytes() {
    let first = list(FIRST).into_schemas();
    let second = list(SECOND).into_schemas();
    assert_eq!(
        first[0].parameters_json(),
        r#"{"properties":{"b":{"enum":["z","a"],"type":"string"},"a":{"type":"integer"}},"required":["a","b"],"type":"object"}"#
    );
    assert_ne!(first, second, "the order of properties is its author's");
    assert!(first[0].equal_up_to_order(&second[0]));
    let kept = keep_old_bytes(&first, second);
    assert_eq!(kept[0].json(), first[0].json());
    assert_eq!(kept[0].fingerprint(), first[0].fingerprint());
}

/// X5, case 02
#[test]
fn another_order_of_an_enum_is_a_change() {
    let first = list(FIRST).into_schemas();
    let second = list(&SECOND.replace(r#"["z","a"]"#, r#"["a","z"]"#)).into_schemas();
    assert!(!first[0].equal_up_to_order(&second[0]));
    assert_eq!(keep_old_bytes(&first, second.clone()), second);
}

/// X5, case 02
#[test]
fn digits_come_out_as_they_went_in_and_count() {
    for digits in ["9007199254740993", "1.0", "1e400", "-0"] {
        let parameters = format!(r#"{{"properties":{{"n":{{"default":{digits}}}}}}}"#);
        assert_eq!(tool(&parameters).parameters_json(), parameters);
    }
    let equal = |one: &str, two: &str| {
        let with = |digits| tool(&format!("{{\"default\":{digits}}}"));
        with(one).equal_up_to_order(&with(two))
    };
    assert!(!equal("9007199254740993", "9007199254740992"));
    assert!(!equal("1", "1.0"));
    assert!(!equal("0", "-0"));
    assert!(equal("1e400", "1e400"));
}

/// X5
#[test]
fn order_counts_in_arrays_that_are_no_sets() {
    let equal = |one: &str, two: &str| tool(one).equal_up_to_order(&tool(two));
    for keyword in ["enum", "oneOf", "anyOf", "allOf", "prefixItems", "examples", "type", "x-list", "items"] {
        let with = |items: &str| format!("{{\"{keyword}\":[{items}]}}");
        assert!(!equal(&with("\"a\",\"b\""), &with("\"b\",\"a\"")), "{keyword}");
    }
    assert!(equal(r#"{"required":["a","b"]}"#, r#"{"required":["b","a"]}"#));
    assert!(equal(
        r#"{"dependentRequired":{"x":["a","b"],"w":[]}}"#,
        r#"{"dependentRequired":{"w":[],"x":["b","a"]}}"#
    ));
    // `required` as a name of a property, or as data, is no set.
    assert!(!equal(r#"{"default":{"required":["a","b"]}}"#, r#"{"default":{"required":["b","a"]}}"#));
    assert!(!equal(r#"{"properties":{"required":["a","b"]}}"#, r#"{"properties":{"required":["b","a"]}}"#));
}

/// X5
#[test]
fn order_of_keys_does_not_count_anywhere() {
    let equal = |one: &str, two: &str| tool(one).equal_up_to_order(&tool(two));
    for keyword in ["properties", "patternProperties", "$defs", "definitions", "default", "const", "x-data"] {
        let with = |members: &str| format!("{{\"{keyword}\":{{{members}}}}}");
        assert!(equal(&with(r#""a":{"c":1,"b":2},"d":3"#), &with(r#""d":3,"a":{"b":2,"c":1}"#)), "{keyword}");
        assert!(!equal(&with(r#""a":1,"d":3"#), &with(r#""a":3,"d":1"#)), "{keyword}");
    }
    assert!(equal(r#"{"enum":[{"a":1,"b":2}]}"#, r#"{"enum":[{"b":2,"a":1}]}"#));
}

#[test]
fn another_description_or_name_is_a_change() {
    let one = tool("{}");
    assert!(!one.equal_up_to_order(&one.with_description("e")));
    assert!(!one.equal_up_to_order(&one.with_name("u").unwrap()));
    assert!(one.equal_up_to_order(&one.clone()));
}

/// X5
#[test]
fn keeping_leaves_the_new_order_of_tools_and_what_is_new_or_changed() {
    let named = |name: &str, parameters: &str| ToolSchema::new(name, "", parameters).unwrap();
    let old = [named("a", r#"{"properties":{"y":1,"x":2}}"#), named("b", "{}"), named("gone", "{}")];
    let new = vec![
        named("fresh", r#"{"properties":{"x":2,"y":1}}"#),
        named("b", r#"{"type":"object"}"#),
        named("a", r#"{"properties":{"x":2,"y":1}}"#),
    ];
    let kept = keep_old_bytes(&old, new.clone());
    assert_eq!(kept, [new[0].clone(), new[1].clone(), old[0].clone()]);
}

#[test]
fn of_two_old_namesakes_the_one_that_did_not_move_is_kept() {
    let (one, two) = (tool(r#"{"properties":{"x":1,"y":2}}"#), tool(r#"{"properties":{"y":2,"x":1}}"#));
    let old = [one.clone(), two.clone()];
    assert_eq!(keep_old_bytes(&old, vec![two.clone(), one.clone()]), [two, one]);
    assert_eq!(keep_old_bytes(&old, Vec::new()), []);
}

/// X5: many namesakes cost no more than as many names.
#[test]
fn old_namesakes_are_found_by_what_they_say_not_one_by_one() {
    let list = |flipped: bool| -> Vec<ToolSchema> {
        let (one, two) = if flipped { ("b", "a") } else { ("a", "b") };
        let tool = |index: u32| {
            let parameters = format!(r#"{{"properties":{{"{one}":{{}},"{two}":{{}}}},"title":"{index:06}"}}"#);
            ToolSchema::new("t", "", &parameters).unwrap()
        };
        (0..5_000).map(tool).collect()
    };
    let old = list(false);
    assert_eq!(keep_old_bytes(&old, list(true)), old);
}
