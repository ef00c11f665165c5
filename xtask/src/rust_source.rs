//! A Rust file as the house rules read it: code without comments and strings, and which lines are test code.
//!
//! No parser: the rules need lines, words and braces, and a file that rustc refuses is rustc's to report.

/// How a Rust file reads.
#[derive(Clone, Debug)]
pub struct RustSource {
    /// The text with comments and the insides of strings blanked; lines stay where they are.
    pub code: String,
    /// For each line whether it is test code.
    pub test: Vec<bool>,
}

impl RustSource {
    /// Reads the file at `path`: in a folder `tests` or `benches`, or named `tests.rs`, all of it is test code.
    pub fn read(path: &str, text: &str) -> Self {
        let code = mask(text);
        let whole = path.split('/').any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
            || squeezed(code.lines().take_while(|line| !line.contains("mod ") && !line.contains("fn ")))
                .contains("#![cfg(test)]");
        let mut test = vec![whole; code.lines().count()];
        if !whole {
            mark_test_items(&code, &mut test);
        }
        Self { code, test }
    }

    /// The lines of code, numbered from 1, each with whether it is test code.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        self.code.lines().zip(&self.test).enumerate().map(|(index, (line, test))| (index + 1, line, *test))
    }

    /// How many lines are not test code, comments and blank ones included.
    pub fn lines_outside_tests(&self) -> usize {
        self.test.iter().filter(|test| !**test).count()
    }
}

fn squeezed<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| line.chars().filter(|c| !c.is_whitespace())).collect()
}

/// Marks each item under `#[cfg(test)]`, from its attribute to its end.
fn mark_test_items(code: &str, test: &mut [bool]) {
    let chars: Vec<(usize, char)> =
        code.lines().enumerate().flat_map(|(line, text)| text.chars().chain(['\n']).map(move |c| (line, c))).collect();
    let mut at = 0;
    while at < chars.len() {
        if !begins_test_attribute(&chars, at) {
            at += 1;
            continue;
        }
        let end = item_end(&chars, at);
        let first = chars.get(at).map_or(0, |(line, _)| *line);
        let last = chars.get(end).or(chars.last()).map_or(first, |(line, _)| *line);
        for line in test.iter_mut().take(last + 1).skip(first) {
            *line = true;
        }
        at = end + 1;
    }
}

fn begins_test_attribute(chars: &[(usize, char)], at: usize) -> bool {
    if chars.get(at).is_none_or(|(_, c)| *c != '#') {
        return false;
    }
    let ahead: String = chars.iter().skip(at).map(|(_, c)| *c).filter(|c| !c.is_whitespace()).take(14).collect();
    ahead.starts_with("#[cfg(test)]") || ahead.starts_with("#[cfg(all(test")
}

/// The index of the `}`, `;` or `,` that ends the item which begins (with its attributes) at `start`.
fn item_end(chars: &[(usize, char)], start: usize) -> usize {
    let (mut round, mut curly) = (0_i32, 0_i32);
    let mut before = ' ';
    for (index, (_, c)) in chars.iter().enumerate().skip(start) {
        let arrow = *c == '>' && matches!(before, '-' | '=');
        before = *c;
        match c {
            '(' | '[' | '<' => round += 1,
            '>' if arrow => {}
            ')' | ']' | '>' => round -= 1,
            '{' => curly += 1,
            '}' => {
                curly -= 1;
                // A brace inside an attribute or an argument list ends nothing.
                if curly <= 0 && round <= 0 {
                    return index;
                }
            }
            ';' | ',' if curly == 0 && round == 0 => return index,
            _ => {}
        }
    }
    chars.len()
}

/// The text with comments and the insides of string and character literals blanked. Lines stay where they are.
///
/// ```
/// assert_eq!(xtask::mask("let a = \"tokio\"; // tokio"), "let a = \"     \";         ");
/// ```
pub fn mask(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let end = match c {
            '/' if chars.get(at + 1) == Some(&'/') => line_end(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => block_comment_end(&chars, at),
            '"' => {
                let end = string_end(&chars, at + 1);
                blank_inside(&chars, at, end, 1, &mut out);
                at = end;
                continue;
            }
            'r' if !after_word(&chars, at) => match raw_string(&chars, at) {
                Some((opening, end)) => {
                    blank_inside(&chars, at, end, opening, &mut out);
                    at = end;
                    continue;
                }
                None => at,
            },
            '\'' => match char_end(&chars, at) {
                Some(end) => {
                    blank_inside(&chars, at, end, 1, &mut out);
                    at = end;
                    continue;
                }
                None => at,
            },
            _ => at,
        };
        if end > at {
            blank(&chars, at, end, &mut out);
            at = end;
        } else {
            out.push(c);
            at += 1;
        }
    }
    out
}

