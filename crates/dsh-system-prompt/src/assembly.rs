//! What an assembly is to whoever reads and edits it (S8).

mod edits;
mod section;
mod sections;
mod tool;
mod variable;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use dsh_kernel::{Name, Owner};

use crate::error::Error;
use crate::extensions::Extensions;
use crate::journal::Journal;
use crate::shape::Shape;
use crate::state::{State, ToolBlock};
use crate::value::{IntoValue, Value};

use edits::{Edits, OwnVariables};

pub use section::AssembledSection;
pub use sections::Sections;
pub use tool::AssembledTool;
pub use variable::AssembledVariable;

/// One assembly: section texts resolved but not interpolated, tools in order, every visible variable resolved (S8).
///
/// Reading borrows from what all assemblies of the scope share; an edit copies the list that it changes, so what anybody does
/// here never reaches the registry or another assembly. A clone is cheap until it is edited.
///
/// ```
/// use dsh_system_prompt::{AssembledSection, PromptAssembly, render_prompt};
///
/// let mut assembly = PromptAssembly::new();
/// assembly.sections_mut().push(AssembledSection::new("greeting", 0, "Hello {{name}}."));
/// assembly.set_variable("name", "harbour");
/// let other = assembly.clone();
/// assembly.set_variable("name", "world");
/// assert_eq!(&*render_prompt(&assembly)?, "Hello world.");
/// assert_eq!(&*render_prompt(&other)?, "Hello harbour.");
/// # Ok::<(), dsh_system_prompt::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct PromptAssembly {
    state: Option<Arc<State>>,
    /// [`Shape::unloads`] of the state, before any of its providers was asked.
    unloads: u64,
    /// Whose hands it went through.
    journal: Option<Arc<Journal>>,
    edits: Option<Box<Edits>>,
    extensions: Option<Box<Extensions>>,
}

