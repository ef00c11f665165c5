//! Where the front matter of a text ends and its body begins.

use std::ops::Range;

/// The line before the front matter and the one behind it.
const FENCE: &str = "---";

/// The parts of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// The first line is not `---`.
    Without {
        /// The first line.
        first: Range<usize>,
        /// A line `---` that only blank lines stand before, or what looks like one.
        almost: Option<Range<usize>>,
    },
    /// The first line is `---`, and no other is.
    Unclosed {
        /// The first line.
        first: Range<usize>,
    },
    /// Front matter and body.
    Whole {
        /// The first line.
        first: Range<usize>,
        /// The YAML.
        front: Range<usize>,
        /// The body without blank lines before it and line ends behind it.
        body: Range<usize>,
    },
}

/// Splits a text; its lines end with LF alone.
pub(super) fn split(text: &str) -> Split {
    let mut lines = lines(text);
    let first = lines.next().unwrap_or(0..0);
    let line = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    if !is_fence(line(&first)) {
        let visible = std::iter::once(first.clone()).chain(lines).find(|range| !line(range).trim().is_empty());
        let almost = visible.filter(|range| line(range).trim_matches(|c: char| !c.is_ascii_graphic()) == FENCE);
        return Split::Without { first, almost };
    }
    let Some(second) = lines.find(|range| is_fence(line(range))) else { return Split::Unclosed { first } };
    let front = (first.end + 1).min(second.start)..second.start;
    Split::Whole { first: 0..FENCE.len(), front, body: body(text, (second.end + 1).min(text.len())) }
}

/// Blanks at its end are not seen, and so do not count.
fn is_fence(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == FENCE
}

/// The lines, without what ends them.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

fn body(text: &str, from: usize) -> Range<usize> {
    let rest = text.get(from..).unwrap_or_default();
    let end = from + rest.trim_end_matches('\n').len();
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
    // Blanks before the first word, on its own line, are part of the text.
    let start = from + rest.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |newline| newline + 1);
    if blank == rest.len() { end..end } else { start..end }
}

#[cfg(test)]
mod tests {
    use super::{Split, split};

    /// The front matter and the body.
    #[track_caller]
    fn parts(text: &str) -> (&str, &str) {
        let Split::Whole { front, body, .. } = split(text) else { panic!("{:?}", split(text)) };
        (text.get(front).unwrap(), text.get(body).unwrap())
    }

    #[test]
    fn the_body_has_no_blank_lines_before_it_and_no_line_ends_behind_it() {
        assert_eq!(parts("---\na: b\n---\n\n \t\nOne.\n\n  Two. \n\n\n"), ("a: b\n", "One.\n\n  Two. "));
        assert_eq!(parts("---\na: b\n---\n\n    code\n"), ("a: b\n", "    code"));
        assert_eq!(parts("---\n---\nOne."), ("", "One."));
    }

    #[test]
    fn a_body_of_blanks_is_empty() {
        for text in ["---\n---", "---\n---\n", "---\n---\n\n", "---\n--- \n \n\t\n", "---\n---\n  "] {
            assert_eq!(parts(text), ("", ""), "{text:?}");
        }
    }

    #[test]
    fn only_the_first_closing_line_closes() {
        assert_eq!(
            parts("--- \na: b\n --- \n---x\n----\n---\t\nOne.\n---\nTwo."),
            ("a: b\n --- \n---x\n----\n", "One.\n---\nTwo.")
        );
    }

    #[test]
    fn a_first_line_that_is_no_fence_is_told() {
        let without = |text, first, almost| assert_eq!(split(text), Split::Without { first, almost }, "{text:?}");
        without("", 0..0, None);
        without("# Title\n---\na: b\n---\n", 0..7, None);
        without("----\n", 0..4, None);
        without("\n \n---\na: b\n---\n", 0..0, Some(3..6));
        without(" ---\na: b\n---\n", 0..4, Some(0..4));
        without("\u{feff}---\na: b\n---\n", 0..6, Some(0..6));
    }

    #[test]
    fn a_fence_that_nothing_closes_is_told() {
        assert_eq!(split("---"), Split::Unclosed { first: 0..3 });
        assert_eq!(split("---\na: b\n ---\n"), Split::Unclosed { first: 0..3 });
    }
}
