//! Numbers that are given out once in the life of the process.

use std::sync::atomic::{AtomicU64, Ordering};

/// Gives out each number once. Nothing is decided by one but whether it is the same as another, so that a model need not
/// look at their order: it is std's counter in every build, and can stand in a `static`.
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    pub(crate) const fn from(first: u64) -> Self {
        Self(AtomicU64::new(first))
    }

    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
