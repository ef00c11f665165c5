//! What is remembered of a scope's assemblies, and forgotten when any of its layers changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::{ArcSwapOption, Guard};

use crate::state::State;
use crate::view::View;

/// What is remembered of one layer over the global one.
///
/// It lives in the layer, so that it goes when the layer changes or its scope ends. It also holds parts of the global layer;
/// when that changes, [`Memories::forget`] empties it, so that nothing of an unloaded plugin is kept by a scope that is idle.
#[derive(Default)]
pub(crate) struct Memory {
    recalled: ArcSwapOption<Recalled>,
    /// The latest assembly, where its values alone tell it from the one that is recalled. Values that change at each step are kept here
    /// alone: to swap what is recalled takes a look at what every thread holds, and that costs all of them.
    latest: Mutex<Option<Arc<State>>>,
    /// Whether it stands in the list of [`Memories`].
    noted: AtomicBool,
}

/// A view, and the last assembly made from it. One pointer leads to both: a step in which nothing has changed reads it, and
/// counts no reference.
pub(crate) struct Recalled {
    pub(crate) view: Arc<View>,
    pub(crate) last: Option<Arc<State>>,
}

impl Memory {
    /// What is remembered, perhaps of a view that is no longer the present one.
    pub(crate) fn recall(&self) -> Guard<Option<Arc<Recalled>>> {
        self.recalled.load()
    }

    pub(crate) fn keep(&self, view: &Arc<View>, last: Option<&Arc<State>>) {
        self.recalled.store(Some(Arc::new(Recalled { view: Arc::clone(view), last: last.cloned() })));
    }

    /// Keeps a state that was made while `last` was recalled. Where the latest one says the same, that is the state, and is recalled from
    /// now on: so a step in which nothing has changed hands out the same object, whichever step it follows.
    pub(crate) fn settle(&self, view: &Arc<View>, last: Option<&Arc<State>>, state: Arc<State>) -> Arc<State> {
        let is_all_new = last.is_none_or(|last| !state.differs_in_values_alone(last));
        let mut latest = self.latest();
        let known = latest.take_if(|latest| latest.says_the_same(&state));
        let before = if known.is_some() || is_all_new { latest.take() } else { latest.replace(Arc::clone(&state)) };
        drop(latest);
        drop(before);
        let is_recalled = known.is_some() || is_all_new;
        let state = known.unwrap_or(state);
        if is_recalled {
            self.keep(view, Some(&state));
        }
        state
    }

    fn latest(&self) -> MutexGuard<'_, Option<Arc<State>>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self) {
        // Before it is emptied: whoever fills it after this notes it again, whoever filled it before is emptied below.
        self.noted.swap(false, Ordering::AcqRel);
        self.recalled.store(None);
        let latest = self.latest().take();
        drop(latest);
    }
}

/// The scopes' memories that hold something, to be emptied when the global layer changes.
#[derive(Default)]
pub(crate) struct Memories(Mutex<Filled>);

#[derive(Default)]
struct Filled {
    memories: Vec<Weak<Memory>>,
    /// How long the list may get before those that are gone are taken out.
    limit: usize,
}

/// So many are listed before anybody looks which of them are gone.
const SMALL: usize = 64;

impl Memories {
    /// Notes a scope's memory that has just been filled. `is_current` is asked afterwards: where the global layer has changed
    /// meanwhile, and its [`forget`](Self::forget) may be over, the memory is emptied here.
    pub(crate) fn note(&self, memory: &Arc<Memory>, is_current: impl FnOnce() -> bool) {
        if !memory.noted.swap(true, Ordering::AcqRel) {
            self.add(memory);
        }
        if !is_current() {
            memory.forget();
        }
    }

    fn add(&self, memory: &Arc<Memory>) {
        let mut filled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if filled.memories.len() >= filled.limit.max(SMALL) {
            filled.memories.retain(|memory| memory.strong_count() > 0);
            filled.limit = filled.memories.len() * 2;
        }
        filled.memories.push(Arc::downgrade(memory));
    }

    /// Empties all that were noted.
    pub(crate) fn forget(&self) {
        let filled = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for memory in filled.memories.iter().filter_map(Weak::upgrade) {
            memory.forget();
        }
    }
}
