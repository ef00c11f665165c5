//! The files that diagnostics point into.

use std::ops::Range;

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
    /// Whether it is the user's own: a file of theirs, or a flag.
    pub(crate) own: bool,
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
        self.take(Source { path, text, own: false })
    }

    /// Takes in what the user says: in a file of their own, in the environment, on the command line.
    pub(crate) fn add_own(&mut self, path: String, text: String) -> SourceId {
        self.take(Source { path, text, own: true })
    }

    fn take(&mut self, source: Source) -> SourceId {
        let id = SourceId(self.files.len());
        self.files.push(source);
        id
    }

    /// The file of this id, if it is of this table.
    pub(crate) fn get(&self, id: SourceId) -> Option<&Source> {
        self.files.get(id.0)
    }

    /// The files, in the order in which they were read.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// The text of this file.
    pub(crate) fn text(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |source| source.text.as_str())
    }
}
