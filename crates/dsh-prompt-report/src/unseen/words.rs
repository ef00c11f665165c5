//! The words of a text, as names of tools are made of them.

use std::ops::Range;

/// The ranges of the words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| is_word_character(*c))?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.peek().copied() {
            // A dot belongs to the word that goes on behind it: then what comes next does not begin at the dot.
            let is_inner_dot =
                c == '.' && text.get(at + 1..).and_then(|rest| rest.chars().next()).is_some_and(is_word_character);
            if !is_word_character(c) && !is_inner_dot {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        Some(start..end)
    })
}

/// Whether a text is one word.
pub(super) fn is_word(text: &str) -> bool {
    words(text).next() == Some(0..text.len())
}

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || (!c.is_ascii() && c.is_alphanumeric() && !stands_close(c))
}

/// Whether a letter stands right beside words of other scripts in ordinary writing: those of Thai, Lao, Myanmar and Khmer, of
/// Korean (whose endings hang on a foreign word), Chinese and Japanese.
fn stands_close(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}')
        || matches!(c, '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FFDC}' | '\u{20000}'..)
}

#[cfg(test)]
mod tests {
    use super::{is_word, words};

    fn split(text: &str) -> Vec<&str> {
        words(text).filter_map(|range| text.get(range)).collect()
    }

    #[test]
    fn words_are_cut_where_no_name_goes_on() {
        assert_eq!(
            split("Use `read_file`, then patch. (See a.b-c.)"),
            ["Use", "read_file", "then", "patch", "See", "a.b-c"]
        );
        assert_eq!(split("wait...patch .patch. patch's --patch"), ["wait", "patch", "patch", "patch", "s", "--patch"]);
        assert_eq!(split("d\u{E9}patch \u{4F7F}\u{7528}patch patch\u{B97C}"), ["d\u{E9}patch", "patch", "patch"]);
        assert_eq!(split(" ... \n"), [""; 0]);
    }

    #[test]
    fn a_name_is_a_word_or_it_is_not() {
        assert!(is_word("patch") && is_word("mcp__fs.read-2") && is_word("\u{E9}"));
        assert!(!is_word("") && !is_word("fs/read") && !is_word(".patch") && !is_word("patch.") && !is_word("a b"));
    }
}
