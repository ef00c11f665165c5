//! A shared log of what happened, in order.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A shared log: clones write to the same one, from any thread.
///
/// ```
/// use dsh_testkit::Log;
///
/// let log = Log::new();
/// let inner = log.clone();
/// inner.push("open");
/// log.push(format!("close {}", 1));
/// assert_eq!(log.entries(), ["open", "close 1"]);
/// assert_eq!(log.take().len(), 2);
/// assert!(log.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry at the end.
    pub fn push(&self, entry: impl Into<String>) {
        // Made before the lock is taken: `into` is the caller's code.
        let entry = entry.into();
        self.lock().push(entry);
    }

    /// The entries so far, leaving the log empty.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lock())
    }

    /// The entries so far, leaving them in the log.
    pub fn entries(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Takes the entries and compares them whole with `expected`.
    ///
    /// ```
    /// let log = dsh_testkit::Log::new();
    /// log.push("a");
    /// log.assert(["a"]);
    /// log.assert([]); // the first assertion took the entry
    /// ```
    ///
    /// # Panics
    ///
    /// Where they differ, at the caller's line.
    #[track_caller]
    pub fn assert<const N: usize>(&self, expected: [&str; N]) {
        assert_eq!(self.take(), expected, "the log (left) is not what was expected (right)");
    }

    // A test that panicked elsewhere must not hide what was logged.
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
