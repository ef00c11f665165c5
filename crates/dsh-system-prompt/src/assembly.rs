//! What an assembly is to whoever reads and edits it (S8).

mod edits;
mod section;
mod tool;
mod variable;

use std::fmt;
use std::iter::FusedIterator;
use std::sync::Arc;

use dsh_kernel::{Name, Owner};

use crate::error::Error;
use crate::extensions::Extensions;
use crate::order::check_distinct;
use crate::state::State;
use crate::value::IntoValue;

use edits::Edits;

pub use section::AssembledSection;
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
    edits: Option<Box<Edits>>,
    extensions: Option<Box<Extensions>>,
}

impl PromptAssembly {
    /// An assembly of nothing, to be filled by hand.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of(state: Arc<State>) -> Self {
        Self { state: Some(state), edits: None, extensions: None }
    }

    /// The sections, in the order of the prompt.
    pub fn sections(&self) -> Sections<'_> {
        let edited = self.edits.as_ref().and_then(|edits| edits.sections.as_deref());
        let list = edited.map_or(SectionList::Shared(self.state.as_deref()), SectionList::Edited);
        Sections::of(list)
    }

    /// The first section of that name.
    pub fn section(&self, name: &str) -> Option<&AssembledSection> {
        self.sections().find(|section| section.name() == name)
    }

    /// The tools, in the order that the model is told of them.
    pub fn tools(&self) -> &[AssembledTool] {
        let edited = self.edits.as_ref().and_then(|edits| edits.tools.as_deref());
        edited.or_else(|| self.state.as_ref().map(|state| &*state.tools.tools)).unwrap_or_default()
    }

    /// The variables that are visible, in order of evaluation, each with its value if it has one.
    pub fn variables(&self) -> impl Iterator<Item = AssembledVariable<'_>> {
        let edited = self.edits.as_ref().and_then(|edits| edits.variables.as_deref());
        let shared = if edited.is_some() { None } else { self.state.as_deref() };
        edited.unwrap_or_default().iter().map(AssembledVariable::edited).chain(registered_variables(shared))
    }

    /// The variable of that name.
    pub fn variable(&self, name: &str) -> Option<AssembledVariable<'_>> {
        if let Some(edited) = self.edits.as_ref().and_then(|edits| edits.variables.as_deref()) {
            return edited.iter().find(|variable| variable.name.as_str() == name).map(AssembledVariable::edited);
        }
        let state = self.state.as_deref()?;
        AssembledVariable::registered(state, state.view.variable(name)?)
    }

    /// The sections, to be edited. What a listener adds stays where it put it, and is owned by that listener (S8, S9).
    pub fn sections_mut(&mut self) -> &mut Vec<AssembledSection> {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        edits.sections.get_or_insert_with(|| Sections::of(SectionList::Shared(state)).cloned().collect())
    }

    /// The tools, to be edited. Two of one name are refused when the listeners have run (S7).
    pub fn tools_mut(&mut self) -> &mut Vec<AssembledTool> {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        edits.tools.get_or_insert_with(|| state.map_or_else(Vec::new, |state| state.tools.tools.clone()))
    }

    /// Gives a variable a value, or takes it away (`None`). One that is not there is added at the end.
    pub fn set_variable(&mut self, name: impl Into<Name>, value: impl IntoValue) {
        let state = self.state.as_deref();
        let edits = self.edits.get_or_insert_default();
        edits.touched = true;
        let copy = || registered_variables(state).map(AssembledVariable::to_own).collect();
        edits::set_variable(edits.variables.get_or_insert_with(copy), name.into(), value.into_value());
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
        self.tool_block().0
    }

    /// The BLAKE3 of [`tools_json`](Self::tools_json) (X5).
    pub fn tools_fingerprint(&self) -> blake3::Hash {
        self.tool_block().1
    }

    fn tool_block(&self) -> (Arc<str>, blake3::Hash) {
        let edited = self.edits.as_ref().is_some_and(|edits| edits.tools.is_some());
        match self.state.as_deref().filter(|_| !edited) {
            Some(state) => state.tools.json.get_or_init(|| tool_block(self.tools())).clone(),
            None => tool_block(self.tools()),
        }
    }

    /// The state that this assembly is, as far as sections and variables go, where nobody has edited it.
    pub(crate) fn shared_state(&self) -> Option<&Arc<State>> {
        let edited = self.edits.as_ref().is_some_and(|edits| edits.sections.is_some() || edits.variables.is_some());
        self.state.as_ref().filter(|_| !edited)
    }

    /// A listener gets the value.
    pub(crate) fn enter(&mut self, owner: &Owner) {
        self.edits.get_or_insert_default().enter(owner);
    }

    /// A listener hands the value on: what it has added is its own from now on (S8).
    pub(crate) fn claim(&mut self, owner: &Owner) {
        if let Some(edits) = &mut self.edits {
            edits.claim(owner);
        }
    }

    /// The listeners have run: refuses two tools of one name (S7).
    pub(crate) fn check_tools(&self) -> Result<(), Error> {
        self.edits.as_ref().and_then(|edits| edits.tools.as_deref()).map_or(Ok(()), check_distinct)
    }

    /// A listener that added or edited something and has unloaded since.
    pub(crate) fn departed_editor(&self) -> Option<&Owner> {
        self.edits.as_ref()?.departed_editor()
    }
}

fn registered_variables(state: Option<&State>) -> impl Iterator<Item = AssembledVariable<'_>> {
    let count = state.map_or(0, |state| state.view.variables.len());
    (0..count).filter_map(move |index| state.and_then(|state| AssembledVariable::registered(state, index)))
}

fn tool_block(tools: &[AssembledTool]) -> (Arc<str>, blake3::Hash) {
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
    let hash = blake3::hash(json.as_bytes());
    (json.into(), hash)
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

/// The sections of an assembly; made by [`PromptAssembly::sections`].
#[derive(Clone)]
pub struct Sections<'a> {
    list: SectionList<'a>,
    front: usize,
    back: usize,
}

#[derive(Clone, Copy)]
enum SectionList<'a> {
    Shared(Option<&'a State>),
    Edited(&'a [AssembledSection]),
}

impl<'a> SectionList<'a> {
    fn len(self) -> usize {
        match self {
            Self::Shared(state) => state.map_or(0, State::sections),
            Self::Edited(sections) => sections.len(),
        }
    }

    fn get(self, index: usize) -> Option<&'a AssembledSection> {
        match self {
            Self::Shared(state) => state.and_then(|state| state.section(index)),
            Self::Edited(sections) => sections.get(index),
        }
    }
}

impl<'a> Sections<'a> {
    fn of(list: SectionList<'a>) -> Self {
        Self { list, front: 0, back: list.len() }
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = &'a AssembledSection;

    fn next(&mut self) -> Option<&'a AssembledSection> {
        if self.front >= self.back {
            return None;
        }
        self.front += 1;
        self.list.get(self.front - 1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.back - self.front;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Sections<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        self.list.get(self.back)
    }
}

impl ExactSizeIterator for Sections<'_> {}
impl FusedIterator for Sections<'_> {}

impl fmt::Debug for Sections<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone().map(AssembledSection::name)).finish()
    }
}
