//! What the deployment allows.

/// What the deployment allows: how deep and how wide agents may work for one another (G3).
///
/// ```
/// let config = dsh_subagent::SubagentsConfig::new().depth(1).width(4).total(16);
/// # drop(config);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubagentsConfig {
    pub(crate) depth: u32,
    pub(crate) width: usize,
    pub(crate) total: usize,
}

impl SubagentsConfig {
    /// Three levels under an agent that nobody started; 8 children of one agent at a time, and 64 in all.
    pub fn new() -> Self {
        Self { depth: 3, width: 8, total: 64 }
    }

    /// How many levels may work under an agent that works for nobody; 0 for none.
    #[must_use]
    pub fn depth(mut self, levels: u32) -> Self {
        self.depth = levels;
        self
    }

    /// How many children of one agent run at a time.
    #[must_use]
    pub fn width(mut self, children: usize) -> Self {
        self.width = children;
        self
    }

    /// How many run at a time, whomever they work for.
    #[must_use]
    pub fn total(mut self, children: usize) -> Self {
        self.total = children;
        self
    }
}

impl Default for SubagentsConfig {
    fn default() -> Self {
        Self::new()
    }
}
