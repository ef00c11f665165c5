//! Which characters are what, in Unicode 16: tables of code points, and questions to them.
//!
//! A table is a rising list of borders: a range begins at each first one and ends before each second one. A test holds those
//! that are properties of Unicode against the tables of `regex-syntax`.

/// A letter or mark of a script that needs joiners.
pub(super) fn is_joined(c: char) -> bool {
    holds(JOINED, c)
}

/// What a presentation selector may follow and a joiner may bind: a pictograph, or the skin tone that ends one.
pub(super) fn is_emoji(c: char) -> bool {
    is_pictograph(c) || matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// A pictograph, which is what an emoji sequence goes on with after a joiner.
pub(super) fn is_pictograph(c: char) -> bool {
    holds(PICTOGRAPHS, c)
}

/// A sign that becomes a keycap.
pub(super) fn is_keycap_base(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

/// A Mongolian letter: what free variation selectors and the vowel separator stand with.
pub(super) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18AA}')
}

/// A letter or mark of a script that is written without spaces and breaks its lines at U+200B: Thai, Lao, Khmer, Myanmar.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E01}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{A9E0}'..='\u{A9FF}')
        || matches!(c, '\u{AA60}'..='\u{AA7F}')
}

/// A Hebrew letter or mark: the order of marks is kept by U+034F there.
pub(super) fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5C7}' | '\u{5D0}'..='\u{5EA}')
}

/// A sign that silences a vowel: after it a non-joiner asks for its visible form, also at the end of a word.
pub(super) fn is_virama(c: char) -> bool {
    matches!(c, '\u{94D}' | '\u{9CD}' | '\u{A4D}' | '\u{ACD}' | '\u{B4D}' | '\u{BCD}' | '\u{C4D}' | '\u{CCD}')
        || matches!(c, '\u{D3B}' | '\u{D3C}' | '\u{D4D}' | '\u{DCA}' | '\u{1039}' | '\u{103A}' | '\u{17D2}')
}

/// An ideograph, of which the supplementary selectors choose a form.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
        || matches!(c, '\u{20000}'..='\u{2F7FF}' | '\u{30000}'..='\u{3FFFD}')
}

/// How many of the selectors from U+FE00 on choose a form of this character, where it has standardized ones.
pub(super) fn standardized_forms(c: char) -> u32 {
    match c {
        // Hieroglyphs may be turned.
        '\u{13000}'..='\u{1342F}' => 7,
        // An ideograph of the compatibility block is a form of a unified one.
        _ if is_ideograph(c) => 3,
        _ if holds(TWO_FORMS, c) => 2,
        _ if holds(ONE_FORM, c) => 1,
        _ => 0,
    }
}

fn holds(borders: &[u32], c: char) -> bool {
    borders.partition_point(|border| *border <= u32::from(c)) % 2 == 1
}

/// Letters and marks of scripts whose letters join or stack (the cursive ones from Arabic to Adlam; the Indic ones with a virama,
/// Sinhala, Khmer and Myanmar among them), by `Script_Extensions`. Unassigned places inside their blocks are taken along.
const JOINED: &[u32] = &[
    0x0610, 0x061B, 0x0620, 0x0660, 0x066E, 0x06D4, 0x06D5, 0x06DD, 0x06DF, 0x06E9, 0x06EA, 0x06F0, 0x06FA, 0x06FD,
    0x06FF, 0x0700, 0x0710, 0x0780, 0x07CA, 0x07F6, 0x07FA, 0x07FE, 0x0840, 0x085C, 0x0860, 0x0888, 0x0889, 0x088F,
    0x0897, 0x08E2, 0x08E3, 0x0953, 0x0955, 0x0964, 0x0971, 0x09E4, 0x09F0, 0x09F2, 0x09FC, 0x09FD, 0x09FE, 0x0A5F,
    0x0A70, 0x0A76, 0x0A81, 0x0AE4, 0x0AF9, 0x0B64, 0x0B71, 0x0B72, 0x0B82, 0x0BD8, 0x0C00, 0x0C64, 0x0C80, 0x0C84,
    0x0C85, 0x0CE4, 0x0CF1, 0x0D4F, 0x0D54, 0x0D58, 0x0D5F, 0x0D64, 0x0D7A, 0x0DE0, 0x0DF2, 0x0DF4, 0x1000, 0x1040,
    0x1050, 0x1090, 0x109A, 0x109E, 0x1780, 0x17D4, 0x17D7, 0x17D8, 0x17DC, 0x17DE, 0x1820, 0x18AB, 0x1A20, 0x1A80,
    0x1AA7, 0x1AA8, 0x1B00, 0x1B4D, 0x1B6B, 0x1B74, 0x1B80, 0x1BB0, 0x1BBA, 0x1BC0, 0x1CD0, 0x1CD3, 0x1CD4, 0x1CFB,
    0xA800, 0xA828, 0xA82C, 0xA82D, 0xA840, 0xA874, 0xA880, 0xA8C6, 0xA8E0, 0xA8F8, 0xA8FB, 0xA8FC, 0xA8FD, 0xA900,
    0xA980, 0xA9C1, 0xA9CF, 0xA9D0, 0xA9E0, 0xA9F0, 0xA9FA, 0xA9FF, 0xAA60, 0xAA77, 0xAA7A, 0xAA80, 0xAAE0, 0xAAF0,
    0xAAF2, 0xAAF7, 0xABC0, 0xABEB, 0xABEC, 0xABEE, 0xFB50, 0xFBB2, 0xFBD3, 0xFD3E, 0xFD50, 0xFDC8, 0xFDF0, 0xFDFC,
    0xFE70, 0xFEFD, 0x10A00, 0x10A40, 0x10AC0, 0x10AC8, 0x10AC9, 0x10AE7, 0x10B80, 0x10B92, 0x10D00, 0x10D28, 0x10EC2,
    0x10F00, 0x10F30, 0x10F51, 0x10F70, 0x10F86, 0x10FB0, 0x10FC5, 0x11000, 0x11047, 0x11070, 0x110BB, 0x110C2,
    0x110C3, 0x11100, 0x11135, 0x11144, 0x11148, 0x11180, 0x111C5, 0x111C9, 0x111CD, 0x111CE, 0x111D0, 0x111DA,
    0x111DB, 0x111DC, 0x111DD, 0x11200, 0x11238, 0x1123E, 0x11242, 0x112B0, 0x112EB, 0x11300, 0x113D4, 0x113E1,
    0x1144B, 0x1145E, 0x114C6, 0x114C7, 0x114C8, 0x11580, 0x115C1, 0x115D8, 0x11641, 0x11644, 0x11645, 0x11680,
    0x116B9, 0x11700, 0x1172C, 0x11740, 0x1183B, 0x11900, 0x11944, 0x119A0, 0x119E2, 0x119E3, 0x11A3F, 0x11A47,
    0x11A9A, 0x11A9D, 0x11A9E, 0x11C00, 0x11C41, 0x11D00, 0x11D48, 0x11D60, 0x11D99, 0x11F00, 0x11F43, 0x11F5A,
    0x11F5B, 0x1E900, 0x1E94C, 0x1EE00, 0x1EEBC,
];

