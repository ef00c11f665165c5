//! Lines and columns of a text, found without going through it once more for each.

use std::fmt;

/// Characters are counted up to each multiple of so many bytes.
const STRIDE: usize = 1024;

/// A place as people and editors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where the lines of a text begin, and how many characters lie before some of its bytes: a tool list of megabytes is often one line.
#[derive(Clone, Debug)]
pub(super) struct LineIndex {
    starts: Vec<usize>,
    characters: Vec<usize>,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(offset, _)| offset + 1)).collect();
        let mut count = 0;
        let characters = std::iter::once(0).chain(text.as_bytes().chunks(STRIDE).map(|chunk| {
            count += characters(chunk);
            count
        }));
        Self { starts, characters: characters.collect() }
    }

    /// The position of this byte of the text, or of the character that it is in.
    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(0);
        Position { line, column: 1 + self.before(text, offset) - self.before(text, start) }
    }

    /// How many characters lie before this byte.
    fn before(&self, text: &str, offset: usize) -> usize {
        let counted = offset / STRIDE;
        let rest = text.as_bytes().get(counted * STRIDE..offset).unwrap_or_default();
        self.characters.get(counted).copied().unwrap_or(0) + characters(rest)
    }
}

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{LineIndex, Position};

    #[test]
    fn lines_and_columns_are_those_that_counting_finds() {
        let text = "one\nzwei ä€😀x\n\n".to_owned() + &"é".repeat(3_000) + "\nlast";
        let index = LineIndex::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = text.get(..offset).unwrap();
            let line = 1 + before.matches('\n').count();
            let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
            assert_eq!(index.position(&text, offset), Position { line, column }, "at {offset}");
        }
    }

    #[test]
    fn what_is_inside_a_character_or_beyond_the_end_has_the_place_of_the_last_that_is_there() {
        let index = LineIndex::new("aé");
        assert_eq!(index.position("aé", 2), Position { line: 1, column: 2 });
        assert_eq!(index.position("aé", 99), Position { line: 1, column: 3 });
        assert_eq!(LineIndex::new("").position("", 0), Position { line: 1, column: 1 });
    }
}
