//! Names, texts, values, schemas: what the alphabet's fields are filled with.

use serde_json::{Value, json};

use crate::model::REST;
use crate::scenario::{Config, Content, Schema};

use super::profile::Profile;
use super::rng::Rng;

/// Few names, so that registrations meet.
pub(super) const SECTIONS: [&str; 8] = ["a", "b", "c", "tool:bash", "x", "é", "harness:identity", "deployment:persona"];
/// `s1` and so on are also ids of scopes, so that `{{%scope%}}` can name one.
pub(super) const VARIABLES: [&str; 8] = ["model", "cwd", "v", "a1", "s1", "s2", "constructor", "long_name_9"];
const BAD_VARIABLES: [&str; 11] = ["Model", "1a", "a-b", "", "_a", "naïve", "a b", "__proto__", "a\n", "é", "toString"];
pub(super) const SERVICES: [&str; 3] = ["db", "net", "cache"];
/// Ascending code units put the astral one before the last one; ascending characters do not.
pub(super) const TOOLS: [&str; 14] =
    ["read", "write", "bash", "Read", "a-b", "a.b", "_x", "é", "\u{1f600}", "\u{ff5e}", "read_file", "a", "10", "9"];

/// What a tool order lists: few, so that most assemblies know them.
const LISTED: [&str; 5] = ["read", "bash", "a-b", "é", "\u{1f600}"];

/// What the benign pieces of a text are made of.
const PROSE: [&str; 12] =
    ["text", "at ", " ", "\n", "é\u{1f600}", "{", "}", "a }} b", "{ {v} }", "<identity>", "\"quoted\"", "\\"];
/// Pieces that strict rendering may refuse.
const BRACES: [&str; 20] = [
    "{{",
    "}}",
    "{{}}",
    "{{ model }}",
    "{{Model}}",
    "{{model",
    "{{{v}}}",
    "{{{{v}}}}",
    "{{a{b}}",
    "{{constructor}}",
    "{{__proto__}}",
    "{{v\n}}",
    "{{1a}}",
    "{{v}",
    "{v}}",
    "{{%scope%}}",
    "{{nobody}}",
    "{{é}}",
    "{{v }}",
    "{{\u{0}}}",
];

/// The configuration of a seed.
pub(super) fn config(rng: &mut Rng, profile: &Profile) -> Config {
    // Before any variable is there, few personas should refer to one.
    let known: &[&str] = if rng.chance(25) { &["model"] } else { &[] };
    let persona = if rng.chance(40) { Some(text(rng, profile, known)) } else { None };
    let tool_order = profile.tool_order.then(|| tool_order(rng));
    Config { persona, tool_order }
}

fn tool_order(rng: &mut Rng) -> Vec<String> {
    let mut order = vec![REST.to_owned()];
    for _ in 0..rng.between(0, 2) {
        let name = rng.one_of(LISTED).to_owned();
        let place = rng.below(order.len() + 1);
        if !order.contains(&name) {
            order.insert(place, name);
        }
    }
    // Now and then one that is refused at load.
    match rng.below(20) {
        0 => order.retain(|name| name != REST),
        1 => order.push(REST.to_owned()),
        2 => order.extend(order.first().cloned()),
        3 => order.clear(),
        4 => order = vec!["read".to_owned(), "read".to_owned()],
        _ => {}
    }
    order
}

/// The text of a section, a template. `known` are the variables that it may refer to without being refused.
pub(super) fn text(rng: &mut Rng, profile: &Profile, known: &[&str]) -> String {
    if rng.chance(8) {
        return String::new();
    }
    let hostile = rng.chance(profile.hostile);
    let mut text = String::new();
    for _ in 0..rng.between(1, 4) {
        if hostile && rng.chance(60) {
            text += rng.one_of(BRACES);
        } else if let (true, Some(name)) = (rng.chance(50), rng.pick(known)) {
            text.extend(["{{", name, "}}"]);
        } else {
            text += rng.one_of(PROSE);
        }
    }
    // What strict rendering must leave alone when nothing follows.
    if rng.chance(4) {
        text += " and {{";
    }
    // Two pieces may have met to what the two sides read differently (D5).
    text.replace("{{\"", "{{ \"")
}

/// A section's text in one of its forms.
pub(super) fn content(rng: &mut Rng, profile: &Profile, known: &[&str], throws: usize) -> Content {
    if rng.chance(throws) {
        return Content::Throws(message(rng));
    }
    let text = text(rng, profile, known);
    if rng.chance(20) {
        Content::Dynamic(text + rng.one_of(["%scope%", "", "%scope%%scope%"]))
    } else {
        Content::Fixed(text)
    }
}

/// A variable's value in one of its forms.
pub(super) fn value(rng: &mut Rng, throws: usize) -> Option<Content> {
    if rng.chance(20) {
        return None;
    }
    if rng.chance(throws) {
        return Some(Content::Throws(message(rng)));
    }
    // Values are never scanned, so anything may stand in one.
    let value = rng.one_of(["", "m-1", "/here", "{{model}}", "{{", "}}", "{{\"q\"}}", "é\u{1f600}\n", " "]).to_owned();
    Some(if rng.chance(20) { Content::Dynamic(value + "%scope%") } else { Content::Fixed(value) })
}

pub(super) fn message(rng: &mut Rng) -> String {
    // Different ones, so that it shows which of two failures came first; one that sounds like another code.
    match rng.below(8) {
        0 => String::new(),
        1 => "service \"db\" has been registered".to_owned(),
        _ => format!("no {} é {{{{x}}}}", rng.below(1000)),
    }
}

pub(super) fn bad_variable(rng: &mut Rng) -> String {
    rng.one_of(BAD_VARIABLES).to_owned()
}

pub(super) fn order(rng: &mut Rng) -> f64 {
    if rng.chance(4) {
        return rng.one_of([-100.5, -101.0, -1e308]);
    }
    rng.one_of([
        1.0,
        1.0,
        1.0,
        2.0,
        2.0,
        10.0,
        100.0,
        110.0,
        0.0,
        -0.0,
        -1.0,
        -50.0,
        -99.5,
        -100.0,
        0.5,
        1.5,
        0.1 + 0.2,
        0.3,
        1.000_000_1,
        1e308,
        5e-324,
        199.0,
    ])
}

/// A tool of that name.
pub(super) fn schema(rng: &mut Rng, name: &str) -> Schema {
    let description = match rng.below(6) {
        0 => String::new(),
        1 => format!("does {name} {{{{v}}}} \"é\"\n\u{1f600}"),
        _ => format!("does {name}"),
    };
    Schema { name: name.to_owned(), description, parameters: parameters(rng) }
}

/// Schemas whose canonical form is their own: `required` in order, numbers that a double holds.
fn parameters(rng: &mut Rng) -> Value {
    match rng.below(6) {
        0 => json!({}),
        1 => json!({"type": "object", "properties": {}}),
        2 => json!({
            "type": "object",
            "properties": {"z": {"type": "integer", "minimum": -3, "default": 0.5}, "a": {"enum": ["b", "a", null, 1, true]}},
            "required": ["a", "z"],
        }),
        3 => json!({
            "additionalProperties": false,
            "type": "object",
            "properties": {"properties": {"type": ["string", "null"]}, "10": {"const": {"b": 1, "a": 2}}, "9": {}},
            "$defs": {"z": {"type": "array", "items": {"$ref": "#/$defs/a"}}, "a": {"pattern": "^\\{\\{é\"$"}},
        }),
        _ => json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }
}