/// `Extended_Pictographic`, which keeps places for emoji to come.
const PICTOGRAPHS: &[u32] = &[
    0x00A9, 0x00AA, 0x00AE, 0x00AF, 0x203C, 0x203D, 0x2049, 0x204A, 0x2122, 0x2123, 0x2139, 0x213A, 0x2194, 0x219A,
    0x21A9, 0x21AB, 0x231A, 0x231C, 0x2328, 0x2329, 0x2388, 0x2389, 0x23CF, 0x23D0, 0x23E9, 0x23F4, 0x23F8, 0x23FB,
    0x24C2, 0x24C3, 0x25AA, 0x25AC, 0x25B6, 0x25B7, 0x25C0, 0x25C1, 0x25FB, 0x25FF, 0x2600, 0x2606, 0x2607, 0x2613,
    0x2614, 0x2686, 0x2690, 0x2706, 0x2708, 0x2713, 0x2714, 0x2715, 0x2716, 0x2717, 0x271D, 0x271E, 0x2721, 0x2722,
    0x2728, 0x2729, 0x2733, 0x2735, 0x2744, 0x2745, 0x2747, 0x2748, 0x274C, 0x274D, 0x274E, 0x274F, 0x2753, 0x2756,
    0x2757, 0x2758, 0x2763, 0x2768, 0x2795, 0x2798, 0x27A1, 0x27A2, 0x27B0, 0x27B1, 0x27BF, 0x27C0, 0x2934, 0x2936,
    0x2B05, 0x2B08, 0x2B1B, 0x2B1D, 0x2B50, 0x2B51, 0x2B55, 0x2B56, 0x3030, 0x3031, 0x303D, 0x303E, 0x3297, 0x3298,
    0x3299, 0x329A, 0x1F000, 0x1F100, 0x1F10D, 0x1F110, 0x1F12F, 0x1F130, 0x1F16C, 0x1F172, 0x1F17E, 0x1F180, 0x1F18E,
    0x1F18F, 0x1F191, 0x1F19B, 0x1F1AD, 0x1F1E6, 0x1F201, 0x1F210, 0x1F21A, 0x1F21B, 0x1F22F, 0x1F230, 0x1F232,
    0x1F23B, 0x1F23C, 0x1F240, 0x1F249, 0x1F3FB, 0x1F400, 0x1F53E, 0x1F546, 0x1F650, 0x1F680, 0x1F700, 0x1F774,
    0x1F780, 0x1F7D5, 0x1F800, 0x1F80C, 0x1F810, 0x1F848, 0x1F850, 0x1F85A, 0x1F860, 0x1F888, 0x1F890, 0x1F8AE,
    0x1F900, 0x1F90C, 0x1F93B, 0x1F93C, 0x1F946, 0x1F947, 0x1FB00, 0x1FC00, 0x1FFFE,
];

