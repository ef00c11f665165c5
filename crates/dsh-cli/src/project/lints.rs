//! What is most likely a mistake in prompts that can be made: the findings of dsh-prompt-report, led back to the project's files.
//!
//! All but the last are warnings. What is so for several agents is told once, with their names.

mod hidden;
mod json_strings;
mod orders;
mod schemas;
mod shadowed;
mod unseen;
mod unused;

use dsh_system_prompt::{AssembledSection, PromptAssembly};

use super::mount::Checked;
use super::{Agent, Project};
use crate::diagnostic::{Report, Sources};
use crate::names::quoted;

/// Reports what the prompts of a project have that somebody should look at; those that have errors are not looked at as a whole.
/// `shared` is what all agents share.
pub(crate) fn report(
    project: &Project,
    checked: &[Checked<'_>],
    shared: Option<&PromptAssembly>,
    sources: &Sources,
    report: &mut Report,
) {
    let prompts: Vec<Prompt<'_>> = checked
        .iter()
        .filter_map(|Checked { agent, assembly }| Some(Prompt { agent: *agent, assembly: assembly.as_ref()? }))
        .collect();
    let shared = shared.filter(|_| prompts.len() == checked.len());
    unused::report(project, &prompts, shared, sources, report);
    orders::report(project, &prompts, report);
    unseen::report(project, &prompts, report);
    hidden::report(project, sources, report);
    shadowed::report(project, report);
    schemas::report(project, report);
}

/// A prompt without errors.
#[derive(Clone, Copy, Debug)]
struct Prompt<'p> {
    /// Whose it is; of no agent, the one that all share.
    agent: Option<&'p Agent>,
    assembly: &'p PromptAssembly,
}

/// A section as messages call it.
fn name_of(section: &AssembledSection) -> String {
    let owner = section.owner().map_or_else(|| "nobody".to_owned(), ToString::to_string);
    format!("{} of {}", quoted(section.name()), quoted(&owner))
}

/// Whom a finding is about: this agent, or everyone.
fn agents_of(agent: Option<&Agent>) -> Vec<String> {
    agent.map(|agent| agent.name.value.clone()).into_iter().collect()
}
