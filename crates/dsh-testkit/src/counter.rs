//! A shared count of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A shared count: clones count together.
///
/// ```
/// use dsh_testkit::Counter;
///
/// let calls = Counter::new();
/// let listener = { let calls = calls.clone(); move || calls.hit() };
/// assert_eq!((listener(), listener()), (1, 2));
/// assert_eq!(calls.get(), 2);
/// assert_eq!(calls.take(), 2);
/// assert_eq!(calls.get(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    /// A count of zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one more and returns the new count.
    pub fn hit(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The count as it stands.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// The count as it stands; it starts again at zero.
    pub fn take(&self) -> usize {
        self.0.swap(0, Ordering::SeqCst)
    }
}