/// With one standardized form: zeros, mathematical operators, letters of Myanmar, Phags-pa and Manichaean.
const ONE_FORM: &[u32] = &[
    0x0030, 0x0031, 0x1000, 0x102B, 0x1075, 0x1082, 0x2205, 0x2206, 0x2229, 0x222B, 0x2268, 0x226A, 0x2272, 0x2274,
    0x228A, 0x228C, 0x2293, 0x2296, 0x2297, 0x2298, 0x229C, 0x229D, 0x22DA, 0x22DC, 0x2A3C, 0x2A3E, 0x2A9D, 0x2A9F,
    0x2AAC, 0x2AAE, 0x2ACB, 0x2ACD, 0xA840, 0xA874, 0xAA60, 0xAA7B, 0xFF10, 0xFF11, 0x10AC0, 0x10AE5,
];

/// With two: quotation marks, full-width punctuation, script capitals.
const TWO_FORMS: &[u32] = &[
    0x2018, 0x201A, 0x201C, 0x201E, 0x210B, 0x210C, 0x2110, 0x2111, 0x2112, 0x2113, 0x211B, 0x211C, 0x212C, 0x212D,
    0x2130, 0x2132, 0x2133, 0x2134, 0x3001, 0x3003, 0xFF01, 0xFF02, 0xFF0C, 0xFF0D, 0xFF0E, 0xFF0F, 0xFF1A, 0xFF1C,
    0xFF1F, 0xFF20, 0x1D49C, 0x1D4B6,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regex_syntax::hir::{Class, HirKind};

    use super::{
        JOINED, ONE_FORM, PICTOGRAPHS, TWO_FORMS, is_ideograph, is_joined, is_pictograph, is_virama, standardized_forms,
    };
    use crate::hygiene::kind::hidden_kind;

    /// The scripts of [`JOINED`].
    const CURSIVE: &[&str] =
        &["Arab", "Syrc", "Mand", "Nkoo", "Mong", "Phag", "Mani", "Phlp", "Rohg", "Sogd", "Ougr", "Chrs", "Adlm"];
    const STACKED: &[&str] = &[
        "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Mymr", "Khmr", "Lana", "Bali",
        "Sund", "Java", "Mtei", "Cakm", "Brah", "Kthi", "Shrd", "Khoj", "Sind", "Gran", "Newa", "Tirh", "Sidd", "Modi",
        "Takr", "Ahom", "Dogr", "Diak", "Nand", "Zanb", "Soyo", "Bhks", "Gonm", "Gong", "Kawi", "Khar", "Sylo", "Saur",
        "Tutg",
    ];

    fn class(pattern: &str) -> BTreeSet<char> {
        let parsed = regex_syntax::parse(pattern).unwrap();
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("{pattern} is no class") };
        class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect()
    }

    fn all(is: impl Fn(char) -> bool) -> BTreeSet<char> {
        ('\0'..=char::MAX).filter(|c| is(*c)).collect()
    }

    #[test]
    fn borders_rise() {
        for table in [JOINED, PICTOGRAPHS, ONE_FORM, TWO_FORMS] {
            assert!(table.len() % 2 == 0 && table.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn pictographs_are_those_of_unicode() {
        assert_eq!(all(is_pictograph), class(r"\p{Extended_Pictographic}"));
    }

    #[test]
    fn joined_letters_are_those_of_their_scripts() {
        let scripts: Vec<String> = CURSIVE.iter().chain(STACKED).map(|name| format!(r"\p{{scx={name}}}")).collect();
        let scripts = scripts.concat();
        let wanted = class(&format!(r"[[{scripts}]&&[\p{{L}}\p{{M}}]--\p{{Default_Ignorable_Code_Point}}]"));
        let found = all(is_joined);
        let missing: Vec<&char> = wanted.difference(&found).filter(|c| !is_shared_mark(**c)).collect();
        assert_eq!(missing, [&'\u{102E0}']); // an Arabic mark among Coptic numbers
        let free = class(r"[\p{Cn}\p{Default_Ignorable_Code_Point}]");
        assert!(found.difference(&wanted).all(|c| free.contains(c)));
    }

    /// Marks and modifiers that many scripts share.
    fn is_shared_mark(c: char) -> bool {
        c < '\u{600}' || matches!(c, '\u{1DC0}'..='\u{20FF}')
    }

    #[test]
    fn ideographs_are_those_of_unicode_and_free_places() {
        let (found, wanted) = (all(is_ideograph), class(r"\p{Unified_Ideograph}"));
        assert!(wanted.is_subset(&found));
        let other = class(r"[\p{Cn}\p{Ideographic}]");
        assert!(found.difference(&wanted).all(|c| other.contains(c)));
    }

    #[test]
    fn what_a_renderer_may_ignore_is_hidden_and_no_base() {
        let ignorable = class(r"[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]");
        let more = class(r"[\t\n\x{FFF9}-\x{FFFB}]"); // not hidden; hidden, though Unicode lets a renderer show them
        let hidden = all(|c| hidden_kind(c).is_some());
        assert_eq!(ignorable.symmetric_difference(&hidden).copied().collect::<BTreeSet<_>>(), more);
        assert!(hidden.iter().all(|c| !is_pictograph(*c) && standardized_forms(*c) == 0));
        assert!(all(is_virama).iter().all(|c| is_joined(*c)));
    }
}
