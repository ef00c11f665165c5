//! What one layer of the registry holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use dsh_kernel::Name;
use dsh_system_prompt::ToolProviderResult;
use foldhash::fast::RandomState;
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};

use crate::bound::Bound;
use crate::entry::{Restriction, ToolEntry};

/// One layer: copied when it changes, which is why all in it is persistent.
pub(crate) struct ToolLayer {
    /// Nothing that anyone can see comes in its order (I7).
    pub(crate) tools: HashTrieMapSync<Name, Arc<ToolEntry>, RandomState>,
    /// In order of registration; the global layer has none (T2).
    pub(crate) restrictions: RedBlackTreeMapSync<u64, Arc<Restriction>>,
    /// In order of registration; the global layer has none.
    pub(crate) bounds: RedBlackTreeMapSync<u64, Arc<Bound>>,
    next: u64,
    /// Another one after each change.
    pub(crate) stamp: u64,
    /// What the prompt was told of this layer over the global one: it goes when the layer goes or changes.
    pub(crate) told: Arc<Told>,
}

/// What the prompt was told last. It holds schemas and names, and no code of anybody's.
#[derive(Default)]
pub(crate) struct Told(ArcSwapOption<Answer>);

struct Answer {
    /// The global layer's generation that it was made from.
    global_generation: u64,
    /// Those of the sight that it was made from.
    circumstances: Vec<u64>,
    tools: ToolProviderResult,
}

impl Told {
    /// The last answer, where neither the global layer nor what bounds this one has changed since.
    pub(crate) fn recall(&self, global_generation: u64, circumstances: &[u64]) -> Option<ToolProviderResult> {
        let last = self.0.load();
        let is_same =
            |last: &&Arc<Answer>| last.global_generation == global_generation && last.circumstances == circumstances;
        last.as_ref().filter(is_same).map(|last| last.tools.clone())
    }

    pub(crate) fn keep(&self, global_generation: u64, circumstances: Vec<u64>, tools: &ToolProviderResult) {
        self.0.store(Some(Arc::new(Answer { global_generation, circumstances, tools: tools.clone() })));
    }
}

/// From 1: 0 stands for a layer that is not there.
fn next_stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for ToolLayer {
    fn default() -> Self {
        Self {
            tools: HashTrieMapSync::default(),
            restrictions: RedBlackTreeMapSync::default(),
            bounds: RedBlackTreeMapSync::default(),
            next: 0,
            stamp: next_stamp(),
            told: Arc::default(),
        }
    }
}

impl ToolLayer {
    /// Adds a bound and returns its place.
    pub(crate) fn bound(&mut self, bound: Arc<Bound>) -> u64 {
        let place = self.next;
        self.next += 1;
        self.bounds.insert_mut(place, bound);
        place
    }

    /// Adds a restriction and returns its place.
    pub(crate) fn restrict(&mut self, restriction: Arc<Restriction>) -> u64 {
        let place = self.next;
        self.next += 1;
        self.restrictions.insert_mut(place, restriction);
        place
    }
}

impl Clone for ToolLayer {
    fn clone(&self) -> Self {
        Self {
            tools: self.tools.clone(),
            restrictions: self.restrictions.clone(),
            bounds: self.bounds.clone(),
            next: self.next,
            stamp: next_stamp(),
            told: Arc::default(),
        }
    }
}

impl dsh_kernel::Layer for ToolLayer {
    fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.restrictions.is_empty() && self.bounds.is_empty()
    }
}
