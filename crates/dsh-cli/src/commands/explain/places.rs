//! Places in the files that were read, as a person may click them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use dsh_system_prompt::Source;

use crate::diagnostic::{Sources, Span};

/// Where something was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place<'s> {
    /// The file, as a person may type it.
    pub(super) file: &'s str,
    /// Its bytes, and the lines that they lie in, from 1; none where only the file is known.
    pub(super) within: Option<Within>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Within {
    /// The bytes.
    pub(super) bytes: Range<usize>,
    /// The line of the first byte.
    pub(super) first_line: usize,
    /// The line of the last byte.
    pub(super) last_line: usize,
}

/// The files of a run, each gone through for its lines once.
#[derive(Debug)]
pub(super) struct Places<'s> {
    sources: &'s Sources,
    files: HashMap<&'s str, File<'s>>,
}

#[derive(Debug)]
struct File<'s> {
    text: &'s str,
    newlines: OnceCell<Vec<usize>>,
}

impl File<'_> {
    /// The line that this byte is in.
    fn line(&self, offset: usize) -> usize {
        let newlines = self.newlines.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at).collect());
        1 + newlines.partition_point(|newline| *newline < offset)
    }
}

impl<'s> Places<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        let file = |text| File { text, newlines: OnceCell::new() };
        Self {
            sources,
            files: sources.iter().map(|source| (source.path.as_str(), file(source.text.as_str()))).collect(),
        }
    }

    /// The place that the registry was told of.
    pub(super) fn of_source(&self, source: &'s Source) -> Place<'s> {
        self.place(source.path(), source.range())
    }

    /// A place that a diagnostic would point at.
    pub(super) fn of_span(&self, span: Span) -> Option<Place<'s>> {
        Some(self.place(&self.sources.get(span.source)?.path, Some(span.range())))
    }

    fn place(&self, path: &'s str, range: Option<Range<usize>>) -> Place<'s> {
        let within = self.files.get(path).zip(range).map(|(file, bytes)| Within {
            first_line: file.line(bytes.start),
            last_line: file.line(bytes.end.saturating_sub(1).max(bytes.start)),
            bytes,
        });
        Place { file: path, within }
    }
}

#[cfg(test)]
mod tests {
    use dsh_system_prompt::Source;

    use super::Places;
    use crate::diagnostic::Sources;

    #[test]
    fn lines_are_those_of_the_first_and_of_the_last_byte() {
        let mut sources = Sources::new();
        sources.add("a.md".to_owned(), "one\ntwo\n\nfour".to_owned());
        let places = Places::new(&sources);
        for (bytes, lines) in [
            (0..3, (1, 1)),
            (0..4, (1, 1)),
            (0..5, (1, 2)),
            (4..8, (2, 2)),
            (8..9, (3, 3)),
            (9..13, (4, 4)),
            (9..9, (4, 4)),
        ] {
            let source = Source::file("a.md").bytes(bytes.clone());
            let within = places.of_source(&source).within.unwrap();
            assert_eq!((within.first_line, within.last_line), lines, "{bytes:?}");
        }
        assert_eq!(places.of_source(&Source::file("a.md")).within, None);
        assert_eq!(places.of_source(&Source::file("b.md").bytes(0..1)).within, None);
    }
}
