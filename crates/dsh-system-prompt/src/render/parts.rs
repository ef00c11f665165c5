//! The table of parts: which bytes of the prompt come from where (X3).

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dsh_kernel::{Name, Owner};
use dsh_template::{Lookup, Piece};

use crate::assembly::{AssembledSection, PromptAssembly};
use crate::provenance::{PartLayer, Stability};
use crate::render::SEPARATOR;
use crate::render::slots::Table;

/// One part of a rendered prompt: a section, or the separator before one.
pub struct Part {
    prompt: Arc<str>,
    range: Range<usize>,
    section: Option<AssembledSection>,
    pieces: Vec<PartPiece>,
    fingerprint: OnceLock<blake3::Hash>,
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

impl Part {
    /// The bytes of the prompt.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The text of the part.
    pub fn text(&self) -> &str {
        self.prompt.get(self.range.clone()).unwrap_or_default()
    }

    /// The section, with its owner, layer, source and stability; `None` for a separator.
    pub fn section(&self) -> Option<&AssembledSection> {
        self.section.as_ref()
    }

    /// Whether it is a separator, which the registry puts between sections.
    pub fn is_separator(&self) -> bool {
        self.section.is_none()
    }

    /// The pieces of a section, in order; none for a separator.
    pub fn pieces(&self) -> &[PartPiece] {
        &self.pieces
    }

    /// The BLAKE3 of the text, made when first asked for and kept (X5).
    pub fn fingerprint(&self) -> blake3::Hash {
        *self.fingerprint.get_or_init(|| blake3::hash(self.text().as_bytes()))
    }
}

/// Shows places and names, not the text: values may be secrets.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("range", &self.range)
            .field("section", &self.section.as_ref().map(AssembledSection::name))
            .field("pieces", &self.pieces)
            .finish_non_exhaustive()
    }
}

/// The parts of a prompt that was rendered from this assembly.
pub(crate) fn table(assembly: &PromptAssembly, prompt: &Arc<str>) -> Arc<[Part]> {
    let values = Table::new(assembly);
    let mut parts = Vec::new();
    let part = |range, section, pieces| Part {
        prompt: Arc::clone(prompt),
        range,
        section,
        pieces,
        fingerprint: OnceLock::new(),
    };
    let mut at = 0;
    for (index, section) in assembly.sections().enumerate() {
        let slots = values.slots(index, section);
        let start = if at == 0 { 0 } else { at + SEPARATOR.len() };
        let pieces = pieces(assembly, section, start, |slot| match slots.get(slot) {
            Lookup::Value(value) => value.len(),
            Lookup::Valueless | Lookup::Unknown => 0,
        });
        let end = pieces.last().map_or(start, |piece| piece.range.end);
        if end == start {
            continue;
        }
        if start > at {
            parts.push(part(at..start, None, Vec::new()));
        }
        parts.push(part(start..end, Some(section.clone()), pieces));
        at = end;
    }
    parts.into()
}

fn pieces(
    assembly: &PromptAssembly,
    section: &AssembledSection,
    start: usize,
    value_len: impl Fn(usize) -> usize,
) -> Vec<PartPiece> {
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
                let range = at..at + value_len(reference.slot);
                at = range.end;
                text_at = reference.range.end;
                let variable = assembly.variable(reference.name).map(|variable| PieceVariable {
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
