//! What was edited in one assembly, until the listener that edited it hands it on.

use std::collections::{HashMap, HashSet};

use dsh_kernel::{Name, Owner};
use dsh_template::is_variable_name;

use crate::assembly::variable::OwnVariable;
use crate::assembly::{AssembledSection, AssembledTool};
use crate::error::{Detail, Error};
use crate::order::{check_distinct, check_reserved};
use crate::value::Value;

/// The lists that were edited, each copied when the first edit came.
#[derive(Clone, Default)]
pub(crate) struct Edits {
    pub(crate) sections: Option<Vec<AssembledSection>>,
    pub(crate) tools: Option<Vec<AssembledTool>>,
    pub(crate) variables: Option<OwnVariables>,
    /// What was left out when the listeners had run, and which tool it lacked.
    pub(crate) left_out: Vec<(AssembledSection, Name)>,
    /// Whether a list was asked for since the last claim.
    pub(crate) touched: bool,
}

impl Edits {
    /// Gives what has no owner yet to a listener, and marks what it has edited.
    pub(crate) fn claim(&mut self, owner: &Owner) {
        if !std::mem::take(&mut self.touched) {
            return;
        }
        if let Some(sections) = &mut self.sections {
            claim_sections(sections, owner);
        }
        for tool in self.tools.iter_mut().flatten() {
            tool.claim(owner);
        }
        for variable in self.variables.iter_mut().flat_map(|variables| &mut variables.list) {
            variable.owner.get_or_insert_with(|| owner.clone());
        }
    }

    /// Refuses what no provider could have answered: tools of the reserved name (S6), two of one name (S7), names that no
    /// section can refer to (S4).
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Some(tools) = &self.tools {
            check_reserved(tools)?;
            check_distinct(tools)?;
        }
        let variables = self.variables.iter().flat_map(|variables| &variables.list);
        match variables.into_iter().find(|variable| !is_variable_name(variable.name.as_str())) {
            None => Ok(()),
            Some(wrong) => {
                let detail = Detail::InvalidVariableName { name: wrong.name.clone() };
                Err(Error::about(detail, wrong.owner.clone(), None))
            }
        }
    }
}

/// A registered section stands in an assembly once: a copy that a listener has put beside it is the listener's own.
fn claim_sections(sections: &mut [AssembledSection], owner: &Owner) {
    let mut registered = HashSet::new();
    for section in sections {
        let is_copy = section.is_registered() && !registered.insert((section.shared_name().clone(), section.layer()));
        if is_copy {
            section.disown();
        }
        section.claim(owner);
    }
}

/// Variables by place and by name.
#[derive(Clone)]
pub(crate) struct OwnVariables {
    list: Vec<OwnVariable>,
    places: HashMap<Name, usize>,
}

impl OwnVariables {
    pub(crate) fn new(list: Vec<OwnVariable>) -> Self {
        let places = list.iter().enumerate().map(|(place, variable)| (variable.name.clone(), place)).collect();
        Self { list, places }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, OwnVariable> {
        self.list.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OwnVariable> {
        self.list.get(*self.places.get(name)?)
    }

    pub(crate) fn set(&mut self, name: Name, value: Option<Value>) {
        if let Some(known) = self.places.get(&name).and_then(|place| self.list.get_mut(*place)) {
            *known = OwnVariable::replacing(known, value);
        } else {
            self.places.insert(name.clone(), self.list.len());
            self.list.push(OwnVariable::added(name, value));
        }
    }
}
