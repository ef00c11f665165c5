//! The strings of a schema, each with its place, read from canonical JSON (X5).
//!
//! Nothing is built but the place at hand: a value made of the text would cost room, and refuse numbers that the text may hold.

use std::borrow::Cow;

/// What a string is in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The name of a member.
    Key,
    /// A value.
    Value,
}

/// The way from the root to a value.
#[derive(Debug, Default)]
pub(super) struct Path<'j>(Vec<Step<'j>>);

#[derive(Debug)]
enum Step<'j> {
    Member(Cow<'j, str>),
    Element(usize),
}

impl Path<'_> {
    /// As a JSON Pointer (RFC 6901).
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            pointer.push('/');
            match step {
                Step::Member(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Element(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }
}

/// Whether a canonical text may have hidden characters; quick, and wrong only in saying that it may.
pub(super) fn may_hide(json: &str) -> bool {
    // Control characters stand escaped in canonical text, all others as themselves.
    let is_suspect = |byte: &u8| *byte >= 0x7F;
    json.as_bytes().iter().any(is_suspect)
        || json.as_bytes().windows(2).any(|pair| matches!(pair, [b'\\', b'b' | b'f' | b'r' | b'u']))
}

/// Calls `look` with each string of a canonical text, in order, with its role and the path of its value.
pub(super) fn strings<'j>(json: &'j str, mut look: impl FnMut(Role, &Path<'j>, &str)) {
    let mut path = Path::default();
    let mut at = 0;
    while let Some(byte) = json.as_bytes().get(at) {
        at += 1;
        match byte {
            b'{' => path.0.push(Step::Member(Cow::Borrowed(""))),
            b'[' => path.0.push(Step::Element(0)),
            b'}' | b']' => {
                path.0.pop();
            }
            b',' => {
                if let Some(Step::Element(index)) = path.0.last_mut() {
                    *index += 1;
                }
            }
            b'"' => {
                let start = at;
                at = after_string(json, start);
                let text = decoded(json, start, at);
                // Canonical text has no white space between a key and its colon.
                let role = if json.as_bytes().get(at) == Some(&b':') { Role::Key } else { Role::Value };
                if role == Role::Key
                    && let Some(step) = path.0.last_mut()
                {
                    *step = Step::Member(text.clone());
                }
                look(role, &path, &text);
            }
            // Colons, and the characters of numbers and literals.
            _ => {}
        }
    }
}

/// Where the text goes on behind the string that begins (behind its quote) at `start`.
fn after_string(json: &str, start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = json.as_bytes().get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// The string between its opening quote, which ends at `start`, and `end`, where it has been closed.
fn decoded(json: &str, start: usize, end: usize) -> Cow<'_, str> {
    let inner = json.get(start..end.saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let quoted = json.get(start.saturating_sub(1)..end).unwrap_or_default();
    // Canonical text has been read before: its strings are well-formed.
    serde_json::from_str::<String>(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::{may_hide, strings};

    fn all(json: &str) -> Vec<String> {
        let canonical = dsh_llm::canonical_json(json).unwrap();
        let mut found = Vec::new();
        strings(&canonical, |role, path, text| found.push(format!("{role:?} {} {text:?}", path.pointer())));
        found
    }

    #[test]
    fn each_string_has_its_pointer() {
        assert_eq!(
            all(
                r#"{"properties": {"a/b~": {"enum": ["x\n", 1e400, ["y"], {"q": "\"z\\"}], "type": []}}, "title": "t:"}"#
            ),
            [
                "Key /properties \"properties\"",
                "Key /properties/a~1b~0 \"a/b~\"",
                "Key /properties/a~1b~0/enum \"enum\"",
                "Value /properties/a~1b~0/enum/0 \"x\\n\"",
                "Value /properties/a~1b~0/enum/2/0 \"y\"",
                "Key /properties/a~1b~0/enum/3/q \"q\"",
                "Value /properties/a~1b~0/enum/3/q \"\\\"z\\\\\"",
                "Key /properties/a~1b~0/type \"type\"",
                "Key /title \"title\"",
                "Value /title \"t:\"",
            ]
        );
        assert_eq!(all("{}"), [""; 0]);
    }

    #[test]
    fn only_text_that_has_none_is_passed_over() {
        assert!(!may_hide(r#"{"a":"b \"c\" \n\t\\"}"#));
        for text in ["\u{7F}", "\u{E9}", r"\u0000", r"\r", r"\f", r"\b"] {
            assert!(may_hide(&format!("{{\"a\":\"{text}\"}}")), "{text}");
        }
    }
}
