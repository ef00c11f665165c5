//! What is wrong with a script.

use std::fmt;
use std::ops::Range;

/// Why a text is no script of a [`ScriptedModel`](crate::ScriptedModel). Codes `script::syntax` and `script::invalid_rule`.
#[derive(Clone, PartialEq, Eq)]
pub struct ScriptError(Box<Repr>);

#[derive(Clone, PartialEq, Eq)]
struct Repr {
    code: &'static str,
    message: String,
    range: Option<Range<usize>>,
    line: Option<usize>,
}

impl ScriptError {
    pub(super) fn syntax(script: &str, error: &toml::de::Error) -> Self {
        Self::new("script::syntax", script, error.message().trim().to_owned(), error.span())
    }

    pub(super) fn rule(script: &str, message: impl Into<String>, range: Range<usize>) -> Self {
        Self::new("script::invalid_rule", script, message.into(), Some(range))
    }

    fn new(code: &'static str, script: &str, message: String, range: Option<Range<usize>>) -> Self {
        let before = range.as_ref().and_then(|range| script.get(..range.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        Self(Box::new(Repr { code, message, range, line }))
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where, in bytes of the script.
    pub fn range(&self) -> Option<Range<usize>> {
        self.0.range.clone()
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.line {
            Some(line) => write!(f, "line {line}: {}", self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl fmt::Debug for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptError({}: {self})", self.0.code)
    }
}

impl std::error::Error for ScriptError {}
