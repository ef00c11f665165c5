//! What can be wrong with a `{{`, and how that is said.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::is_variable_name;
use crate::quoted::QuoteFault;
use crate::scan::{Malformed, part};

/// How to write braces that are meant as such.
pub(crate) const GENERAL_HELP: &str =
    r#"literal braces are written `{{"{{"}}` (one is `{{"{"}}`), and a text that is no template can be raw"#;

/// At most so many characters of the source are quoted in a message.
const SHOWN: usize = 40;

/// What is wrong with a `{{`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A complete group, but what is inside is no name.
    NotAName,
    /// A brace stands inside, and a `}}` follows later.
    BrokenOff,
    /// It begins like the quoted form, and stops being it at byte `at` of the source.
    Quoted { fault: QuoteFault, at: usize },
}

/// A fault with what is needed to talk about it when the source is gone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Account {
    fault: Fault,
    /// The beginning of the group, fit to print.
    excerpt: Box<str>,
    /// A name that the writer may have meant.
    meant: Option<Meant>,
}

#[derive(Debug, PartialEq, Eq)]
enum Meant {
    /// The same with blanks round it.
    Trimmed(Box<str>),
    /// The same with capitals, dashes, dots or blanks.
    Respelled(Box<str>),
    /// The same with one brace more on either side.
    Tripled(Box<str>),
    /// The same with one brace at its end.
    HalfClosed(Box<str>),
    /// An object of JSON, its braces doubled as other libraries want it.
    Json,
}

impl Account {
    pub(crate) fn of(source: &str, place: &Malformed) -> Self {
        let meant = match place.fault {
            Fault::NotAName => meant(part(source, place.range.start + 2..place.range.end - 2)),
            Fault::BrokenOff => miscounted(part(source, place.range.start + 2..place.shown_to)),
            Fault::Quoted { fault: QuoteFault::NotClosedByBraces, at } => {
                part(source, at..place.shown_to).trim_start().starts_with(':').then_some(Meant::Json)
            }
            Fault::Quoted { .. } => None,
        };
        let excerpt = excerpt(part(source, place.range.start..place.shown_to));
        Self { fault: place.fault, excerpt, meant }
    }

    pub(crate) fn headline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed reference `{}`: ", self.excerpt)?;
        match self.fault {
            Fault::NotAName if matches!(self.meant, Some(Meant::Trimmed(_))) => f.write_str("blanks inside the braces"),
            Fault::NotAName => f.write_str("not a variable name"),
            Fault::BrokenOff => f.write_str("the `{{` opens no complete group"),
            Fault::Quoted { fault, .. } => f.write_str(match fault {
                QuoteFault::Unclosed => "the quoted string has no end",
                QuoteFault::Control => "a control character in the quoted string",
                QuoteFault::Escape => "no escape of JSON in the quoted string",
                QuoteFault::LoneSurrogate => "half of a surrogate pair in the quoted string",
                QuoteFault::NotClosedByBraces => "no `}}` after the closing quote",
            }),
        }
    }

    /// The byte at which a quoted string stops being one.
    pub(crate) fn broken_at(&self) -> Option<usize> {
        match self.fault {
            Fault::Quoted { at, .. } => Some(at),
            Fault::NotAName | Fault::BrokenOff => None,
        }
    }

    pub(crate) fn help(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.meant, self.fault) {
            (Some(Meant::Trimmed(name)), _) => write!(f, "write `{{{{{name}}}}}`"),
            (Some(Meant::Respelled(name)), _) => {
                write!(f, "a name is [a-z][a-z0-9_]*, as in `{{{{{name}}}}}`; {GENERAL_HELP}")
            }
            (Some(Meant::Tripled(name)), _) => {
                write!(f, "write `{{{{{name}}}}}`, or `{{{{\"{{\"}}}}{{{{{name}}}}}}}` for the value in braces")
            }
            (Some(Meant::HalfClosed(name)), _) => {
                write!(f, "a reference ends with two braces, as in `{{{{{name}}}}}`; {GENERAL_HELP}")
            }
            (Some(Meant::Json), _) => {
                write!(f, "single braces stand for themselves, and JSON needs no doubled ones; {GENERAL_HELP}")
            }
            (None, Fault::NotAName | Fault::BrokenOff) => {
                write!(f, "a reference is `{{{{name}}}}`, the name being [a-z][a-z0-9_]*; {GENERAL_HELP}")
            }
            (None, Fault::Quoted { .. }) => {
                write!(f, "a quoted string is `{{{{\"...\"}}}}`, a JSON string with no blanks round it; {GENERAL_HELP}")
            }
        }
    }
}

/// The name that a group's text comes nearest to by spelling alone.
fn meant(inside: &str) -> Option<Meant> {
    let trimmed = inside.trim();
    if is_variable_name(trimmed) {
        return (trimmed.len() <= SHOWN).then(|| Meant::Trimmed(trimmed.into()));
    }
    if trimmed.len() > SHOWN {
        return None;
    }
    let respelled: String =
        trimmed.chars().map(|c| if matches!(c, '-' | '.' | ' ') { '_' } else { c.to_ascii_lowercase() }).collect();
    is_variable_name(&respelled).then(|| Meant::Respelled(respelled.into()))
}

/// The name in a group that has a brace too many or too few; `inside` goes from behind the `{{` through the next `}}`.
fn miscounted(inside: &str) -> Option<Meant> {
    let short = |name: &str| is_variable_name(name) && name.len() <= SHOWN;
    let tripled = inside.strip_prefix('{').and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
    if let Some(name) = tripled.filter(|name| short(name)) {
        return Some(Meant::Tripled(name.into()));
    }
    let (name, _) = inside.split_once('}')?;
    short(name.trim()).then(|| Meant::HalfClosed(name.trim().into()))
}

/// The beginning of `text`, with whatever does not print shown escaped.
pub(crate) fn excerpt(text: &str) -> Box<str> {
    let mut out = String::new();
    let mut characters = text.chars();
    for character in characters.by_ref().take(SHOWN) {
        match character {
            '"' | '\'' | '\\' => out.push(character),
            _ => out.extend(character.escape_debug()),
        }
    }
    if characters.next().is_some() {
        out.push_str("...");
    }
    out.into()
}