impl PromptAssembly {
    /// An assembly of nothing, to be filled by hand.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of(state: Arc<State>, unloads: u64) -> Self {
        Self { state: Some(state), unloads, ..Self::default() }
    }

    /// The sections, in the order of the prompt.
    pub fn sections(&self) -> Sections<'_> {
        let edited = self.edits.as_ref().and_then(|edits| edits.sections.as_deref());
        edited.map_or_else(|| Sections::shared(self.state.as_deref()), Sections::edited)
    }

    /// The first section of that name.
    pub fn section(&self, name: &str) -> Option<&AssembledSection> {
        self.sections().find(|section| section.name() == name)
    }

    /// The sections that were left out for want of a tool, in the order of the prompt; those that a listener's edit left without one
    /// come last (X11).
    pub fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        let shaped = self.state.iter().flat_map(|state| &state.shape.left_out);
        let edited = self.edits.iter().flat_map(|edits| &edits.left_out);
        shaped.chain(edited).map(|(section, missing)| LeftOut { section, missing: missing.as_str() })
    }

    /// The tools, in the order that the model is told of them.
    pub fn tools(&self) -> &[AssembledTool] {
        let edited = self.edits.as_ref().and_then(|edits| edits.tools.as_deref());
        edited.or_else(|| self.state.as_ref().map(|state| &*state.tools.tools)).unwrap_or_default()
    }

    /// The variables that are visible, in order of evaluation, each with its value if it has one.
    pub fn variables(&self) -> impl Iterator<Item = AssembledVariable<'_>> {
        let edited = self.edits.as_ref().and_then(|edits| edits.variables.as_ref());
        let shared = if edited.is_some() { None } else { self.state.as_deref() };
        edited
            .into_iter()
            .flat_map(OwnVariables::iter)
            .map(AssembledVariable::edited)
            .chain(registered_variables(shared))
    }

    /// The variable of that name.
    pub fn variable(&self, name: &str) -> Option<AssembledVariable<'_>> {
        if let Some(edited) = self.edits.as_ref().and_then(|edits| edits.variables.as_ref()) {
            return edited.get(name).map(AssembledVariable::edited);
        }
        let state = self.state.as_deref()?;
        AssembledVariable::registered(state, state.shape.variable(name)?)
    }

    /// The sections, to be edited. What a listener adds stays where it put it, and is owned by that listener (S8, S9).
    pub fn sections_mut(&mut self) -> &mut Vec<AssembledSection> {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        edits.sections.get_or_insert_with(|| Sections::shared(state).cloned().collect())
    }

    /// The tools, to be edited. Two of one name are refused when the listeners have run (S7).
    pub fn tools_mut(&mut self) -> &mut Vec<AssembledTool> {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        edits.tools.get_or_insert_with(|| state.map_or_else(Vec::new, |state| state.tools.tools.clone()))
    }

    /// Gives a variable a value, or takes it away (`None`). One that is not there is added at the end.
    ///
    /// A name that is none for a variable is refused when the listeners have run (`prompt::invalid_variable_name`).
    pub fn set_variable(&mut self, name: impl Into<Name>, value: impl IntoValue) {
        self.put_variable(name.into(), value.into_value());
    }

    /// Takes the value of a variable away: from then on it is an error to refer to it.
    pub fn unset_variable(&mut self, name: impl Into<Name>) {
        self.put_variable(name.into(), None);
    }

    fn put_variable(&mut self, name: Name, value: Option<Value>) {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        let copy = || OwnVariables::new(registered_variables(state).map(AssembledVariable::to_own).collect());
        edits.variables.get_or_insert_with(copy).set(name, value);
    }

    /// The typed field that another crate has added (S10).
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.as_ref()?.get()
    }

    /// Adds a typed field; one of that type that is there already is replaced (S10).
    pub fn set_extension<T: Send + Sync + 'static>(&mut self, value: T) {
        self.extensions.get_or_insert_default().insert(value);
    }

    /// The tool block: the canonical JSON array of all schemas, in order, as it goes to a model (X5).
    ///
    /// Made when first asked for, and kept for as long as the tools are the same.
    pub fn tools_json(&self) -> Arc<str> {
        match self.shared_tools() {
            Some(tools) => Arc::clone(tools.json.get_or_init(|| tool_block(self.tools()))),
            None => tool_block(self.tools()),
        }
    }

    /// The BLAKE3 of [`tools_json`](Self::tools_json), made when first asked for and kept likewise (X5).
    pub fn tools_fingerprint(&self) -> blake3::Hash {
        let make = || blake3::hash(self.tools_json().as_bytes());
        self.shared_tools().map_or_else(make, |tools| *tools.fingerprint.get_or_init(make))
    }

    /// Which bytes of [`tools_json`](Self::tools_json) are which tool's, in order (X3).
    ///
    /// ```
    /// use dsh_llm::{NO_PARAMETERS, ToolSchema};
    /// use dsh_system_prompt::PromptAssembly;
    ///
    /// let mut assembly = PromptAssembly::new();
    /// for name in ["read", "write"] {
    ///     assembly.tools_mut().push(ToolSchema::new(name, "", NO_PARAMETERS)?.into());
    /// }
    /// let (json, ranges) = (assembly.tools_json(), assembly.tool_ranges().collect::<Vec<_>>());
    /// assert_eq!(&json[ranges[1].clone()], assembly.tools()[1].schema().json());
    /// # Ok::<(), dsh_llm::Error>(())
    /// ```
    pub fn tool_ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.tools().iter().scan(0, |end, tool| {
            // After the bracket that opens the array, or a comma.
            let start = *end + 1;
            *end = start + tool.schema().json().len();
            Some(start..*end)
        })
    }

    /// The tools of the state, where nobody has edited them.
    fn shared_tools(&self) -> Option<&ToolBlock> {
        self.state.as_ref().filter(|_| !self.has_edited_tools()).map(|state| &*state.tools)
    }

    /// The state that this assembly is, as far as sections and variables go, where nobody has edited it.
    pub(crate) fn shared_state(&self) -> Option<&Arc<State>> {
        let edited = self.edits.as_ref().is_some_and(|edits| edits.sections.is_some() || edits.variables.is_some());
        self.state.as_ref().filter(|_| !edited)
    }

    pub(crate) fn has_edited_tools(&self) -> bool {
        self.edits.as_ref().is_some_and(|edits| edits.tools.is_some())
    }

    /// A listener gets the value. One that another assembly has handed out has that one's journal, and keeps it.
    pub(crate) fn enter(&mut self, owner: &Owner, journal: &Arc<Journal>) {
        journal.note(owner);
        self.journal.get_or_insert_with(|| Arc::clone(journal)).note(owner);
    }

    /// A listener hands the value on: what it has added is its own from now on (S8).
    pub(crate) fn claim(&mut self, owner: &Owner) {
        if let Some(edits) = &mut self.edits {
            edits.claim(owner);
        }
    }

    /// The listeners have run: refuses what they may not leave behind (S4, S6, S7).
    pub(crate) fn check_edits(&self) -> Result<(), Error> {
        self.edits.as_ref().map_or(Ok(()), |edits| edits.check())
    }

    /// The listeners have run: leaves out the sections that lack a tool now (X11).
    pub(crate) fn leave_out_lacking(&mut self) {
        let is_edited = self.edits.as_ref().is_some_and(|edits| edits.tools.is_some() || edits.sections.is_some());
        if !is_edited {
            return;
        }
        let lacks = |assembly: &Self, section: &AssembledSection| {
            section.lacks(|name| assembly.tools().iter().any(|tool| tool.schema().name() == name)).cloned()
        };
        if self.sections().all(|section| lacks(self, section).is_none()) {
            return;
        }
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for section in self.sections() {
            match lacks(self, section) {
                None => kept.push(section.clone()),
                Some(missing) => left_out.push((section.clone(), missing)),
            }
        }
        let edits = self.edits.get_or_insert_default();
        edits.sections = Some(kept);
        edits.left_out.append(&mut left_out);
    }

    /// Whether it was made from this shape.
    pub(crate) fn is_of(&self, shape: &Arc<Shape>) -> bool {
        self.state.as_ref().is_some_and(|state| Arc::ptr_eq(&state.shape, shape))
    }

    /// Somebody who had a part or a hand in it, and has unloaded since.
    pub(crate) fn departed(&self) -> Option<Owner> {
        let listener = self.journal.as_ref().and_then(|journal| journal.departed());
        listener.or_else(|| {
            let shape = &self.state.as_ref()?.shape;
            let is_whole = shape.unloads() == self.unloads && !shape.has_lost_a_part();
            if is_whole { None } else { shape.leaver().cloned() }
        })
    }
}

