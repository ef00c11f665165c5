//! What is said of a `dsh.toml` that is no TOML.

mod firsts;

use std::cell::OnceCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use self::firsts::Firsts;
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::names::quoted;

/// So deep may tables and lists stand in one another: each of the parser's own limits is this one, and they multiply.
const DEEPEST: usize = 80;

/// The diagnostic of a document in which something stands too deep.
pub(super) fn too_deep(source: SourceId, document: &DeTable<'_>) -> Option<Diagnostic> {
    let (value, _) = values(document).find(|(_, depth)| *depth > DEEPEST)?;
    let headline = format!("not readable as TOML: tables and lists stand more than {DEEPEST} deep in one another");
    let start = value.span().start;
    let diagnostic =
        Diagnostic::error("config::not_toml", headline).at(Span::new(source, start..start + 1), "too deep");
    Some(diagnostic.with_help("a configuration needs a few of them: take the others out"))
}

/// The diagnostic of a document with a number that is none, such as `7_0xF`: the parser takes that for an integer.
pub(super) fn no_number(source: SourceId, document: &DeTable<'_>) -> Option<Diagnostic> {
    let is_none = |value: &DeValue<'_>| match value {
        DeValue::Integer(integer) => {
            let digits = integer.as_str().trim_start_matches(['+', '-']);
            digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(integer.radix()))
        }
        DeValue::Float(float) => float.as_str().parse::<f64>().is_err(),
        DeValue::String(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            false
        }
    };
    let (value, _) = values(document).find(|(value, _)| is_none(value.get_ref()))?;
    let diagnostic = Diagnostic::error("config::not_toml", "not readable as TOML: a number cannot be written so");
    let diagnostic = diagnostic.at(Span::new(source, value.span()), "is no number");
    Some(diagnostic.with_help("write its digits alone, or put it into quotes if it is a text"))
}

/// All values of a document, each with the number of tables and lists that it stands in.
fn values<'d>(document: &'d DeTable<'_>) -> impl Iterator<Item = (&'d Spanned<DeValue<'d>>, usize)> {
    let mut left: Vec<(&Spanned<DeValue<'_>>, usize)> = document.values().map(|value| (value, 1)).collect();
    std::iter::from_fn(move || {
        let (value, depth) = left.pop()?;
        match value.get_ref() {
            DeValue::Table(table) => left.extend(table.values().map(|value| (value, depth + 1))),
            DeValue::Array(items) => left.extend(items.iter().map(|value| (value, depth + 1))),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
        Some((value, depth))
    })
}

/// So many tables may have a header: for one that comes twice, or behind a table within it, the parser moves all others by a place.
const MOST_HEADERS: usize = 10_000;

/// The diagnostic of a document whose tables are so many that reading it would take long. Lists of tables cost nothing of the kind.
pub(super) fn too_many_headers(source: SourceId, text: &str) -> Option<Diagnostic> {
    let first_too_many = tables(text).nth(MOST_HEADERS)?;
    let headline = format!("not readable as TOML: more than {MOST_HEADERS} tables have a header of their own");
    let diagnostic =
        Diagnostic::error("config::not_toml", headline).at(Span::new(source, first_too_many), "one too many");
    Some(diagnostic.with_help("a configuration needs a few of them: take the others out"))
}

/// Where the header of each table begins: a bracket that is the first of its line, outside of every value, and alone.
fn tables(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut tokens = Source::new(text).lex().peekable();
    let (mut open, mut is_first, mut in_header) = (0_usize, true, false);
    std::iter::from_fn(move || {
        loop {
            let token = tokens.next()?;
            let stands_first = std::mem::replace(&mut is_first, token.kind() == TokenKind::Newline);
            match token.kind() {
                TokenKind::Whitespace => is_first = stands_first,
                // A header ends with its line, closed or not.
                TokenKind::Newline if in_header => (open, in_header) = (0, false),
                TokenKind::LeftSquareBracket if stands_first && open == 0 => {
                    in_header = true;
                    if tokens.next_if(|next| next.kind() == TokenKind::LeftSquareBracket).is_none() {
                        open = 1;
                        return Some(token.span().start()..token.span().end());
                    }
                    open = 2;
                }
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => open += 1,
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => open = open.saturating_sub(1),
                TokenKind::Dot
                | TokenKind::Equals
                | TokenKind::Comma
                | TokenKind::Comment
                | TokenKind::Newline
                | TokenKind::LiteralString
                | TokenKind::BasicString
                | TokenKind::MlLiteralString
                | TokenKind::MlBasicString
                | TokenKind::Atom
                | TokenKind::Eof => {}
            }
        }
    })
}

/// A document that the parser has errors of.
pub(super) struct Broken<'d> {
    source: SourceId,
    text: &'d str,
    /// What the parser could make of it.
    document: &'d Spanned<DeTable<'d>>,
    /// Made when it is first asked for: a file of thousands of keys may have all of them twice.
    firsts: OnceCell<Firsts<'d>>,
}

impl<'d> Broken<'d> {
    pub(super) fn new(source: SourceId, text: &'d str, document: &'d Spanned<DeTable<'d>>) -> Self {
        Self { source, text, document, firsts: OnceCell::new() }
    }

    /// The diagnostic of one of the parser's errors.
    pub(super) fn diagnostic(&self, error: &toml::de::Error) -> Diagnostic {
        let (source, text) = (self.source, self.text);
        let headline = format!("not readable as TOML: {}", error.message());
        let of = |headline: String| Diagnostic::error("config::not_toml", headline);
        let Some(range) = error.span() else {
            // The parser gives up on a file that is nested too deep, and does not say where.
            return of(headline).at(Span::new(source, 0..0), "somewhere in this file");
        };
        // It may point into the midst of a character.
        let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
        let found = text.get(range.clone()).unwrap_or_default();
        let Some(key) = Some(found).filter(|_| error.message() == "duplicate key") else {
            let remedy = remedy(error.message(), found).map(str::to_owned);
            return of(headline).at(Span::new(source, range), "").with_help_if(remedy);
        };
        let name = key.trim_matches(['"', '\'']);
        let firsts = self.firsts.get_or_init(|| Firsts::of(self.document.get_ref(), text));
        let first = firsts.key(name, range.start).or_else(|| firsts.header(text, range.start));
        let diagnostic = of(format!("{headline} {}", quoted(name))).at(Span::new(source, range), "the second");
        match first {
            Some(first) => diagnostic.at(Span::new(source, first), "the first").with_help("keep one of the two"),
            None => diagnostic.with_help("keep one of them"),
        }
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

#[cfg(test)]
mod tests {
    use super::tables;

    fn lines(text: &str) -> Vec<usize> {
        tables(text).map(|range| text.get(..range.start).unwrap_or_default().matches('\n').count() + 1).collect()
    }

    #[test]
    fn headers_of_tables_are_told_from_lists_and_from_what_strings_and_lists_hold() {
        let text = "[a]\nx = \"\"\"\n[no]\n\"\"\"\n[[list]]\n  [b.c] # said\ny = [\n[1],\n[2]]\n[\"d#1\"]\nz = '''\n[no]'''\n['e]']\n# [no]\n";
        assert_eq!(lines(text), [1, 6, 10, 13]);
        assert_eq!(lines("[a\n[b]\n"), [1, 2]);
        assert_eq!(lines("").len(), 0);
    }
}
