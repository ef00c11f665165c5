//! What failed in a teardown, handed from each fiber to the one above without a copy (K7).

use crate::error::LinkFailure;
use crate::frames;
use crate::sync::Arc;

/// Links that failed: one's own, and those that ended within. A tree that is shared as it grows: every fiber of a chain has the
/// failures of all below it, and copies of them would be a square of the chain's length.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    own: Vec<LinkFailure>,
    within: Vec<Arc<Failures>>,
    count: usize,
}

impl Failures {
    pub(crate) fn push(&mut self, failure: LinkFailure) {
        self.count += 1;
        self.own.push(failure);
    }

    pub(crate) fn add(&mut self, within: &Arc<Self>) {
        if within.count > 0 {
            self.count = self.count.saturating_add(within.count);
            self.within.push(Arc::clone(within));
        }
    }

    /// How many links failed.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The same, to be handed on.
    pub(crate) fn share(mut self) -> Arc<Self> {
        match self.within.pop() {
            Some(only) if self.own.is_empty() && self.within.is_empty() => only,
            last => {
                self.within.extend(last);
                Arc::new(self)
            }
        }
    }

    /// All of them, in order of their start.
    pub(crate) fn in_order(&self) -> Vec<LinkFailure> {
        let mut all = Vec::with_capacity(self.count);
        let mut next = vec![self];
        while let Some(failures) = next.pop() {
            all.extend(failures.own.iter().cloned());
            next.extend(failures.within.iter().map(|within| &**within));
        }
        all.sort_by_key(|failure| failure.began);
        all
    }
}

impl Drop for Failures {
    fn drop(&mut self) {
        // A loop, not recursion: it may be as deep as the fibers are (K6).
        let mut next = std::mem::take(&mut self.within);
        let mut own = std::mem::take(&mut self.own);
        loop {
            // One by one: each is foreign, and its destructor may panic.
            own.drain(..).for_each(frames::drop_quietly);
            let Some(within) = next.pop() else { break };
            if let Some(mut within) = Arc::into_inner(within) {
                next.append(&mut within.within);
                own.append(&mut within.own);
            }
        }
    }
}
