//! Wakers of waits that look again when the world has changed, each under the key of its wait.

use std::collections::BTreeMap;
use std::task::Waker;

use crate::sync::Numbers;

/// Names one wait for as long as its future lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WatcherKey(u64);

impl WatcherKey {
    pub(crate) fn fresh() -> Self {
        static NEXT: Numbers = Numbers::from(0);
        Self(NEXT.next())
    }
}

/// Wakers that nobody needs any more. To drop one may drop a task, and so run foreign code: it is done when the lock is free.
#[must_use = "it is dropped quietly when the lock is free"]
#[derive(Default)]
pub(crate) struct Displaced {
    _wakers: [Option<Waker>; 2],
}

#[derive(Default)]
pub(crate) struct Watchers {
    all: BTreeMap<WatcherKey, Waker>,
    /// Those that were polled from inside foreign code, which may turn out to be what they wait for (K8).
    inside: BTreeMap<WatcherKey, Waker>,
}

impl Watchers {
    pub(crate) fn watch(&mut self, key: WatcherKey, waker: &Waker, inside: bool) -> Displaced {
        let displaced = self.all.insert(key, waker.clone());
        let inside = if inside { self.inside.insert(key, waker.clone()) } else { self.inside.remove(&key) };
        Displaced { _wakers: [displaced, inside] }
    }

    pub(crate) fn forget(&mut self, key: WatcherKey) -> Displaced {
        Displaced { _wakers: [self.all.remove(&key), self.inside.remove(&key)] }
    }

    pub(crate) fn waiting(&self, wakers: &mut Vec<Waker>) {
        wakers.extend(self.all.values().cloned());
    }

    pub(crate) fn take(&mut self, wakers: &mut Vec<Waker>) {
        wakers.extend(std::mem::take(&mut self.all).into_values());
        // These go with the others, for whom they are woken once more than they need: no waker is dropped under the lock.
        wakers.extend(std::mem::take(&mut self.inside).into_values());
    }

    pub(crate) fn take_inside(&mut self, wakers: &mut Vec<Waker>) {
        for (key, waker) in std::mem::take(&mut self.inside) {
            wakers.extend(self.all.remove(&key));
            wakers.push(waker);
        }
    }
}
