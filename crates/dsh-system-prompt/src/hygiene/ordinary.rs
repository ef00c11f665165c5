//! Where characters that are not seen belong to ordinary writing.
//!
//! What a character here leans on is seen itself, or leans on such a one: so showing the hidden characters of a text makes no
//! other one hidden. At most three characters beside it are looked at, so the whole takes linear time.

use crate::hygiene::kind::{HiddenKind, hidden_kind};
use crate::hygiene::ranges::{
    is_emoji, is_hebrew, is_ideograph, is_joined, is_keycap_base, is_mongolian, is_pictograph, is_unspaced, is_virama,
    standardized_forms,
};

const JOINER: char = '\u{200D}';
const NON_JOINER: char = '\u{200C}';
const KEYCAP: char = '\u{20E3}';
const BLACK_FLAG: char = '\u{1F3F4}';
/// The tags that make flags of a black one: England, Scotland, Wales, each with the closing tag.
const TAGGED_FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// How many bytes from `c` on are ordinary writing, `c` with them; 0 if it is hidden. `rest` begins with `c`.
pub(super) fn ordinary_len(before: &str, c: char, kind: HiddenKind, rest: &str) -> usize {
    let after = rest.get(c.len_utf8()..).unwrap_or_default();
    let ordinary = match kind {
        HiddenKind::Control | HiddenKind::Bidirectional => false,
        HiddenKind::Tag => return if before.ends_with(BLACK_FLAG) { flag_len(rest) } else { 0 },
        HiddenKind::VariationSelector => selects(before.chars().next_back(), c, after),
        HiddenKind::ZeroWidth => joins(&Side::before(before), c, &Side::after(after)),
    };
    if ordinary { c.len_utf8() } else { 0 }
}

/// How long the tags at the beginning of a text are, where they make a flag.
fn flag_len(tags: &str) -> usize {
    TAGGED_FLAGS.into_iter().find(|flag| tags.starts_with(flag)).map_or(0, str::len)
}

/// Whether a variation selector has something to choose a form of.
fn selects(base: Option<char>, selector: char, after: &str) -> bool {
    let Some(base) = base else { return false };
    match selector {
        '\u{FE0E}' | '\u{FE0F}' => is_emoji(base) || (is_keycap_base(base) && after.starts_with(KEYCAP)),
        '\u{FE00}'..='\u{FE0D}' => u32::from(selector) - 0xFE00 < standardized_forms(base),
        '\u{180B}'..='\u{180F}' => is_mongolian(base),
        _ => is_ideograph(base),
    }
}

/// Whether a character of no width ties, or keeps apart, what stands on its two sides.
fn joins(left: &Side, c: char, right: &Side) -> bool {
    let either = |is: fn(char) -> bool| left.is_seen() && right.is_seen() && (left.has(is) || right.has(is));
    let both = |is: fn(char) -> bool| left.has(is) && right.has(is);
    match c {
        // A word of another script may take an ending: `PDF` and the Persian plural.
        JOINER | NON_JOINER if either(is_joined) => true,
        // At the end of a word a joiner keeps the form of a letter, and after a virama both do.
        JOINER | NON_JOINER if *right == Side::Edge && left.has(is_virama) => true,
        JOINER => {
            (left.has(is_emoji) && right.has(is_pictograph))
                || (left.has(is_joined) && *right == Side::Edge)
                || (*left == Side::Edge && right.has(is_joined))
        }
        '\u{180E}' => both(is_mongolian),
        '\u{34F}' => both(is_hebrew),
        '\u{200B}' => either(is_unspaced),
        _ => false,
    }
}

/// What stands on one side of a character.
#[derive(PartialEq)]
enum Side {
    /// White space, or nothing.
    Edge,
    /// Something that is not seen.
    Hidden,
    /// Something that is seen.
    Seen(char),
}

impl Side {
    fn of(c: Option<char>) -> Self {
        match c {
            None => Self::Edge,
            Some(c) if c.is_whitespace() => Self::Edge,
            Some(c) if hidden_kind(c).is_some() => Self::Hidden,
            Some(c) => Self::Seen(c),
        }
    }

    fn after(text: &str) -> Self {
        Self::of(text.chars().next())
    }

    /// A selector that selects belongs to what it follows.
    fn before(text: &str) -> Self {
        let mut back = text.chars();
        let last = back.next_back();
        let base = back.next_back();
        match last {
            Some(selector)
                if hidden_kind(selector) == Some(HiddenKind::VariationSelector) && selects(base, selector, "") =>
            {
                Self::of(base)
            }
            _ => Self::of(last),
        }
    }

    fn is_seen(&self) -> bool {
        matches!(self, Self::Seen(_))
    }

    fn has(&self, is: fn(char) -> bool) -> bool {
        matches!(self, Self::Seen(c) if is(*c))
    }
}
