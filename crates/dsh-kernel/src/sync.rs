//! The one door to shared-state primitives, so that a model checker can be put behind it (`cfg(dsh_model)`).

pub(crate) use std::sync::Arc;
use std::sync::PoisonError;

/// A mutex that cannot be poisoned for its users: no foreign code runs under any lock of this crate (K13).
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
