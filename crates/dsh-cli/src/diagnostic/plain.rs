//! Text that people wrote, as messages show it: what cannot be seen is written as an escape.

use std::borrow::Cow;
use std::ops::Range;

use dsh_system_prompt::hidden_characters;

/// The text in one line: a name with a line break in it makes no second one.
pub(crate) fn one_line(text: &str) -> String {
    Shown::new(text, &['\n', '\t']).text.into_owned()
}

/// JSON that says the same, with what cannot be seen as escapes of JSON.
pub(crate) fn json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    let mut from = 0;
    for hidden in hidden_characters(json) {
        shown.push_str(json.get(from..hidden.offset).unwrap_or_default());
        let mut units = [0; 2];
        shown.extend(hidden.character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        from = hidden.offset + hidden.character.len_utf8();
    }
    shown.push_str(json.get(from..).unwrap_or_default());
    shown
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
        Self::new(text, &[])
    }

    /// Shows the text with escapes for hidden characters and these.
    fn new(text: &'t str, others: &[char]) -> Self {
        let hidden = hidden_characters(text).map(|hidden| (hidden.offset, hidden.character));
        let mut escaped: Vec<(usize, char)> = hidden.collect();
        if text.contains(others) {
            escaped.extend(text.char_indices().filter(|(_, character)| others.contains(character)));
            escaped.sort_unstable();
        }
        if escaped.is_empty() {
            return Self { text: text.into(), longer: Vec::new() };
        }
        let mut shown = String::with_capacity(text.len() + 16);
        let mut longer = Vec::with_capacity(escaped.len());
        let mut from = 0;
        for (offset, character) in escaped {
            shown.push_str(text.get(from..offset).unwrap_or_default());
            shown.push_str(&escape(character));
            from = offset + character.len_utf8();
            longer.push((offset, shown.len() - from));
        }
        shown.push_str(text.get(from..).unwrap_or_default());
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

/// The escape for a character, as TOML and Rust have it.
fn escape(character: char) -> String {
    match character {
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        '\r' => r"\r".to_owned(),
        other => format!("\\u{{{:X}}}", u32::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Shown, json, one_line};

    #[test]
    fn what_has_nothing_hidden_is_shown_as_it_is() {
        assert_eq!(one_line("a é 😀"), "a é 😀");
        assert_eq!(Shown::lines("a\n\tb").locate(1..4), 1..4);
    }

    #[test]
    fn an_escape_takes_the_place_of_a_hidden_character_and_moves_what_follows() {
        assert_eq!(one_line("a\nb\u{1b}\t\rc"), r"a\nb\u{1B}\t\rc");
        let text = "é\u{202e}x\u{7}y\n";
        let shown = Shown::lines(text);
        assert_eq!(shown.text, "é\\u{202E}x\\u{7}y\n");
        let part = |range| shown.text.get(shown.locate(range)).unwrap();
        assert_eq!(part(0..2), "é");
        assert_eq!(part(2..5), r"\u{202E}");
        assert_eq!(part(5..6), "x");
        assert_eq!(part(6..8), r"\u{7}y");
    }

    #[test]
    fn json_says_the_same_with_escapes() {
        let text = "a\u{7f}\u{202e}\u{e0041}\u{1F468}\u{200D}\u{1F469}é";
        let written = json(&serde_json::Value::from(text).to_string());
        assert_eq!(written, "\"a\\u007f\\u202e\\udb40\\udc41\u{1F468}\u{200D}\u{1F469}é\"");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
