//! Wakers of waits that look again when the world has changed, each under the key of its wait.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;

/// Names one wait for as long as its future lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WatcherKey(u64);

impl WatcherKey {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Default)]
pub(crate) struct Watchers {
    all: BTreeMap<WatcherKey, Waker>,
    /// Those that were polled from inside foreign code, which may turn out to be what they wait for (K8).
    inside: BTreeMap<WatcherKey, Waker>,
}

impl Watchers {
    pub(crate) fn watch(&mut self, key: WatcherKey, waker: &Waker, inside: bool) {
        self.all.insert(key, waker.clone());
        if inside {
            self.inside.insert(key, waker.clone());
        }
    }

    pub(crate) fn forget(&mut self, key: WatcherKey) {
        self.all.remove(&key);
        self.inside.remove(&key);
    }

    pub(crate) fn waiting(&self, wakers: &mut Vec<Waker>) {
        wakers.extend(self.all.values().cloned());
    }

    pub(crate) fn take(&mut self, wakers: &mut Vec<Waker>) {
        self.inside.clear();
        wakers.extend(std::mem::take(&mut self.all).into_values());
    }

    pub(crate) fn take_inside(&mut self, wakers: &mut Vec<Waker>) {
        for (key, waker) in std::mem::take(&mut self.inside) {
            self.all.remove(&key);
            wakers.push(waker);
        }
    }
}
