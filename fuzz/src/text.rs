//! Bytes as a text, for targets whose input is one.

use std::borrow::Cow;
use std::ops::Range;

/// The text of these bytes; what is no UTF-8 in it is replaced, so that no input is lost.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The part of a text at a place that was told: it lies in the text and between characters.
#[track_caller]
pub(crate) fn at(text: &str, range: Range<usize>) -> &str {
    let part = text.get(range.clone());
    assert!(part.is_some(), "{range:?} is no place in {text:?}");
    part.unwrap_or_default()
}
