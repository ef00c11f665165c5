//! The scanner: cuts a template into literals, quoted strings and references, up to the first malformed place.
//!
//! Invariant: every byte is looked at a bounded number of times. A reading that succeeds consumes what it read. One that fails
//! ends the scan, whichever way it fails: with a `}}` later in the text the place is malformed; without one nothing later can
//! close either, so all the rest is prose. Hence no search is ever made twice over the same bytes.

use core::iter::FusedIterator;
use core::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::fault::Fault;
use crate::quoted;

#[cfg(test)]
mod tests;

/// Whether `name` can stand between the braces of a reference: `[a-z][a-z0-9_]*`.
///
/// ```
/// assert!(dsh_template::is_variable_name("model_2"));
/// assert!(!dsh_template::is_variable_name("Model"));
/// assert!(!dsh_template::is_variable_name(""));
/// ```
pub fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A part of a text. The ranges in this crate are made at ASCII bytes, so that the slice is always there.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    debug_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end), "a range inside a character");
    text.get(range).unwrap_or_default()
}

/// What the scanner found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// Prose. Two may follow each other.
    Literal(&'t str),
    /// What stands between the quotes of `{{"..."}}`: a valid JSON string, still escaped.
    Quoted(&'t str),
    /// A reference whose `{{` stands at `start`.
    Variable { name: &'t str, start: usize },
    /// The first malformed place, and the last token.
    Malformed(Malformed),
}

/// A malformed place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The whole group where it is complete, else from its `{{` through the brace at which it broke off.
    pub(crate) range: Range<usize>,
    /// The end of the first `}}` after the `{{`: how far a reader's eye would take the group to go.
    pub(crate) shown_to: usize,
    /// What is wrong with it.
    pub(crate) fault: Fault,
}

/// An iterator of the tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    /// All before it has been given out.
    at: usize,
    /// How many bytes were looked at, for the tests of linear time.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) looked_at: usize,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            #[cfg(any(test, feature = "fuzzing"))]
            looked_at: 0,
        }
    }

    /// The next `{{` at or after `from`.
    fn next_open(&mut self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(found) = memchr(b'{', bytes.get(at..)?) {
            let open = at + found;
            if bytes.get(open + 1) == Some(&b'{') {
                self.count(open + 2 - from);
                return Some(open);
            }
            at = open + 1;
        }
        self.count(bytes.len() - from);
        None
    }

    /// Reads what a `{{` at `open` begins.
    fn group(&mut self, open: usize) -> Token<'t> {
        let bytes = self.text.as_bytes();
        let inside = open + 2;
        let mut quote_fault = None;
        if bytes.get(inside) == Some(&b'"') {
            let body = inside + 1;
            match quoted::closing_quote(self.text, body) {
                Ok(quote) => {
                    self.count(quote + 3 - inside);
                    self.at = quote + 3;
                    return Token::Quoted(part(self.text, body..quote));
                }
                Err((fault, at)) => {
                    self.count(at + 1 - inside);
                    quote_fault = Some(Fault::Quoted { fault, at });
                }
            }
        }

        let rest = bytes.get(inside..).unwrap_or_default();
        let stop = memchr2(b'{', b'}', rest).map(|found| inside + found);
        self.count(stop.unwrap_or(bytes.len()) - inside);
        if let Some(stop) = stop {
            let complete = bytes.get(stop..).is_some_and(|tail| tail.starts_with(b"}}"));
            let name = part(self.text, inside..stop);
            if complete && is_variable_name(name) {
                self.count(name.len());
                self.at = stop + 2;
                return Token::Variable { name, start: open };
            }
            let closing = if complete { Some(stop) } else { self.next_close(inside) };
            if let Some(closing) = closing {
                self.at = bytes.len();
                return Token::Malformed(Malformed {
                    range: open..if complete { stop + 2 } else { stop + 1 },
                    shown_to: closing + 2,
                    fault: quote_fault.unwrap_or(if complete { Fault::NotAName } else { Fault::BrokenOff }),
                });
            }
        }

        // Nothing closes after here, so no later `{{` can mean anything either.
        self.at = bytes.len();
        Token::Literal(part(self.text, open..bytes.len()))
    }

    /// The next `}}` at or after `from`, wherever it stands.
    fn next_close(&mut self, from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        let found = memmem::find(rest, b"}}");
        self.count(found.unwrap_or(rest.len()));
        found.map(|found| from + found)
    }

    #[cfg(any(test, feature = "fuzzing"))]
    fn count(&mut self, bytes: usize) {
        self.looked_at += bytes;
    }

    #[cfg(not(any(test, feature = "fuzzing")))]
    #[expect(clippy::unused_self, clippy::needless_pass_by_ref_mut, reason = "its twin in tests counts")]
    #[inline]
    fn count(&mut self, _bytes: usize) {}
}

impl<'t> Iterator for Scanner<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let from = self.at;
        if from >= self.text.len() {
            return None;
        }
        match self.next_open(from) {
            Some(open) if open == from => Some(self.group(open)),
            open => {
                self.at = open.unwrap_or(self.text.len());
                Some(Token::Literal(part(self.text, from..self.at)))
            }
        }
    }
}

impl FusedIterator for Scanner<'_> {}
