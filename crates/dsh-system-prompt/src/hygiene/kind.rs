//! The kinds of characters that no reader sees.

use std::fmt;

/// Why a character is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HiddenKind {
    /// C0 but tab and line feed, DEL, C1, and the line and paragraph separators U+2028 and U+2029.
    Control,
    /// Turns the direction of what stands round it, so that it is read in another order than it has.
    Bidirectional,
    /// Takes no room: spaces and joiners of no width, fillers, the soft hyphen, annotations, and what Unicode keeps for such.
    ZeroWidth,
    /// A tag (U+E0000 to U+E007F): a whole alphabet that nothing shows.
    Tag,
    /// A variation selector where there is nothing that it could choose a form of.
    VariationSelector,
}

impl HiddenKind {
    /// The name in small letters, as reports print it.
    ///
    /// ```
    /// assert_eq!(dsh_system_prompt::HiddenKind::ZeroWidth.as_str(), "zero-width");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Bidirectional => "bidirectional",
            Self::ZeroWidth => "zero-width",
            Self::Tag => "tag",
            Self::VariationSelector => "variation selector",
        }
    }
}

impl fmt::Display for HiddenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One character that no reader sees. It is written as its code point: `U+202E`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HiddenCharacter {
    /// Where it stands, in bytes of the text.
    pub offset: usize,
    /// The character itself.
    pub character: char,
    /// Why it is hidden.
    pub kind: HiddenKind,
}

impl fmt::Display for HiddenCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("U+{:04X}", u32::from(self.character)))
    }
}

/// Of which kind a character is, wherever it stands; `None` for one that is seen.
pub(super) fn hidden_kind(c: char) -> Option<HiddenKind> {
    Some(match c {
        '\t' | '\n' => return None,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' => HiddenKind::Control,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            HiddenKind::Bidirectional
        }
        // The soft hyphen, and the joiner of graphemes.
        '\u{AD}' | '\u{34F}'
        // Fillers of Hangul, and two vowels of Khmer that are not written.
        | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{17B4}' | '\u{17B5}'
        // The Mongolian vowel separator; spaces and joiners; invisible operators and old format characters.
        | '\u{180E}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}'
        // Annotations, shorthand, music, and places that are kept for more.
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0080}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}' => HiddenKind::ZeroWidth,
        '\u{E0000}'..='\u{E007F}' => HiddenKind::Tag,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
            HiddenKind::VariationSelector
        }
        _ => return None,
    })
}
