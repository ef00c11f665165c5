//! The crate's one error: a kind, a place, and what would be right. Never the value of a variable.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::ops::Range;

use crate::fault::{Account, GENERAL_HELP, excerpt};
use crate::scan::Malformed;

/// Why a text could not be rendered.
///
/// Small (one pointer) and cheap to clone. Its text names the place in bytes; [`Position`](crate::Position) turns that into line
/// and column.
///
/// ```
/// use dsh_template::{ErrorKind, Template};
///
/// let template = Template::compile("for {{ team }}");
/// let error = template.malformed().expect("blanks are not allowed");
/// assert_eq!(error.kind(), ErrorKind::MalformedReference);
/// assert_eq!(error.code(), "template::malformed_reference");
/// assert_eq!(error.range(), 4..14);
/// assert_eq!(error.headline().to_string(), "malformed reference `{{ team }}`: blanks inside the braces");
/// assert_eq!(error.help().to_string(), "write `{{team}}`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Arc<Repr>);

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A `{{` that is neither a reference nor a quoted string, with a `}}` after it.
    MalformedReference,
    /// A reference to a variable that is not there.
    UnknownVariable,
    /// A reference to a variable that has no value this time.
    ValuelessVariable,
}

impl ErrorKind {
    /// The stable code, `template::` and the kind in small letters.
    pub fn code(self) -> &'static str {
        match self {
            Self::MalformedReference => "template::malformed_reference",
            Self::UnknownVariable => "template::unknown_variable",
            Self::ValuelessVariable => "template::valueless_variable",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Repr {
    range: Range<usize>,
    detail: Detail,
}

#[derive(Debug, PartialEq, Eq)]
enum Detail {
    Malformed(Account),
    Unknown(Box<str>),
    Valueless(Box<str>),
}

impl Error {
    pub(crate) fn malformed(source: &str, place: &Malformed) -> Self {
        Self::new(place.range.clone(), Detail::Malformed(Account::of(source, place)))
    }

    pub(crate) fn unknown(name: &str, range: Range<usize>) -> Self {
        Self::new(range, Detail::Unknown(name.into()))
    }

    pub(crate) fn valueless(name: &str, range: Range<usize>) -> Self {
        Self::new(range, Detail::Valueless(name.into()))
    }

    fn new(range: Range<usize>, detail: Detail) -> Self {
        Self(Arc::new(Repr { range, detail }))
    }

    /// What went wrong, to match on.
    pub fn kind(&self) -> ErrorKind {
        match &self.0.detail {
            Detail::Malformed(_) => ErrorKind::MalformedReference,
            Detail::Unknown(_) => ErrorKind::UnknownVariable,
            Detail::Valueless(_) => ErrorKind::ValuelessVariable,
        }
    }

    /// The stable code of the kind.
    pub fn code(&self) -> &'static str {
        self.kind().code()
    }

    /// Where, in bytes of the source: a complete group with its braces, or, where the `{{` opens none, from the `{{` through the
    /// brace at which it broke off.
    pub fn range(&self) -> Range<usize> {
        self.0.range.clone()
    }

    /// Where in the source a quoted string (`{{"…"}}`) stops being one, in bytes; nothing, where something else is wrong.
    pub fn broken_at(&self) -> Option<usize> {
        match &self.0.detail {
            Detail::Malformed(account) => account.broken_at(),
            Detail::Unknown(_) | Detail::Valueless(_) => None,
        }
    }

    /// The variable that is unknown or has no value.
    pub fn name(&self) -> Option<&str> {
        match &self.0.detail {
            Detail::Malformed(_) => None,
            Detail::Unknown(name) | Detail::Valueless(name) => Some(name),
        }
    }

    /// What is wrong, in one phrase without the place.
    pub fn headline(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| match &self.0.detail {
            Detail::Malformed(account) => account.headline(f),
            Detail::Unknown(name) => write!(f, "unknown variable `{{{{{}}}}}`", excerpt(name)),
            Detail::Valueless(name) => write!(f, "variable `{{{{{}}}}}` has no value", excerpt(name)),
        })
    }

    /// What would be right.
    pub fn help(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| match &self.0.detail {
            Detail::Malformed(account) => account.help(f),
            Detail::Unknown(name) => write!(f, "define `{}`; {GENERAL_HELP}", excerpt(name)),
            Detail::Valueless(name) => write!(f, "give `{}` a value or take the reference out", excerpt(name)),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.0.range;
        write!(f, "{} at bytes {start}..{end}", self.headline())?;
        if let Some(at) = self.broken_at() {
            write!(f, " (byte {at})")?;
        }
        write!(f, "; {}", self.help())
    }
}

impl core::error::Error for Error {}
