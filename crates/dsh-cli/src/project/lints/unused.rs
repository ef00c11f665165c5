//! Variables that nobody refers to.

use std::collections::{BTreeMap, HashSet};

use dsh_prompt_report::VariableUse;
use dsh_system_prompt::{PartLayer, PromptAssembly};

use super::{Prompt, name_of};
use crate::diagnostic::{Diagnostic, Report, Sources, Span};
use crate::names::quoted;
use crate::project::{Layer, Project};
use crate::trust::Resolved;

/// Reports each variable of the project that no text refers to. Of those that all share, only where every prompt is there, and so `shared`,
/// too: what is missing may refer to it. One that an agent's own takes the place of is used by what refers to that: it is what holds for
/// agents that have none. What is always there, and what the user's own file gives, is for other projects as well.
pub(super) fn report(
    project: &Project,
    prompts: &[Prompt<'_>],
    shared: Option<&PromptAssembly>,
    sources: &Sources,
    report: &mut Report,
) {
    let mut variables = Given::default();
    if let Some(shared) = shared {
        let mut uses = VariableUse::new();
        for assembly in prompts.iter().map(|prompt| prompt.assembly).chain([shared]) {
            uses.add(assembly);
        }
        variables.take(&project.layer, None, &unused(&uses, |layer| layer == PartLayer::Global));
    }
    for Prompt { agent, assembly } in prompts {
        let Some(agent) = agent else { continue };
        let mut uses = VariableUse::new();
        uses.add(assembly);
        variables.take(&agent.layer, Some(&agent.name.value), &unused(&uses, |layer| layer != PartLayer::Global));
    }
    let of_agents: HashSet<&str> = variables
        .0
        .values()
        .filter(|it| it.is_used && it.agents.is_some())
        .map(|it| it.given.name.value.as_str())
        .collect();
    let is_of_user = |place: Span| sources.get(place.source).is_some_and(|it| it.is_file() && !it.is_of_project());
    for Variable { given, agents, is_used } in variables.0.values() {
        let is_stood_in_for = agents.is_none() && of_agents.contains(given.name.value.as_str());
        // A key of the whole file is told as that.
        let is_told = report.has("config::misplaced_key", given.name.span);
        if !is_used && !is_stood_in_for && !is_told && !is_of_user(given.name.span) {
            let diagnostic = diagnostic(given, prompts);
            report.push_about(agents.clone().unwrap_or_default(), diagnostic);
        }
    }
}

/// The names in these layers that nothing refers to.
fn unused(uses: &VariableUse, is_meant: impl Fn(PartLayer) -> bool) -> HashSet<&str> {
    uses.unused().filter(|variable| is_meant(variable.layer)).map(|variable| variable.name).collect()
}

/// The variables by the places where they are given: what the command line sets stands in the layers of all agents.
#[derive(Default)]
struct Given<'p>(BTreeMap<Span, Variable<'p>>);

struct Variable<'p> {
    given: &'p Resolved,
    /// Whose it is; all agents', if none.
    agents: Option<Vec<String>>,
    is_used: bool,
}

impl<'p> Given<'p> {
    fn take(&mut self, layer: &'p Layer, agent: Option<&str>, unused: &HashSet<&str>) {
        for variable in &layer.variables {
            let is_used = !unused.contains(variable.name.value.as_str());
            let agents = agent.map(|agent| vec![agent.to_owned()]);
            match self.0.get_mut(&variable.name.span) {
                None => {
                    self.0.insert(variable.name.span, Variable { given: variable, agents, is_used });
                }
                Some(known) => {
                    known.is_used |= is_used;
                    match (&mut known.agents, agent) {
                        (Some(agents), Some(agent)) => agents.push(agent.to_owned()),
                        (agents, _) => *agents = None,
                    }
                }
            }
        }
    }
}

fn diagnostic(variable: &Resolved, prompts: &[Prompt<'_>]) -> Diagnostic {
    let name = variable.name.value.as_str();
    let reference = format!("{{{{{name}}}}}");
    let diagnostic =
        Diagnostic::warning("check::unused_variable", format!("no text refers to the variable {}", quoted(name)))
            .at(variable.name.span, "given here");
    let sections = prompts.iter().flat_map(|prompt| prompt.assembly.sections());
    let raw = sections.filter(|section| section.text().is_raw()).find(|it| it.text().as_str().contains(&reference));
    match raw {
        Some(section) => diagnostic
            .with_note(format!(
                "section {} has `{reference}` in it, and is raw text: that is no reference",
                name_of(section)
            ))
            .with_help("`format = \"template\"` makes references of what stands in double braces"),
        None => diagnostic.with_help(format!("write `{reference}` where it is meant, or take it out")),
    }
}
