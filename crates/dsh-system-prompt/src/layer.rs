//! What one layer of the registry holds, in order of registration.

use std::sync::Arc;

use dsh_kernel::Name;
use foldhash::fast::RandomState;
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};

use crate::memory::Memory;
use crate::registration::{SectionEntry, ToolEntry, VariableEntry};

/// One layer: copied when it changes, which is why all in it is persistent. The memory of assemblies is not copied with it.
#[derive(Default)]
pub(crate) struct PromptLayer {
    pub(crate) sections: Shelf<SectionEntry>,
    pub(crate) variables: Shelf<VariableEntry>,
    pub(crate) tools: Shelf<ToolEntry>,
    /// What was made of this layer, kept where it goes when the layer goes or changes.
    pub(crate) memory: Arc<Memory>,
}

impl Clone for PromptLayer {
    fn clone(&self) -> Self {
        Self {
            sections: self.sections.clone(),
            variables: self.variables.clone(),
            tools: self.tools.clone(),
            memory: Arc::default(),
        }
    }
}

impl dsh_kernel::Layer for PromptLayer {
    fn is_empty(&self) -> bool {
        self.sections.is_empty() && self.variables.is_empty() && self.tools.is_empty()
    }
}

/// Registrations of one kind in order of registration, and by name where they have one.
pub(crate) struct Shelf<T> {
    places: RedBlackTreeMapSync<u64, Arc<T>>,
    names: HashTrieMapSync<Name, u64, RandomState>,
    next: u64,
}

impl<T> Shelf<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.places.values()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Arc<T>> {
        self.names.get(name).and_then(|place| self.places.get(place))
    }

    /// Adds an entry at the end and returns its place.
    pub(crate) fn add(&mut self, name: Option<&Name>, entry: Arc<T>) -> u64 {
        let place = self.next;
        self.next += 1;
        self.places.insert_mut(place, entry);
        if let Some(name) = name {
            self.names.insert_mut(name.clone(), place);
        }
        place
    }

    pub(crate) fn remove(&mut self, name: Option<&Name>, place: u64) {
        self.places.remove_mut(&place);
        if let Some(name) = name {
            self.names.remove_mut(name);
        }
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { places: RedBlackTreeMapSync::new_sync(), names: HashTrieMapSync::default(), next: 0 }
    }
}

impl<T> Clone for Shelf<T> {
    fn clone(&self) -> Self {
        Self { places: self.places.clone(), names: self.names.clone(), next: self.next }
    }
}
