//! What a provider can do for a request, beyond running it.

use std::fmt;

/// Something that a request may ask for and that not every provider can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// The child knows what its parent's conversation says until now.
    Context,
    /// The child gets a persona of its own.
    Persona,
    /// The child gets fewer tools than its parent has.
    ToolFilter,
    /// How many levels of agents may work under the child is limited.
    Depth,
    /// The final answer is JSON of a given schema.
    OutputSchema,
}

impl Capability {
    /// All of them, in the order in which they are checked.
    pub const ALL: [Self; 5] = [Self::Context, Self::Persona, Self::ToolFilter, Self::Depth, Self::OutputSchema];

    /// Its name, such as `tool_filter`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Persona => "persona",
            Self::ToolFilter => "tool_filter",
            Self::Depth => "depth",
            Self::OutputSchema => "output_schema",
        }
    }

    const fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of capabilities.
///
/// ```
/// use dsh_subagent::{Capabilities, Capability};
///
/// let can = Capabilities::all().without(Capability::Context);
/// assert!(can.has(Capability::Persona) && !can.has(Capability::Context));
/// assert_eq!(Capabilities::none().with(Capability::Depth).iter().collect::<Vec<_>>(), [Capability::Depth]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities(u8);

impl Capabilities {
    /// Nothing: it runs a prompt, and that is all.
    pub const fn none() -> Self {
        Self(0)
    }

    /// All that there is.
    pub fn all() -> Self {
        Capability::ALL.into_iter().fold(Self::none(), Self::with)
    }

    /// With this one.
    #[must_use]
    pub const fn with(self, capability: Capability) -> Self {
        Self(self.0 | capability.bit())
    }

    /// Without this one.
    #[must_use]
    pub const fn without(self, capability: Capability) -> Self {
        Self(self.0 & !capability.bit())
    }

    /// Whether this one is in it.
    pub const fn has(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// Those that are in it, in the order in which they are checked.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |capability| self.has(*capability))
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
