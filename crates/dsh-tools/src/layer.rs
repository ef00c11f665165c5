//! What one layer of the registry holds.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use dsh_kernel::Name;
use dsh_system_prompt::ToolProviderResult;
use foldhash::fast::RandomState;
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};

use crate::entry::{Restriction, ToolEntry};

/// One layer: copied when it changes, which is why all in it is persistent.
#[derive(Default)]
pub(crate) struct ToolLayer {
    /// Nothing that anyone can see comes in its order (I7).
    pub(crate) tools: HashTrieMapSync<Name, Arc<ToolEntry>, RandomState>,
    /// In order of registration; the global layer has none (T2).
    pub(crate) restrictions: RedBlackTreeMapSync<u64, Arc<Restriction>>,
    next: u64,
    /// What the prompt was told of this layer over the global one: it goes when the layer goes or changes.
    pub(crate) told: Arc<Told>,
}

/// What the prompt was told last. It holds schemas and names, and no code of anybody's.
#[derive(Default)]
pub(crate) struct Told(ArcSwapOption<Answer>);

struct Answer {
    /// The global layer's generation that it was made from.
    global_generation: u64,
    tools: ToolProviderResult,
}

impl Told {
    /// The last answer, where the global layer has not changed since.
    pub(crate) fn recall(&self, global_generation: u64) -> Option<ToolProviderResult> {
        let last = self.0.load();
        last.as_ref().filter(|last| last.global_generation == global_generation).map(|last| last.tools.clone())
    }

    pub(crate) fn keep(&self, global_generation: u64, tools: &ToolProviderResult) {
        self.0.store(Some(Arc::new(Answer { global_generation, tools: tools.clone() })));
    }
}

impl ToolLayer {
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
            next: self.next,
            told: Arc::default(),
        }
    }
}

impl dsh_kernel::Layer for ToolLayer {
    fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.restrictions.is_empty()
    }
}
