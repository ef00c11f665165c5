//! Many diagnostics as a person reads them.

use super::{Counts, Diagnostic, Severity, Sources, render};

/// At most so many diagnostics are shown: a file that is of another kind altogether may have one for each of its lines.
pub(crate) const MOST_SHOWN: usize = 200;

/// Some diagnostics as text, and whether these are all.
#[derive(Debug)]
pub(crate) struct Listing {
    /// With colours, and a newline at the end unless it is empty.
    pub(crate) text: String,
    /// Whether none was left out.
    pub(crate) whole: bool,
}

impl Listing {
    /// Lists these in the order given. Where not all can be shown, errors come before what is none.
    pub(crate) fn of(diagnostics: &[&Diagnostic], sources: &Sources) -> Self {
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        let mut others_left = MOST_SHOWN.saturating_sub(Counts::of(diagnostics.iter().copied()).errors);
        let mut fits = |diagnostic: &Diagnostic| {
            is_error(diagnostic) || others_left.checked_sub(1).map(|left| others_left = left).is_some()
        };
        let shown = diagnostics.iter().filter(|diagnostic| fits(diagnostic)).take(MOST_SHOWN);
        let shown: Vec<String> = shown.map(|diagnostic| render::human(diagnostic, sources)).collect();
        let mut text = shown.join("\n\n");
        if !text.is_empty() {
            text.push('\n');
        }
        Self { text, whole: shown.len() == diagnostics.len() }
    }
}
