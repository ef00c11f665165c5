//! What has been found so far.

use std::collections::HashSet;

use super::{Concern, Diagnostic, Severity};
use crate::names::Guesses;

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
        self.errors().any(|diagnostic| match &diagnostic.concern {
            Concern::Everyone => true,
            Concern::Shared => agent.is_none(),
            Concern::Agent(name) => agent == Some(name),
            Concern::Profile(_) => false,
        })
    }

    /// What was found, by file and place; what has no place comes first. What is wrong for several agents alike is told once.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
        let mut told = HashSet::new();
        let places = |diagnostic: &Diagnostic| diagnostic.places.iter().map(|place| place.span).collect::<Vec<_>>();
        self.diagnostics
            .retain(|diagnostic| told.insert((diagnostic.code, diagnostic.headline.clone(), places(diagnostic))));
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.places.first().map(|place| place.span));
        self.diagnostics
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }
}
