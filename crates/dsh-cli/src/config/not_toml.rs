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
    let found = text.get(range.clone()).unwrap_or_default();
    let Some(key) = Some(found).filter(|_| error.message() == "duplicate key") else {
        let remedy = remedy(error.message(), found).map(str::to_owned);
        return of(headline).at(Span::new(source, range), "").with_help_if(remedy);
    };
    let name = key.trim_matches(['"', '\'']);
    let mut first = None;
    find_last(document.get_ref(), text, name, &range, &mut first);
    let first = first.or_else(|| same_header(text, range.start));
    let diagnostic = of(format!("{headline} {}", quoted(name))).at(Span::new(source, range), "the second");
    match first {
        Some(first) => diagnostic.at(Span::new(source, first), "the first").with_help("keep one of the two"),
        None => diagnostic.with_help("keep one of them"),
    }
}

/// What would be right, of the mistakes that are made most often.
fn remedy(message: &str, found: &str) -> Option<&'static str> {
    const BACKSLASH: &str = r#"within `"…"`, a backslash is written `\\`; within `'…'`, it stands for itself"#;
    const GENERAL: &str = r#"a line is `key = value`, and a text stands in quotes: `"…"`"#;
    const A_TEXT: &str = r#"a text stands in quotes: `"…"`"#;
    const REMEDIES: [(&str, &str); 28] = [
        ("key with no value", "a line is `key = value`"),
        (
            "invalid unquoted key",
            r#"a line is `key = value`; a key of other characters stands in quotes: `"a key" = …`"#,
        ),
        (
            "invalid basic string",
            r#"end it with `"` in its line; a text of several lines stands between `"""` and `"""`"#,
        ),
        (
            "invalid literal string",
            "end it with `'` in its line; a text of several lines stands between `'''` and `'''`",
        ),
        ("invalid multi-line basic string", r#"end it with `"""`"#),
        ("invalid multi-line literal string", "end it with `'''`"),
        ("missing escaped value", BACKSLASH),
        ("too few unicode value digits", BACKSLASH),
        ("cannot recurse further", "put fewer lists and tables into each other"),
        ("unclosed array table", "end the header with `]]`"),
        ("unclosed array", "end the list with `]`"),
        ("unclosed inline table", "end the table with `}`"),
        ("unclosed table", "end the header with `]`"),
        ("extra comma", "take the comma out"),
        ("missing comma", "write a comma between the two"),
        ("extra assignment", "write a comma between the two"),
        ("invalid key-value pair", "a line is `key = value`"),
        ("unquoted keys cannot be empty", "write a name there"),
        ("cannot extend value", "it has a value already, and so is no table: keep one of the two"),
        ("missing opening quote", r#"begin the text with `"`"#),
        ("invalid comment character", "take the character out"),
        ("unexpected leading zero", "leave the zeros before the number out, or put it into quotes"),
        ("`_` may only go between digits", "leave the `_` out, or put a text into quotes"),
        ("invalid float", A_TEXT),
        ("invalid boolean", A_TEXT),
        ("invalid date", A_TEXT),
        ("invalid time", A_TEXT),
        (
            "unexpected key or value",
            "the value ends before this: a key has a line of its own, and a text with quotes in it stands in the other ones",
        ),
    ];
    let begins = |of: &str| message.starts_with(of);
    match found {
        "" if begins("string values must be quoted") => Some("write a value behind the `=`"),
        _ if begins("string values must be quoted") => Some(r#"put the text into straight quotes: `"…"`"#),
        "True" | "False" => Some("write it in small letters: `true`, `false`"),
        _ => REMEDIES.iter().find(|(of, _)| begins(of)).map(|(_, remedy)| *remedy).or(Some(GENERAL)),
    }
}

/// The last line before that of the byte `at` that is the same header of a table; its place.
fn same_header(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let without_comment = |line: &str| line.split('#').next().unwrap_or_default().trim_end().len();
    let bare = |line: &str| {
        let header = line.get(..without_comment(line)).unwrap_or_default();
        header.split_whitespace().collect::<String>()
    };
    let second = bare(text.get(start..)?.lines().next()?);
    let mut before = text.get(..start)?;
    while second.starts_with('[') && !before.is_empty() {
        let line = before.trim_end_matches('\n');
        let begins = line.rfind('\n').map_or(0, |newline| newline + 1);
        let header = line.get(begins..)?;
        if bare(header) == second {
            return Some(begins..begins + without_comment(header));
        }
        before = before.get(..begins)?;
    }
    None
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
