//! What is said when something is wrong, as data: the one model that every command reports with.
//!
//! A diagnostic is a stable code, a severity, a headline that stands alone, places in files, and what would be right. Text for people
//! is made of it by [`render`], and of many by [`listing`]; [`concise`], [`github`], [`json`] and [`sarif`] are other forms of the same value.
//!
//! A diagnostic never holds a variable's value (C3): what is wrong with a text is told by its place.

pub(crate) mod concise;
mod counts;
mod excerpt;
pub(crate) mod github;
pub(crate) mod json;
mod lines;
pub(crate) mod listing;
mod plain;
pub(crate) mod render;
mod report;
pub(crate) mod sarif;
mod source;

use std::fmt;

pub(crate) use self::counts::{Counts, counted};
pub(crate) use self::plain::{json as visible_json, one_line};
pub(crate) use self::report::{Known, Report};
pub(crate) use self::source::{Source, SourceId, Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// A finding: the command ends with 1.
    Error,
    /// Most likely a mistake, and nothing that stops anything; it changes no exit status.
    Warning,
    /// Something to know; it changes no exit status.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// At most so many places of one diagnostic are shown to a person.
const MOST_PLACES: usize = 12;

/// What a diagnostic is about, and so which prompts it stands in the way of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// All agents, and the prompt that they share.
    Everyone,
    /// The prompt that all agents share, as it is without an agent's own part.
    Shared,
    /// One agent.
    Agent(String),
    /// A profile that was not chosen; it stands in no prompt's way.
    Profile(String),
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where.
    pub(crate) span: Span,
    /// What is there, in a few words; may be empty.
    pub(crate) label: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// Stable, like `config::unknown_key`; the area first.
    pub(crate) code: &'static str,
    /// How bad it is.
    pub(crate) severity: Severity,
    /// One phrase that stands alone.
    pub(crate) headline: String,
    /// The place it is about first, then what else must be seen.
    pub(crate) places: Vec<Place>,
    /// More to know, a sentence each.
    pub(crate) notes: Vec<String>,
    /// What to do, a sentence each.
    pub(crate) helps: Vec<String>,
    /// Whom it is about.
    pub(crate) concern: Concern,
    /// The agents it is about; none, where it is about everyone.
    pub(crate) agents: Vec<String>,
}

impl Diagnostic {
    /// A finding.
    pub(crate) fn error(code: &'static str, headline: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            headline: headline.into(),
            places: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            concern: Concern::Everyone,
            agents: Vec::new(),
        }
    }

    /// What is most likely a mistake.
    pub(crate) fn warning(code: &'static str, headline: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, headline) }
    }

    /// Something to know.
    pub(crate) fn note(code: &'static str, headline: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, headline) }
    }

    /// With a place; the first is the one it is about.
    pub(crate) fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.places.push(Place { span, label: label.into() });
        self
    }

    /// With something more to know.
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With what to do.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.helps.push(help.into());
        self
    }

    /// With what to do, where that is known.
    pub(crate) fn with_help_if(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.with_help(help),
            None => self,
        }
    }

    /// The places that are shown to a person.
    fn shown_places(&self) -> &[Place] {
        self.places.get(..MOST_PLACES).unwrap_or(&self.places)
    }

    /// Notes and helps, a line each.
    fn remarks(&self) -> impl Iterator<Item = String> {
        let notes = self.notes.iter().map(|note| format!("note: {}", one_line(note)));
        notes.chain(self.helps.iter().map(|help| format!("help: {}", one_line(help))))
    }
}
