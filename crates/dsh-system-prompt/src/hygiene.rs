//! Hygiene of text that others write: which characters of it no reader sees, and a form that shows them (X12).

mod kind;
mod ordinary;
mod ranges;
mod show;

use std::iter::FusedIterator;

use kind::hidden_kind;
use ordinary::ordinary_len;

pub use kind::{HiddenCharacter, HiddenKind};
pub use show::{show_hidden, show_path};

/// The characters of a text that no reader sees, in order: control, bidirectional, zero-width and tag characters, and variation
/// selectors that select nothing (X12).
///
/// Not among them are tabs and line feeds, and what ordinary writing needs: joiners inside emoji and in the scripts whose letters
/// join or stack (Arabic, Syriac, Mongolian, N'Ko, the Indic ones and Sinhala, Khmer, Myanmar and their like), a variation
/// selector right after something that it can choose a form of, the tags of the three flags that are made of tags, U+200B between
/// words of Thai, Lao, Khmer and Myanmar.
///
/// Takes time linear in the text; plain ASCII is skipped by bytes.
///
/// ```
/// use dsh_system_prompt::{HiddenKind, hidden_characters};
///
/// let found: Vec<_> = hidden_characters("Read a file.\u{200B} \u{2066}x\u{2069}").collect();
/// assert_eq!(found.len(), 3);
/// assert_eq!((found[0].offset, found[0].character, found[0].kind), (12, '\u{200B}', HiddenKind::ZeroWidth));
/// assert_eq!(found[1].to_string(), "U+2066");
/// // Persian, and an emoji sequence.
/// assert_eq!(hidden_characters("\u{645}\u{6CC}\u{200C}\u{62E}\u{648}, \u{1F468}\u{200D}\u{1F469}").count(), 0);
/// ```
pub fn hidden_characters(text: &str) -> HiddenCharacters<'_> {
    HiddenCharacters { text, at: 0 }
}

/// The hidden characters of a text, in order; made by [`hidden_characters`].
#[derive(Clone, Debug)]
pub struct HiddenCharacters<'t> {
    text: &'t str,
    /// Where to look on; never inside a character.
    at: usize,
}

impl Iterator for HiddenCharacters<'_> {
    type Item = HiddenCharacter;

    fn next(&mut self) -> Option<HiddenCharacter> {
        loop {
            let offset = self.at + next_candidate(self.text.as_bytes().get(self.at..)?)?;
            let (before, rest) = self.text.split_at_checked(offset)?;
            let character = rest.chars().next()?;
            let Some(kind) = hidden_kind(character) else {
                self.at = offset + character.len_utf8();
                continue;
            };
            let ordinary = ordinary_len(before, character, kind, rest);
            if ordinary > 0 {
                self.at = offset + ordinary;
                continue;
            }
            self.at = offset + character.len_utf8();
            return Some(HiddenCharacter { offset, character, kind });
        }
    }
}

impl FusedIterator for HiddenCharacters<'_> {}

/// How many bytes are looked at together.
const STRIDE: usize = 32;

/// The first byte at which a hidden character may begin.
fn next_candidate(bytes: &[u8]) -> Option<usize> {
    let (strides, _) = bytes.as_chunks::<STRIDE>();
    // No early way out within a stride, so that it is done with wide registers.
    let plain = strides.iter().take_while(|stride| !stride.iter().fold(false, |any, byte| any | is_suspect(*byte)));
    let from = plain.count() * STRIDE;
    let rest = bytes.get(from..)?;
    rest.iter().position(|byte| may_begin_hidden(*byte)).map(|index| from + index)
}

/// A byte that ordinary ASCII text does not have.
fn is_suspect(byte: u8) -> bool {
    byte >= 0x7F || (byte < b' ' && byte != b'\t' && byte != b'\n')
}

/// Whether a character of [`hidden_kind`] begins with this byte.
fn may_begin_hidden(byte: u8) -> bool {
    match byte {
        b'\t' | b'\n' => false,
        0..0x20 | 0x7F | 0xC2 | 0xCD | 0xD8 | 0xE1 | 0xE2 | 0xE3 | 0xEF | 0xF0 | 0xF3 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::kind::hidden_kind;
    use super::{is_suspect, may_begin_hidden, next_candidate};

    #[test]
    fn no_hidden_character_is_skipped_by_its_first_byte() {
        let mut buffer = [0; 4];
        for c in ('\0'..=char::MAX).filter(|c| hidden_kind(*c).is_some()) {
            let first = c.encode_utf8(&mut buffer).as_bytes()[0];
            assert!(is_suspect(first) && may_begin_hidden(first), "{c:?}");
        }
        assert!(!(b' '..0x7F).any(|byte| is_suspect(byte) || may_begin_hidden(byte)));
    }

    #[test]
    fn a_candidate_is_found_at_each_place_of_a_stride() {
        for len in 0..100_usize {
            let mut bytes = vec![b'a'; len];
            assert_eq!(next_candidate(&bytes), None);
            // A letter of another script, which is no candidate, stops the stride and not the search.
            bytes.extend("\u{E9}".bytes());
            bytes.extend([b'a'; 40]);
            assert_eq!(next_candidate(&bytes), None);
            bytes.push(0x1B);
            assert_eq!(next_candidate(&bytes), Some(len + 42));
        }
    }
}
