//! The JSON of `dsh prompt`, version 1: docs/json.md describes it.
//!
//! It is written by hand where bytes matter: a tool stands here exactly as it goes to a model.

use dsh_system_prompt::{AssembledSection, PromptAssembly, RenderedPrompt};
use serde_json::Value;

use crate::commands::json::{layer, number, object, owner, string};
use crate::project::{Agent, DroppedFields};

/// The shape's version.
const VERSION: u32 = 1;

/// The whole.
pub(super) fn prompt(
    agent: Option<&Agent>,
    assembly: &PromptAssembly,
    rendered: &RenderedPrompt,
    dropped: &DroppedFields,
) -> String {
    let sections: Vec<String> = rendered
        .parts()
        .iter()
        .filter_map(|part| part.section().map(|section| section_object(section, &part.range())))
        .collect();
    let mut variables: Vec<(&str, Value)> = assembly
        .variables()
        .map(|variable| (variable.name(), variable.value().map_or(Value::Null, |value| value.as_str().into())))
        .collect();
    variables.sort_by_key(|(name, _)| *name);
    let description = agent.and_then(|agent| agent.description.as_ref()).map(|description| description.value.as_str());
    object([
        ("version", VERSION.to_string()),
        ("agent", Value::from(agent.map(|agent| agent.name.value.as_str())).to_string()),
        ("description", Value::from(description).to_string()),
        ("prompt", string(rendered.text())),
        ("sections", format!("[{}]", sections.join(","))),
        ("tools", assembly.tools_json().to_string()),
        ("variables", object(variables.iter().map(|(name, value)| (*name, value.to_string())))),
        ("dropped_tool_fields", object(dropped.iter().map(|(field, count)| (field.as_str(), count.to_string())))),
    ])
}

/// The tool block alone.
pub(super) fn tools(agent: Option<&str>, assembly: &PromptAssembly) -> String {
    object([
        ("version", VERSION.to_string()),
        ("agent", Value::from(agent).to_string()),
        ("tools", assembly.tools_json().to_string()),
    ])
}

fn section_object(section: &AssembledSection, range: &std::ops::Range<usize>) -> String {
    object([
        ("name", string(section.name())),
        ("order", number(section.order())),
        ("owner", owner(section.owner())),
        ("layer", layer(section.layer())),
        ("start", range.start.to_string()),
        ("end", range.end.to_string()),
    ])
}
