//! The one visibility function: what a scope sees under a name. Prompt, look-up and execution all ask it, so that what the model
//! is told of and what runs cannot differ (T3).

use std::sync::Arc;

use dsh_kernel::{Owner, ScopeKey, Snapshot};

use crate::entry::{Restriction, ToolEntry};
use crate::layer::ToolLayer;

/// The two layers that one scope looks through.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) global: &'a ToolLayer,
    pub(crate) own: Option<&'a ToolLayer>,
}

/// What there is under a name.
pub(crate) enum Seen<'a> {
    Nothing,
    /// A tool of everybody's that a restriction of this scope hides.
    Hidden(&'a Arc<ToolEntry>),
    Visible {
        entry: &'a Arc<ToolEntry>,
        /// Whose tool of everybody's it replaces for this scope.
        shadows: Option<&'a Owner>,
    },
}

impl<'a> Sight<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot<ToolLayer>, scope: Option<ScopeKey>) -> Self {
        Self { global: snapshot.global(), own: scope.and_then(|key| snapshot.scope(key)).map(|layer| &**layer) }
    }

    /// What there is under a name: the scope's own tools are explicit grants and bypass its restrictions; of everybody's tools
    /// it sees those that none of its restrictions hides (T1, T2).
    pub(crate) fn look(self, name: &str) -> Seen<'a> {
        let everybodys = self.global.tools.get(name);
        if let Some(entry) = self.own.and_then(|own| own.tools.get(name)) {
            return Seen::Visible { entry, shadows: everybodys.map(|shadowed| &shadowed.facts.owner) };
        }
        match everybodys {
            None => Seen::Nothing,
            Some(entry) if self.hiding(name).next().is_some() => Seen::Hidden(entry),
            Some(entry) => Seen::Visible { entry, shadows: None },
        }
    }

    /// The restrictions that hide a tool of everybody's, in order of registration.
    pub(crate) fn hiding(self, name: &str) -> impl Iterator<Item = &'a Restriction> {
        let restrictions = self.own.into_iter().flat_map(|own| own.restrictions.values());
        restrictions.map(|restriction| &**restriction).filter(move |restriction| restriction.hides(name))
    }

    /// All names that there is something under, visible or not, each once, in no order.
    pub(crate) fn names(self) -> impl Iterator<Item = &'a dsh_kernel::Name> {
        let own = self.own.into_iter().flat_map(|own| own.tools.keys());
        self.global.tools.keys().chain(own.filter(move |name| !self.global.tools.contains_key(name.as_str())))
    }
}
