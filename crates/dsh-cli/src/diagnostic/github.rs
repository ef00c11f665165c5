//! The commands that make a job on GitHub annotate files: `::error file=…,line=…::what is wrong`.

use super::plain::one_line;
use super::{Diagnostic, Severity, Sources};

/// A command for each diagnostic. A message has what the annotation cannot point at in further lines.
pub(crate) fn text(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|diagnostic| command(diagnostic, sources)).collect()
}

fn command(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = vec![format!("title={}", property(diagnostic.code))];
    let place = diagnostic.places.first().and_then(|place| sources.locate(place.span));
    if let Some(place) = place.filter(|place| place.is_file) {
        let (start, end) = (place.start, place.end);
        properties.push(format!("file={},line={},endLine={}", property(&one_line(place.path)), start.line, end.line));
        // GitHub takes columns only where they are of one line.
        if start.line == end.line {
            properties.push(format!("col={},endColumn={}", start.column, end.column));
        }
    }
    format!("::{command} {}::{}\n", properties.join(","), data(&message(diagnostic, sources)))
}

fn message(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut lines = vec![one_line(&diagnostic.headline)];
    for place in diagnostic.shown_places().iter().filter(|place| !place.label.is_empty()) {
        if let Some(at) = sources.locate(place.span) {
            lines.push(format!("{}:{}: {}", one_line(at.path), at.start, one_line(&place.label)));
        }
    }
    lines.extend(diagnostic.remarks());
    lines.join("\n")
}

/// As GitHub's runner decodes what stands behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As GitHub's runner decodes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
