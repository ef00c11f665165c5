//! What reading a log had to repair.

use std::fmt;

/// Something that was wrong with a stored log and could be repaired. It is told at each reading; the file keeps it, but for a torn end,
/// which is cut when the log is opened for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The line of the file, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub kind: DamageKind,
}

impl Damage {
    /// This is wrong with that line.
    pub fn new(line: u64, kind: DamageKind) -> Self {
        Self { line, kind }
    }

    /// The stable code, such as `session::torn_end`.
    pub const fn code(&self) -> &'static str {
        match self.kind {
            DamageKind::TornEnd { .. } => "session::torn_end",
            DamageKind::NoLineEnd => "session::no_line_end",
            DamageKind::LoneSurrogates { .. } => "session::lone_surrogates",
            DamageKind::InvalidUtf8 { .. } => "session::invalid_utf8",
        }
    }
}

/// What can be wrong with a line and be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DamageKind {
    /// The last line is not whole: its writer was stopped in the middle. It is left out.
    #[non_exhaustive]
    TornEnd {
        /// How many bytes are there of it.
        bytes: u64,
    },
    /// The last line is whole but has no line end. It is kept.
    NoLineEnd,
    /// Escapes `\uD800` to `\uDFFF` without their other half, which no text can hold. Each is read as U+FFFD.
    #[non_exhaustive]
    LoneSurrogates {
        /// How many.
        count: usize,
    },
    /// Bytes that are not UTF-8. Each broken character is read as U+FFFD.
    #[non_exhaustive]
    InvalidUtf8 {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.kind {
            DamageKind::TornEnd { bytes } => write!(f, "line {line} is torn: its {bytes} bytes are left out"),
            DamageKind::NoLineEnd => write!(f, "line {line} has no line end: it is kept"),
            DamageKind::LoneSurrogates { count } => {
                let (what, are) =
                    if count == 1 { ("half surrogate", "it is") } else { ("half surrogates", "they are") };
                write!(f, "line {line} has {count} {what}: {are} read as U+FFFD")
            }
            DamageKind::InvalidUtf8 { count } => {
                let places = if count == 1 { "place" } else { "places" };
                write!(f, "line {line} has bytes that are not UTF-8, in {count} {places}: they are read as U+FFFD")
            }
        }
    }
}
