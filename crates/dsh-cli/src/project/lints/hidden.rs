//! Characters that nobody sees (X12): in texts, in names, in constants, and in what models are told of tools.
//!
//! They are looked for in what was read, and not in prompts: a prompt with an error has them, too.

mod found;
mod tools;

use dsh_system_prompt::hidden_characters;

use self::found::Found;
use super::agents_of;
use crate::config::{Branch, OffsetMap, PERSONA};
use crate::diagnostic::{Report, Sources, Span};
use crate::names::quoted;
use crate::project::{Agent, Layer, Loaded, Project};

/// Reports every text, name, constant and tool that has such characters.
pub(super) fn report(project: &Project, sources: &Sources, report: &mut Report) {
    for section in &project.instructions {
        words(None, &section.name.value, &section.words, sources, report);
    }
    layer(None, &project.layer, sources, report);
    for agent in &project.agents {
        layer(Some(agent), &agent.layer, sources, report);
    }
    strings(project, sources, report);
    constants(project, sources, report);
    tools::report(project, sources, report);
}

fn layer(agent: Option<&Agent>, layer: &Layer, sources: &Sources, report: &mut Report) {
    if let Some(persona) = &layer.persona {
        words(agent, PERSONA, persona, sources, report);
    }
    for section in &layer.sections {
        words(agent, &section.name.value, &section.words, sources, report);
        let what = format!("the name of section {}", quoted(&section.name.value));
        string(&what, &section.name.value, section.name.span, agents_of(agent), sources, report);
    }
}

fn words(agent: Option<&Agent>, section: &str, words: &Loaded, sources: &Sources, report: &mut Report) {
    let mut found = Found::default();
    for hidden in hidden_characters(words.text.as_str()) {
        found.add(hidden, None, || words.origin.locate(hidden.offset..hidden.offset + hidden.character.len_utf8()));
    }
    let of = agent.map_or_else(String::new, |agent| format!(" of agent {}", quoted(&agent.name.value)));
    if let Some(diagnostic) = found.diagnostic(&format!("section {}{of}", quoted(section)), sources) {
        report.push_about(agents_of(agent), words.read_from(diagnostic));
    }
}

/// Looks at what stands in listings or is sent to a model, and in no text of a prompt.
fn strings(project: &Project, sources: &Sources, report: &mut Report) {
    if let Some((model, place)) =
        project.tree.fields.get("model").and_then(|field| Some((field.node.value.as_str()?, field.node.span)))
    {
        string("the model's name", model, place, Vec::new(), sources, report);
    }
    for profile in &project.profiles {
        let what = format!("the name of profile {}", quoted(&profile.value));
        string(&what, &profile.value, profile.span, Vec::new(), sources, report);
    }
    for agent in &project.agents {
        if let Some(description) = &agent.description {
            let what = format!("the description of agent {}", quoted(&agent.name.value));
            string(&what, &description.value, description.span, agents_of(Some(agent)), sources, report);
        }
    }
}

/// Looks at the values that variables are given in the configuration itself.
fn constants(project: &Project, sources: &Sources, report: &mut Report) {
    let variables =
        |table: &Branch| table.fields.get("variables").and_then(|field| field.node.value.as_table()).cloned();
    if let Some(shared) = variables(&project.tree) {
        values(None, &shared, sources, report);
    }
    for agent in &project.agents {
        let agents = project.tree.fields.get("agents").and_then(|field| field.node.value.as_table());
        let own = agents.and_then(|agents| agents.fields.get(&agent.name.value)?.node.value.as_table());
        if let Some(own) = own.and_then(variables) {
            values(Some(agent), &own, sources, report);
        }
    }
}

fn values(agent: Option<&Agent>, variables: &Branch, sources: &Sources, report: &mut Report) {
    for (name, field) in &variables.fields {
        let of_table = |key: &str| field.node.value.as_table().and_then(|table| table.fields.get(key));
        if let Some((env, place)) = of_table("env").and_then(|env| Some((env.node.value.as_str()?, env.node.span))) {
            let what = format!("the name in the environment of variable {}", quoted(name));
            string(&what, env, place, agents_of(agent), sources, report);
        }
        let node = of_table("default").map_or(&field.node, |default| &default.node);
        if let Some(value) = node.value.as_str() {
            string(&format!("variable {}", quoted(name)), value, node.span, agents_of(agent), sources, report);
        }
    }
}

/// Looks at a string of the configuration.
fn string(what: &str, value: &str, span: Span, agents: Vec<String>, sources: &Sources, report: &mut Report) {
    let mut found = Found::default();
    let mut map = None;
    for hidden in hidden_characters(value) {
        let map = map.get_or_insert_with(|| {
            let file = sources.text(span.source);
            // Keys of TOML, and strings of YAML, may stand without quotes.
            if file.get(span.range()) == Some(value) {
                return OffsetMap::From(span.start);
            }
            OffsetMap::of_toml_string(file, span.range(), value)
        });
        let range = hidden.offset..hidden.offset + hidden.character.len_utf8();
        found.add(hidden, None, || Span::new(span.source, map.locate(range)));
    }
    if let Some(diagnostic) = found.diagnostic(what, sources) {
        report.push_about(agents, diagnostic);
    }
}
