//! The JSON Schema that editors get says of every `dsh.toml` what the reader says.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Profiles, Tier, parse, read};
use crate::diagnostic::{Report, Severity, Sources, Span};

/// What a schema cannot say: two of a list have one name.
const BEYOND: [&str; 1] = ["prompt::duplicate_section"];

/// What the reader finds in this configuration.
fn findings(text: &str) -> Vec<&'static str> {
    let source = Sources::new().add("dsh.toml".to_owned(), text.to_owned());
    let mut report = Report::new();
    let mut tree = parse(source, Tier::Project, text, &mut report).unwrap();
    super::includes(&mut tree, Span::new(source, 0..0), &mut report);
    let profiles = Profiles::take(&mut tree, &mut report);
    read(&tree, Span::new(source, 0..0), &profiles, &mut report);
    let errors = report.into_sorted().into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|diagnostic| diagnostic.code).filter(|code| !BEYOND.contains(code)).collect()
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(crate::commands::config::SCHEMA).unwrap()).unwrap()
}

/// Fails unless the two agree on this configuration.
#[track_caller]
fn agree(schema: &jsonschema::Validator, config: &Value) -> bool {
    let text = toml::to_string(config).unwrap();
    let (valid, findings) = (schema.is_valid(config), findings(&text));
    assert_eq!(valid, findings.is_empty(), "{findings:?} in\n{text}");
    valid
}

/// A value of some type, right or wrong where it stands.
fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("")),
        Just(json!("word")),
        Just(json!("a*b")),
        Just(json!("a*")),
        Just(json!("raw")),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(0)),
        Just(json!(-3)),
        Just(json!(1.5)),
        Just(json!([])),
        Just(json!(["x", "y*"])),
        Just(json!([1])),
        Just(json!({})),
        Just(json!({ "env": "HOME" })),
        Just(json!({ "env": "HOME", "default": "x" })),
        Just(json!({ "env": "", "other": 1 })),
    ]
}

/// A table in which each of these keys may stand, with a value that is mostly of its kind, and rarely a key that is none.
fn table(keys: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let fields: Vec<_> = keys
        .into_iter()
        .map(|(key, value)| {
            let value = prop_oneof![8 => value, 1 => any_value()];
            prop::option::weighted(0.4, value.prop_map(move |value| (key.to_owned(), value)))
        })
        .collect();
    let stranger = prop::option::weighted(0.05, any_value().prop_map(|value| ("stranger".to_owned(), value)));
    (fields, stranger)
        .prop_map(|(fields, stranger)| {
            Value::Object(fields.into_iter().flatten().chain(stranger).collect::<Map<_, _>>())
        })
        .boxed()
}

fn named(names: &'static [&'static str], value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::btree_map(prop::sample::select(names), value, 0..3)
        .prop_map(|fields| {
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
        })
        .boxed()
}

fn string() -> BoxedStrategy<Value> {
    prop::sample::select(vec![json!("a"), json!("b c"), json!("")]).boxed()
}

fn path() -> BoxedStrategy<Value> {
    prop::sample::select(vec![json!("a.md"), json!("b/c.md"), json!("../d.md")]).boxed()
}

fn truth() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

fn order() -> BoxedStrategy<Value> {
    prop_oneof![any::<i32>().prop_map(Value::from), (-1e6..1e6).prop_map(Value::from)].boxed()
}

fn list(item: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::vec(item, 0..3).prop_map(Value::from).boxed()
}

fn variables() -> BoxedStrategy<Value> {
    let env = table(vec![("env", Just(json!("HOME")).boxed()), ("default", string())]);
    named(&["team", "a1_b", "Team", "1a", "env", "allow_outside"], prop_oneof![4 => string(), 2 => env].boxed())
}

