//! Where a key or a header stands that stands once more further down.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys and headers of a document, by what they say.
#[derive(Debug, Default)]
pub(super) struct Firsts<'d> {
    /// The places of a key within the same braces, in their order; of one that is in none, `None`.
    keys: BTreeMap<(&'d str, Option<usize>), Vec<Range<usize>>>,
    braces: Vec<Braces>,
    /// Where these begin, in order.
    starts: Vec<(usize, usize)>,
    /// The places of the headers of tables, in their order.
    headers: HashMap<String, Vec<Range<usize>>>,
}

/// A table in braces.
#[derive(Debug)]
struct Braces {
    place: Range<usize>,
    /// The ones that it stands in.
    outer: Option<usize>,
}

impl<'d> Firsts<'d> {
    pub(super) fn of(document: &'d DeTable<'d>, text: &str) -> Self {
        let mut firsts = Self::default();
        firsts.take(document, text, None);
        for places in firsts.keys.values_mut() {
            places.sort_unstable_by_key(|place| place.start);
        }
        firsts.starts = firsts.braces.iter().map(|braces| braces.place.start).zip(0..).collect();
        firsts.starts.sort_unstable();
        for (header, place) in headers(text) {
            firsts.headers.entry(header).or_default().push(place);
        }
        firsts
    }

    /// The last key of this name before the byte `second`; one in braces that do not hold that is another table's.
    pub(super) fn key(&self, name: &str, second: usize) -> Option<Range<usize>> {
        let holds = |braces: &usize| self.braces.get(*braces).is_some_and(|braces| braces.place.contains(&second));
        let outer = |braces: &usize| self.braces.get(*braces).and_then(|braces| braces.outer);
        // The last that begins before it, or one that this stands in.
        let after = self.starts.partition_point(|(start, _)| *start <= second);
        let nearest = after.checked_sub(1).and_then(|last| self.starts.get(last)).map(|(_, braces)| *braces);
        let holding = std::iter::successors(nearest, outer).filter(holds);
        holding
            .map(Some)
            .chain([None])
            .filter_map(|braces| last_before(self.keys.get(&(name, braces))?, second))
            .max_by_key(|place| place.start)
    }

    /// The last line before that of the byte `second` that is the same header of a table.
    pub(super) fn header(&self, text: &str, second: usize) -> Option<Range<usize>> {
        let begins = text.get(..second)?.rfind('\n').map_or(0, |newline| newline + 1);
        let header = header(text.get(begins..)?.lines().next()?)?;
        last_before(self.headers.get(&header)?, begins)
    }

    fn take(&mut self, table: &'d DeTable<'d>, text: &str, braces: Option<usize>) {
        for (key, value) in table {
            self.keys.entry((key.get_ref(), braces)).or_default().push(key.span());
            self.take_value(value, text, braces);
        }
    }

    fn take_value(&mut self, value: &'d Spanned<DeValue<'d>>, text: &str, outer: Option<usize>) {
        match value.get_ref() {
            DeValue::Table(table) => {
                let place = value.span();
                if text.get(place.clone()).is_some_and(|text| text.starts_with('{')) {
                    self.braces.push(Braces { place, outer });
                    self.take(table, text, Some(self.braces.len() - 1));
                } else {
                    self.take(table, text, outer);
                }
            }
            DeValue::Array(items) => items.iter().for_each(|item| self.take_value(item, text, outer)),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
    }
}

fn last_before(places: &[Range<usize>], second: usize) -> Option<Range<usize>> {
    let before = places.partition_point(|place| place.start < second);
    before.checked_sub(1).and_then(|last| places.get(last)).cloned()
}

/// The lines that are the header of a table, or look like one, each with its place.
pub(super) fn headers(text: &str) -> impl Iterator<Item = (String, Range<usize>)> {
    let mut begins = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let place = begins..begins + length_without_comment(line);
        begins += line.len();
        Some((header(line)?, place))
    })
}

/// What a line says, without spaces, if it is the header of a table.
fn header(line: &str) -> Option<String> {
    let header = line.get(..length_without_comment(line)).unwrap_or_default();
    header.trim_start().starts_with('[').then(|| header.split_whitespace().collect())
}

fn length_without_comment(line: &str) -> usize {
    line.split('#').next().unwrap_or_default().trim_end().len()
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::Firsts;

    /// The line of the first of what stands at `second`.
    fn first(text: &str, name: &str, second: &str) -> Option<usize> {
        let (document, _) = DeTable::parse_recoverable(text);
        let at = text.rfind(second).unwrap();
        let firsts = Firsts::of(document.get_ref(), text);
        let place = firsts.key(name, at).or_else(|| firsts.header(text, at))?;
        Some(1 + text.get(..place.start).unwrap().matches('\n').count())
    }

    #[test]
    fn the_first_is_the_last_one_before_in_the_same_braces() {
        assert_eq!(first("a = 1\nb = { a = 2 }\na = 3\n", "a", "a = 3"), Some(1));
        assert_eq!(
            first("a = 1\nb = { c = { x = 1 }, d = {\n a = 2,\n c = { a = 0 }, a = 3 } }\n", "a", "a = 3"),
            Some(3)
        );
        assert_eq!(first("[t]\na = 1\n[u]\na = 2\na = 3\n", "a", "a = 3"), Some(4));
        assert_eq!(first("b = { a = 2 }\n", "a", "}"), Some(1));
        assert_eq!(first("b = { a = 2 }\nc = 1\n", "a", "c = 1"), None);
    }

    #[test]
    fn a_header_is_found_whatever_spaces_and_comments_it_has() {
        assert_eq!(first("[ x . y ] # one\nz = 1\n\n[x.y]\n", "nothing", "[x.y]"), Some(1));
        assert_eq!(first("[x]\n[x]\n[y]\n[x]", "nothing", "[x]"), Some(2));
        assert_eq!(first("x\n[y]\n", "nothing", "[y]"), None);
    }
}
