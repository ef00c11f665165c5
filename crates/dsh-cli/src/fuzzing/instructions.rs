//! An instruction file, as it is found in a folder.

use std::ops::Range;

use dsh_template::Text;

use super::found::{Decoded, Looked, Shown};
use crate::diagnostic::Span;
use crate::project::instruction_section;

/// What was made of an instruction file.
#[derive(Clone, Debug)]
pub struct InstructionReading {
    /// Its text.
    pub decoded: Decoded,
    /// Whether it is a text.
    pub is_text: bool,
    /// The section that it makes.
    pub section: Option<InstructionSection>,
    /// What was found.
    pub shown: Shown,
}

/// A section that an instruction file makes.
#[derive(Clone, Debug)]
pub struct InstructionSection {
    /// Its text.
    pub text: Text,
    /// Where each of the text's characters comes from.
    pub characters: Vec<Range<usize>>,
}

/// Reads these bytes as the file `AGENTS.md`.
pub fn instruction_file(bytes: &[u8]) -> InstructionReading {
    let name = "AGENTS.md";
    let looked = Looked::at(name, bytes);
    let decoded = looked.decoded();
    let start = looked.source.map(|source| Span::new(source, 0..0));
    let section = start.and_then(|start| instruction_section(name, start, 0.0, &decoded.text)).map(|section| {
        let (text, origin) = (section.words.text, section.words.origin);
        let places = text.as_str().char_indices().map(|(at, c)| origin.locate(at..at + c.len_utf8()).range());
        InstructionSection { characters: places.collect(), text }
    });
    InstructionReading { is_text: looked.source.is_some(), decoded, section, shown: looked.shown() }
}
