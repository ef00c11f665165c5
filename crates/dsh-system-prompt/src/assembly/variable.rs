//! A variable as it stands in an assembly.

use std::fmt;

use dsh_kernel::{Name, Owner};

use crate::provenance::{PartLayer, Stability};
use crate::state::State;
use crate::value::Value;

/// A variable of one assembly, with its value if it has one (S4, X3).
#[derive(Clone, Copy)]
pub struct AssembledVariable<'a> {
    name: &'a Name,
    value: Option<&'a Value>,
    owner: Option<&'a Owner>,
    layer: PartLayer,
    shadows: Option<&'a Owner>,
    stability: Stability,
}

/// The same, held by the edits of an assembly.
#[derive(Clone)]
pub(crate) struct OwnVariable {
    pub(crate) name: Name,
    pub(crate) value: Option<Value>,
    pub(crate) owner: Option<Owner>,
    layer: PartLayer,
    shadows: Option<Owner>,
    stability: Stability,
}

impl OwnVariable {
    pub(crate) fn added(name: Name, value: Option<Value>) -> Self {
        Self { name, value, owner: None, layer: PartLayer::Assembly, shadows: None, stability: Stability::Step }
    }

    /// The same name with another value, which stands over whoever gave the old one.
    pub(crate) fn replacing(old: &Self, value: Option<Value>) -> Self {
        let shadows = old.owner.clone().or_else(|| old.shadows.clone());
        Self { shadows, ..Self::added(old.name.clone(), value) }
    }
}

impl<'a> AssembledVariable<'a> {
    pub(crate) fn edited(variable: &'a OwnVariable) -> Self {
        Self {
            name: &variable.name,
            value: variable.value.as_ref(),
            owner: variable.owner.as_ref(),
            layer: variable.layer,
            shadows: variable.shadows.as_ref(),
            stability: variable.stability,
        }
    }

    pub(crate) fn registered(state: &'a State, index: usize) -> Option<Self> {
        let variable = state.shape.variables.get(index)?;
        Some(Self {
            name: &variable.name,
            value: state.value(index),
            owner: Some(variable.origin.owner()),
            layer: variable.origin.layer(),
            shadows: variable.shadows.as_ref(),
            stability: variable.stability,
        })
    }

    pub(crate) fn to_own(self) -> OwnVariable {
        OwnVariable {
            name: self.name.clone(),
            value: self.value.cloned(),
            owner: self.owner.cloned(),
            layer: self.layer,
            shadows: self.shadows.cloned(),
            stability: self.stability,
        }
    }

    /// The name.
    pub fn name(&self) -> &'a str {
        self.name.as_str()
    }

    /// The name, to be shared.
    pub fn shared_name(&self) -> &'a Name {
        self.name
    }

    /// The value; `None` where it has none this time.
    pub fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// Who registered or set it; `None` in an assembly that was built by hand.
    pub fn owner(&self) -> Option<&'a Owner> {
        self.owner
    }

    /// The layer that it stands in.
    pub fn layer(&self) -> PartLayer {
        self.layer
    }

    /// Whose variable of the same name it replaces, for this scope or in this assembly.
    pub fn shadows(&self) -> Option<&'a Owner> {
        self.shadows
    }

    /// How often its value may change, as declared.
    pub fn stability(&self) -> Stability {
        self.stability
    }
}

/// Shows the length of the value, never the value.
impl fmt::Debug for AssembledVariable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssembledVariable")
            .field("name", &self.name)
            .field("value", &self.value)
            .field("owner", &self.owner)
            .field("layer", &self.layer)
            .finish_non_exhaustive()
    }
}
