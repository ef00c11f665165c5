//! The lines of a file that a diagnostic shows, cut where they are long: a list of tools of megabytes is often one line.

use std::ops::Range;

use super::plain::Shown;
use super::source::Source;

/// A place so many bytes into its line is shown without the line's beginning.
const WIDE: usize = 1_000;

/// Of a line that is cut, so many bytes stay before and after a place.
const AROUND: usize = 300;

/// Places with more bytes than this between them are shown apart.
const FAR: usize = 1 << 16;

/// A range is marked up to so many bytes.
const MARKED: usize = 4_096;

/// Some lines of a source, with the places in them.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The lines.
    pub(super) text: String,
    /// The number of the first one.
    pub(super) line: usize,
    /// The ranges that it shows, by their index, and where in the text they are.
    pub(super) marks: Vec<(usize, Range<usize>)>,
}

impl Excerpt {
    /// The excerpts that show these ranges, the first one first: one, unless they are too far apart for that.
    pub(super) fn of(source: &Source, ranges: &[Range<usize>]) -> Vec<Self> {
        let text = source.text.as_str();
        let ranges: Vec<Range<usize>> = ranges.iter().map(|range| on_characters(text, range)).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, range) in ranges.iter().enumerate() {
            let near = |member: &usize| ranges.get(*member).is_some_and(|other| fit_together(text, range, other));
            match groups.iter_mut().find(|group| group.iter().all(near)) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        let marks = |group: Vec<usize>| -> Vec<(usize, Range<usize>)> {
            group.into_iter().filter_map(|index| Some((index, ranges.get(index)?.clone()))).collect()
        };
        groups.into_iter().map(|group| Self::around(source, marks(group))).collect()
    }

    fn around(source: &Source, marks: Vec<(usize, Range<usize>)>) -> Self {
        let text = source.text.as_str();
        let first = marks.iter().map(|(_, range)| range.start).min().unwrap_or(0);
        let last = marks.iter().map(|(_, range)| range.end).max().unwrap_or(0);
        let start = line_start(text, first);
        let from = start.unwrap_or_else(|| text.floor_char_boundary(first.saturating_sub(AROUND)));
        let until = text.ceil_char_boundary((last + WIDE).min(text.len()));
        let rest = text.get(last..until).unwrap_or_default();
        let (to, is_cut) = match rest.find('\n') {
            Some(newline) => (last + newline, false),
            None if until == text.len() => (until, false),
            None => (text.ceil_char_boundary((last + AROUND).min(text.len())), true),
        };
        let shown = Shown::lines(text.get(from..to).unwrap_or_default());
        let (before, after) = (if start.is_none() { "…" } else { "" }, if is_cut { "…" } else { "" });
        let place = |range: Range<usize>| {
            let place = shown.locate(range.start - from..range.end - from);
            before.len() + place.start..before.len() + place.end
        };
        Self {
            line: source.position(from).line,
            marks: marks.into_iter().map(|(index, range)| (index, place(range))).collect(),
            text: format!("{before}{}{after}", shown.text),
        }
    }
}

/// The range, within the text, not too long, and widened to whole characters.
fn on_characters(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start);
    let end = range.end.min(start + MARKED);
    start..text.ceil_char_boundary(end.max(start))
}

/// The start of the line that this byte is in, if it is near.
fn line_start(text: &str, offset: usize) -> Option<usize> {
    let from = text.floor_char_boundary(offset.saturating_sub(WIDE));
    match text.get(from..offset)?.rfind('\n') {
        Some(newline) => Some(from + newline + 1),
        None => (from == 0).then_some(0),
    }
}

/// Whether the two are shown well in one excerpt: next to each other, or on lines whose beginnings can be shown.
fn fit_together(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    let between = second.start.saturating_sub(first.end);
    let starts = || line_start(text, first.start).is_some() && line_start(text, second.start).is_some();
    between <= AROUND || (between <= FAR && starts())
}

#[cfg(test)]
mod tests {
    use super::super::Sources;
    use super::Excerpt;

    /// Its first line's number, its text, and what is marked in it.
    type Shown = (usize, String, Vec<(usize, String)>);

    /// The excerpts of `text` that show each of `needles`, with what is marked in them.
    fn excerpts(text: &str, needles: &[&str]) -> Vec<Shown> {
        let mut sources = Sources::new();
        let id = sources.add("a".to_owned(), text.to_owned());
        let places = needles.iter().map(|needle| text.find(needle).unwrap());
        let ranges: Vec<_> = places.zip(needles).map(|(place, needle)| place..place + needle.len()).collect();
        let excerpts = Excerpt::of(sources.get(id).unwrap(), &ranges);
        let marked = |excerpt: &Excerpt| {
            let marks = excerpt.marks.iter();
            marks.map(|(index, range)| (*index, excerpt.text.get(range.clone()).unwrap().to_owned())).collect()
        };
        excerpts.iter().map(|excerpt| (excerpt.line, excerpt.text.clone(), marked(excerpt))).collect()
    }

    fn mark(index: usize, text: &str) -> (usize, String) {
        (index, text.to_owned())
    }

    #[test]
    fn whole_lines_are_shown_from_the_first_place_to_the_last() {
        let shown = excerpts("zero\none a\ntwo\nthree b\nfour", &["b", "a"]);
        assert_eq!(shown, [(2, "one a\ntwo\nthree b".to_owned(), vec![mark(0, "b"), mark(1, "a")])]);
    }

    #[test]
    fn a_long_line_is_cut_and_places_far_apart_on_it_are_shown_apart() {
        let text = format!("x\n{0}A\u{7}{0}B{0}", "é\u{1}".repeat(2_000));
        let shown = excerpts(&text, &["A\u{7}", "B"]);
        assert_eq!(shown.len(), 2);
        for ((line, text, marks), mark) in shown.iter().zip([mark(0, r"A\u{7}"), mark(1, "B")]) {
            assert_eq!((*line, marks), (2, &vec![mark]));
            assert!(text.len() < 3_000 && text.starts_with('…') && text.ends_with('…'), "{text}");
        }
    }

    #[test]
    fn a_place_at_the_end_of_the_text_is_shown_there() {
        assert_eq!(excerpts("a\n", &["a\n"]), [(1, "a\n".to_owned(), vec![mark(0, "a\n")])]);
        assert_eq!(excerpts("", &[""]), [(1, String::new(), vec![mark(0, "")])]);
    }
}
