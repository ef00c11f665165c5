//! The JSON of `dsh prompt`, version 1: docs/json.md describes it.
//!
//! It is written by hand where bytes matter: a tool stands here exactly as it goes to a model.

use dsh_system_prompt::{AssembledSection, AssembledVariable, PartLayer, PromptAssembly, RenderedPrompt};
use serde_json::Value;

use crate::commands::json::{layer, number, object, owner, string};
use crate::project::{Agent, Project};

/// The shape's version.
const VERSION: u32 = 1;

/// The whole.
pub(super) fn prompt(
    project: &Project,
    agent: Option<&Agent>,
    assembly: &PromptAssembly,
    rendered: &RenderedPrompt,
) -> String {
    let sections: Vec<String> = rendered
        .parts()
        .filter_map(|part| part.section().map(|section| section_object(section, &part.range())))
        .collect();
    let value = |variable: &AssembledVariable<'_>| match variable.value() {
        Some(value) if !is_from_environment(variable, project, agent) => value.as_str().into(),
        Some(_) | None => Value::Null,
    };
    let mut variables: Vec<(&str, Value)> =
        assembly.variables().map(|variable| (variable.name(), value(&variable))).collect();
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
        (
            "dropped_tool_fields",
            object(project.tools.dropped.iter().map(|(field, count)| (field.as_str(), count.to_string()))),
        ),
    ])
}

/// Whether the value may be a secret: it is told only in the prompt itself, where a text refers to it (C3).
fn is_from_environment(variable: &AssembledVariable<'_>, project: &Project, agent: Option<&Agent>) -> bool {
    let layer = match variable.layer() {
        PartLayer::Global => Some(&project.layer),
        PartLayer::Scope(_) => agent.map(|agent| &agent.layer),
        PartLayer::Assembly | _ => None,
    };
    let mut given = layer.into_iter().flat_map(|layer| &layer.variables);
    given.any(|given| given.name.value == variable.name() && given.from_environment)
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
