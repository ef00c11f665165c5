//! A value that is another one each time it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many values are made beforehand and handed out in turn.
const KEPT: usize = 16;

/// Values that are made once and handed out in turn, so that each step has another one and nobody pays for making it.
///
/// It fills cache lines of its own: two threads that each have one do not meet in it.
///
/// ```
/// let changing = dsh_bench::Changing::new("main");
/// assert_eq!([changing.next(), changing.next()].map(|value| value.to_string()), ["main-0", "main-1"]);
/// ```
#[derive(Debug)]
#[repr(align(128))]
pub struct Changing {
    values: Vec<Arc<str>>,
    at: AtomicUsize,
}

impl Changing {
    /// Values that begin with `value`.
    pub fn new(value: &str) -> Self {
        Self { values: (0..KEPT).map(|n| format!("{value}-{n}").into()).collect(), at: AtomicUsize::new(0) }
    }

    /// The next value. One reference count, no copy.
    pub fn next(&self) -> Arc<str> {
        let at = self.at.fetch_add(1, Ordering::Relaxed) % KEPT;
        self.values.get(at).cloned().unwrap_or_default()
    }

    /// All values, in turn.
    pub fn values(&self) -> &[Arc<str>] {
        &self.values
    }
}
