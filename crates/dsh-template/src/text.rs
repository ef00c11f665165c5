//! `Text`: whether a text is scanned for references is part of its type, not of who happens to handle it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;

use crate::{References, Template, references};

/// How a [`Text`] is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// Never scanned: every byte stands for itself.
    Raw,
    /// Scanned for `{{name}}` and `{{"..."}}`.
    Template,
}

/// A text with the way it is to be read. (X1)
///
/// What people or tools wrote (instruction files, memory, tool output) comes in raw, so that no `{{` in it can fail a turn.
/// A bare string becomes a template. A clone is one reference count.
///
/// ```
/// use dsh_template::Text;
///
/// let raw = Text::raw("{{team}} is not a reference here");
/// assert!(raw.is_raw());
/// assert_eq!(raw.references().count(), 0);
///
/// let template = Text::from("You work for {{team}}.");
/// assert_eq!(template.references().next().map(|reference| reference.name), Some("team"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    kind: TextKind,
    source: Arc<str>,
}

impl Text {
    /// A text that stands for itself.
    pub fn raw(source: impl Into<Arc<str>>) -> Self {
        Self { kind: TextKind::Raw, source: source.into() }
    }

    /// A text with references. Nothing is checked here: a malformed reference is reported by rendering.
    pub fn template(source: impl Into<Arc<str>>) -> Self {
        Self { kind: TextKind::Template, source: source.into() }
    }

    /// How the text is to be read.
    pub fn kind(&self) -> TextKind {
        self.kind
    }

    /// Whether the text stands for itself.
    pub fn is_raw(&self) -> bool {
        self.kind == TextKind::Raw
    }

    /// The text as it was written. Byte ranges of errors and references are ranges of it.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The text as it was written, to share it without a copy.
    pub fn shared(&self) -> &Arc<str> {
        &self.source
    }

    /// Compiles the text; a raw text becomes one literal. A text without references is shared with the result, not copied.
    ///
    /// ```
    /// use dsh_template::{Lookup, Text};
    ///
    /// let compiled = Text::raw("{{v}}").compile();
    /// assert_eq!(compiled.render(|_| Lookup::Unknown)?, "{{v}}");
    /// # Ok::<(), dsh_template::Error>(())
    /// ```
    pub fn compile(&self) -> Template {
        match self.kind {
            TextKind::Raw => Template::whole(Arc::clone(&self.source)),
            TextKind::Template => Template::build(&self.source, || Arc::clone(&self.source)),
        }
    }

    /// The references of the text, in order, up to the first malformed one. A raw text has none.
    pub fn references(&self) -> References<'_> {
        match self.kind {
            TextKind::Raw => references(""),
            TextKind::Template => references(&self.source),
        }
    }
}

/// A bare string is a template.
impl From<&str> for Text {
    fn from(source: &str) -> Self {
        Self::template(source)
    }
}

/// A bare string is a template.
impl From<String> for Text {
    fn from(source: String) -> Self {
        Self::template(source)
    }
}

/// A bare string is a template.
impl From<Arc<str>> for Text {
    fn from(source: Arc<str>) -> Self {
        Self::template(source)
    }
}

/// A bare string is a template, so that what [`escape`](crate::escape()) returns can be handed on.
impl From<Cow<'_, str>> for Text {
    fn from(source: Cow<'_, str>) -> Self {
        Self::template(source)
    }
}
