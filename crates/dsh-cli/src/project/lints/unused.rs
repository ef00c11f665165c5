//! Variables that nobody refers to.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use dsh_prompt_report::VariableUse;
use dsh_system_prompt::{AssembledSection, PartLayer, PromptAssembly};

use super::{Prompt, name_of};
use crate::diagnostic::{Diagnostic, Report, Sources, Span};
use crate::names::quoted;
use crate::project::{Layer, Project};
use crate::trust::Resolved;

/// Reports each variable of the project that no text refers to. Of those that all share, only where every prompt is there, and so `shared`,
/// too: what is missing may refer to it. One that an agent's own takes the place of is used by what refers to that: it is what holds for
/// agents that have none. One that a text of another profile refers to waits for that. What is always there, and what the user's own file gives, is for other projects as well.
pub(super) fn report(
    project: &Project,
    prompts: &[Prompt<'_>],
    shared: Option<&PromptAssembly>,
    sources: &Sources,
    report: &mut Report,
) {
    let mut variables = Given::default();
    let mut uses = VariableUse::new();
    for assembly in prompts.iter().map(|prompt| prompt.assembly).chain(shared) {
        uses.add(assembly);
    }
    let mut unused: HashMap<PartLayer, HashSet<&str>> = HashMap::new();
    for variable in uses.unused() {
        unused.entry(variable.layer).or_default().insert(variable.name);
    }
    let unused_in = |layer: PartLayer| unused.get(&layer);
    if shared.is_some() {
        variables.take(&project.layer, None, unused_in(PartLayer::Global));
    }
    for Prompt { agent, assembly } in prompts {
        let Some(agent) = agent else { continue };
        let first = agent.layer.variables.first().and_then(|variable| assembly.variable(&variable.name.value));
        let unused = first.and_then(|variable| unused_in(variable.layer()));
        variables.take(&agent.layer, Some(&agent.name.value), unused);
    }
    let of_agents: HashSet<&str> = variables
        .0
        .values()
        .filter(|it| it.is_used && it.agents.is_some())
        .map(|it| it.given.name.value.as_str())
        .collect();
    let is_of_user = |place: Span| sources.get(place.source).is_some_and(|it| it.is_file() && !it.is_of_project());
    let raw = OnceCell::new();
    for Variable { given, agents, is_used } in variables.0.values() {
        let is_stood_in_for = agents.is_none() && of_agents.contains(given.name.value.as_str());
        let waits = project.left_texts.may_refer_to(&given.name.value);
        // A key of the whole file is told as that.
        let is_told = report.has("config::misplaced_key", given.name.span);
        if !is_used && !is_stood_in_for && !waits && !is_told && !is_of_user(given.name.span) {
            let diagnostic = diagnostic(given, raw.get_or_init(|| RawTexts::of(prompts)));
            report.push_about(agents.clone().unwrap_or_default(), diagnostic);
        }
    }
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
    fn take(&mut self, layer: &'p Layer, agent: Option<&str>, unused: Option<&HashSet<&str>>) {
        for variable in &layer.variables {
            let is_used = unused.is_none_or(|unused| !unused.contains(variable.name.value.as_str()));
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

fn diagnostic(variable: &Resolved, raw: &RawTexts<'_>) -> Diagnostic {
    let name = variable.name.value.as_str();
    let reference = format!("{{{{{name}}}}}");
    let diagnostic =
        Diagnostic::warning("check::unused_variable", format!("no text refers to the variable {}", quoted(name)))
            .at(variable.name.span, "given here");
    match raw.0.get(name) {
        Some(section) => diagnostic
            .with_note(format!(
                "section {} has `{reference}` in it, and is raw text: that is no reference",
                name_of(section)
            ))
            .with_help("`format = \"template\"` makes references of what stands in double braces"),
        None => diagnostic.with_help(format!("write `{reference}` where it is meant, or take it out")),
    }
}

/// The names that stand in double braces in raw texts, each with the first section that has it: looking through all texts for each
/// variable would take too long.
struct RawTexts<'p>(HashMap<&'p str, &'p AssembledSection>);

impl<'p> RawTexts<'p> {
    fn of(prompts: &[Prompt<'p>]) -> Self {
        let mut names = HashMap::new();
        let mut seen = HashSet::new();
        let sections = prompts.iter().flat_map(|prompt| prompt.assembly.sections());
        for section in sections.filter(|section| section.text().is_raw()) {
            if seen.insert(Arc::as_ptr(section.text().shared()).addr()) {
                in_braces(section.text().as_str()).for_each(|name| {
                    names.entry(name).or_insert(section);
                });
            }
        }
        Self(names)
    }
}

/// What could be names of variables between double braces.
fn in_braces(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("}}").filter_map(|(end, _)| {
        let before = text.get(..end)?;
        let is_of_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
        let length = before.bytes().rev().take_while(is_of_name).count();
        let (before, name) = before.split_at_checked(end - length)?;
        (before.ends_with("{{") && !name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::in_braces;

    #[test]
    fn names_stand_between_double_braces_and_nothing_else() {
        let found: Vec<&str> = in_braces("{{a}} {{{b_1}}} {{ c }} {d}} {{e} {{f}}}} }} {{}} é{{g}}h}}").collect();
        assert_eq!(found, ["a", "b_1", "f", "g"]);
    }
}
