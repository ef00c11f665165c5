//! A file's text, and what was found in it.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Place, Report, Severity, SourceId, Sources, concise, github, json, render, sarif};
use crate::project::decoded;

/// Of one file, so many findings are shown to a person.
const MOST_HUMAN: usize = 12;

/// The text of a file, as its readers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// Where each of its bytes, and its end, stands in the file.
    pub offsets: Vec<usize>,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The code.
    pub code: &'static str,
    /// Whether it is an error.
    pub is_error: bool,
    /// What is wrong, in one phrase.
    pub headline: String,
    /// Its places in the text.
    pub places: Vec<FoundPlace>,
    /// The same for a person, with colours; of the first of many alone, because that takes long.
    pub human: Option<String>,
}

/// A place of a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPlace {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The line and column of its first character, from 1.
    pub start: (usize, usize),
    /// The bytes of the file.
    pub in_file: Range<usize>,
}

/// All that was found, in each form.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// As data.
    pub findings: Vec<Finding>,
    /// A line for each.
    pub concise: String,
    /// A line for each, for GitHub.
    pub github: String,
    /// As JSON.
    pub json: String,
    /// As SARIF.
    pub sarif: String,
}

/// A file that is looked at alone.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) sources: Sources,
    pub(super) report: Report,
    /// Its source, where it is a text.
    pub(super) source: Option<SourceId>,
}

impl Looked {
    /// Takes a file in, as every file is taken in.
    pub(super) fn at(path: &str, bytes: &[u8]) -> Self {
        let (mut sources, mut report) = (Sources::new(), Report::new());
        let source = match decoded(bytes.to_vec()) {
            Ok((text, lost)) => {
                let source = sources.add(path.to_owned(), text);
                sources.note_lost(source, lost);
                Some(source)
            }
            Err(problem) => {
                let found = problem.found(path, &mut sources);
                report.push(found);
                None
            }
        };
        Self { sources, report, source }
    }

    /// What was decoded, be it only in part.
    pub(super) fn decoded(&self) -> Decoded {
        let Some(source) = self.sources.iter().next() else {
            return Decoded { text: String::new(), offsets: vec![0] };
        };
        let offsets = (0..=source.text.len()).map(|offset| source.offset_in_file(offset)).collect();
        Decoded { text: source.text.clone(), offsets }
    }

    /// All that was found.
    pub(super) fn shown(self) -> Shown {
        let sources = self.sources;
        let found = self.report.into_sorted();
        Shown {
            concise: concise::text(&found, &sources),
            github: github::text(&found, &sources),
            json: json::printed(&json::diagnostics(&found, &sources)),
            sarif: json::escaped(&sarif::log(&found, &sources, 1).to_string()),
            findings: found.iter().enumerate().map(|(index, it)| finding(it, index < MOST_HUMAN, &sources)).collect(),
        }
    }
}

fn finding(diagnostic: &Diagnostic, is_human: bool, sources: &Sources) -> Finding {
    let place = |place: &Place| {
        let at = sources.locate(place.span)?;
        let (start, in_file) = ((at.start.line, at.start.column), at.bytes.0..at.bytes.1);
        Some(FoundPlace { range: place.span.range(), start, in_file })
    };
    Finding {
        code: diagnostic.code,
        is_error: diagnostic.severity == Severity::Error,
        headline: diagnostic.headline.clone(),
        places: diagnostic.places.iter().filter_map(place).collect(),
        human: is_human.then(|| render::human(diagnostic, sources)),
    }
}
