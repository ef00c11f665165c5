//! From the slots of a section's template to values.

use std::collections::HashMap;

use dsh_template::Lookup;

use crate::assembly::{AssembledSection, PromptAssembly};
use crate::shape::ShapeText;
use crate::state::State;
use crate::value::Value;

/// The values of an assembly, as its sections find them.
pub(crate) enum Table<'a> {
    /// Nobody has edited sections or variables: the shape knows which slot is which variable.
    Bound(&'a State),
    /// By name.
    Named(HashMap<&'a str, Lookup<'a>>),
}

/// The values for the slots of one section.
pub(crate) enum Slots<'a> {
    Bound(&'a State, &'a [Option<usize>]),
    Found(Vec<Lookup<'a>>),
}

impl<'a> Table<'a> {
    pub(crate) fn new(assembly: &'a PromptAssembly) -> Self {
        match assembly.shared_state() {
            Some(state) => Self::Bound(state),
            None => Self::Named(
                assembly.variables().map(|variable| (variable.name(), value_or_not(variable.value()))).collect(),
            ),
        }
    }

    /// The values for a section, which is the `index`th of the assembly.
    pub(crate) fn slots(&self, index: usize, section: &AssembledSection) -> Slots<'a> {
        match self {
            Self::Bound(state) => match state.shape.sections.get(index).map(|section| &section.text) {
                Some(ShapeText::Fixed(bindings)) => Slots::Bound(state, bindings),
                Some(ShapeText::Computed(_)) | None => Slots::Found(
                    section.template().names().map(|name| by_index(state, state.shape.variable(name))).collect(),
                ),
            },
            Self::Named(values) => Slots::Found(
                section.template().names().map(|name| values.get(name).copied().unwrap_or(Lookup::Unknown)).collect(),
            ),
        }
    }
}

impl<'a> Slots<'a> {
    pub(crate) fn get(&self, slot: usize) -> Lookup<'a> {
        match self {
            Self::Bound(state, bindings) => by_index(state, bindings.get(slot).copied().flatten()),
            Self::Found(values) => values.get(slot).copied().unwrap_or(Lookup::Unknown),
        }
    }
}

fn by_index(state: &State, index: Option<usize>) -> Lookup<'_> {
    index.map_or(Lookup::Unknown, |index| value_or_not(state.value(index)))
}

fn value_or_not(value: Option<&Value>) -> Lookup<'_> {
    value.map_or(Lookup::Valueless, |value| Lookup::Value(value.as_str()))
}
