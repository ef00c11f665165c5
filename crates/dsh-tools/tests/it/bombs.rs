//! Schemas that mean more than they say. What they cost is bounded, and whatever they do, the process lives (T4, K13).

use std::fmt::Write as _;

use dsh_llm::ToolSchema;
use dsh_testkit::alone;
use dsh_tools::{Executed, Tool, ToolsExt};

use crate::support::{anybody, text, world};

/// Calls a tool of these parameters, on a thread with the stack of a runtime's worker.
fn call(parameters: String, arguments: String) -> Executed {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let world = world().await;
            let schema = ToolSchema::new("t", "", &parameters).unwrap();
            world.root.tools().register(Tool::raw(schema, |_, _| async { Ok("ran") })).unwrap();
            world.call("t", &arguments, anybody()).await
        })
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap()
}

/// Definitions that each refer twice to the next one: 2^n uses in n lines.
fn doubling(depth: usize) -> String {
    doubling_by(r#""allOf": [NEXT, NEXT]"#, depth)
}

/// The same by other keywords.
fn doubling_by(keywords: &str, depth: usize) -> String {
    let mut definitions = String::new();
    for level in 0..depth {
        let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, level + 1);
        write!(definitions, r#""d{level}": {{{}}}, "#, keywords.replace("NEXT", &next)).unwrap();
    }
    format!(
        r##"{{"type": "object", "properties": {{"a": {{"$ref": "#/$defs/d0"}}}}, "$defs": {{{definitions}"d{depth}": {{"type": "string"}}}}}}"##
    )
}

#[test]
fn definitions_that_double_cost_no_doubling_of_time() {
    alone(|| {
        assert_eq!(call(doubling(8), r#"{"a": "x"}"#.into()).code, None);
        assert_eq!(call(doubling(8), r#"{"a": 1}"#.into()).code, Some("tools::invalid_arguments"));
        assert_eq!(call(doubling(30), "{}".into()).code, None);
        let executed = call(doubling(30), r#"{"a": "x"}"#.into());
        assert_eq!((executed.code, executed.began), (Some("tools::invalid_schema"), false));
        assert!(executed.failure().unwrap().to_string().contains("branches, too often"));
    });
}

/// Whichever way it branches, and whether each branch fits or not: what fails first is not free.
#[test]
fn no_keyword_branches_without_being_counted() {
    alone(|| {
        for keywords in [
            r#""allOf": [NEXT, NEXT]"#,
            r#""anyOf": [NEXT, NEXT]"#,
            r#""oneOf": [NEXT, NEXT]"#,
            r#""oneOf": [NEXT, NEXT, NEXT]"#,
            r#""if": NEXT, "then": NEXT, "else": NEXT"#,
            r#""if": NEXT, "else": NEXT"#,
            r#""not": {"anyOf": [NEXT, NEXT]}"#,
            r#""anyOf": [{"not": NEXT}, {"not": NEXT}]"#,
            r#""anyOf": [{"allOf": [NEXT]}, {"if": NEXT, "then": false, "else": NEXT}]"#,
        ] {
            for dialect in ["draft-04", "draft-07", "2020-12"] {
                let schema = match dialect {
                    "2020-12" => doubling_by(keywords, 30),
                    old => doubling_by(keywords, 30).replacen(
                        '{',
                        &format!(r#"{{"$schema": "http://json-schema.org/{old}/schema#", "#),
                        1,
                    ),
                };
                for arguments in [r#"{"a": "x"}"#, r#"{"a": 1}"#] {
                    let executed = call(schema.clone(), arguments.into());
                    assert!(
                        matches!(executed.code, None | Some("tools::invalid_schema" | "tools::invalid_arguments")),
                        "{executed:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn a_schema_that_refers_to_itself_without_end_is_survived() {
    alone(|| {
        for parameters in [
            r##"{"$ref": "#"}"##,
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
            r##"{"allOf": [{"$ref": "#"}]}"##,
            r##"{"anyOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}]}"##,
        ] {
            let executed = call(parameters.into(), "{}".into());
            assert!(
                matches!(executed.code, None | Some("tools::invalid_schema" | "tools::invalid_arguments")),
                "{executed:?}"
            );
        }
    });
}

#[test]
fn a_long_chain_of_references_is_survived() {
    alone(|| {
        let mut definitions = String::new();
        for level in 0..20_000 {
            write!(definitions, r##""d{level}": {{"$ref": "#/$defs/d{}"}}, "##, level + 1).unwrap();
        }
        let parameters =
            format!(r##"{{"$ref": "#/$defs/d0", "$defs": {{{definitions}"d20000": {{"type": "object"}}}}}}"##);
        let executed = call(parameters, "{}".into());
        assert!(matches!(executed.code, None | Some("tools::invalid_schema")), "{executed:?}");
    });
}

/// T4: what is checked is what the tool reads, whichever of two keys it takes.
#[test]
fn arguments_that_readers_disagree_about_reach_no_tool() {
    let schema = r#"{"type": "object", "properties": {"path": {"enum": ["notes.md"]}}}"#;
    for arguments in [r#"{"path": "/etc/shadow", "path": "notes.md"}"#, r#"{"path": "x", "\u0070ath": "notes.md"}"#] {
        let executed = call(schema.into(), arguments.into());
        assert_eq!((executed.code, executed.began), (Some("tools::invalid_arguments"), false));
        assert!(text(&executed).contains("the key \"path\" comes twice"), "{}", text(&executed));
    }
}

/// Patterns take time linear in what they are matched with; what is not linear is no pattern here.
#[test]
fn patterns_are_linear() {
    alone(|| {
        let pattern =
            |pattern: &str| format!(r#"{{"type": "object", "properties": {{"a": {{"pattern": "{pattern}"}}}}}}"#);
        let long = format!(r#"{{"a": "{}!"}}"#, "a".repeat(200_000));
        let executed = call(pattern("^(a+)+$"), long.clone());
        assert_eq!(executed.code, Some("tools::invalid_arguments"));
        assert!(text(&executed).len() < 1_000, "what the model wrote is not told to it again");
        assert_eq!(call(pattern("(a*)*b"), long).code, Some("tools::invalid_arguments"));
    });
}

/// T4: that a pattern cannot be used is told when the tool is registered, with its place, and not when a model calls it.
#[tokio::test]
async fn patterns_that_are_not_linear_are_refused_at_registration() {
    let world = world().await;
    let refused = |parameters: String| {
        let schema = ToolSchema::new("t", "", &parameters).unwrap();
        world.root.tools().register(Tool::raw(schema, |_, _| async { Ok("ran") })).map(drop)
    };
    for (pattern, told) in [
        ("(?=a)a", "`(?=a)a`"),
        ("(?<!a)b", "`(?<!a)b`"),
        (r"(a)\\1", r"`(a)\\1`"),
        ("(((a{1000}){1000}){1000})", "`(((a{1000}){1000}){1000})`"),
        ("(", "`(`"),
    ] {
        for (parameters, place) in [
            (
                format!(r#"{{"type": "object", "properties": {{"a/b": {{"pattern": "{pattern}"}}}}}}"#),
                "/properties/a~1b/pattern",
            ),
            (format!(r#"{{"anyOf": [{{}}, {{"items": {{"pattern": "{pattern}"}}}}]}}"#), "/anyOf/1/items/pattern"),
            (format!(r#"{{"patternProperties": {{"{pattern}": {{}}}}}}"#), "/patternProperties"),
            (
                format!(r#"{{"$defs": {{"x": {{"patternProperties": {{"a": {{"pattern": "{pattern}"}}}}}}}}}}"#),
                "/$defs/x/patternProperties/a/pattern",
            ),
        ] {
            let error = refused(parameters).unwrap_err();
            assert_eq!((error.code(), error.name()), ("tools::invalid_schema", Some("t")));
            let text = error.to_string();
            assert!(text.contains(told) && text.contains(&format!("at {place} ")), "{text}");
        }
    }
    // What only looks like one is none.
    let scopes = ["a", "b", "c"].map(|name| world.root.scope(name).unwrap());
    for (scope, fine) in scopes.iter().zip([
        r#"{"type": "object", "properties": {"pattern": {"type": "string"}, "patternProperties": {}}}"#,
        r#"{"type": "object", "properties": {"a": {"const": {"pattern": "(?=a)"}, "default": {"pattern": "("}}}}"#,
        r#"{"type": "object", "properties": {"a": {"pattern": "^[a-z]+$"}}, "patternProperties": {"^x-": {}}}"#,
    ]) {
        let schema = ToolSchema::new("t", "", fine).unwrap();
        scope.ctx().tools().register(Tool::raw(schema, |_, _| async { Ok("ran") })).unwrap();
    }
}

/// T4: very many violations are told of in bounded size.
#[tokio::test]
async fn very_many_violations_are_bounded() {
    let world = world().await;
    let schema = ToolSchema::new("t", "", r#"{"type": "object", "additionalProperties": {"type": "string"}}"#).unwrap();
    world.root.tools().register(Tool::raw(schema, |_, _| async { Ok("ran") })).unwrap();
    let members: Vec<String> = (0..20_000).map(|number| format!(r#""k{number}": {number}"#)).collect();
    let executed = world.call("t", &format!("{{{}}}", members.join(",")), anybody()).await;
    assert_eq!(executed.code, Some("tools::invalid_arguments"));
    assert!(text(&executed).ends_with("\n- and 19500 more"), "{}", text(&executed).len());
}

/// Arguments as deep as they can be.
#[test]
fn deep_arguments_are_survived() {
    alone(|| {
        let tree = r##"{"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/n"}}, {"type": "array", "items": {"$ref": "#/$defs/n"}}, {"type": "null"}]}}}"##;
        let deep = format!(r#"{{"a": {}1{}}}"#, "[".repeat(100), "]".repeat(100));
        assert_eq!(call(tree.into(), deep.clone()).code, Some("tools::invalid_arguments"));
        let one = r##"{"type": "object", "additionalProperties": {"$ref": "#/$defs/n"}, "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}}"##;
        assert_eq!(call(one.into(), deep).code, None);
    });
}
