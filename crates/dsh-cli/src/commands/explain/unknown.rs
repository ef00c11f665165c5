//! A name that nothing has.

use super::facts::Facts;
use super::words::whose;
use crate::diagnostic::Diagnostic;
use crate::names::{list, nearest, quoted};
use crate::project::{Agent, Project};

/// What is wrong, and what would be right. Where the prompt has findings, what has the name may be what was left out.
pub(super) fn name(name: &str, facts: &Facts<'_>) -> Diagnostic {
    let headline = format!("no section, tool or variable of {} is called {}", whose(facts.agent), quoted(name));
    let diagnostic = Diagnostic::error("cli::unknown_name", headline);
    let sections = || facts.sections.iter().map(|facts| facts.section.name());
    let tools = || facts.tools.iter().map(|facts| facts.tool.schema().name());
    let variables = || facts.variables.iter().map(|facts| facts.variable.name());
    let hidden = facts.hidden_tools.iter().map(|tool| tool.name);
    if facts.project.agent(name).is_some() {
        let how = format!("{} is an agent: `--agent {name}` explains its prompt", quoted(name));
        return diagnostic.with_help(how);
    }
    let elsewhere = elsewhere(name, facts.project);
    if !elsewhere.is_empty() {
        let flag = if let [agent] = elsewhere.as_slice() { agent } else { "NAME" };
        let (agents, have) = if elsewhere.len() == 1 { ("agent", "has") } else { ("agents", "have") };
        let whose = format!("{agents} {} {have} it: ask with `--agent {flag}`", list(elsewhere.iter().copied()));
        return diagnostic.with_help(whose);
    }
    let ends = sections().find(|section| section.rsplit_once(':').is_some_and(|(_, end)| end == name));
    let near = ends.or_else(|| nearest(name, sections().chain(tools()).chain(variables()).chain(hidden)));
    if let Some(near) = near {
        return diagnostic.with_help(format!("did you mean {}?", quoted(near)));
    }
    let mut diagnostic = diagnostic.with_note(format!("the sections are {}", list(sections())));
    if tools().next().is_some() {
        diagnostic = diagnostic.with_note(format!("the tools are {}", list(tools())));
    }
    if variables().next().is_some() {
        diagnostic = diagnostic.with_note(format!("the variables are {}", list(variables())));
    }
    diagnostic
}

/// The agents that have something of this name for themselves.
fn elsewhere<'p>(name: &str, project: &'p Project) -> Vec<&'p str> {
    let has = |agent: &&Agent| {
        agent.layer.sections.iter().any(|section| section.name.value == name)
            || agent.layer.variables.iter().any(|variable| variable.name.value == name)
    };
    project.agents.iter().filter(has).map(|agent| agent.name.value.as_str()).collect()
}
