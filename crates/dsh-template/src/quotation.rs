//! Which groups of a template stand for a string, without compiling it.

use core::iter::FusedIterator;
use core::ops::Range;

use crate::quoted;
use crate::reference::reference_range;
use crate::scan::{Scanner, Token};

/// How much longer a group is than what stands between its quotes.
const BRACES_AND_QUOTES: usize = r#"{{""}}"#.len();

/// The groups `{{"..."}}` of a template, in order; made by [`quotations`].
#[derive(Clone, Debug)]
pub struct Quotations<'t> {
    scanner: Scanner<'t>,
    /// All before it has been given out.
    at: usize,
}

/// A group `{{"..."}}` of a template (X1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Quotation {
    /// Where it stands, braces included, in bytes of the text.
    pub range: Range<usize>,
    /// How many bytes the string has that it stands for.
    pub len: usize,
}

/// The groups of `template` that stand for a string, in order; they end before the first malformed place, as rendering does. (X1)
///
/// ```
/// let found: Vec<_> = dsh_template::quotations(r#"a {{"{{b}}"}} {{c}}{{"\n"}}"#).map(|q| (q.range, q.len)).collect();
/// assert_eq!(found, [(2..13, 5), (19..27, 1)]);
/// ```
pub fn quotations(template: &str) -> Quotations<'_> {
    Quotations { scanner: Scanner::new(template), at: 0 }
}

impl Iterator for Quotations<'_> {
    type Item = Quotation;

    fn next(&mut self) -> Option<Quotation> {
        for token in self.scanner.by_ref() {
            match token {
                Token::Literal(text) => self.at += text.len(),
                Token::Variable { name, start } => self.at = reference_range(start, name).end,
                Token::Quoted(body) => {
                    let range = self.at..self.at + body.len() + BRACES_AND_QUOTES;
                    self.at = range.end;
                    return Some(Quotation { range, len: quoted::decoded_len(body) });
                }
                Token::Malformed(_) => {}
            }
        }
        None
    }
}

impl FusedIterator for Quotations<'_> {}
