//! What was edited in one assembly, and by whom.

use dsh_kernel::{FiberState, Name, Owner};

use crate::assembly::variable::OwnVariable;
use crate::assembly::{AssembledSection, AssembledTool};
use crate::registration::is_live;
use crate::value::Value;

/// The lists that were edited, each copied when the first edit came.
#[derive(Clone, Default)]
pub(crate) struct Edits {
    pub(crate) sections: Option<Vec<AssembledSection>>,
    pub(crate) tools: Option<Vec<AssembledTool>>,
    pub(crate) variables: Option<Vec<OwnVariable>>,
    /// Whether a list was asked for since the last claim.
    pub(crate) touched: bool,
    /// The listeners that had it in their hands.
    listeners: Vec<Listener>,
}

#[derive(Clone)]
struct Listener {
    owner: Owner,
    /// The number of its unloads when it got the assembly.
    unloads: u64,
    edited: bool,
}

impl Edits {
    /// Notes that a listener has got the assembly.
    pub(crate) fn enter(&mut self, owner: &Owner) {
        if !self.listeners.iter().any(|known| known.owner == *owner) {
            self.listeners.push(Listener { owner: owner.clone(), unloads: owner.unloads(), edited: false });
        }
    }

    /// Gives what has no owner yet to a listener, and marks what it has edited.
    pub(crate) fn claim(&mut self, owner: &Owner) {
        if !std::mem::take(&mut self.touched) {
            return;
        }
        for section in self.sections.iter_mut().flatten() {
            section.claim(owner);
        }
        for tool in self.tools.iter_mut().flatten() {
            tool.claim(owner);
        }
        for variable in self.variables.iter_mut().flatten() {
            variable.owner.get_or_insert_with(|| owner.clone());
        }
        if let Some(listener) = self.listeners.iter_mut().find(|known| known.owner == *owner) {
            listener.edited = true;
        } else {
            // It made the assembly afresh, so when it got the old one is not known here. Gone is gone, all the same.
            let gone = !is_live(owner) && owner.state() != FiberState::Unloading;
            let unloads = if gone { u64::MAX } else { owner.unloads() };
            self.listeners.push(Listener { owner: owner.clone(), unloads, edited: true });
        }
    }

    /// A listener that has edited and has unloaded since it got the assembly.
    pub(crate) fn departed_editor(&self) -> Option<&Owner> {
        let departed = |listener: &&Listener| listener.edited && listener.owner.unloads() != listener.unloads;
        self.listeners.iter().find(departed).map(|listener| &listener.owner)
    }
}

pub(crate) fn set_variable(variables: &mut Vec<OwnVariable>, name: Name, value: Option<Value>) {
    let new = OwnVariable::added(name, value);
    match variables.iter_mut().find(|variable| variable.name == new.name) {
        Some(variable) => *variable = new,
        None => variables.push(new),
    }
}
