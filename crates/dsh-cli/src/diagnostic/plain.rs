//! Text that people wrote, as messages show it: what cannot be seen is written as an escape.

use std::borrow::Cow;
use std::ops::Range;

/// The text in one line: a name with a line break in it makes no second one.
pub(crate) fn one_line(text: &str) -> String {
    Shown::new(text, |_| true).text.into_owned()
}

/// A text as it is shown, and where each of its bytes went.
#[derive(Debug)]
pub(super) struct Shown<'t> {
    pub(super) text: Cow<'t, str>,
    /// Where an escape took a character's place: that character's offset, and how much longer all escapes up to it are.
    longer: Vec<(usize, usize)>,
}

impl<'t> Shown<'t> {
    /// Lines of a file: their ends and tabs stay.
    pub(super) fn lines(text: &'t str) -> Self {
        Self::new(text, |character| !matches!(character, '\n' | '\t'))
    }

    fn new(text: &'t str, escaped: impl Fn(char) -> bool) -> Self {
        let hidden = |character: char| character.is_control() && escaped(character);
        if !text.contains(hidden) {
            return Self { text: text.into(), longer: Vec::new() };
        }
        let mut shown = String::with_capacity(text.len() + 16);
        let mut longer = Vec::new();
        for (offset, character) in text.char_indices() {
            if hidden(character) {
                shown.extend(character.escape_default());
                longer.push((offset, shown.len() - offset - character.len_utf8()));
            } else {
                shown.push(character);
            }
        }
        Self { text: shown.into(), longer }
    }

    /// Where these bytes of the text are shown.
    pub(super) fn locate(&self, range: Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    fn offset(&self, offset: usize) -> usize {
        let before = self.longer.partition_point(|(hidden, _)| *hidden < offset);
        offset + before.checked_sub(1).and_then(|last| self.longer.get(last)).map_or(0, |(_, longer)| *longer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Shown, one_line};

    #[test]
    fn what_has_nothing_hidden_is_shown_as_it_is() {
        assert_eq!(one_line("a é 😀"), "a é 😀");
        assert_eq!(Shown::lines("a\n\tb").locate(1..4), 1..4);
    }

    #[test]
    fn an_escape_takes_the_place_of_a_hidden_character_and_moves_what_follows() {
        assert_eq!(one_line("a\nb\u{1b}c"), r"a\nb\u{1b}c");
        let text = "é\u{1b}x\u{7}y\n";
        let shown = Shown::lines(text);
        assert_eq!(shown.text, "é\\u{1b}x\\u{7}y\n");
        let part = |range| shown.text.get(shown.locate(range)).unwrap();
        assert_eq!(part(0..2), "é");
        assert_eq!(part(2..3), r"\u{1b}");
        assert_eq!(part(3..4), "x");
        assert_eq!(part(4..6), r"\u{7}y");
    }
}
