//! `[instructions]`: which files of instructions are looked for, and how much of them is taken.

use super::At;
use super::number::integer;
use super::read::order;
use super::table::{Switch, Table, wrong_type};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::quoted;
use crate::outside::Reach;

/// What instruction files are called, the one that is taken first in front: the names that are always looked for, and those that `names` has
/// where it is not given.
pub(crate) const INSTRUCTION_FILES: (&[&str], &[&str]) = (&["AGENTS.override.md", "AGENTS.md"], &["CLAUDE.md"]);

/// The most that `max_bytes` may be.
const MOST_BYTES: u64 = 16 << 20;

/// The most names that are looked for in each folder, beside those that always are.
const MOST_NAMES: usize = 16;

/// How instruction files are found, and how much is taken of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instructions {
    /// Whether they are looked for at all.
    pub(crate) enabled: bool,
    /// `names`: what such a file may be called, beside `AGENTS.override.md` and `AGENTS.md`, which come first.
    pub(crate) names: Vec<String>,
    /// `max_bytes`: the most that all of them may have together.
    pub(crate) max_bytes: u64,
    /// Where `max_bytes` is given, if it is.
    pub(crate) max_bytes_place: Option<Span>,
    /// `order`: the place of their sections among the others.
    pub(crate) order: f64,
    /// `allow_outside`: whether a link may lead out of the repository.
    pub(crate) reach: Reach,
}

impl Default for Instructions {
    fn default() -> Self {
        Self {
            enabled: true,
            names: INSTRUCTION_FILES.1.iter().map(|name| (*name).to_owned()).collect(),
            max_bytes: 32 << 10,
            max_bytes_place: None,
            order: 10.0,
            reach: Reach::Beneath,
        }
    }
}

/// Reads `instructions`, which is a table, or `false` or `true`. What is wrong is reported, and the default holds in its place.
pub(super) fn read(top: &mut Table<'_>, report: &mut Report) -> Instructions {
    let mut read = Instructions::default();
    let help = "`instructions = false` leaves these files out; a table `[instructions]` says how they are found";
    let mut own = match top.switch("instructions", "`[instructions]`", help, report) {
        None => return read,
        Some(Switch::Enabled(enabled)) => return Instructions { enabled, ..read },
        Some(Switch::Table(own)) => own,
    };
    if let Some(names) = names(&mut own, report) {
        read.names = names;
    }
    if let Some(limit) = max_bytes(&mut own, report) {
        read.max_bytes = limit.value;
        read.max_bytes_place = Some(limit.span);
    }
    if own.entry("order").is_some()
        && let Some(order) = order(&mut own, None, report)
    {
        read.order = order.value;
    }
    read.reach = own.reaches(None, report).any();
    own.refuse_unknown(report);
    read
}

fn names(table: &mut Table<'_>, report: &mut Report) -> Option<Vec<String>> {
    let names = table.strings("names", report)?;
    if let Some(first) = names.value.get(MOST_NAMES) {
        let headline = format!("`names` has {} entries, and at most {MOST_NAMES} are looked for", names.value.len());
        report.push(Diagnostic::error("config::invalid_value", headline).at(first.span, "the first that is too many"));
    }
    Some(names.value.into_iter().take(MOST_NAMES).filter(|name| is_name(name, report)).map(|name| name.value).collect())
}

/// Whether it names a file that may stand in any folder; reported, if not.
fn is_name(name: &At<String>, report: &mut Report) -> bool {
    let label = match name.value.as_str() {
        "" => "names no file",
        "." | ".." => "names a folder",
        path if path.contains(['/', '\\']) => "has a path in it",
        zero if zero.contains('\0') => "has a zero byte in it",
        _ => return true,
    };
    report.push(
        Diagnostic::error(
            "config::invalid_value",
            format!("{} cannot be the name of an instruction file", quoted(&name.value)),
        )
        .at(name.span, label)
        .with_help(
            "write a file's name, like \"CLAUDE.md\": it is looked for in each folder from the repository's root down",
        ),
    );
    false
}

fn max_bytes(table: &mut Table<'_>, report: &mut Report) -> Option<At<u64>> {
    let entry = table.entry("max_bytes")?;
    let Some(number) = integer(entry) else {
        let help =
            entry.value.as_str().map(|_| "leave the quotes and the unit out: it is a number of bytes".to_owned());
        report.push(wrong_type(entry, "`max_bytes`", "a whole number").with_help_if(help));
        return None;
    };
    let Some(value) =
        number.ok().and_then(|number| u64::try_from(number).ok()).filter(|n| (1..=MOST_BYTES).contains(n))
    else {
        report.push(
            Diagnostic::error("config::invalid_value", format!("`max_bytes` must be from 1 to {MOST_BYTES}"))
                .at(entry.span, "out of this range")
                .with_help("`instructions = false` leaves all instruction files out"),
        );
        return None;
    };
    Some(At { value, span: entry.span })
}
