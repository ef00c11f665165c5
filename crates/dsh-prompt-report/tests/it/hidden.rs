//! X12, case 14: characters of an assembly that no reader sees.

use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_prompt_report::{HiddenPart, HiddenText, MOST_HIDDEN_PLACES, hidden_parts};
use dsh_system_prompt::{PromptAssembly, hidden_characters};
use dsh_template::Text;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::assembly;

/// Part, text, offset and character of each kept place.
fn found(assembly: &PromptAssembly) -> Vec<String> {
    let mut lines = Vec::new();
    for hidden in hidden_parts(assembly) {
        let part = match hidden.part {
            HiddenPart::Section(section) => format!("section {}", section.name()),
            HiddenPart::Tool(tool) => format!("tool {}", tool.schema().name()),
        };
        assert_eq!(hidden.places.len(), hidden.count.min(MOST_HIDDEN_PLACES));
        lines.extend(hidden.places.iter().map(|place| {
            let text = match &place.text {
                HiddenText::Section => String::new(),
                HiddenText::Value(pointer) => format!(" {pointer}"),
                HiddenText::Key(pointer) => format!(" key {pointer}"),
                HiddenText::Name => " name".to_owned(),
                HiddenText::Description => " description".to_owned(),
            };
            format!("{part}{text} {} {}", place.character.offset, place.character)
        }));
    }
    lines
}

fn with_tool(name: &str, description: &str, parameters: &str) -> PromptAssembly {
    let mut assembly = PromptAssembly::new();
    assembly.tools_mut().push(ToolSchema::new(name, description, parameters).unwrap().into());
    assembly
}

/// Case 14
#[test]
fn case_14_a_tool_description_tells_what_it_hides_and_ordinary_writing_passes() {
    let peek = "Read a file.\u{200B}\u{E0041}\u{E0042} Ok \u{2066}x\u{2069}";
    assert_eq!(
        found(&with_tool("peek", peek, NO_PARAMETERS)),
        [
            "tool peek description 12 U+200B",
            "tool peek description 15 U+E0041",
            "tool peek description 19 U+E0042",
            "tool peek description 27 U+2066",
            "tool peek description 31 U+2069"
        ]
    );
    let lies = "\u{646}\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645} and \u{1F468}\u{200D}\u{1F469}";
    assert_eq!(found(&with_tool("lies", lies, NO_PARAMETERS)), [""; 0]);
}

#[test]
fn sections_are_looked_at_as_they_are_written() {
    let texts =
        [Text::raw("raw {{\u{202E}}}"), Text::template("{{cwd}}\r\n"), Text::template("{{\"\\u202e\"}} fine\n\t")];
    assert_eq!(found(&assembly(texts, &["read"])), ["section 0 6 U+202E", "section 1 7 U+000D"]);
}

#[test]
fn each_string_of_the_parameters_is_looked_at() {
    let parameters = json!({
        "type": "object",
        "description": "top\u{200B}",
        "properties": {
            "a\u{202E}": {"type": "string", "enum": ["ok", "x\u{1}", {"deep": ["\\\u{85}\""]}]},
            "b/~": {"description": "\u{FEFF}\n", "default": 1},
        },
        "required": ["a\u{202E}"],
    });
    assert_eq!(
        found(&with_tool("pe\u{AD}ek", "", &parameters.to_string())),
        [
            "tool pe\u{AD}ek name 2 U+00AD",
            "tool pe\u{AD}ek /description 3 U+200B",
            "tool pe\u{AD}ek key /properties/a\u{202E} 1 U+202E",
            "tool pe\u{AD}ek /properties/a\u{202E}/enum/1 1 U+0001",
            "tool pe\u{AD}ek /properties/a\u{202E}/enum/2/deep/0 1 U+0085",
            "tool pe\u{AD}ek /properties/b~1~0/description 0 U+FEFF",
            "tool pe\u{AD}ek /required/0 1 U+202E"
        ]
    );
    // A number that no value can hold hides nothing, and keeps nothing from being found.
    let huge = r#"{"maximum": 1e400, "title": "\u200B"}"#;
    assert_eq!(found(&with_tool("t", "", huge)), ["tool t /title 0 U+200B"]);
}

#[test]
fn all_are_counted_and_the_first_places_kept() {
    let texts = ["\u{200B}".repeat(MOST_HIDDEN_PLACES), "\u{202E}a".repeat(500_000)];
    let assembly = assembly(texts, &[]);
    let counts: Vec<(usize, usize)> =
        hidden_parts(&assembly).iter().map(|found| (found.count, found.places.len())).collect();
    assert_eq!(counts, [(MOST_HIDDEN_PLACES, MOST_HIDDEN_PLACES), (500_000, MOST_HIDDEN_PLACES)]);

    // A million strings in a schema, and names so long that there is no room to say the place.
    let many = json!({"enum": vec!["\u{200B}"; 300_000]}).to_string();
    let long =
        json!({"a\u{200B}": {"k".repeat(1_000_000): {"x": "\u{200B}", "y": "\u{200B}"}}, "z": "\u{200B}"}).to_string();
    let mut assembly = with_tool("many", "", &many);
    assembly.tools_mut().push(ToolSchema::new("long", "", &long).unwrap().into());
    let counts: Vec<(usize, usize)> =
        hidden_parts(&assembly).iter().map(|found| (found.count, found.places.len())).collect();
    assert_eq!(counts, [(300_000, MOST_HIDDEN_PLACES), (4, 1)]);
}

/// JSON of all kinds, with strings in which something may be hidden.
fn documents() -> impl Strategy<Value = Value> {
    let text = || "[a\\\\\"\n\r/~\u{E9}\u{1}\u{200B}\u{202E}\u{645}\u{200C}]{0,5}";
    let leaf = prop_oneof![
        3 => text().prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => prop::sample::select(vec![Value::Null, Value::from(true), Value::from(1.5)])
    ];
    let node = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4).prop_map(Value::from_iter),
        ]
    });
    prop::collection::btree_map(text(), node, 0..4).prop_map(Value::from_iter)
}

/// How many hidden characters there are, by a walk over the parsed value.
fn count(value: &Value) -> usize {
    match value {
        Value::String(text) => hidden_characters(text).count(),
        Value::Array(elements) => elements.iter().map(count).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| hidden_characters(name).count() + count(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

proptest! {
    #[test]
    fn as_much_is_found_as_the_parsed_schema_has_where_the_pointers_say(document in documents()) {
        let assembly = with_tool("t", "", &document.to_string());
        let parameters = assembly.tools()[0].schema().parameters().unwrap();
        let found = hidden_parts(&assembly);
        prop_assert_eq!(found.iter().map(|found| found.count).sum::<usize>(), count(&parameters));
        for place in found.iter().flat_map(|found| &found.places) {
            let text = match &place.text {
                HiddenText::Value(pointer) => parameters.pointer(pointer).and_then(Value::as_str).map(str::to_owned),
                HiddenText::Key(pointer) => {
                    prop_assert!(parameters.pointer(pointer).is_some());
                    pointer.rsplit('/').next().map(|name| name.replace("~1", "/").replace("~0", "~"))
                }
                HiddenText::Section | HiddenText::Name | HiddenText::Description => None,
            };
            let there = text.as_deref().and_then(|text| text.get(place.character.offset..)?.chars().next());
            prop_assert_eq!(there, Some(place.character.character));
        }
    }
}
