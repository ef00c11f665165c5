//! What one assembly is for.

use dsh_kernel::ScopeKey;

use crate::extensions::Extensions;

/// What one assembly is for: which scope, and whatever other crates add (S8, S10).
///
/// Every provider and listener of the assembly gets it. A field that is not there must be put up with: a bare assembly has
/// none.
///
/// ```
/// use dsh_system_prompt::AssembleContext;
///
/// struct Turn(u32);
///
/// let cx = AssembleContext::new().with(Turn(3));
/// assert_eq!(cx.get::<Turn>().map(|turn| turn.0), Some(3));
/// assert_eq!(cx.scope(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct AssembleContext {
    scope: Option<ScopeKey>,
    extensions: Extensions,
}

impl AssembleContext {
    /// For nobody in particular: the global layer alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// For one scope: the global layer with that scope's over it.
    pub fn for_scope(key: ScopeKey) -> Self {
        Self { scope: Some(key), ..Self::default() }
    }

    /// The scope that the assembly is for.
    pub fn scope(&self) -> Option<ScopeKey> {
        self.scope
    }

    /// The same with a field more, found by its type; one of that type that is there already is replaced.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// The field of that type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }
}

impl From<ScopeKey> for AssembleContext {
    fn from(key: ScopeKey) -> Self {
        Self::for_scope(key)
    }
}
