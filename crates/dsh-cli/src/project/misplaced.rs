//! Variables that were most likely meant as keys of the whole file: in TOML, what stands below `[variables]` belongs to that table.

use std::collections::BTreeSet;

use super::{Agent, Layer, Section};
use crate::config::{At, no_variable};
use crate::diagnostic::{Concern, Diagnostic, Report, Source, Sources};
use crate::names::quoted;

/// Those of these keys that an agent can have for itself.
const OF_AGENTS: [&str; 3] = ["persona", "persona_file", "sections"];

/// Warns of each that no text refers to. What a flag sets is meant as it is.
pub(super) fn report(shared: &Layer, agents: &[Agent], sources: &Sources, report: &mut Report) {
    let layers = || std::iter::once(shared).chain(agents.iter().map(|agent| &agent.layer));
    let is_there =
        layers().flat_map(|layer| &layer.variables).any(|variable| no_variable(&variable.name.value).is_some());
    if !is_there {
        return;
    }
    let referred: BTreeSet<String> = layers().flat_map(referred).collect();
    let of_layer = |layer: &Layer, agent: Option<&str>, report: &mut Report| {
        for variable in &layer.variables {
            let name = &variable.name;
            let is_in_a_file = sources.get(name.span.source).is_some_and(Source::is_file);
            if is_in_a_file
                && !referred.contains(&name.value)
                && let Some(misplaced) = misplaced(name, agent)
            {
                report.push(misplaced);
            }
        }
    };
    of_layer(shared, None, report);
    for agent in agents {
        report.about(Concern::Agent(agent.name.value.clone()), |report| {
            of_layer(&agent.layer, Some(&agent.name.value), report);
        });
    }
}

/// The names that the texts of a layer refer to.
fn referred(layer: &Layer) -> impl Iterator<Item = String> {
    let sections = layer.sections.iter().map(|Section { words, .. }| words);
    let texts = layer.persona.iter().chain(sections).map(|words| &words.text);
    texts.flat_map(|text| text.references().map(|reference| reference.name.to_owned()))
}

fn misplaced(name: &At<String>, agent: Option<&str>) -> Option<Diagnostic> {
    let help = no_variable(&name.value)?;
    let help = match agent {
        Some(agent) if OF_AGENTS.contains(&name.value.as_str()) => {
            format!("{} is a key of the agent: put it right below `[agents.{agent}]`", quoted(&name.value))
        }
        _ => help,
    };
    let headline =
        format!("a variable is called {}, as a key of the file is, and no text refers to it", quoted(&name.value));
    Some(
        Diagnostic::warning("config::misplaced_key", headline)
            .at(name.span, "a variable, for it stands below `[variables]`")
            .with_help(help),
    )
}
