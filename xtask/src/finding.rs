//! One broken rule at one place, with what to do about it.

use std::fmt;

/// One broken rule: the place, what is wrong, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the repository's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, in one phrase.
    pub what: String,
    /// What would be right.
    pub remedy: String,
}

impl Finding {
    /// A finding at `file:line`.
    pub fn new(file: &str, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}\n    remedy: {}", self.file, self.line, self.what, self.remedy)
    }
}
