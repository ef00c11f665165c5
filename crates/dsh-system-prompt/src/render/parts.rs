//! The table of parts: which bytes of the prompt come from where (X3).

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::OnceLock;

use dsh_kernel::{Name, Owner};
use dsh_template::Piece;

use crate::assembly::{AssembledSection, PromptAssembly};
use crate::provenance::{PartLayer, Stability};
use crate::render::slots::Table;
use crate::render::{RenderedPrompt, SEPARATOR};

/// The parts of a rendered prompt, in order; made by [`RenderedPrompt::parts`].
#[derive(Clone)]
pub struct Parts<'a> {
    prompt: &'a RenderedPrompt,
    places: Range<usize>,
}

/// One part of a rendered prompt: a section, or the separator before one.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    prompt: &'a RenderedPrompt,
    /// Among the parts: sections have the even places, separators those between them.
    place: usize,
}

/// A piece of a section part: bytes that stand in the section's text, or the value of a variable.
///
/// The ranges of a part's pieces partition the part's, and their text ranges the section's text. A value may be empty, and so may what
/// a quoted group of nothing stands for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PartPiece {
    /// The bytes of the prompt.
    pub range: Range<usize>,
    /// The bytes of the section's text that they stand for: a reference with its braces, or all that is between two.
    pub text_range: Range<usize>,
    /// The variable whose value it is; `None` for the section's own words.
    pub variable: Option<PieceVariable>,
}

/// The variable that a piece is the value of; see [`AssembledVariable`](crate::AssembledVariable).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PieceVariable {
    /// The name.
    pub name: Name,
    /// Who registered or set it.
    pub owner: Option<Owner>,
    /// The layer that it stands in.
    pub layer: PartLayer,
    /// Whose variable it replaces for this scope.
    pub shadows: Option<Owner>,
    /// How often its value may change, as declared.
    pub stability: Stability,
}

impl<'a> Parts<'a> {
    pub(super) fn of(prompt: &'a RenderedPrompt) -> Self {
        // A separator stands before each section but the first.
        let count = (prompt.part_table().sections.len() * 2).saturating_sub(1);
        Self { prompt, places: 0..count }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        self.places.next().map(|place| Part { prompt: self.prompt, place })
    }

    fn nth(&mut self, n: usize) -> Option<Part<'a>> {
        self.places.nth(n).map(|place| Part { prompt: self.prompt, place })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl DoubleEndedIterator for Parts<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|place| Part { prompt: self.prompt, place })
    }
}

impl ExactSizeIterator for Parts<'_> {}
impl FusedIterator for Parts<'_> {}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> Part<'a> {
    /// The bytes of the prompt.
    pub fn range(self) -> Range<usize> {
        let sections = &self.prompt.part_table().sections;
        let at = self.place / 2;
        let section = sections.get(at).map_or(0..0, |section| section.range.clone());
        if self.is_separator() { section.end..section.end + SEPARATOR.len() } else { section }
    }

    /// The text of the part.
    pub fn text(self) -> &'a str {
        self.prompt.text().get(self.range()).unwrap_or_default()
    }

    /// The section, with its owner, layer, source and stability; `None` for a separator.
    pub fn section(self) -> Option<&'a AssembledSection> {
        if self.is_separator() {
            return None;
        }
        let section = self.prompt.part_table().sections.get(self.place / 2)?;
        self.prompt.assembly().sections().nth(section.index)
    }

    /// Whether it is a separator, which the registry puts between sections.
    pub fn is_separator(self) -> bool {
        !self.place.is_multiple_of(2)
    }

    /// The pieces of a section, in order; none for a separator. They are worked out at each call.
    pub fn pieces(self) -> Vec<PartPiece> {
        let start = self.range().start;
        self.section().map_or_else(Vec::new, |section| pieces(self.prompt.assembly(), section, start))
    }

    /// The BLAKE3 of the text, made when first asked for and kept (X5).
    pub fn fingerprint(self) -> blake3::Hash {
        let make = || blake3::hash(self.text().as_bytes());
        self.prompt.part_table().fingerprint(self.place).map_or_else(make, |kept| *kept.get_or_init(make))
    }
}

/// Shows places and names, not the text: values may be secrets.
impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("range", &self.range())
            .field("section", &self.section().map(AssembledSection::name))
            .field("pieces", &self.pieces())
            .finish_non_exhaustive()
    }
}

/// Where the sections that are in the text stand in it.
pub(crate) struct PartTable {
    sections: Vec<Place>,
    /// Of each part, separators too.
    fingerprints: OnceLock<Box<[OnceLock<blake3::Hash>]>>,
}

struct Place {
    /// Which section of the assembly.
    index: usize,
    range: Range<usize>,
}

impl PartTable {
    /// The table of a prompt that was rendered from this assembly.
    pub(super) fn new(assembly: &PromptAssembly) -> Self {
        let values = Table::new(assembly);
        let mut sections: Vec<Place> = Vec::with_capacity(assembly.sections().len());
        for (index, section) in assembly.sections().enumerate() {
            let slots = values.slots(index, section);
            // It was rendered, so there is no error.
            let size = section.template().measure(|slot| slots.get(slot)).unwrap_or_default();
            if size > 0 {
                let start = sections.last().map_or(0, |before| before.range.end + SEPARATOR.len());
                sections.push(Place { index, range: start..start + size });
            }
        }
        Self { sections, fingerprints: OnceLock::new() }
    }

    fn fingerprint(&self, place: usize) -> Option<&OnceLock<blake3::Hash>> {
        let make = || (0..self.sections.len() * 2).map(|_| OnceLock::new()).collect();
        self.fingerprints.get_or_init(make).get(place)
    }
}

fn pieces(assembly: &PromptAssembly, section: &AssembledSection, start: usize) -> Vec<PartPiece> {
    let mut pieces: Vec<PartPiece> = Vec::new();
    let (mut at, mut text_at) = (start, 0);
    for piece in section.template().pieces() {
        match piece {
            Piece::Literal(text) => {
                // Where it ends in the text is known when the next reference is.
                let range = at..at + text.len();
                at = range.end;
                pieces.push(PartPiece { range, text_range: text_at..section.text().as_str().len(), variable: None });
            }
            Piece::Variable(reference) => {
                match pieces.last_mut() {
                    Some(before) if before.variable.is_none() => before.text_range.end = reference.range.start,
                    _ => pieces.extend(nothing(at, text_at..reference.range.start)),
                }
                let variable = assembly.variable(reference.name);
                let value = variable.and_then(|variable| variable.value());
                let range = at..at + value.map_or(0, |value| value.as_str().len());
                at = range.end;
                text_at = reference.range.end;
                let variable = variable.map(|variable| PieceVariable {
                    name: variable.shared_name().clone(),
                    owner: variable.owner().cloned(),
                    layer: variable.layer(),
                    shadows: variable.shadows().cloned(),
                    stability: variable.stability(),
                });
                pieces.push(PartPiece { range, text_range: reference.range, variable });
            }
        }
    }
    if pieces.last().is_some_and(|last| last.variable.is_some()) {
        pieces.extend(nothing(at, text_at..section.text().as_str().len()));
    }
    pieces
}

/// The piece of what stands in a text and for no byte: quoted groups of nothing (`{{""}}`), which no literal holds.
fn nothing(at: usize, text_range: Range<usize>) -> Option<PartPiece> {
    (!text_range.is_empty()).then_some(PartPiece { range: at..at, text_range, variable: None })
}
