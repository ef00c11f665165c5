//! The primitives of a model: loom's, at each of whose operations the checker may let another thread go on.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::PoisonError;

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

use crate::sync::Arc;

/// As in every other build, but for the lock itself.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands for arc-swap's pointer. Of that, each operation holds a sequentially consistent read-write, so that all have one
/// order; a lock that is held for the operation alone promises the same and no more.
pub(crate) struct ArcSwap<T>(Mutex<Arc<T>>);

impl<T> ArcSwap<T> {
    pub(crate) fn from_pointee(value: T) -> Self {
        Self(Mutex::new(Arc::new(value)))
    }

    pub(crate) fn load(&self) -> Guard<Arc<T>> {
        Guard(Arc::clone(&self.0.lock()))
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        drop(self.swap(value));
    }

    pub(crate) fn swap(&self, value: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut self.0.lock(), value)
    }
}

impl<T: Default> Default for ArcSwap<T> {
    fn default() -> Self {
        Self::from_pointee(T::default())
    }
}

/// Stands for arc-swap's guard: what was loaded.
#[expect(unnameable_types, reason = "as arc-swap's own, it stands in the signature of `Layers::load`")]
pub struct Guard<T>(T);

impl<T> Deref for Guard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A thread-local of loom's, since all threads of a model share one thread of the system.
pub(crate) struct Local<T: 'static>(pub(crate) loom::thread::LocalKey<RefCell<T>>);

impl<T> Local<T> {
    pub(crate) fn with_borrow<R>(&'static self, look: impl FnOnce(&T) -> R) -> R {
        self.0.with(|cell| look(&cell.borrow()))
    }

    pub(crate) fn with_borrow_mut<R>(&'static self, change: impl FnOnce(&mut T) -> R) -> R {
        self.0.with(|cell| change(&mut cell.borrow_mut()))
    }
}

/// As std's macro, for a static that is a `RefCell`.
macro_rules! local {
    (static $name:ident: RefCell<$value:ty> = $init:expr;) => {
        static $name: $crate::sync::Local<$value> = $crate::sync::Local(loom::thread::LocalKey {
            init: (|| $init) as fn() -> RefCell<$value>,
            _p: std::marker::PhantomData,
        });
    };
}

pub(crate) use local as thread_local;
