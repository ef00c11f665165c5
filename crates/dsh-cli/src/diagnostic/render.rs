//! A diagnostic as a person reads it: headline, the lines in question with a caret, what would be right.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::excerpt::Excerpt;
use super::plain::one_line;
use super::{Diagnostic, Place, Severity, SourceId, Sources};

/// Stands where the place of an excerpt goes: the renderer counts columns in what is shown, and a person looks for them in the file.
const ORIGIN: char = '\0';

/// One diagnostic, with colours; the stream takes them out where they are not wanted.
pub(crate) fn human(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let places = diagnostic.shown_places();
    let mut group = level
        .primary_title(one_line(&diagnostic.headline))
        .id(diagnostic.code)
        .elements(Vec::<Snippet<'_, Annotation<'_>>>::new());
    let mut shown: Vec<SourceId> = Vec::new();
    let mut origins: Vec<String> = Vec::new();
    for place in places {
        if shown.contains(&place.span.source) {
            continue;
        }
        shown.push(place.span.source);
        let here: Vec<&Place> = places.iter().filter(|other| other.span.source == place.span.source).collect();
        if let Some(path) = only_path(place.span.source, &here, sources) {
            group = group.element(Origin::path(path));
            continue;
        }
        for snippet in snippets(place.span.source, &here, diagnostic.places.first(), sources, &mut origins) {
            group = group.element(snippet);
        }
    }
    let more = diagnostic.places.len() - places.len();
    if more > 0 {
        group = group
            .element(Level::NOTE.message(format!("and {more} more {}", if more == 1 { "place" } else { "places" })));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(one_line(note)));
    }
    for help in &diagnostic.helps {
        group = group.element(Level::HELP.message(one_line(help)));
    }
    with_origins(&Renderer::styled().render(&[group]), origins)
}

/// The path of a source that has no line to show, where nothing is said of one.
fn only_path(id: SourceId, places: &[&Place], sources: &Sources) -> Option<String> {
    let source = sources.get(id).filter(|source| source.text.is_empty())?;
    places.iter().all(|place| place.label.is_empty()).then(|| one_line(&source.path))
}

/// A line that says something, with colours.
pub(crate) fn note(line: &str) -> String {
    Renderer::styled().render(&[Group::with_title(Level::NOTE.primary_title(one_line(line)))])
}

/// The places of one source.
fn snippets<'a>(
    id: SourceId,
    places: &[&Place],
    primary: Option<&Place>,
    sources: &Sources,
    origins: &mut Vec<String>,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    let Some(source) = sources.get(id) else { return Vec::new() };
    let ranges: Vec<_> = places.iter().map(|place| place.span.range()).collect();
    let mut snippets = Vec::new();
    for Excerpt { text, line, marks } in Excerpt::of(source, &ranges) {
        let marked: Vec<(&Place, _)> =
            marks.into_iter().filter_map(|(index, range)| Some((*places.get(index)?, range))).collect();
        let first = marked.iter().map(|(place, _)| *place).min_by_key(|place| (primary != Some(place), place.span));
        let start = source.position(first.map_or(0, |place| place.span.start));
        origins.push(format!("{}:{start}", one_line(&source.path)));
        let annotations = marked.into_iter().map(|(place, range)| {
            let kind = if primary == Some(place) { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(range).label((!place.label.is_empty()).then(|| one_line(&place.label)))
        });
        snippets.push(Snippet::source(text).line_start(line).path(ORIGIN.to_string()).annotations(annotations));
    }
    snippets
}

/// The text with these places where the renderer put its own.
fn with_origins(rendered: &str, origins: Vec<String>) -> String {
    let mut parts = rendered.split(ORIGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, origin) in parts.zip(origins) {
        text.push_str(&origin);
        text.push_str(part.trim_start_matches(|character: char| character == ':' || character.is_ascii_digit()));
    }
    text
}
