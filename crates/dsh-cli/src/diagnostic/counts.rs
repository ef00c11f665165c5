//! How much was found.

use std::fmt;

use super::{Diagnostic, Severity};

/// How many diagnostics of each severity there are. As text, "2 errors and 1 warning", or "no findings"; notes are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
}

impl Counts {
    /// Counts these.
    pub(crate) fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.errors, self.warnings) {
            (0, 0) => f.write_str("no findings"),
            (errors, 0) => f.write_str(&counted(errors, "error")),
            (0, warnings) => f.write_str(&counted(warnings, "warning")),
            (errors, warnings) => write!(f, "{} and {}", counted(errors, "error"), counted(warnings, "warning")),
        }
    }
}

/// "1 error", "2 errors".
pub(crate) fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
