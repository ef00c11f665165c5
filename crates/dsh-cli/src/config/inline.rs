//! Where each byte of a TOML string's value stands in the file.
//!
//! A message about a text that is written in `dsh.toml` points into that file. Between quotes an escape stands for other bytes than it
//! is made of, so the string is decoded a second time, noting where it came from; if the two readings differ, the whole string is
//! pointed at.

use std::ops::Range;

/// From bytes of a text to bytes of the file that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OffsetMap {
    /// The text is the file.
    Identity,
    /// The text is the file from this byte on.
    From(usize),
    /// The text is a string in the file: runs of bytes that stand in the file as they are, by ascending offset.
    Runs(Vec<Run>),
    /// The text is something that is not in the file, and from this byte on the file.
    Behind(usize),
    /// Only the place of the whole is known.
    Whole(Range<usize>),
}

/// Bytes of the text from `text` on stand in the file from `file` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    text: usize,
    file: usize,
}

impl OffsetMap {
    /// The map of the TOML string that stands at `span` of `file` and has this value, or all of it but the newline at its end. What is
    /// said without quotes (in the environment, by a flag) stands for itself.
    pub(crate) fn of_toml_string(file: &str, span: Range<usize>, value: &str) -> Self {
        let raw = file.get(span.clone()).unwrap_or_default();
        if raw == value {
            return Self::Runs(vec![Run { text: 0, file: span.start }]);
        }
        match decode(raw) {
            Some((decoded, runs)) if decoded == value || decoded.strip_suffix('\n') == Some(value) => {
                Self::Runs(runs.into_iter().map(|run| Run { file: run.file + span.start, ..run }).collect())
            }
            _ => Self::Whole(span),
        }
    }

    /// The bytes of the file that `range` of the text was made of.
    pub(crate) fn locate(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::Identity => range,
            Self::Behind(prefix) => range.start.saturating_sub(*prefix)..range.end.saturating_sub(*prefix),
            Self::From(start) => start + range.start..start + range.end,
            Self::Whole(whole) => whole.clone(),
            Self::Runs(runs) => {
                let start = place(runs, range.start, runs.partition_point(|run| run.text <= range.start));
                // Of the runs that begin where the range ends, the first: what follows is no part of it.
                let first = runs.partition_point(|run| run.text < range.end);
                let after = if runs.get(first).is_some_and(|run| run.text == range.end) { first + 1 } else { first };
                start..place(runs, range.end, after).max(start)
            }
        }
    }
}

/// The place of `offset` by the run before index `after`.
fn place(runs: &[Run], offset: usize, after: usize) -> usize {
    match after.checked_sub(1).and_then(|index| runs.get(index)) {
        Some(run) => run.file + (offset - run.text),
        None => 0,
    }
}

/// Decodes a TOML string with its quotes; `None` where it is not one that this understands.
fn decode(raw: &str) -> Option<(String, Vec<Run>)> {
    for (quotes, literal) in [("'''", true), ("\"\"\"", false), ("'", true), ("\"", false)] {
        let Some(inner) = raw.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes)) else { continue };
        let long = quotes.len() == 3;
        let body = if long { inner.strip_prefix('\n').unwrap_or(inner) } else { inner };
        let start = quotes.len() + (inner.len() - body.len());
        if literal {
            return Some((body.to_owned(), vec![Run { text: 0, file: start }]));
        }
        return decode_basic(body, start);
    }
    None
}

/// Decodes what stands between double quotes, from `start` on in the file.
fn decode_basic(body: &str, start: usize) -> Option<(String, Vec<Run>)> {
    let mut text = String::with_capacity(body.len());
    let mut runs = vec![Run { text: 0, file: start }];
    let mut rest = body;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let file = start + (body.len() - escape.len()) - 1;
        runs.push(Run { text: text.len(), file });
        let (decoded, length) = escaped(escape)?;
        text.extend(decoded);
        rest = escape.get(length..)?;
        runs.push(Run { text: text.len(), file: file + 1 + length });
    }
    text.push_str(rest);
    Some((text, runs))
}

/// The character that an escape stands for (none at a line's end), and its length without the backslash.
fn escaped(escape: &str) -> Option<(Option<char>, usize)> {
    let kind = escape.chars().next()?;
    let simple = |character| Some((Some(character), 1));
    match kind {
        'b' => simple('\u{8}'),
        't' => simple('\t'),
        'n' => simple('\n'),
        'f' => simple('\u{c}'),
        'r' => simple('\r'),
        'e' => simple('\u{1b}'),
        '"' | '\\' => simple(kind),
        'x' => by_number(escape, 2),
        'u' => by_number(escape, 4),
        'U' => by_number(escape, 8),
        ' ' | '\t' | '\n' => Some((None, escape.len() - escape.trim_start_matches([' ', '\t', '\n']).len())),
        _ => None,
    }
}

fn by_number(escape: &str, digits: usize) -> Option<(Option<char>, usize)> {
    let number = u32::from_str_radix(escape.get(1..=digits)?, 16).ok()?;
    Some((Some(char::from_u32(number)?), 1 + digits))
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::OffsetMap;

    /// The part of the file that `needle`, a part of the value of `text`, was made of.
    #[track_caller]
    fn located<'f>(file: &'f str, needle: &str) -> &'f str {
        let table = DeTable::parse(file).unwrap();
        let string = table.get_ref().get("text").unwrap();
        let value = string.get_ref().as_str().unwrap();
        let map = OffsetMap::of_toml_string(file, string.span(), value);
        let start = value.find(needle).unwrap();
        file.get(map.locate(start..start + needle.len())).unwrap()
    }

    #[test]
    fn what_is_written_as_it_is_stands_where_it_stands() {
        assert_eq!(located("text = 'a {{b}} c'", "{{b}}"), "{{b}}");
        assert_eq!(located("text = \"a {{b}} c\"", "{{b}}"), "{{b}}");
        assert_eq!(located("text = '''\n\na {{b}} 'c''''", "{{b}}"), "{{b}}");
        assert_eq!(located("x = 1\ntext = \"\"\"\na {{b}} \"c\" \"\"\"", "{{b}}"), "{{b}}");
    }

    #[test]
    fn what_stands_before_a_file_is_nowhere_in_it() {
        let map = OffsetMap::Behind(10);
        assert_eq!([map.locate(0..5), map.locate(5..12), map.locate(10..13)], [0..0, 0..2, 0..3]);
    }

    #[test]
    fn escapes_before_and_inside_are_counted() {
        let file = r#"text = "é\n\u00e9\U0001F600\x41 {{b}} {{\"q\"}} end""#;
        assert_eq!(located(file, "{{b}}"), "{{b}}");
        assert_eq!(located(file, "{{\"q\"}}"), r#"{{\"q\"}}"#);
        assert_eq!(located(file, "\u{1f600}"), r"\U0001F600");
        assert_eq!(located("text = \"\"\"a \\\n   {{b}}\"\"\"", "{{b}}"), "{{b}}");
    }

    #[test]
    fn a_reading_that_differs_points_at_the_whole() {
        let map = OffsetMap::of_toml_string("text = 'a'", 7..10, "b");
        assert_eq!(map.locate(0..1), 7..10);
        assert_eq!(OffsetMap::of_toml_string("", 5..9, "b").locate(0..1), 5..9);
    }
}
