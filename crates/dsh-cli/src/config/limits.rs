//! The reader of `[limits]`: what one turn may not have more of.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::number::{seconds, whole};
use super::table::Table;
use crate::diagnostic::Report;

/// More steps than anybody waits for.
const STEPS: RangeInclusive<u64> = 1..=1_000_000;
/// More tokens than anybody pays for.
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// One call is identical to itself.
const SAME_CALLS: RangeInclusive<u64> = 2..=1_000_000;

/// What one turn may not have more of, where that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// So many steps.
    pub(crate) steps: Option<u32>,
    /// So many tokens of requests and answers together.
    pub(crate) tokens: Option<u64>,
    /// So much time.
    pub(crate) time: Option<Duration>,
    /// Which identical call in a row ends it.
    pub(crate) same_calls: Option<u32>,
}

/// Reads the limits of a layer; what is wrong is reported and left out.
pub(super) fn limits(layer: &mut Table<'_>, report: &mut Report) -> Limits {
    let Some(mut table) = layer.table("limits", "the limits", report) else { return Limits::default() };
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let limits = Limits {
        steps: whole(&mut table, "steps", STEPS, report).map(|steps| small(steps.value)),
        tokens: whole(&mut table, "tokens", TOKENS, report).map(|tokens| tokens.value),
        time: seconds(&mut table, "time", report).unwrap_or_default(),
        same_calls: whole(&mut table, "same_calls", SAME_CALLS, report).map(|calls| small(calls.value)),
    };
    table.refuse_unknown(report);
    limits
}
