//! The few colours of the command; the stream takes them out where they are not wanted.

/// What is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// A headline.
    Heading,
    /// What stands in a section's text for something else.
    Value,
}

impl Paint {
    /// What ends it.
    pub(super) const END: &str = "\u{1b}[0m";

    /// What begins it.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Heading => "\u{1b}[1m",
            Self::Value => "\u{1b}[36m",
        }
    }

    /// A text in it.
    pub(super) fn of(self, text: &str) -> String {
        [self.begin(), text, Self::END].concat()
    }
}
