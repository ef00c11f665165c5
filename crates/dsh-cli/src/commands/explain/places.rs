//! Places in the files that were read, as a person may click them.

use std::collections::HashMap;
use std::ops::Range;

use dsh_system_prompt::Source;

use crate::diagnostic::{self, Sources, Span};

/// Where something was read from: a file, or what the user says in its place (`--set`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Place<'s> {
    /// The file, as a person may type it.
    pub(in crate::commands) file: &'s str,
    /// Its bytes, and the lines that they lie in, from 1; none where only the file is known.
    pub(in crate::commands) within: Option<Within>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Within {
    /// The bytes, counted in the file as it is: with its byte order mark and each CRLF.
    pub(in crate::commands) bytes: Range<usize>,
    /// The line of the first byte.
    pub(in crate::commands) first_line: usize,
    /// The line of the last byte.
    pub(in crate::commands) last_line: usize,
}

/// The files of a run, by path.
#[derive(Debug)]
pub(in crate::commands) struct Places<'s> {
    sources: &'s Sources,
    by_path: HashMap<&'s str, &'s diagnostic::Source>,
}

impl<'s> Places<'s> {
    pub(in crate::commands) fn new(sources: &'s Sources) -> Self {
        Self { sources, by_path: sources.iter().map(|source| (source.path.as_str(), source)).collect() }
    }

    /// The place that the registry was told of.
    pub(in crate::commands) fn of_source(&self, source: &'s Source) -> Place<'s> {
        let file = self.by_path.get(source.path());
        Place { file: source.path(), within: file.zip(source.range()).and_then(|(file, bytes)| within(file, bytes)) }
    }

    /// A place that a diagnostic would point at.
    pub(in crate::commands) fn of_span(&self, span: Span) -> Option<Place<'s>> {
        let source = self.sources.get(span.source)?;
        Some(Place { file: &source.path, within: within(source, span.range()) })
    }
}

/// These bytes and their lines; none of what a flag says.
fn within(source: &diagnostic::Source, bytes: Range<usize>) -> Option<Within> {
    let last = bytes.end.saturating_sub(1).max(bytes.start);
    let (first_line, last_line) = (source.position(bytes.start).line, source.position(last).line);
    let bytes = source.offset_in_file(bytes.start)..source.offset_in_file(bytes.end);
    source.is_file().then_some(Within { bytes, first_line, last_line })
}

#[cfg(test)]
mod tests {
    use dsh_system_prompt::Source;

    use super::{Place, Places};
    use crate::diagnostic::{Sources, Span};

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

    #[test]
    fn what_a_flag_says_has_no_lines() {
        let mut sources = Sources::new();
        let set = sources.add_said("--set", "team=…".to_owned());
        let places = Places::new(&sources);
        assert_eq!(places.of_span(Span::new(set, 0..4)), Some(Place { file: "--set", within: None }));
    }
}
