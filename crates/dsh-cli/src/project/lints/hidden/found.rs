//! The hidden characters of one text, and what is said of them.

use dsh_system_prompt::HiddenCharacter;

use crate::diagnostic::{Diagnostic, Sources, Span};

/// At most so many are shown; the others are counted.
const MOST_SHOWN: usize = 11;

/// At most so many code points are named in the headline.
const MOST_NAMED: usize = 6;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    count: usize,
    shown: Vec<Character>,
}

#[derive(Debug)]
struct Character {
    hidden: HiddenCharacter,
    /// Which part of the text it is in, where it has several.
    part: Option<String>,
    place: Span,
}

impl Found {
    /// Takes one in; its place is asked for where it will be shown.
    pub(super) fn add(&mut self, hidden: HiddenCharacter, part: Option<String>, place: impl FnOnce() -> Span) {
        self.count += 1;
        if self.shown.len() < MOST_SHOWN {
            self.shown.push(Character { hidden, part, place: place() });
        }
    }

    /// Takes in that there are more, which are not known one by one.
    pub(super) fn add_uncounted(&mut self, all: usize) {
        self.count = self.count.max(all);
    }

    /// What is said of them, if there are any: `what` has them.
    pub(super) fn diagnostic(&self, what: &str, sources: &Sources) -> Option<Diagnostic> {
        if self.count == 0 {
            return None;
        }
        let mut points: Vec<String> = Vec::new();
        for character in &self.shown {
            let point = character.hidden.to_string();
            if !points.contains(&point) {
                points.push(point);
            }
        }
        let more = if points.len() > MOST_NAMED || self.count > self.shown.len() { ", …" } else { "" };
        points.truncate(MOST_NAMED);
        let characters = if self.count == 1 { "a character".to_owned() } else { format!("{} characters", self.count) };
        let headline = format!("{what} has {characters} that nobody sees: {}{more}", points.join(", "));
        let mut diagnostic = Diagnostic::warning("check::hidden_character", headline);
        for character in &self.shown {
            diagnostic = diagnostic.at(character.place, "");
        }
        for note in self.notes(sources) {
            diagnostic = diagnostic.with_note(note);
        }
        let it = if self.count == 1 { "it" } else { "them" };
        Some(diagnostic.with_help(format!("take {it} out: a model reads what people do not see")))
    }

    /// Each of them with its place, a sentence for each part of the text.
    fn notes(&self, sources: &Sources) -> Vec<String> {
        let parts = self.shown.chunk_by(|one, next| one.part == next.part);
        let mut notes: Vec<String> = parts
            .map(|part| {
                let listed: Vec<String> = part
                    .iter()
                    .map(|Character { hidden, place, .. }| {
                        let byte = sources.get(place.source).map_or(0, |source| source.offset_in_file(place.start));
                        format!("{hidden} ({}) at byte {byte}", hidden.kind)
                    })
                    .collect();
                let listed = listed.join(", ");
                match part.first().and_then(|first| first.part.as_deref()) {
                    Some(part) => format!("in {part}: {listed}"),
                    None => listed,
                }
            })
            .collect();
        let more = self.count - self.shown.len();
        if let (Some(last), true) = (notes.last_mut(), more > 0) {
            *last = format!("{last}, and {more} more");
        }
        notes
    }
}