fn sections() -> BoxedStrategy<Value> {
    let always = |key: &'static str, value: BoxedStrategy<Value>| (key, value);
    let section = table(vec![
        always("text", string()),
        always("file", path()),
        ("format", prop::sample::select(vec![json!("raw"), json!("template"), json!("other")]).boxed()),
        ("requires_tools", prop_oneof![4 => list(string()), 1 => string()].boxed()),
        ("allow_outside", truth()),
    ]);
    let with_name = (section, prop::option::weighted(0.9, Just(json!("s"))), prop::option::weighted(0.9, order()));
    let whole = with_name.prop_map(|(mut section, name, order)| {
        if let Some(fields) = section.as_object_mut() {
            fields.extend(name.map(|name| ("name".to_owned(), name)));
            fields.extend(order.map(|order| ("order".to_owned(), order)));
        }
        section
    });
    list(whole.boxed())
}

/// The keys of a layer.
fn layer() -> Vec<(&'static str, BoxedStrategy<Value>)> {
    vec![
        ("persona", string()),
        ("persona_file", path()),
        ("allow_outside", truth()),
        ("variables", variables()),
        ("sections", sections()),
    ]
}

fn rules() -> BoxedStrategy<Value> {
    table(vec![("allow", list(string())), ("deny", list(string()))])
}

