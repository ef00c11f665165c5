//! Texts that name a tool which the agent cannot see (case 06).

use std::collections::BTreeMap;

use dsh_prompt_report::{UnseenTool, unseen_tools};

use super::{Prompt, name_of};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::{list, quoted};
use crate::project::{Agent, Project};

/// At most so many places at which a tool is denied are shown.
const MOST_DENIALS: usize = 3;

/// Reports each text and each tool that it names in vain, with all the agents for whom it does.
pub(super) fn report(project: &Project, prompts: &[Prompt<'_>], report: &mut Report) {
    let mut mentions: BTreeMap<(Span, String, String), Mention<'_>> = BTreeMap::new();
    for Prompt { agent, assembly } in prompts {
        // Without an agent, every tool is seen.
        let Some(agent) = *agent else { continue };
        for found in unseen_tools(assembly, project.tools.names()) {
            // A built-in tool's name is a plain word: it is meant where it is marked as a name.
            if !found.is_in_code && project.tools.built_in.contains(&found.tool) {
                continue;
            }
            // What no file says (the harness's identity) nobody can say in another way.
            let Some(words) = project.words(Some(agent), found.section.name()) else { continue };
            let key = (words.origin.locate(found.range.clone()), name_of(found.section), found.tool.to_owned());
            mentions
                .entry(key)
                .or_insert_with(|| Mention { first: agent, found, agents: Vec::new() })
                .agents
                .push(agent);
        }
    }
    for mention in mentions.into_values() {
        let agents = mention.agents.iter().map(|agent| agent.name.value.clone()).collect();
        report.push_about(agents, mention.diagnostic(project));
    }
}

/// A tool that a text names.
struct Mention<'p> {
    first: &'p Agent,
    found: UnseenTool<'p>,
    /// Those who do not see it.
    agents: Vec<&'p Agent>,
}

impl Mention<'_> {
    fn diagnostic(self, project: &Project) -> Diagnostic {
        let tool = self.found.tool;
        let who = match self.agents.as_slice() {
            [agent] => format!("agent {} does not see", quoted(&agent.name.value)),
            agents => format!("{} agents do not see", agents.len()),
        };
        let headline = format!("section {} names the tool {}, which {who}", name_of(self.found.section), quoted(tool));
        let mut diagnostic = Diagnostic::warning("check::unseen_tool", headline);
        if let Some(words) = project.words(Some(self.first), self.found.section.name()) {
            diagnostic = words.show(diagnostic, self.found.range, "named here");
        }
        let denied = self.agents.iter().filter_map(|agent| Some((agent, agent.filter.as_ref()?.denied(tool)?)));
        for (agent, place) in denied.take(MOST_DENIALS) {
            diagnostic = diagnostic.at(place, format!("denied to {} here", quoted(&agent.name.value)));
        }
        let allowed_others =
            self.agents.iter().filter(|agent| agent.filter.as_ref().is_some_and(|it| it.denied(tool).is_none()));
        let allowed_others: Vec<&str> = allowed_others.map(|agent| agent.name.value.as_str()).collect();
        if !allowed_others.is_empty() {
            diagnostic =
                diagnostic.with_note(format!("it is not among the tools that are allowed to {}", list(allowed_others)));
        }
        diagnostic = diagnostic.with_help("say it where only agents read it who see the tool, or let these see it");
        if self.found.is_in_code || !may_be_prose(tool) {
            return diagnostic;
        }
        diagnostic
            .with_note(format!("{} may be a plain word here: it stands in no code span of its own", quoted(tool)))
            .with_help("if the tool is not meant, say it in other words; if it is, put its name into a code span")
    }
}

/// Whether a tool's name is a word as prose has them, too: of small letters alone.
fn may_be_prose(tool: &str) -> bool {
    tool.chars().all(char::is_lowercase)
}
