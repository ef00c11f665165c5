//! Which variables a template names, without compiling it.

use core::iter::FusedIterator;
use core::ops::Range;

use crate::scan::{Scanner, Token};

/// One `{{name}}` of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reference<'t> {
    /// The name between the braces.
    pub name: &'t str,
    /// Where the reference stands, braces included, in bytes of the text.
    pub range: Range<usize>,
}

/// The references of a template, in order; made by [`references`].
#[derive(Clone, Debug)]
pub struct References<'t> {
    scanner: Scanner<'t>,
}

/// The references of `template`, in order, one for each place; they end before the first malformed place, as rendering does.
///
/// ```
/// let found: Vec<_> = dsh_template::references(r#"{{a}} {{"{{b}}"}} {{a}}"#).map(|r| (r.name, r.range)).collect();
/// assert_eq!(found, [("a", 0..5), ("a", 18..23)]);
/// ```
pub fn references(template: &str) -> References<'_> {
    References { scanner: Scanner::new(template) }
}

impl<'t> Iterator for References<'t> {
    type Item = Reference<'t>;

    fn next(&mut self) -> Option<Reference<'t>> {
        self.scanner.find_map(|token| match token {
            Token::Variable { name, start } => Some(Reference { name, range: reference_range(start, name) }),
            Token::Literal(_) | Token::Quoted(_) | Token::Malformed(_) => None,
        })
    }
}

impl FusedIterator for References<'_> {}

/// Where a reference stands whose braces open at `start`: its form is fixed, so its length follows from the name.
pub(crate) fn reference_range(start: usize, name: &str) -> Range<usize> {
    start..start + name.len() + 4
}
