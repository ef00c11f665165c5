//! Whose hands an assembly went through, so that nothing is handed out that a departed plugin had a say in (S8, K9).
//!
//! It stands beside the assembly, not in it: a listener may replace the assembly by another one, or keep an inner listener from
//! it, and leave no trace in what comes back. While the waterfall is polled, its journal is the thread's current one, by which
//! the hooks of the event find it.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_kernel::{FiberState, Owner};

/// The listeners that were called.
#[derive(Default)]
pub(crate) struct Journal(Mutex<Vec<Visit>>);

struct Visit {
    owner: Owner,
    /// The number of its unloads when it was called first.
    unloads: u64,
    /// Whether it was draining then, which is no reason to start anew until it has drained.
    draining: bool,
}

impl Visit {
    fn has_departed(&self) -> bool {
        self.owner.unloads() != self.unloads || (self.draining && self.owner.state() != FiberState::Unloading)
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Journal>>> = const { RefCell::new(None) };
}

impl Journal {
    /// Notes that a listener has got the assembly.
    pub(crate) fn note(&self, owner: &Owner) {
        let mut visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !visits.iter().any(|visit| visit.owner == *owner) {
            let draining = owner.state() == FiberState::Unloading;
            visits.push(Visit { owner: owner.clone(), unloads: owner.unloads(), draining });
        }
    }

    /// A listener that has unloaded since it was called.
    pub(crate) fn departed(&self) -> Option<Owner> {
        let visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        visits.iter().find(|visit| visit.has_departed()).map(|visit| visit.owner.clone())
    }

    /// The journal of the waterfall that is being polled on this thread.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Awaits a waterfall whose hooks write into this journal.
    pub(crate) async fn keep<F: Future>(self: &Arc<Self>, waterfall: F) -> F::Output {
        let mut waterfall = pin!(waterfall);
        poll_fn(|cx| {
            // A listener that assembles has a waterfall of its own inside of this one.
            let _outer = Outer(CURRENT.replace(Some(Arc::clone(self))));
            waterfall.as_mut().poll(cx)
        })
        .await
    }
}

/// Puts the journal back that was current before, also where a poll panics.
struct Outer(Option<Arc<Journal>>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}
