//! What has been found so far.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::{Concern, Diagnostic, Severity, Span};
use crate::names::{Guesses, list};

/// The diagnostics of a run, in the order in which they were found.
#[derive(Debug)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    concern: Concern,
    told: Vec<String>,
    /// The guesses at what was meant.
    pub(crate) guesses: Guesses,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { diagnostics: Vec::new(), concern: Concern::Everyone, told: Vec::new(), guesses: Guesses::default() }
    }

    /// Takes one in; it is about whom [`Report::about`] says.
    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.concern = self.concern.clone();
        if let Concern::Agent(name) = &self.concern {
            diagnostic.agents.push(name.clone());
        }
        self.diagnostics.push(diagnostic);
    }

    /// Takes one in that is about these agents, or about everyone, and stands in nobody's way.
    pub(crate) fn push_about(&mut self, agents: Vec<String>, mut diagnostic: Diagnostic) {
        diagnostic.agents = agents;
        self.diagnostics.push(diagnostic);
    }

    /// Takes a line about what was done, for whoever asks for more with `--verbose`: never a variable's value (C3).
    pub(crate) fn tell(&mut self, line: impl Into<String>) {
        self.told.push(line.into());
    }

    /// What was told for `--verbose`.
    pub(crate) fn told(&self) -> &[String] {
        &self.told
    }

    /// Runs `body`, whose findings are about `concern`.
    pub(crate) fn about<R>(&mut self, concern: Concern, body: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.concern, concern);
        let result = body(self);
        self.concern = before;
        result
    }

    /// Whether anything is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Whether an error stands in the way of this agent's prompt; without an agent, of the one that all share.
    pub(crate) fn stops(&self, agent: Option<&str>) -> bool {
        self.errors().any(|diagnostic| diagnostic.concern.is_about(agent))
    }

    /// Whether one of these errors may have left out what texts refer to. No text refers to the order of tools.
    pub(crate) fn leaves_out(&self, agent: Option<&str>) -> bool {
        let mut errors = self.errors().filter(|diagnostic| !diagnostic.code.contains("::tool_order_"));
        errors.any(|diagnostic| diagnostic.concern.is_about(agent))
    }

    /// Whether this code was found at this place.
    pub(crate) fn has(&self, code: &str, span: Span) -> bool {
        let is_there = |found: &Diagnostic| found.places.first().is_some_and(|place| place.span == span);
        self.diagnostics.iter().any(|found| found.code == code && is_there(found))
    }

    /// Leaves out what is about other agents than these.
    pub(crate) fn keep_agents(&mut self, agents: &[String]) {
        self.diagnostics.retain(|diagnostic| match diagnostic.agents.as_slice() {
            [] => diagnostic.concern != Concern::Shared,
            about => about.iter().any(|agent| agents.contains(agent)),
        });
    }

    /// Whether the command was used wrongly: what was found is then about its arguments, not about a project.
    pub(crate) fn is_about_arguments(&self) -> bool {
        self.errors().any(|diagnostic| diagnostic.code.starts_with("cli::"))
    }

    /// What was found, by file and place; what has no place comes first. What is wrong for several agents alike is told once.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut told: HashMap<(&str, String, Vec<Span>), usize> = HashMap::new();
        let mut sorted: Vec<Diagnostic> = Vec::new();
        for diagnostic in self.diagnostics {
            let places = diagnostic.places.iter().map(|place| place.span).collect();
            match told.entry((diagnostic.code, diagnostic.headline.clone(), places)) {
                Entry::Vacant(new) => {
                    new.insert(sorted.len());
                    sorted.push(diagnostic);
                }
                Entry::Occupied(known) => {
                    if let Some(known) = sorted.get_mut(*known.get()) {
                        known.is_also_about(diagnostic);
                    }
                }
            }
        }
        for diagnostic in &mut sorted {
            let mut named = HashSet::new();
            diagnostic.agents.retain(|agent| named.insert(agent.clone()));
            if diagnostic.agents.len() > 1 {
                let agents = list(diagnostic.agents.iter().map(String::as_str));
                diagnostic.notes.push(format!("it is so for the agents {agents}"));
            }
        }
        sorted.sort_by_key(|diagnostic| diagnostic.places.first().map(|place| place.span));
        sorted
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Concern {
    /// Whether it stands in the way of this agent's prompt, or without an agent of the one that all share.
    fn is_about(&self, agent: Option<&str>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Shared => agent.is_none(),
            Self::Agent(name) => agent == Some(name),
            Self::Profile(_) => false,
        }
    }
}

impl Diagnostic {
    /// Takes in that the same was found for others.
    fn is_also_about(&mut self, other: Self) {
        if self.agents.is_empty() || other.agents.is_empty() {
            // One of the two is about everyone.
            self.agents.clear();
            return;
        }
        self.agents.extend(other.agents);
    }
}
