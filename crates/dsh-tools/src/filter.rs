//! What a restriction says: which tools a scope may have (T2).

use dsh_kernel::Name;

/// Which of everybody's tools a scope may have: only those of a list, all but those of a list, or both, where deny wins (T2).
///
/// A filter works by name for as long as it is registered, whatever comes and goes under a name: of tools that are
/// registered later, `allow` hides every one that it does not list, and `deny` hides each that it lists. It takes no patterns.
/// `allow` with an empty list leaves none; a filter that says nothing (no `allow`, an empty `deny`) is refused.
///
/// ```
/// use dsh_tools::ToolFilter;
///
/// let readers = ToolFilter::new().allow(["read", "find"]).deny(["find"]); // leaves `read`
/// let nothing = ToolFilter::new().allow([] as [&str; 0]);
/// # drop((readers, nothing));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    pub(crate) allow: Option<Vec<Name>>,
    pub(crate) deny: Vec<Name>,
}

impl ToolFilter {
    /// Says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these; a second call adds to the list.
    #[must_use]
    pub fn allow<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.allow.get_or_insert_default().extend(names.into_iter().map(Into::into));
        self
    }

    /// Not these; a second call adds to the list.
    #[must_use]
    pub fn deny<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.deny.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whether it would hide nothing, whatever is registered.
    pub fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty()
    }

    /// All names in it, as they were listed.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.allow.iter().flatten().chain(&self.deny)
    }
}
