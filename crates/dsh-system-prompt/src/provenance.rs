//! Where a part of a prompt comes from, and how often it may change (X3, X4).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use dsh_kernel::ScopeKey;

/// Which layer a part stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartLayer {
    /// Registered for everyone.
    Global,
    /// Registered for one scope.
    Scope(ScopeKey),
    /// Not registered: put into this one assembly by a listener, or by whoever built it.
    Assembly,
}

impl From<Option<ScopeKey>> for PartLayer {
    /// The layer that a context with this tag registers in (K1).
    fn from(key: Option<ScopeKey>) -> Self {
        key.map_or(Self::Global, Self::Scope)
    }
}

/// How often a part may change: what comes first here changes least (X4). Declared, not yet enforced.
///
/// Exhaustive on purpose: the four classes are the contract's, and a fifth has to break the build of who ranks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stability {
    /// The same for as long as the plugin is mounted.
    Static,
    /// The same for a session.
    Session,
    /// The same for a turn.
    Turn,
    /// May be another one at each step.
    Step,
}

impl Stability {
    /// The name in small letters, as reports print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Session => "session",
            Self::Turn => "turn",
            Self::Step => "step",
        }
    }
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The file that a text was read from, and which bytes of it.
///
/// The registry opens no file: this is what the registering plugin says of its text, for reports and errors.
///
/// ```
/// use dsh_system_prompt::Source;
///
/// let source = Source::file("AGENTS.md").bytes(120..480);
/// assert_eq!((source.path(), source.range()), ("AGENTS.md", Some(120..480)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    file: Arc<str>,
    range: Option<Range<usize>>,
}

impl Source {
    /// A whole file, by the name that a reader of a report knows it by.
    pub fn file(file: impl Into<Arc<str>>) -> Self {
        Self { file: file.into(), range: None }
    }

    /// Only these bytes of the file.
    #[must_use]
    pub fn bytes(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }

    /// The file's name.
    pub fn path(&self) -> &str {
        &self.file
    }

    /// The bytes of the file; `None` for all of them.
    pub fn range(&self) -> Option<Range<usize>> {
        self.range.clone()
    }
}
