//! What a text refers to: found once, however many sections and agents have it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use dsh_template::{Piece, Template, Text};

/// Of one text, so many malformed references are reported; then it is something else than a template.
const MOST_IN_A_TEXT: usize = 20;

/// The texts that were looked at, each once.
#[derive(Debug, Default)]
pub(super) struct ReadTexts(HashMap<(usize, bool), Rc<Read>>);

/// A text that was looked at.
#[derive(Debug)]
pub(super) struct Read {
    /// Kept, so that no other text gets its place in memory.
    _text: Text,
    /// None, where something in it is malformed.
    pub(super) template: Option<Template>,
    /// The first reference to each variable, those behind malformed places among them.
    pub(super) references: Vec<Reference>,
}

/// A reference to a variable.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) name: Box<str>,
    /// In bytes of the text.
    pub(super) range: Range<usize>,
}

impl ReadTexts {
    /// What this text refers to.
    pub(super) fn of(&mut self, text: &Text) -> Rc<Read> {
        let key = (Arc::as_ptr(text.shared()).addr(), text.is_raw());
        Rc::clone(self.0.entry(key).or_insert_with(|| Rc::new(Read::new(text))))
    }
}

impl Read {
    fn new(text: &Text) -> Self {
        let mut parts = parts(text);
        let mut seen = HashSet::new();
        let mut references = Vec::new();
        for (offset, part) in &parts {
            for piece in part.pieces() {
                if let Piece::Variable(variable) = piece
                    && seen.insert(variable.name)
                {
                    let range = offset + variable.range.start..offset + variable.range.end;
                    references.push(Reference { name: variable.name.into(), range });
                }
            }
        }
        let template = if parts.len() > 1 { None } else { parts.pop().map(|(_, template)| template) };
        Self { _text: text.clone(), template, references }
    }
}

/// A template in parts, each with its offset: one ends with a malformed reference, and the next begins behind that.
pub(super) fn parts(text: &Text) -> Vec<(usize, Template)> {
    let mut parts = vec![(0, text.compile())];
    while parts.len() < MOST_IN_A_TEXT {
        let Some((offset, malformed)) = parts.last().and_then(|(at, part)| Some((at, part.malformed()?))) else {
            break;
        };
        let next = offset + malformed.range().end;
        parts.push((next, Template::compile(text.as_str().get(next..).unwrap_or_default())));
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use dsh_template::Text;

    use super::ReadTexts;

    #[test]
    fn a_text_that_is_shared_is_looked_at_once() {
        let mut texts = ReadTexts::default();
        let text = Text::template("{{a}} {{b}} {{a}}");
        let first = texts.of(&text);
        assert!(Rc::ptr_eq(&first, &texts.of(&text.clone())));
        assert!(!Rc::ptr_eq(&first, &texts.of(&Text::raw(text.shared().clone()))));
        let references: Vec<_> = first.references.iter().map(|it| (&*it.name, it.range.clone())).collect();
        assert_eq!(references, [("a", 0..5), ("b", 6..11)]);
    }

    #[test]
    fn what_stands_behind_a_malformed_place_is_found_too() {
        let read = ReadTexts::default().of(&Text::template("{{ x }} {{a}} {{ y }} {{b}} {{a}}"));
        assert!(read.template.is_none());
        let names: Vec<&str> = read.references.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
