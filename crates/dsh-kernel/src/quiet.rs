//! What was handed in, dropped without a panic getting out.

use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use crate::failure::Failure;
use crate::frames;

/// Wakes whoever waits. A waker is foreign code: where it panics, that is logged, and the others are woken all the same (K13).
pub(crate) fn wake_quietly(waker: Waker) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        tracing::error!(failure = Failure::from_panic(&*payload).shown(), "a waker panicked");
        frames::drop_quietly(payload);
    }
}

/// Something that was handed in, such as a callback that a registry keeps.
///
/// Its destructor is foreign code: where it panics, that is logged and goes no further (K13).
///
/// ```
/// use dsh_kernel::Quiet;
///
/// struct Bomb;
///
/// impl Drop for Bomb {
///     fn drop(&mut self) {
///         panic!("in a destructor");
///     }
/// }
///
/// drop(Quiet::new(Bomb)); // logged, not passed on
/// ```
pub struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    /// Keeps `value`.
    pub const fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value itself, whose destructor is the caller's affair from now on.
    pub fn into_inner(mut self) -> T {
        self.0.take().unwrap_or_else(|| unreachable!("it is empty only once it is consumed"))
    }
}

impl<T> Deref for Quiet<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().unwrap_or_else(|| unreachable!("it is empty only once it is consumed"))
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            frames::drop_quietly(value);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Quiet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