fn blank(chars: &[char], from: usize, to: usize, out: &mut String) {
    out.extend(chars.iter().take(to).skip(from).map(|c| if *c == '\n' { '\n' } else { ' ' }));
}

/// Keeps the first `opening` characters and the closing quote.
fn blank_inside(chars: &[char], from: usize, to: usize, opening: usize, out: &mut String) {
    out.extend(chars.iter().skip(from).take(opening));
    let inside = to.saturating_sub(1).max(from + opening);
    blank(chars, from + opening, inside, out);
    out.extend(chars.iter().take(to).skip(inside));
}

fn line_end(chars: &[char], from: usize) -> usize {
    chars.iter().skip(from).position(|c| *c == '\n').map_or(chars.len(), |length| from + length)
}

fn block_comment_end(chars: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0, from);
    while at < chars.len() {
        match (chars.get(at), chars.get(at + 1)) {
            (Some('/'), Some('*')) => (depth, at) = (depth + 1, at + 2),
            (Some('*'), Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(chars.len())
}

/// The index after the closing quote of a string whose inside begins at `from`.
fn string_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// `r"…"`, `r#"…"#`: the length of the opening and the index after the end.
fn raw_string(chars: &[char], at: usize) -> Option<(usize, usize)> {
    let hashes = chars.iter().skip(at + 1).take_while(|c| **c == '#').count();
    let inside = at + 1 + hashes + 1;
    if chars.get(inside - 1) != Some(&'"') {
        return None;
    }
    let closes =
        |index: usize| chars.get(index) == Some(&'"') && (1..=hashes).all(|hash| chars.get(index + hash) == Some(&'#'));
    let end = (inside..chars.len()).find(|index| closes(*index)).map_or(chars.len(), |index| index + hashes + 1);
    Some((hashes + 2, end))
}

/// The index after a character literal; `None` for a lifetime.
fn char_end(chars: &[char], at: usize) -> Option<usize> {
    match chars.get(at + 1)? {
        '\\' => {
            (at + 3..chars.len().min(at + 14)).find(|index| chars.get(*index) == Some(&'\'')).map(|index| index + 1)
        }
        _ => (chars.get(at + 2) == Some(&'\'')).then_some(at + 3),
    }
}

/// Whether the character before continues a word, so that an `r` here begins no raw string. `br` and `cr` do.
fn after_word(chars: &[char], at: usize) -> bool {
    let word = |index: usize| chars.get(index).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    at > 0 && word(at - 1) && !(matches!(chars.get(at - 1), Some('b' | 'c')) && (at == 1 || !word(at - 2)))
}

#[cfg(test)]
mod tests {
    use super::{RustSource, mask};

    #[test]
    fn comments_and_strings_are_blanked_and_lines_stay() {
        let text = "a /* b /* c */ \n d */ e // f\n\"g\\\"h\" 'i' '\\'' 'j: r#\"k\"l\"# br\"m\" r#type var\"n\"";
        let masked = mask(text);
        assert_eq!(masked.lines().count(), text.lines().count());
        assert_eq!(masked.chars().count(), text.chars().count());
        for gone in ["b", "c ", "d", "f", "g", "h", "i", "k", "l\"", "m", "n"] {
            assert!(!masked.replace("br\"", "").contains(gone), "{gone} is left in {masked}");
        }
        for kept in ["a ", " e ", "'j:", "r#type", "var"] {
            assert!(masked.contains(kept), "{kept} is gone from {masked}");
        }
    }

    #[test]
    fn an_unfinished_literal_does_not_run_over_the_end() {
        for text in ["\"", "\"\\", "r#\"", "'", "'\\", "/*", "/* /", "'a", "b'"] {
            assert_eq!(mask(text).chars().count(), text.chars().count(), "{text}");
        }
    }

    #[test]
    fn test_items_are_told_from_others() {
        let text = "fn a() {}\n#[cfg(test)]\n#[expect(x, reason = \"{\")]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}\n#[cfg(test)]\nfn e<A, B>() -> u8 {\n0\n}\nfn f() {}\n";
        let source = RustSource::read("crates/a/src/a.rs", text);
        let plain: Vec<usize> = source.lines().filter(|(.., test)| !test).map(|(line, ..)| line).collect();
        assert_eq!(plain, [1, 7, 10, 15]);
        assert_eq!(source.lines_outside_tests(), 4);
        assert_eq!(RustSource::read("crates/a/tests/it/main.rs", text).lines_outside_tests(), 0);
        assert_eq!(RustSource::read("a.rs", "//! x\n#![cfg(test)]\nfn f() {}\n").lines_outside_tests(), 0);
    }
}
