//! Arguments are checked against the tool's schema before the tool sees them (T4).

use dsh_llm::ToolSchema;
use dsh_testkit::{Counter, Log};
use dsh_tools::{Tool, ToolsExt};

use crate::support::{World, anybody, register, shown, text, world};

/// Registers `t` with these parameters; it logs what it is called with.
fn with_parameters(world: &World, parameters: &str) -> Log {
    let log = Log::new();
    let heard = log.clone();
    let tool = Tool::raw(ToolSchema::new("t", "", parameters).unwrap(), move |arguments, _| {
        heard.push(arguments.text());
        async { Ok("ran") }
    });
    world.root.tools().register(tool).unwrap();
    log
}

/// T4: every violation comes back in one message, with its path.
#[tokio::test]
async fn every_violation_is_told_of_with_its_place() {
    let world = world().await;
    let log = with_parameters(
        &world,
        r#"{"type": "object", "required": ["path", "mode"], "additionalProperties": false, "properties": {
            "path": {"type": "string"}, "mode": {"enum": ["r", "w"]},
            "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}},
            "a/b~c": {"type": "boolean"}}}"#,
    );
    let executed = world.call("t", r#"{"path": 3, "lines": [1, 0, "x"], "a/b~c": 1, "zeal": true}"#, anybody()).await;
    assert_eq!((executed.code, executed.began), (Some("tools::invalid_arguments"), false));
    let said = text(&executed);
    assert_eq!(said.lines().next(), Some("the arguments of `t` do not fit its schema:"));
    let mut places: Vec<&str> = said.lines().skip(1).collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            r#"- (the whole): "mode" is a required property"#,
            r"- (the whole): Additional properties are not allowed ('zeal' was unexpected)",
            r#"- /a~1b~0c: the value is not of type "boolean""#,
            r"- /lines/1: the value is less than the minimum of 1",
            r#"- /lines/2: the value is not of type "integer""#,
            r#"- /path: the value is not of type "string""#,
        ]
    );
    log.assert([]);
    let executed = world.call("t", r#"{"path": "a", "mode": "r", "lines": [2]}"#, anybody()).await;
    assert_eq!((shown(&executed), executed.began), ((None, "ran".into()), true));
    log.assert([r#"{"path": "a", "mode": "r", "lines": [2]}"#]);
}

/// T4
#[tokio::test]
async fn arguments_that_are_not_json_are_refused() {
    let world = world().await;
    let log = with_parameters(&world, r#"{"type": "object"}"#);
    for (arguments, hint) in [
        (r#"{"a": "#, "EOF"),
        ("[]", "not of type \"object\""),
        (r#"{"a": "\ud800"}"#, "not JSON"),
        ("{} {}", "trailing"),
        (&"[".repeat(200), "not JSON"),
    ] {
        let executed = world.call("t", arguments, anybody()).await;
        assert_eq!(executed.code, Some("tools::invalid_arguments"), "{arguments}");
        assert!(text(&executed).contains(hint), "{arguments}: {}", text(&executed));
    }
    log.assert([]);
}

/// What a model writes for a tool that takes nothing is often nothing.
#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let world = world().await;
    let log = with_parameters(&world, r#"{"type": "object", "properties": {}}"#);
    assert_eq!(world.call("t", " \n", anybody()).await.code, None);
    log.assert(["{}"]);
}

/// T4: the dialect is the one that `$schema` names, 2020-12 otherwise.
#[tokio::test]
async fn the_dialect_is_that_of_the_schema() {
    // `prefixItems` says something from 2020-12 on; `items` as a list of schemas did before.
    let new = r#"{"type": "object", "properties": {"pair": {"prefixItems": [{"type": "string"}]}}}"#;
    let old = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"pair": {"items": [{"type": "string"}]}}}"#;
    let own = r#"{"$schema": "https://example.com/own", "type": "object", "properties": {"pair": {"prefixItems": [{"type": "string"}]}}}"#;
    for parameters in [new, old, own] {
        let world = world().await;
        with_parameters(&world, parameters);
        let executed = world.call("t", r#"{"pair": [1]}"#, anybody()).await;
        assert!(text(&executed).contains("/pair/0: "), "{parameters}: {}", text(&executed));
        assert_eq!(world.call("t", r#"{"pair": ["a"]}"#, anybody()).await.code, None, "{parameters}");
    }
    // In draft 7, `prefixItems` says nothing.
    let world = world().await;
    with_parameters(&world, &new.replacen('{', r#"{"$schema": "http://json-schema.org/draft-07/schema#", "#, 1));
    assert_eq!(world.call("t", r#"{"pair": [1]}"#, anybody()).await.code, None);
}

/// T4: no reference is fetched; a schema that needs one is the host's affair.
#[tokio::test]
async fn no_reference_is_fetched() {
    for reference in ["https://example.com/schema.json", "file:///etc/passwd", "#/$defs/missing"] {
        let world = world().await;
        let log = with_parameters(
            &world,
            &format!(r#"{{"type": "object", "properties": {{"a": {{"$ref": "{reference}"}}}}}}"#),
        );
        let executed = world.call("t", "{}", anybody()).await;
        assert_eq!((executed.code, executed.began), (Some("tools::invalid_schema"), false), "{reference}");
        assert_eq!(text(&executed), "the tool `t` cannot be called: its own schema is faulty; the host has been told");
        assert!(executed.failure().unwrap().to_string().contains("the schema of `t`"));
        log.assert([]);
    }
}

/// T4: what is not the tool's own kind of reference works.
#[tokio::test]
async fn references_within_the_schema_work() {
    let world = world().await;
    with_parameters(
        &world,
        r##"{"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}"##,
    );
    assert_eq!(world.call("t", r#"{"tree": {"kids": [{"kids": []}]}}"#, anybody()).await.code, None);
    let executed = world.call("t", r#"{"tree": {"kids": [{"kids": [7]}]}}"#, anybody()).await;
    assert!(
        text(&executed).contains(r#"- /tree/kids/0/kids/0: the value is not of type "object""#),
        "{}",
        text(&executed)
    );
}

/// T4: a schema is compiled when it is needed first: registering costs nothing for it.
#[tokio::test]
async fn a_faulty_schema_is_found_at_the_first_call_only() {
    let (world, calls) = (world().await, Counter::new());
    with_parameters(&world, r#"{"type": "object", "properties": {"a": {"type": "strnig"}}}"#);
    register(&world.root, &["other"]);
    assert_eq!(world.call("other", "{}", anybody()).await.code, None);
    assert_eq!(world.call("t", "{}", anybody()).await.code, Some("tools::invalid_schema"));
    assert_eq!(calls.get(), 0);
}
