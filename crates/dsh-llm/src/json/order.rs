//! The order of keys and names: by UTF-16 code units.

use std::cmp::Ordering;

/// Compares two texts by their UTF-16 code units, as JavaScript does (contract X5 for keys, S6 for tool names).
///
/// It differs from Rust's order of `str` in one place: characters above U+FFFF stand before U+E000 to U+FFFF.
///
/// ```
/// use std::cmp::Ordering;
///
/// assert_eq!(dsh_llm::utf16_cmp("a", "b"), Ordering::Less);
/// assert_eq!(dsh_llm::utf16_cmp("\u{1F600}", "\u{FF5E}"), Ordering::Less);
/// assert_eq!("\u{1F600}".cmp("\u{FF5E}"), Ordering::Greater);
/// ```
pub fn utf16_cmp(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}