fn tools() -> BoxedStrategy<Value> {
    let seconds = prop::sample::select(vec![
        json!(30),
        json!(0),
        json!(0.5),
        json!(-1),
        json!(86_400),
        json!(86_401),
        json!("30s"),
    ]);
    let schema = json!({ "type": "object", "properties": { "allow_outside": { "type": "string" }, "a": { "enum": [1, 2.5, true] } } });
    let tool = table(vec![
        ("parameters", prop_oneof![path(), Just(schema)].boxed()),
        ("timeout", seconds.boxed()),
        ("exclusive", truth()),
        ("allow_outside", truth()),
    ]);
    let always = |value: BoxedStrategy<Value>| prop::option::weighted(0.9, value);
    let whole = (tool, always(string()), always(string()), always(list(string()))).prop_map(
        |(mut tool, name, description, command)| {
            if let Some(fields) = tool.as_object_mut() {
                let named = [("name", name), ("description", description), ("command", command)];
                fields.extend(named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            }
            tool
        },
    );
    list(whole.boxed())
}

fn model() -> BoxedStrategy<Value> {
    prop_oneof![string(), table(vec![("name", string()), ("scripted", path()), ("allow_outside", truth())])].boxed()
}

fn limits() -> BoxedStrategy<Value> {
    let number = || prop::sample::select(vec![json!(0), json!(1), json!(2), json!(2_000_000), json!("3")]).boxed();
    table(vec![("steps", number()), ("tokens", number()), ("time", number()), ("same_calls", number())])
}

/// That less is kept than is too much, a schema cannot say.
fn compaction() -> BoxedStrategy<Value> {
    let over = prop::sample::select(vec![json!(0), json!(50), json!(2_000_000_000_u64)]).boxed();
    let keep = prop::sample::select(vec![json!(0), json!(-1), json!(1), json!(1.5)]).boxed();
    prop_oneof![truth(), table(vec![("over_tokens", over), ("keep_tokens", keep)])].boxed()
}

fn subagents() -> BoxedStrategy<Value> {
    let number = || prop::sample::select(vec![json!(0), json!(1), json!(16), json!(17), json!(1_001)]).boxed();
    let bounds = vec![("depth", number()), ("width", number()), ("total", number())];
    let own = [vec![("agents", list(string())), ("usual", string())], bounds].concat();
    prop_oneof![truth(), table(own)].boxed()
}

fn agents() -> BoxedStrategy<Value> {
    let agent = table(
        [layer(), vec![("description", string()), ("tools", rules()), ("permissions", rules()), ("limits", limits())]]
            .concat(),
    );
    named(&["coder", "a.b:c-d_e", "two words", ""], agent)
}

fn settings() -> Vec<(&'static str, BoxedStrategy<Value>)> {
    let instructions = table(vec![
        ("names", list(Just(json!("NOTES.md")).boxed())),
        ("max_bytes", prop::sample::select(vec![json!(1), json!(0), json!(40_000)]).boxed()),
        ("order", order()),
        ("allow_outside", truth()),
    ]);
    let own = vec![
        ("identity", truth()),
        ("model", model()),
        ("permissions", rules()),
        ("limits", limits()),
        ("compaction", compaction()),
        ("subagents", subagents()),
        ("tools", tools()),
        ("tool_order", list(string())),
        ("tool_schemas", list(path())),
        ("instructions", prop_oneof![Just(json!(false)), instructions].boxed()),
        ("agents", agents()),
    ];
    [layer(), own].concat()
}

fn config() -> impl Strategy<Value = Value> {
    let profiles = named(&["ci", "dev"], table([settings(), vec![("include", list(path()))]].concat()));
    table([settings(), vec![("include", list(path())), ("profiles", profiles)]].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_schema_and_the_reader_agree(config in config()) {
        thread_local!(static SCHEMA: jsonschema::Validator = schema());
        SCHEMA.with(|schema| agree(schema, &config));
    }
}

#[test]
fn both_take_every_key_and_neither_takes_a_misspelt_one() {
    let schema = schema();
    for right in [
        json!({ "persona": "p", "identity": false, "model": "m", "include": ["a.toml"], "tool_order": [], "tool_schemas": ["t.json"] }),
        json!({ "instructions": { "names": ["N.md"], "max_bytes": 9, "order": 1.5, "allow_outside": true } }),
        json!({ "instructions": false, "variables": { "a": "x", "b": { "env": "B", "default": "y" } } }),
        json!({ "agents": { "a": { "persona_file": "p.md", "description": "d", "tools": { "allow": [], "deny": ["x*"] } } } }),
        json!({ "model": { "name": "m", "scripted": "s.toml", "allow_outside": true }, "permissions": { "allow": [] } }),
        json!({ "tools": [{ "name": "t", "description": "d", "command": ["x", ""], "parameters": { "allow_outside": 5 }, "timeout": 0.1, "exclusive": true }] }),
        json!({ "agents": { "a": { "permissions": { "deny": ["x*"] } } } }),
        json!({ "model": { "allow_outside": true }, "permissions": {}, "profiles": { "ci": { "model": {} } } }),
        json!({ "limits": { "steps": 1, "tokens": 9, "time": 0.5, "same_calls": 2 }, "agents": { "a": { "limits": {} } } }),
        json!({ "compaction": { "over_tokens": 9, "keep_tokens": 8 }, "subagents": { "agents": ["a*"], "usual": "fork", "depth": 1, "width": 1, "total": 1 } }),
        json!({ "profiles": { "ci": { "sections": [{ "name": "s", "order": 1, "file": "f", "format": "template", "requires_tools": ["t"] }] } } }),
    ] {
        assert!(agree(&schema, &right), "{right}");
    }
    for wrong in [
        json!({ "presona": "p" }),
        json!({ "model": "" }),
        json!({ "instructions": "no" }),
        json!({ "instructions": { "max": 9 } }),
        json!({ "variables": { "a": { "default": "y" } } }),
        json!({ "limits": { "same_calls": 1 } }),
        json!({ "limits": { "seconds": 1 } }),
        json!({ "compaction": 100 }),
        json!({ "subagents": { "agents": "a" } }),
        json!({ "agents": { "a": { "subagents": true } } }),
        json!({ "agents": { "a": { "tools": {} } } }),
        json!({ "agents": { "a": { "tools": { "allow": "read" } } } }),
        json!({ "agents": { "a": { "model": "m" } } }),
        json!({ "permissions": { "allow": ["a*b"] } }),
        json!({ "tools": [{ "name": "t", "description": "d" }] }),
        json!({ "tools": [{ "name": "t", "description": "d", "command": "x" }] }),
        json!({ "tools": [{ "name": "t", "description": "d", "command": [""] }] }),
        json!({ "tools": [{ "name": "t", "description": "d", "command": ["x"], "timeout": "30s" }] }),
        json!({ "tools": [{ "name": "t", "description": "d", "command": ["x"], "timeout": 0 }] }),
        json!({ "agents": { "a": { "tools": [{ "name": "t" }] } } }),
        json!({ "profiles": { "ci": { "profiles": {} } } }),
    ] {
        assert!(!agree(&schema, &wrong), "{wrong}");
    }
}
