//! The reader of `[subagents]`: which agents may work for one another, and within which bounds.

use std::ops::RangeInclusive;

use super::At;
use super::check;
use super::number::whole;
use super::table::{Switch, Table};
use crate::diagnostic::{Report, Span};

const DEPTH: RangeInclusive<u64> = 1..=16;
const WIDTH: RangeInclusive<u64> = 1..=1_000;

/// The agents that others may have work for them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subagents {
    /// `agents`: those of the project; a name, or a beginning of names and `*`.
    pub(crate) agents: Vec<At<String>>,
    /// `usual`: whom a model gets that names none.
    pub(crate) usual: Option<At<String>>,
    /// `depth`: so many levels.
    pub(crate) depth: Option<u64>,
    /// `width`: so many of one agent at a time.
    pub(crate) width: Option<u64>,
    /// `total`: so many at a time in all.
    pub(crate) total: Option<u64>,
    /// Where the key stands.
    pub(crate) span: Span,
    /// Where all that is said of it stands.
    pub(crate) said: Vec<Span>,
}

/// Reads `subagents`: a table, `true` for what holds by itself, or `false`. What is wrong is reported and left out.
pub(super) fn subagents(top: &mut Table<'_>, report: &mut Report) -> Option<Subagents> {
    let place = top.entry("subagents")?.key;
    let bare = Subagents {
        agents: Vec::new(),
        usual: None,
        depth: None,
        width: None,
        total: None,
        span: place,
        said: vec![place],
    };
    let help = "a table `[subagents]` with `agents = […]` says which agents others may have work for them";
    let mut own = match top.switch("subagents", "the subagents", help, report)? {
        Switch::Enabled(enabled) => return enabled.then_some(bare),
        Switch::Table(own) => own,
    };
    let agents = own.strings("agents", report).map(|list| check::patterns(list.value, report));
    let usual = own.string("usual", report);
    let usual = usual.filter(|name| check::not_empty(name, "an agent's name", report));
    let mut bound = |key, range| whole(&mut own, key, range, report).map(|bound| bound.value);
    let (depth, width, total) = (bound("depth", DEPTH), bound("width", WIDTH), bound("total", WIDTH));
    own.refuse_unknown(report);
    let said = bare.said.into_iter().chain(own.named().map(|(_, entry)| entry.key)).collect();
    Some(Subagents { agents: agents.unwrap_or_default(), usual, depth, width, total, said, ..bare })
}
