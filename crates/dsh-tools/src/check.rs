//! Checking arguments.

/// Checks arguments.
#[derive(Default)]
pub(crate) struct Checker;
