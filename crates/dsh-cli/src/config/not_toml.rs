//! What is said of a `dsh.toml` that is no TOML.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::names::quoted;

/// The diagnostic of one of the parser's errors; `document` is what it could make of the file.
pub(super) fn diagnostic(
    source: SourceId,
    text: &str,
    document: &Spanned<DeTable<'_>>,
    error: &toml::de::Error,
) -> Diagnostic {
    let headline = format!("not readable as TOML: {}", error.message());
    let of = |headline: String| Diagnostic::error("config::not_toml", headline);
    let Some(range) = error.span() else {
        // The parser gives up on a file that is nested too deep, and does not say where.
        return of(headline).at(Span::new(source, 0..0), "somewhere in this file");
    };
    let Some(key) = text.get(range.clone()).filter(|_| error.message() == "duplicate key") else {
        return of(headline).at(Span::new(source, range), "");
    };
    let name = key.trim_matches(['"', '\'']);
    let mut first = None;
    find_last(document.get_ref(), text, name, &range, &mut first);
    let diagnostic = of(format!("{headline} {}", quoted(name))).at(Span::new(source, range), "the second");
    match first {
        Some(first) => diagnostic.at(Span::new(source, first), "the first").with_help("keep one of the two"),
        None => diagnostic.with_help("keep one of them"),
    }
}

/// The last key of this name before `second`; one in braces that do not hold `second` is another table's.
fn find_last(table: &DeTable<'_>, text: &str, name: &str, second: &Range<usize>, last: &mut Option<Range<usize>>) {
    for (key, value) in table {
        let place = key.span();
        let is_later = last.as_ref().is_none_or(|last| last.start < place.start);
        if key.get_ref() == name && place.start < second.start && is_later {
            *last = Some(place);
        }
        find_in(value, text, name, second, last);
    }
}

fn find_in(
    value: &Spanned<DeValue<'_>>,
    text: &str,
    name: &str,
    second: &Range<usize>,
    last: &mut Option<Range<usize>>,
) {
    let place = value.span();
    let in_braces = text.get(place.clone()).is_some_and(|text| text.starts_with('{'));
    match value.get_ref() {
        DeValue::Table(table) if !in_braces || place.contains(&second.start) => {
            find_last(table, text, name, second, last);
        }
        DeValue::Array(items) => items.iter().for_each(|item| find_in(item, text, name, second, last)),
        DeValue::Table(_)
        | DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {}
    }
}
