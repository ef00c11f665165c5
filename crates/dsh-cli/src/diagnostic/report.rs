//! What has been found so far.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Concern, Diagnostic, Severity, Span};
use crate::names::{Guesses, list};

/// The diagnostics of a run, in the order in which they were found.
///
/// What is wrong for several agents alike is one diagnostic from the start: a thousand agents may share a text of a thousand mistakes.
#[derive(Debug)]
pub(crate) struct Report {
    found: Vec<Found>,
    /// The diagnostics by what they say and where.
    known: HashMap<(&'static str, String, Vec<Span>), usize>,
    /// The codes by the places that they are about.
    firsts: HashSet<(&'static str, Span)>,
    /// In whose way an error stands.
    stopped: Stopped,
    /// From whose parts an error may have left out what texts refer to.
    lacking: Stopped,
    concern: Concern,
    /// The agent whom that is about.
    agent: Option<Arc<str>>,
    told: Vec<String>,
    /// The guesses at what was meant.
    pub(crate) guesses: Guesses,
}

/// A diagnostic that was taken in.
#[derive(Debug)]
struct Found {
    diagnostic: Diagnostic,
    /// The agents for whom it was found one by one; none, where it is about everyone, or about the diagnostic's own.
    agents: Vec<Arc<str>>,
}

/// Which prompts have an error in their way.
#[derive(Debug, Default)]
struct Stopped {
    everyone: bool,
    shared: bool,
    agents: HashSet<Arc<str>>,
    /// An error that stands in no prompt's way counts here too.
    any: bool,
}

/// One of the diagnostics of a [`Report`], to say that it is so for others too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known(usize);

impl Report {
    pub(crate) fn new() -> Self {
        Self {
            found: Vec::new(),
            known: HashMap::new(),
            firsts: HashSet::new(),
            stopped: Stopped::default(),
            lacking: Stopped::default(),
            concern: Concern::Everyone,
            agent: None,
            told: Vec::new(),
            guesses: Guesses::default(),
        }
    }

    /// Takes one in; it is about whom [`Report::about`] says.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.push_known(diagnostic);
    }

    /// As [`Report::push`]; what comes back says which it is.
    pub(crate) fn push_known(&mut self, mut diagnostic: Diagnostic) -> Known {
        diagnostic.concern = self.concern.clone();
        self.take(diagnostic, self.agent.clone().into_iter().collect(), true)
    }

    /// Takes in that one that is known is so for whom [`Report::about`] says, too.
    pub(crate) fn push_again(&mut self, known: Known) {
        let Some(found) = self.found.get_mut(known.0) else { return };
        let (code, severity) = (found.diagnostic.code, found.diagnostic.severity);
        found.is_also_about(self.agent.clone().into_iter().collect(), Vec::new());
        self.note(code, severity);
    }

    fn note(&mut self, code: &'static str, severity: Severity) {
        self.stopped.note(severity, &self.concern, self.agent.as_ref());
        if !code.contains("::tool_order_") {
            self.lacking.note(severity, &self.concern, self.agent.as_ref());
        }
    }

    /// Takes one in that is about these agents, or about everyone, and stands in nobody's way.
    pub(crate) fn push_about(&mut self, agents: Vec<String>, mut diagnostic: Diagnostic) {
        diagnostic.agents = agents;
        self.take(diagnostic, Vec::new(), false);
    }

    fn take(&mut self, diagnostic: Diagnostic, agents: Vec<Arc<str>>, stops: bool) -> Known {
        if stops {
            self.note(diagnostic.code, diagnostic.severity);
        }
        if let Some(first) = diagnostic.places.first() {
            self.firsts.insert((diagnostic.code, first.span));
        }
        let places = diagnostic.places.iter().map(|place| place.span).collect();
        match self.known.entry((diagnostic.code, diagnostic.headline.clone(), places)) {
            Entry::Vacant(new) => {
                let known = *new.insert(self.found.len());
                self.found.push(Found { diagnostic, agents });
                Known(known)
            }
            Entry::Occupied(known) => {
                if let Some(found) = self.found.get_mut(*known.get()) {
                    found.is_also_about(agents, diagnostic.agents);
                }
                Known(*known.get())
            }
        }
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
        let agent = match &concern {
            Concern::Agent(name) => Some(Arc::from(name.as_str())),
            Concern::Everyone | Concern::Shared | Concern::Profile(_) => None,
        };
        let before = (std::mem::replace(&mut self.concern, concern), std::mem::replace(&mut self.agent, agent));
        let result = body(self);
        (self.concern, self.agent) = before;
        result
    }

    /// Whether anything is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.stopped.any
    }

    /// Whether an error stands in the way of this agent's prompt; without an agent, of the one that all share.
    pub(crate) fn stops(&self, agent: Option<&str>) -> bool {
        self.stopped.is_about(agent)
    }

    /// Whether an error may have left out what texts refer to. No text refers to the order of tools.
    pub(crate) fn leaves_out(&self, agent: Option<&str>) -> bool {
        self.lacking.is_about(agent)
    }

    /// Whether this code was found at this place.
    pub(crate) fn has(&self, code: &'static str, span: Span) -> bool {
        self.firsts.contains(&(code, span))
    }

