//! What a terminal is given in place of text that it would obey (X12).

use dsh_system_prompt::hidden_characters;

use crate::diagnostic::json::escaped;

/// What a terminal is given in place of this text. None, where all of it is seen.
pub(super) fn for_a_terminal(text: &str, is_json: bool) -> Option<String> {
    let mut hidden = hidden_characters(text).peekable();
    hidden.peek()?;
    if is_json {
        return Some(escaped(text));
    }
    let escape = |character: char| format!("\\u{{{:X}}}", u32::from(character));
    let mut shown = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for found in hidden {
        shown.push_str(text.get(from..found.offset).unwrap_or_default());
        shown.push_str(&escape(found.character));
        from = found.offset + found.character.len_utf8();
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::for_a_terminal;

    #[test]
    fn a_terminal_is_given_nothing_that_it_would_obey() {
        // X12
        let shown = |text| for_a_terminal(text, false);
        assert_eq!(shown("two lines\n\tand a tab, caf\u{e9} \u{1F468}\u{200D}\u{1F469}\n"), None);
        let text = "a\u{1b}]0;title\u{7}b\u{9b}2J\r\u{202e}c\u{200b}\u{e0041}\n";
        assert_eq!(shown(text).unwrap(), "a\\u{1B}]0;title\\u{7}b\\u{9B}2J\\u{D}\\u{202E}c\\u{200B}\\u{E0041}\n");
    }

    #[test]
    fn json_stays_the_same_json() {
        let text = "[\"a\u{7f}\u{202e}\"]\n";
        let shown = for_a_terminal(text, true).unwrap();
        assert!(!shown.contains(['\u{7f}', '\u{202e}']));
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(text));
    }
}
