//! The code spans of a Markdown text, as far as names are looked for in them.

use std::collections::HashMap;
use std::ops::Range;

/// The ranges of what stands in code spans, without the white space at their ends, in order.
///
/// A span begins at a row of backticks and ends at the next row of the same length; it does not go over an empty line.
pub(super) fn code_spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split("\n\n").flat_map(move |paragraph| {
        let start = at;
        at += paragraph.len() + 2;
        spans_of_paragraph(paragraph).into_iter().map(move |span| start + span.start..start + span.end)
    })
}

fn spans_of_paragraph(paragraph: &str) -> Vec<Range<usize>> {
    let rows = rows(paragraph);
    // For each row the next one of its length, found from the end, so that no search is made twice.
    let mut last: HashMap<usize, usize> = HashMap::new();
    let mut closing: Vec<Option<usize>> =
        rows.iter().enumerate().rev().map(|(index, row)| last.insert(row.len(), index)).collect();
    closing.reverse();
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some(open) = rows.get(index) {
        index += 1;
        let Some(closer) = closing.get(index - 1).copied().flatten() else { continue };
        let Some(close) = rows.get(closer) else { continue };
        let inner = paragraph.get(open.end..close.start).unwrap_or_default();
        let start = open.end + (inner.len() - inner.trim_start().len());
        spans.push(start..start + inner.trim().len());
        index = closer + 1;
    }
    spans
}

/// The rows of backticks.
fn rows(text: &str) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match rows.last_mut() {
            Some(row) if row.end == at => row.end = at + 1,
            Some(_) | None => rows.push(at..at + 1),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::code_spans;

    fn spans(text: &str) -> Vec<&str> {
        code_spans(text).filter_map(|range| text.get(range)).collect()
    }

    #[test]
    fn a_span_is_closed_by_a_row_of_its_own_length() {
        assert_eq!(spans("`a` b ` c d ` e"), ["a", "c d"]);
        assert_eq!(spans("``a ` b`` `c`"), ["a ` b", "c"]);
        assert_eq!(spans("```\nfs/read\n``` `x"), ["fs/read"]);
        assert_eq!(spans("it`s\n\n`fs/read` it`s"), ["fs/read"]);
        assert_eq!(spans("``  `` ` `"), ["", ""]);
    }
}
