//! What a step failed with, as an entry of the trace.

use std::error::Error as StdError;
use std::fmt;

use dsh_harness::kernel::{self, Failure};
use dsh_harness::prompt;

use crate::entry::{CODES, Entry, Failed};

/// A failure that the scenario itself caused.
#[derive(Debug)]
pub(super) struct UserFailure(pub(super) String);

impl fmt::Display for UserFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for UserFailure {}

/// Why a step gave no entry: the file cannot be run.
#[derive(Debug)]
pub(super) struct NoEntry(pub(super) String);

impl NoEntry {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// The entry that an error stands for. Kernel and registry keep what foreign code failed with, so their errors are
/// opened from the outside to the first thing that the format knows.
pub(super) fn entry_of(error: &(dyn StdError + 'static)) -> Result<Entry, NoEntry> {
    let mut cursor = Some(error);
    while let Some(one) = cursor {
        if let Some(UserFailure(message)) = one.downcast_ref() {
            return Ok(Failed::user(message).into());
        }
        let (code, inside) = open(one);
        if let Some(code) = code.and_then(known) {
            return Ok(Failed::with(code).into());
        }
        cursor = inside;
    }
    Err(NoEntry::new(format!("a failure that the format does not know: {error}")))
}

/// An error's code, and what is inside of it.
fn open<'a>(error: &'a (dyn StdError + 'static)) -> (Option<&'static str>, Option<&'a (dyn StdError + 'static)>) {
    if let Some(error) = error.downcast_ref::<kernel::Error>() {
        (Some(error.code()), error.failure().map(inside))
    } else if let Some(error) = error.downcast_ref::<prompt::Error>() {
        (Some(error.code()), error.failure().map(inside))
    } else {
        (None, error.source())
    }
}

fn inside(failure: &Failure) -> &(dyn StdError + 'static) {
    failure.as_error()
}

/// The format's code for an error's: the last segment.
fn known(code: &'static str) -> Option<&'static str> {
    let segment = code.rsplit("::").next()?;
    CODES.into_iter().find(|known| *known == segment)
}
