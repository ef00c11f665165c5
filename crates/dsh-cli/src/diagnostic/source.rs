//! The files that diagnostics point into.

use std::ops::Range;
use std::sync::OnceLock;

use super::lines::{LineIndex, Position};
use crate::outside::Lost;

/// One of the [`Sources`] of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SourceId(usize);

/// A range of bytes of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    /// Which source.
    pub(crate) source: SourceId,
    /// The first byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

impl Span {
    /// The bytes of `range` in `source`.
    pub(crate) fn new(source: SourceId, range: Range<usize>) -> Self {
        Self { source, start: range.start, end: range.end }
    }

    /// The range alone.
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A file that was read: its path as a person may type it, and its text as dsh reads it (no mark, LF).
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The path.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
    /// Who wrote it.
    author: Author,
    /// What the file has besides the text.
    lost: Lost,
    /// Made when it is first asked for: most files have nothing to point at.
    lines: OnceLock<LineIndex>,
}

/// A span as people and editors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location<'s> {
    /// The path of the file, or the name of the flag or variable.
    pub(crate) path: &'s str,
    /// Whether it is in a file, so that an editor finds it.
    pub(crate) is_file: bool,
    /// The first character.
    pub(crate) start: Position,
    /// One past the last character.
    pub(crate) end: Position,
    /// The bytes of the file.
    pub(crate) bytes: (usize, usize),
}

impl Source {
    /// Whether it is a file, and not what a flag or the environment says.
    pub(crate) fn is_file(&self) -> bool {
        self.author != Author::User { is_file: false }
    }

    /// Whether it is the project's, and not what the user says in a file of their own or a flag.
    pub(crate) fn is_of_project(&self) -> bool {
        self.author == Author::Project
    }

    /// Where this byte of the text stands in the file.
    pub(crate) fn offset_in_file(&self, offset: usize) -> usize {
        self.lost.offset_in_file(offset)
    }

    /// The line and column of this byte.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines.get_or_init(|| LineIndex::new(&self.text)).position(&self.text, offset)
    }
}

/// Who wrote a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author {
    /// It is a file of the project.
    Project,
    /// The user: in a file of their own, or in a flag or a variable of the environment.
    User { is_file: bool },
}

/// Every file that was read in this run.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: Vec<Source>,
}

impl Sources {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes a file of the project in.
    pub(crate) fn add(&mut self, path: String, text: String) -> SourceId {
        self.push(path, text, Author::Project)
    }

    /// Takes a file of the user's own in.
    pub(crate) fn add_own(&mut self, path: String, text: String) -> SourceId {
        self.push(path, text, Author::User { is_file: true })
    }

    /// Takes in what a flag or a variable of the environment says; it is no file.
    pub(crate) fn add_said(&mut self, name: &str, text: String) -> SourceId {
        self.push(name.to_owned(), text, Author::User { is_file: false })
    }

    /// Takes in a file of which nothing is read but that it is there; its place, at the beginning.
    pub(crate) fn blank(&mut self, path: String) -> Span {
        Span::new(self.add(path, String::new()), 0..0)
    }

    fn push(&mut self, path: String, text: String, author: Author) -> SourceId {
        let id = SourceId(self.files.len());
        self.files.push(Source { path, text, author, lost: Lost::default(), lines: OnceLock::new() });
        id
    }

    /// Takes in what was lost in decoding this file.
    pub(crate) fn note_lost(&mut self, id: SourceId, lost: Lost) {
        if let Some(source) = self.files.get_mut(id.0) {
            source.lost = lost;
        }
    }

    /// The file of this id, if it is of this table.
    pub(crate) fn get(&self, id: SourceId) -> Option<&Source> {
        self.files.get(id.0)
    }

    /// The files, in the order in which they were read.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// Where this span is, if its file is of this table.
    pub(crate) fn locate(&self, span: Span) -> Option<Location<'_>> {
        let source = self.get(span.source)?;
        let (start, end) = (source.position(span.start), source.position(span.end.max(span.start)));
        let bytes = (source.offset_in_file(span.start), source.offset_in_file(span.end));
        Some(Location { path: &source.path, is_file: source.is_file(), start, end, bytes })
    }

    /// The text of this file.
    pub(crate) fn text(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |source| source.text.as_str())
    }
}
