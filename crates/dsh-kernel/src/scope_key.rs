//! The key of a scope: what a layer, a dispatch and an assembly are filtered by (K12).

use std::fmt;

use crate::sync::Numbers;

/// Names one scope, for as long as the process lives.
///
/// Keys are made by opening a scope and by nothing else, so a key that exists was a scope once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeKey(u64);

impl ScopeKey {
    pub(crate) fn fresh() -> Self {
        static NEXT: Numbers = Numbers::from(1);
        Self(NEXT.next())
    }
}

impl fmt::Debug for ScopeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopeKey({})", self.0)
    }
}
