//! The one visibility function: what a scope sees under a name. Prompt, look-up and execution all ask it, so that what the model
//! is told of and what runs cannot differ (T3).

use std::sync::Arc;

use dsh_kernel::{Owner, ScopeKey, Snapshot};

use crate::bound::{Bound, DEEPEST};
use crate::entry::{Restriction, ToolEntry};
use crate::layer::ToolLayer;

/// The two layers that one scope looks through, and where those that bound it are found.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) global: &'a ToolLayer,
    pub(crate) own: Option<&'a ToolLayer>,
    snapshot: &'a Snapshot<ToolLayer>,
    /// How many bounds led here.
    depth: usize,
}

/// What there is under a name.
pub(crate) enum Seen<'a> {
    Nothing,
    /// A tool that a restriction of this scope, or what it is bounded by, hides.
    Hidden(&'a Arc<ToolEntry>),
    Visible {
        entry: &'a Arc<ToolEntry>,
        /// Whose tool of everybody's it replaces for this scope.
        shadows: Option<&'a Owner>,
    },
}

impl<'a> Sight<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot<ToolLayer>, scope: Option<ScopeKey>) -> Self {
        Self::at(snapshot, scope, 0)
    }

    /// The sight of a scope to which so many bounds have led.
    pub(crate) fn at(snapshot: &'a Snapshot<ToolLayer>, scope: Option<ScopeKey>, depth: usize) -> Self {
        let own = scope.and_then(|key| snapshot.scope(key)).map(|layer| &**layer);
        Self { global: snapshot.global(), own, snapshot, depth }
    }

    /// What there is under a name: the scope's own tools are explicit grants and bypass its restrictions; of everybody's tools
    /// it sees those that none of its restrictions hides (T1, T2). Of either, it sees what those have that bound it.
    pub(crate) fn look(self, name: &str) -> Seen<'a> {
        let everybodys = self.global.tools.get(name);
        let own = self.own.and_then(|own| own.tools.get(name));
        let Some(entry) = own.or(everybodys) else { return Seen::Nothing };
        if self.hiding(name, entry).next().is_some() {
            return Seen::Hidden(entry);
        }
        Seen::Visible { entry, shadows: own.and(everybodys).map(|shadowed| &shadowed.facts.owner) }
    }

    /// Whose restrictions and bounds hide a tool, in order of registration each.
    pub(crate) fn hiding(self, name: &str, entry: &Arc<ToolEntry>) -> impl Iterator<Item = &'a Owner> {
        // What was registered for the scope itself bypasses its restrictions.
        let restricted = self.own.filter(|_| entry.facts.scope.is_none());
        let restrictions = restricted.into_iter().flat_map(|own| own.restrictions.values());
        let hiding = restrictions.map(|restriction| &**restriction).filter(move |restriction| restriction.hides(name));
        let bounds = self.bounds().filter(move |bound| !bound.allows(self.snapshot, name, entry, self.depth));
        hiding.map(|restriction: &Restriction| &restriction.owner).chain(bounds.map(|bound| &bound.owner))
    }

    fn bounds(self) -> impl Iterator<Item = &'a Bound> {
        self.own.into_iter().flat_map(|own| own.bounds.values()).map(|bound| &**bound)
    }

    /// Whether a scope bounds this one, at whatever distance.
    pub(crate) fn is_bounded_by(self, scope: ScopeKey) -> bool {
        self.depth < DEEPEST
            && self.bounds().any(|bound| {
                bound.by == scope || Self::at(self.snapshot, Some(bound.by), self.depth + 1).is_bounded_by(scope)
            })
    }

    /// What else than the scope's own layer and everybody's decides what it sees: another list, whenever that has changed.
    pub(crate) fn circumstances(self) -> Vec<u64> {
        let mut all = Vec::new();
        self.add_circumstances(&mut all);
        all
    }

    fn add_circumstances(self, all: &mut Vec<u64>) {
        if self.depth >= DEEPEST {
            return;
        }
        for bound in self.bounds() {
            let other = Self::at(self.snapshot, Some(bound.by), self.depth + 1);
            all.extend([u64::from(bound.is_alive()), other.own.map_or(0, |own| own.stamp)]);
            other.add_circumstances(all);
        }
    }

    /// All names that there is something under, visible or not, each once, in no order.
    pub(crate) fn names(self) -> impl Iterator<Item = &'a dsh_kernel::Name> {
        let own = self.own.into_iter().flat_map(|own| own.tools.keys());
        self.global.tools.keys().chain(own.filter(move |name| !self.global.tools.contains_key(name.as_str())))
    }
}
