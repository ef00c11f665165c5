//! What facts are called: the words and forms that all views share.

use std::ops::Range;

use dsh_kernel::Owner;
use dsh_system_prompt::{PartLayer, show_hidden};

use super::places::Place;
use crate::project::Agent;

/// A longer name is cut in a table.
const LONGEST: usize = 80;

/// A name, as a line of a terminal can show it.
pub(in crate::commands) fn name(name: &str) -> String {
    let seen = show_hidden(name);
    match seen.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", seen.get(..end).unwrap_or_default()),
        None => seen.into_owned(),
    }
}

/// Whose prompt it is.
pub(in crate::commands) fn whose(agent: Option<&Agent>) -> String {
    match agent {
        Some(agent) => format!("the prompt of agent {}", name(&agent.name.value)),
        None => "the prompt that all agents share".to_owned(),
    }
}

/// Who registered something.
pub(in crate::commands) fn owner(owner: Option<&Owner>) -> String {
    owner.map_or_else(|| "-".to_owned(), |owner| name(&owner.to_string()))
}

/// The layer that something stands in, as a table has it.
pub(in crate::commands) fn layer(layer: PartLayer) -> &'static str {
    match layer {
        PartLayer::Global => "global",
        PartLayer::Scope(_) => "agent",
        // Nothing that the command mounts edits an assembly.
        PartLayer::Assembly | _ => "assembly",
    }
}

/// A place as a person may click it: the file, and the lines.
pub(in crate::commands) fn place(place: &Place<'_>) -> String {
    let file = show_hidden(place.file);
    match &place.within {
        None => file.into_owned(),
        Some(within) if within.first_line == within.last_line => format!("{file}:{}", within.first_line),
        Some(within) => format!("{file}:{}-{}", within.first_line, within.last_line),
    }
}

/// A range of bytes, as half open as ranges of Rust and slices of Python are.
pub(in crate::commands) fn range(range: &Range<usize>) -> String {
    format!("{}..{}", range.start, range.end)
}

/// The last column of a table: where something was read.
pub(in crate::commands) fn source(source: Option<&Place<'_>>) -> String {
    source.map(place).unwrap_or_default()
}

/// Whose part something stands over, beneath its owner.
pub(in crate::commands) fn over(shadows: Option<&Owner>) -> Option<String> {
    shadows.map(|owner| format!("over {}", name(&owner.to_string())))
}

/// So many things, in the right number.
pub(in crate::commands) fn count(number: usize, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {more}") }
}
