//! Whose hands an assembly went through, so that nothing is handed out that a departed plugin had a say in (S8, K9).
//!
//! It stands in the event, beside the assembly: a listener may replace the assembly by another one, or keep an inner listener
//! from it, and leave no trace in what comes back.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use dsh_kernel::{FiberState, Owner};

/// The listeners that were called.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Visits>);

#[derive(Debug, Default)]
struct Visits {
    /// In the order of their first calls.
    list: Vec<Visit>,
    /// Whose visits those are.
    known: HashSet<Owner>,
}

#[derive(Debug)]
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

impl Journal {
    /// Notes that a listener has got the assembly.
    pub(crate) fn note(&self, owner: &Owner) {
        let mut visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Two listeners of one owner mostly stand side by side.
        if visits.list.last().is_some_and(|visit| visit.owner == *owner) || !visits.known.insert(owner.clone()) {
            return;
        }
        let draining = owner.state() == FiberState::Unloading;
        visits.list.push(Visit { owner: owner.clone(), unloads: owner.unloads(), draining });
    }

    /// A listener that has unloaded since it was called.
    pub(crate) fn departed(&self) -> Option<Owner> {
        let visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        visits.list.iter().find(|visit| visit.has_departed()).map(|visit| visit.owner.clone())
    }
}
