//! A section's text with marks in it, in one form on a terminal and elsewhere.
//!
//! * `⟦team=the harbour team⟧` is the value of a variable
//! * `⟦"{{"⟧` is a string that the template quotes, `{{"{{"}}`
//! * `⟦U+202E⟧` is a character that a reader would not see, or one of these brackets
//!
//! As the text's own brackets are written as such marks, nothing in it can be taken for one.

use std::iter::Peekable;
use std::ops::Range;

use dsh_system_prompt::{AssembledSection, HiddenCharacters, Part, hidden_characters};
use dsh_template::quotations;

use super::paint::Paint;

/// The text of a part, marked.
pub(super) fn part(part: Part<'_>) -> String {
    let mut marked = Marked::of(part.text());
    let quoted = part.section().map(AssembledSection::text).filter(|text| !text.is_raw());
    let quoted: Vec<_> = quoted.map(|text| quotations(text.as_str()).collect()).unwrap_or_default();
    let mut quoted = quoted.into_iter().peekable();
    let start = part.range().start;
    for piece in part.pieces() {
        let range = piece.range.start - start..piece.range.end - start;
        if let Some(variable) = &piece.variable {
            marked.mark([variable.name.as_str(), "="], range, "");
            continue;
        }
        let (mut at, mut text_at) = (range.start, piece.text_range.start);
        while let Some(quotation) = quoted.next_if(|quotation| quotation.range.start < piece.text_range.end) {
            let before = quotation.range.start.saturating_sub(text_at);
            marked.push(at..at + before);
            at += before + quotation.len;
            text_at = quotation.range.end;
            marked.mark(["\"", ""], at - quotation.len..at, "\"");
        }
        marked.push(at..range.end);
    }
    marked.text
}

/// A text without variables, marked.
pub(super) fn text(text: &str) -> String {
    let mut marked = Marked::of(text);
    marked.push(0..text.len());
    marked.text
}

/// A text that is being marked, from its start to its end.
#[derive(Debug)]
struct Marked<'t> {
    of: &'t str,
    /// Those that are still to come.
    hidden: Peekable<HiddenCharacters<'t>>,
    text: String,
}

impl<'t> Marked<'t> {
    fn of(text: &'t str) -> Self {
        Self { of: text, hidden: hidden_characters(text).peekable(), text: String::with_capacity(text.len()) }
    }

    /// Appends these bytes in brackets, with words before and after them.
    fn mark(&mut self, before: [&str; 2], range: Range<usize>, after: &str) {
        self.text.extend([Paint::Value.begin(), "⟦"].into_iter().chain(before));
        self.push(range);
        self.text.extend([after, "⟧", Paint::END]);
    }

    /// Appends these bytes, each character in a form that is seen; lines stay lines.
    fn push(&mut self, range: Range<usize>) {
        for (at, character) in self.of.get(range.clone()).unwrap_or_default().char_indices() {
            let offset = range.start + at;
            let is_hidden = self.hidden.next_if(|hidden| hidden.offset == offset).is_some();
            if is_hidden || matches!(character, '⟦' | '⟧') {
                self.text.extend(["⟦U+", &format!("{:04X}", u32::from(character)), "⟧"]);
            } else {
                self.text.push(character);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::Peekable;
    use std::str::Chars;

    use dsh_system_prompt::{AssembledSection, PromptAssembly, render};
    use dsh_template::Text;
    use proptest::prelude::*;

    use super::super::paint::Paint;
    use super::part;

    /// The text with its marks, and what it was rendered to; the variables are `v`, `w` and `none`, which is empty.
    fn marked(text: Text) -> Option<(String, String)> {
        let mut assembly = PromptAssembly::new();
        for (name, value) in [("v", "value"), ("w", "⟦v=x⟧\u{202e}{{v}}"), ("none", "")] {
            assembly.set_variable(name, value);
        }
        assembly.sections_mut().push(AssembledSection::new("section", 0, text));
        let rendered = render(&assembly).unwrap();
        let only = rendered.parts().next()?;
        let marked = part(only).replace(Paint::Value.begin(), "").replace(Paint::END, "");
        Some((marked, only.text().to_owned()))
    }

    #[track_caller]
    fn marks(template: &str, expected: &str) {
        assert_eq!(marked(Text::template(template)).unwrap().0, expected);
    }

    #[test]
    fn values_quotations_and_what_is_not_seen_are_marked() {
        // X1, X12
        marks("a {{v}}{{v}} b", "a ⟦v=value⟧⟦v=value⟧ b");
        marks(r#"{{"{{"}}{{v}}{{"}}"}} é"#, r#"⟦"{{"⟧⟦v=value⟧⟦"}}"⟧ é"#);
        marks(r#"é{{"\u00e9\n"}}{{"x"}} {{""}}."#, "é⟦\"é\n\"⟧⟦\"x\"⟧ ⟦\"\"⟧.");
        marks("{{w}}", "⟦w=⟦U+27E6⟧v=x⟦U+27E7⟧⟦U+202E⟧{{v}}⟧");
        marks("tab\t\u{1b}[1m\n", "tab\t⟦U+001B⟧[1m\n");
        marks(
            r#"{{""}}{{v}}{{""}}{{""}}{{v}} {{"a"}}{{v}}{{""}}"#,
            r#"⟦""⟧⟦v=value⟧⟦""⟧⟦""⟧⟦v=value⟧ ⟦"a"⟧⟦v=value⟧⟦""⟧"#,
        );
    }

    #[test]
    fn in_raw_text_nothing_is_quoted() {
        let text = r#"{{"a"}} {{v}}"#;
        assert_eq!(marked(Text::raw(text)).unwrap().0, text);
    }

    /// What the marks stand for, put back in their place. A reader who knows the form alone can tell them from the text.
    fn unmarked(marked: &mut Peekable<Chars<'_>>) -> String {
        let mut text = String::new();
        while let Some(character) = marked.next() {
            match character {
                '⟧' => return text,
                '⟦' => match marked.peek() {
                    Some('U') => {
                        let number: String =
                            marked.by_ref().skip(2).take_while(|character| *character != '⟧').collect();
                        text.push(char::from_u32(u32::from_str_radix(&number, 16).unwrap()).unwrap());
                    }
                    Some('"') => text.push_str(unmarked(marked).strip_prefix('"').unwrap().strip_suffix('"').unwrap()),
                    _ => text.push_str(unmarked(marked).split_once('=').unwrap().1),
                },
                _ => text.push(character),
            }
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_text_can_be_had_back_from_its_marks(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{{v}}", "{{w}}", "{{none}}", "{{\"{{v}}\"}}", "{{\"\"}}", "{{\"\\u27e6\\n\"}}", "{{\"⟧\\\"\"}}", "⟦", "⟧",
                    "U+41", "v=", "\"", "=", " ", "é", "\n", "\r", "\u{200b}", "👩\u{200d}💻", "\u{202e}", "\u{0}",
                ]),
                0..12,
            ),
            raw in any::<bool>(),
        ) {
            let text = pieces.concat();
            let text = if raw { Text::raw(text) } else { Text::template(text) };
            if let Some((marked, rendered)) = marked(text) {
                assert_eq!(unmarked(&mut marked.chars().peekable()), rendered, "{marked}");
                assert!(!marked.contains(['\r', '\u{202e}', '\u{0}']), "{marked:?}");
            }
        }
    }
}
