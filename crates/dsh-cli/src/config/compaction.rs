//! The reader of `[compaction]`: when the oldest part of a session gives way to a summary.

use std::ops::RangeInclusive;

use super::number::whole;
use super::table::{Switch, Table};
use crate::diagnostic::{Diagnostic, Report};

/// More tokens than a request of any model may have.
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000;

/// The estimate over which a session is compacted, where nothing else is said: less than any model of today takes.
const USUAL_OVER: u64 = 100_000;

/// When a session is compacted, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Compaction {
    /// `over_tokens`: a request that is estimated at more has it compacted.
    pub(crate) over_tokens: u64,
    /// `keep_tokens`: so much of the latest messages stays as it is; a quarter, if none.
    pub(crate) keep_tokens: Option<u64>,
}

/// Reads `compaction`: a table, `true` for what holds by itself, or `false`. What is wrong is reported.
pub(super) fn compaction(top: &mut Table<'_>, report: &mut Report) -> Option<Compaction> {
    let usual = Compaction { over_tokens: USUAL_OVER, keep_tokens: None };
    let help = "a table `[compaction]` with `over_tokens = …` says when a session gives way to a summary";
    let mut own = match top.switch("compaction", "the compaction", help, report)? {
        Switch::Enabled(enabled) => return enabled.then_some(usual),
        Switch::Table(own) => own,
    };
    let over = whole(&mut own, "over_tokens", TOKENS, report);
    let keep = whole(&mut own, "keep_tokens", TOKENS, report);
    own.refuse_unknown(report);
    let over_tokens = over.as_ref().map_or(usual.over_tokens, |over| over.value);
    if let Some(keep) = keep.as_ref().filter(|keep| keep.value >= over_tokens) {
        let headline = format!("`keep_tokens` must be less than `over_tokens`, which is {over_tokens}");
        report.push(
            Diagnostic::error("config::invalid_value", headline)
                .at(keep.span, "leaves nothing to be summarised")
                .with_help("leave it out: a quarter of `over_tokens` is kept then"),
        );
    }
    Some(Compaction { over_tokens, keep_tokens: keep.map(|keep| keep.value) })
}
