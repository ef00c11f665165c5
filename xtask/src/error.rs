//! How a chore ends: fine, with findings, or not able to do its work.

use std::fmt;
use std::process::ExitCode;

/// How a chore ended. The exit statuses are the project's: 0, 1, 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to object to (0).
    Fine,
    /// The chore ran and found something, or what it ran failed (1).
    Findings,
    /// The chore could not run: wrong use, or a tool that did not start (2).
    Broken,
}

impl Outcome {
    /// [`Outcome::Fine`] where `fine` holds, else [`Outcome::Findings`].
    pub const fn fine_if(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Findings }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Broken => Self::from(2),
        }
    }
}

/// Why a chore could not run. A sentence for a person; nothing here is matched on.
#[derive(Debug)]
pub struct Error(Box<str>);

impl Error {
    /// An error that says `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into().into_boxed_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