/// A section that stands in no prompt, since a tool that it is about is not visible; see [`PromptAssembly::left_out`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LeftOut<'a> {
    /// The section; where its text is computed, it was not asked for.
    pub section: &'a AssembledSection,
    /// The first of its tools that is not visible.
    pub missing: &'a str,
}

fn registered_variables(state: Option<&State>) -> impl Iterator<Item = AssembledVariable<'_>> {
    let count = state.map_or(0, |state| state.shape.variables.len());
    (0..count).filter_map(move |index| state.and_then(|state| AssembledVariable::registered(state, index)))
}

fn tool_block(tools: &[AssembledTool]) -> Arc<str> {
    let len: usize = tools.iter().map(|tool| tool.schema().json().len() + 1).sum();
    let mut json = String::with_capacity(len + 2);
    json.push('[');
    for (index, tool) in tools.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push_str(tool.schema().json());
    }
    json.push(']');
    json.into()
}

/// Shows names alone: values may be secrets.
impl fmt::Debug for PromptAssembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools().iter().map(|tool| tool.schema().name()).collect();
        let variables: Vec<&str> = self.variables().map(|variable| variable.name()).collect();
        f.debug_struct("PromptAssembly")
            .field("sections", &self.sections().map(AssembledSection::name).collect::<Vec<_>>())
            .field("tools", &tools)
            .field("variables", &variables)
            .finish_non_exhaustive()
    }
}
