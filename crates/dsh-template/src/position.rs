//! Line and column of a byte.

use memchr::{memchr_iter, memrchr};

use crate::scan::part;

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Position {
    /// From 1; a line ends after its line feed.
    pub line: usize,
    /// From 1, in characters (Unicode scalar values), not in bytes.
    pub column: usize,
}

impl Position {
    /// The position of a byte of `source`. A byte inside a character counts as the character, one past the end as the end.
    ///
    /// ```
    /// use dsh_template::{Position, Template};
    ///
    /// let source = "one\ntwö {{x y}}";
    /// let template = Template::compile(source);
    /// let at = Position::of(source, template.malformed().expect("x y is no name").range().start);
    /// assert_eq!((at.line, at.column), (2, 5));
    /// ```
    pub fn of(source: &str, byte: usize) -> Self {
        let before = part(source, 0..source.floor_char_boundary(byte));
        let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |feed| feed + 1);
        Self {
            line: memchr_iter(b'\n', before.as_bytes()).count() + 1,
            column: part(before, line_start..before.len()).chars().count() + 1,
        }
    }
}