    /// Leaves out what is about other agents than these.
    pub(crate) fn keep_agents(&mut self, agents: &[String]) {
        let asked: HashSet<&str> = agents.iter().map(String::as_str).collect();
        self.found.retain_mut(|Found { diagnostic, agents }| {
            if diagnostic.agents.is_empty() && agents.is_empty() {
                return diagnostic.concern != Concern::Shared;
            }
            agents.retain(|agent| asked.contains(&**agent));
            !agents.is_empty() || diagnostic.agents.iter().any(|agent| asked.contains(agent.as_str()))
        });
        // Nothing is where it was.
        self.known.clear();
    }

    /// Whether the command was used wrongly: what was found is then about its arguments, not about a project.
    pub(crate) fn is_about_arguments(&self) -> bool {
        let is_so = |it: &Diagnostic| it.severity == Severity::Error && it.code.starts_with("cli::");
        self.found.iter().any(|found| is_so(&found.diagnostic))
    }

    /// What was found, by file and place; what has no place comes first. What is wrong for several agents alike is told once.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut sorted: Vec<Diagnostic> = self.found.into_iter().map(Found::into_diagnostic).collect();
        sorted.sort_by_key(|diagnostic| diagnostic.places.first().map(|place| place.span));
        sorted
    }

    /// How many diagnostics are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }
}

impl Stopped {
    /// Whether something stands in the way of this agent's prompt; without an agent, of the one that all share.
    fn is_about(&self, agent: Option<&str>) -> bool {
        self.everyone || agent.map_or(self.shared, |agent| self.agents.contains(agent))
    }

    fn note(&mut self, severity: Severity, concern: &Concern, agent: Option<&Arc<str>>) {
        if severity != Severity::Error {
            return;
        }
        self.any = true;
        match concern {
            Concern::Everyone => self.everyone = true,
            Concern::Shared => self.shared = true,
            Concern::Agent(_) => self.agents.extend(agent.cloned()),
            Concern::Profile(_) => {}
        }
    }
}

impl Found {
    /// Takes in that the same was found for others: for `agents` one by one, or for `together`.
    fn is_also_about(&mut self, agents: Vec<Arc<str>>, together: Vec<String>) {
        let own = &mut self.diagnostic.agents;
        if (own.is_empty() && self.agents.is_empty()) || (agents.is_empty() && together.is_empty()) {
            // One of the two is about everyone.
            own.clear();
            self.agents.clear();
            return;
        }
        own.extend(together);
        if self.agents.last() != agents.last() {
            self.agents.extend(agents);
        }
    }

    fn into_diagnostic(self) -> Diagnostic {
        let Self { mut diagnostic, agents } = self;
        diagnostic.agents.extend(agents.iter().map(|agent| (**agent).to_owned()));
        let mut named = HashSet::new();
        diagnostic.agents.retain(|agent| named.insert(agent.clone()));
        if diagnostic.agents.len() > 1 {
            let agents = list(diagnostic.agents.iter().map(String::as_str));
            diagnostic.notes.push(format!("it is so for the agents {agents}"));
        }
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::Report;
    use crate::diagnostic::{Concern, Diagnostic};

    fn agent(name: &str) -> Concern {
        Concern::Agent(name.to_owned())
    }

    #[test]
    fn what_is_so_for_many_is_kept_once() {
        let mut report = Report::new();
        for number in 0..1_000 {
            report.about(agent(&number.to_string()), |report| {
                report.push(Diagnostic::error("prompt::x", "the same"));
                let known = report.push_known(Diagnostic::error("prompt::x", "another"));
                report.push_again(known);
            });
        }
        assert_eq!(report.len(), 2);
        assert!(report.stops(Some("999")) && !report.stops(Some("1000")) && !report.stops(None));
        let sorted = report.into_sorted();
        assert!(sorted.iter().all(|diagnostic| diagnostic.agents.len() == 1_000 && diagnostic.notes.len() == 1));
    }

    #[test]
    fn what_is_so_for_everyone_names_nobody() {
        let mut report = Report::new();
        let known = report.about(agent("a"), |report| report.push_known(Diagnostic::error("prompt::x", "the same")));
        assert!(!report.stops(Some("b")));
        report.push_again(known);
        assert!(report.stops(Some("b")) && report.stops(None));
        report.about(agent("c"), |report| report.push_again(known));
        report.keep_agents(&["b".to_owned()]);
        let [diagnostic] = report.into_sorted().try_into().unwrap();
        assert!(diagnostic.agents.is_empty() && diagnostic.notes.is_empty());
    }

    #[test]
    fn whoever_is_not_asked_about_is_left_out() {
        let mut report = Report::new();
        for name in ["a", "b", "c"] {
            report.about(agent(name), |report| report.push(Diagnostic::error("prompt::x", "the same")));
            report.about(agent(name), |report| report.push(Diagnostic::error("prompt::x", name)));
        }
        report.push_about(vec!["a".to_owned(), "b".to_owned()], Diagnostic::warning("check::x", "together"));
        report.push_about(vec!["c".to_owned()], Diagnostic::warning("check::x", "alone"));
        report.keep_agents(&["b".to_owned()]);
        let sorted = report.into_sorted();
        let agents: Vec<_> = sorted.iter().map(|it| (it.headline.as_str(), it.agents.join(" "))).collect();
        assert_eq!(agents, [("the same", "b".to_owned()), ("b", "b".to_owned()), ("together", "a b".to_owned())]);
    }
}
