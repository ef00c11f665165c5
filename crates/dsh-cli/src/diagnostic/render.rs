//! A diagnostic as a person reads it: headline, the lines in question with a caret, what would be right.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Place, Severity, SourceId, Sources};

/// At most so many places of one diagnostic are shown.
const MOST_PLACES: usize = 12;

/// One diagnostic, with colours; the stream takes them out where they are not wanted.
pub(crate) fn human(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let places = diagnostic.places.get(..MOST_PLACES).unwrap_or(&diagnostic.places);
    let mut group = level
        .primary_title(one_line(&diagnostic.headline))
        .id(diagnostic.code)
        .elements(Vec::<Snippet<'_, annotate_snippets::Annotation<'_>>>::new());
    let mut shown: Vec<SourceId> = Vec::new();
    for place in places {
        if shown.contains(&place.span.source) {
            continue;
        }
        shown.push(place.span.source);
        let here: Vec<&Place> = places.iter().filter(|other| other.span.source == place.span.source).collect();
        group = with_source(group, place.span.source, &here, diagnostic.places.first(), sources);
    }
    let more = diagnostic.places.len() - places.len();
    if more > 0 {
        group = group.element(Level::NOTE.message(format!("and {more} more places")));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(one_line(note)));
    }
    for help in &diagnostic.helps {
        group = group.element(Level::HELP.message(one_line(help)));
    }
    Renderer::styled().render(&[group])
}

/// A line that says something, with colours.
pub(crate) fn note(line: &str) -> String {
    Renderer::styled().render(&[Group::with_title(Level::NOTE.primary_title(one_line(line)))])
}

/// Adds the places of one source.
fn with_source<'a>(
    group: Group<'a>,
    id: SourceId,
    places: &[&'a Place],
    primary: Option<&'a Place>,
    sources: &'a Sources,
) -> Group<'a> {
    let Some(source) = sources.get(id) else { return group };
    let ranges: Vec<Range<usize>> =
        places.iter().map(|place| on_characters(&source.text, place.span.range())).collect();
    let shown = lines_of(&source.text, &ranges);
    let line = 1 + source.text.bytes().take(shown.start).filter(|byte| *byte == b'\n').count();
    let excerpt = source.text.get(shown.clone()).unwrap_or_default();
    let mut snippet = Snippet::source(excerpt).line_start(line).path(one_line(&source.path));
    for (place, range) in places.iter().zip(ranges) {
        let kind = if primary == Some(place) { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!place.label.is_empty()).then(|| one_line(&place.label));
        snippet = snippet.annotation(kind.span(range.start - shown.start..range.end - shown.start).label(label));
    }
    group.element(snippet)
}

/// The text with control characters written as escapes: a name with a line break in it makes no second line.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// The range, widened to whole characters and within the text.
fn on_characters(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start);
    start..text.ceil_char_boundary(range.end.max(start))
}

/// The lines that these ranges lie in: a file of megabytes is not gone through for each message.
fn lines_of(text: &str, ranges: &[Range<usize>]) -> Range<usize> {
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let last = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let start = text.get(..first).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let end = text.get(last..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| last + newline);
    start..end
}
