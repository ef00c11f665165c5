//! The primitives of every build but a model's: std's and arc-swap's own.

use std::sync::{MutexGuard, PoisonError};

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
pub(crate) use std::thread_local;

pub(crate) use arc_swap::{ArcSwap, Guard};

/// A mutex that cannot be poisoned for its users: no foreign code runs under any lock of this crate (K13).
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
