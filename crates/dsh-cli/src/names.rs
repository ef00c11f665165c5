//! Names in messages: the right one nearest to a wrong one, and lists of them.

use std::cell::Cell;

/// At most so many names are listed.
const LISTED: usize = 12;

/// Longer names, in bytes, are not compared: nobody mistypes them, and the comparison is quadratic.
const COMPARED: usize = 64;

/// A name is shown up to so many characters.
const SHOWN: usize = 80;

/// Whether an entry stands for this name: it is the name, or a beginning of it and `*`.
pub(crate) fn fits(entry: &str, name: &str) -> bool {
    entry.strip_suffix('*').map_or(entry == name, |stem| name.starts_with(stem))
}

/// The right name nearest to a wrong one, for as long as the work that a run may spend on that lasts.
///
/// A file of thousands of wrong names, against thousands of right ones, gets its messages at once; the later ones come without a guess.
#[derive(Debug)]
pub(crate) struct Guesses {
    /// What is left, in steps of comparisons.
    left: Cell<usize>,
}

impl Default for Guesses {
    fn default() -> Self {
        Self { left: Cell::new(20_000_000) }
    }
}

impl Guesses {
    /// As [`nearest`], at most until the work is spent.
    pub(crate) fn nearest<'a>(&self, wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        if self.left.get() == 0 {
            return None;
        }
        nearest(
            wrong,
            names.into_iter().take_while(|name| {
                let left = self.left.get().saturating_sub(1 + cost(wrong, name));
                self.left.set(left);
                left > 0
            }),
        )
    }
}

/// The steps that comparing these two takes.
fn cost(wrong: &str, name: &str) -> usize {
    if comparable(wrong, name) { wrong.len() * name.len() } else { 0 }
}

/// How many edits are still near: one in three characters.
fn reach(wrong: &str) -> usize {
    (wrong.len() / 3).max(1)
}

/// Whether the two can be near at all. Each missing or extra character is an edit, and has four bytes at most.
fn comparable(wrong: &str, name: &str) -> bool {
    wrong.len().max(name.len()) <= COMPARED && name.len().abs_diff(wrong.len()) <= reach(wrong) * 4
}

/// The one of `names` that `wrong` was most likely meant to be; none if nothing is near.
///
/// Near is at most one edit in three characters, two neighbours swapped counting as one, and never as many as there are characters; a
/// difference of case alone is always near. Of two equally near names, the first wins.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let characters = wrong.chars().count();
    let reach = (characters / 3).max(1).min(characters.saturating_sub(1));
    let mut best: Option<(usize, &str)> = None;
    for name in names.into_iter().filter(|name| comparable(wrong, name)) {
        let distance = if name.eq_ignore_ascii_case(wrong) { 0 } else { strsim::osa_distance(wrong, name) };
        if distance <= reach && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// A name as messages show it: between backticks, and not longer than a line takes.
pub(crate) fn quoted(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        None => format!("`{name}`"),
        Some((end, _)) => {
            let rest = name.chars().count() - SHOWN;
            format!("`{}…` (and {rest} more)", name.get(..end).unwrap_or_default())
        }
    }
}

/// Names as a person reads a list of them; "(none)" if there are none.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut listed: Vec<String> = names.by_ref().take(LISTED).map(quoted).collect();
    match names.count() {
        0 if listed.is_empty() => return "(none)".to_owned(),
        0 => {}
        more => listed.push(format!("and {more} more")),
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Guesses, fits, list, nearest, quoted};

    #[test]
    fn a_star_stands_for_any_rest() {
        assert!(fits("edit", "edit") && fits("ed*", "edit") && fits("*", "edit") && fits("edit*", "edit"));
        assert!(!fits("edit", "edits") && !fits("e", "edit") && !fits("x*", "edit"));
    }

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["persona", "persona_file", "tool_order", "sections"];
        assert_eq!(nearest("sectons", names), Some("sections"));
        assert_eq!(nearest("Tool_Order", names), Some("tool_order"));
        assert_eq!(nearest("presona", names), Some("persona"));
        assert_eq!(nearest("model", names), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("x", ["a", "X"]), Some("X"));
    }

    #[test]
    fn a_very_long_name_costs_nothing() {
        assert_eq!(nearest(&"x".repeat(1 << 20), ["persona", &"x".repeat(1 << 20)]), None);
    }

    #[test]
    fn guessing_ends_when_its_work_is_spent() {
        let guesses = Guesses::default();
        let names: Vec<String> = (0..10_000).map(|number| format!("a_variable_of_a_long_name_{number}")).collect();
        let guess = || guesses.nearest("a_variable_of_a_long_nmae_1", names.iter().map(String::as_str));
        assert_eq!(guess(), Some("a_variable_of_a_long_name_1"));
        assert!((0..1_000).map(|_| guess()).any(|guess| guess.is_none()));
        assert_eq!(guess(), None);
    }

    #[test]
    fn a_long_name_is_cut_with_a_mark() {
        assert_eq!(quoted("name"), "`name`");
        assert_eq!(quoted(&"é".repeat(81)), format!("`{}…` (and 1 more)", "é".repeat(80)));
    }

    #[test]
    fn a_list_is_cut_and_an_empty_one_says_so() {
        assert_eq!(list([]), "(none)");
        assert_eq!(list(["a", "b"]), "`a`, `b`");
        assert!(list(["x"; 20]).ends_with("`x`, and 8 more"));
    }
}
