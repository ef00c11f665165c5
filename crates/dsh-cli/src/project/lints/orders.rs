//! Sections of different owners that have one order (X5).

use std::collections::BTreeMap;

use dsh_prompt_report::{EqualOrder, equal_orders};
use dsh_system_prompt::{AssembledSection, PartLayer};

use super::{Prompt, name_of};
use crate::config::PERSONA;
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::quoted;
use crate::project::{Agent, Project};

/// At most so many sections of one order are named.
const MOST_NAMED: usize = 6;

/// Reports each order that sections of different owners share, once for all agents that have it between sections of the same names.
pub(super) fn report(project: &Project, prompts: &[Prompt<'_>], report: &mut Report) {
    let mut meetings: BTreeMap<Vec<&str>, Meeting<'_>> = BTreeMap::new();
    for Prompt { agent, assembly } in prompts {
        for found in equal_orders(assembly) {
            let names = found.sections.iter().map(|section| section.name()).collect();
            let is_shared = found.sections.iter().all(|section| section.layer() == PartLayer::Global);
            let meeting = meetings.entry(names).or_insert_with(|| Meeting { first: *agent, found, agents: Vec::new() });
            if let (false, Some(agent)) = (is_shared, agent) {
                meeting.agents.push(agent.name.value.clone());
            }
        }
    }
    for meeting in meetings.into_values() {
        let diagnostic = meeting.diagnostic(project);
        report.push_about(meeting.agents, diagnostic);
    }
}

/// Sections that have one order.
struct Meeting<'p> {
    first: Option<&'p Agent>,
    found: EqualOrder<'p>,
    /// For whom they meet; everyone, if none.
    agents: Vec<String>,
}

impl Meeting<'_> {
    fn diagnostic(&self, project: &Project) -> Diagnostic {
        let EqualOrder { order, sections, .. } = &self.found;
        let diagnostic = Diagnostic::warning("check::equal_order", format!("{} have one order, {order}", self.names()));
        // What stands last is most likely what was written without a look at the others.
        let places = sections.iter().rev().filter_map(|section| {
            let name = section.name();
            let label = match name {
                _ if project.instructions.iter().any(|own| own.name.value == name) => {
                    "`instructions.order` is the order of such a file".to_owned()
                }
                PERSONA => format!("a persona has the order {order}"),
                name => format!("the order of {}", quoted(name)),
            };
            Some((project.order(self.first, name)?, label))
        });
        places
            .fold(diagnostic, |diagnostic, (place, label)| diagnostic.at(place, label))
            .with_note("nobody says which of them stands first: it is the one that is loaded first, and an agent's own come last")
            .with_help("give each of them an order of its own")
    }

    fn names(&self) -> String {
        let sections = &self.found.sections;
        let named = sections.get(..MOST_NAMED).unwrap_or(sections);
        // Of several agents, each is the owner of its own.
        let name =
            |section: &AssembledSection| if self.agents.len() > 1 { quoted(section.name()) } else { name_of(section) };
        let mut names: Vec<String> = named.iter().copied().map(name).collect();
        match sections.len() - named.len() {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        let last = names.pop().unwrap_or_default();
        format!("sections {} and {last}", names.join(", "))
    }
}

impl Project {
    /// Where the order is given of the section that an agent sees under this name; of a persona, which has none, where its text is.
    fn order(&self, agent: Option<&Agent>, section: &str) -> Option<Span> {
        let layers = agent.map(|agent| &agent.layer).into_iter().chain([&self.layer]);
        let own = layers.flat_map(|layer| &layer.sections).find(|own| own.name.value == section);
        let order = own.map(|own| own.order.span);
        order.or_else(|| self.words(agent, section).map(|words| words.origin.declared))
    }
}
