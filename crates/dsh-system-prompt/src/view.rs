//! The merged view: what an assembly for one scope is made from, worked out once and kept (S2, S4, S5).

use std::sync::Arc;

use dsh_kernel::{Name, Owner};
use dsh_template::Text;

use crate::layer::PromptLayer;
use crate::provider::Provider;
use crate::registration::{SectionEntry, ToolEntry, VariableEntry};
use crate::shape::{Shape, ShapeSection, ShapeVariable};

/// The global layer with one scope's over it, shadowed and sorted: its shape, and the code to ask.
pub(crate) struct View {
    /// The global layer's generation that it was made from.
    pub(crate) global_generation: u64,
    /// Whether a scope's layer is over it.
    pub(crate) scoped: bool,
    pub(crate) shape: Arc<Shape>,
    /// In the order of evaluation, as in the shape.
    pub(crate) variables: Vec<Arc<VariableEntry>>,
    pub(crate) tools: Vec<Arc<ToolEntry>>,
    /// Those whose text is computed, each with its place in the prompt.
    computed: Vec<(usize, Arc<SectionEntry>)>,
}

impl View {
    pub(crate) fn new(global_generation: u64, global: &PromptLayer, scope: Option<&PromptLayer>) -> Self {
        let sections = merge_sections(global, scope);
        let variables = merge_variables(global, scope);
        let scoped_tools = scope.into_iter().flat_map(|scope| scope.tools.iter());
        let tools: Vec<Arc<ToolEntry>> = global.tools.iter().chain(scoped_tools).cloned().collect();

        let shaped_sections = sections.iter().map(|(entry, shadows)| {
            let section =
                shadows.as_ref().map_or_else(|| entry.section.clone(), |owner| entry.section.shadowing(owner));
            (Arc::clone(&entry.origin), section, entry.provider.is_some())
        });
        let shaped_variables = variables.iter().map(|(entry, shadows)| ShapeVariable {
            origin: Arc::clone(&entry.origin),
            name: entry.name.clone(),
            stability: entry.stability,
            shadows: shadows.clone(),
        });
        let shaped_tools = tools.iter().map(|entry| Arc::clone(&entry.origin)).collect();
        let shape = Shape::new(shaped_sections.collect(), shaped_variables.collect(), shaped_tools);

        let places = sections.into_iter().map(|(entry, _)| entry).enumerate();
        Self {
            global_generation,
            scoped: scope.is_some(),
            shape: Arc::new(shape),
            variables: variables.into_iter().map(|(entry, _)| entry).collect(),
            tools,
            computed: places.filter(|(_, entry)| entry.provider.is_some()).collect(),
        }
    }

    /// The sections whose text is computed, in the order of the prompt, each with its provider.
    pub(crate) fn computed(&self) -> impl Iterator<Item = (&ShapeSection, &Provider<Text>)> {
        self.computed
            .iter()
            .filter_map(|(place, entry)| Some((self.shape.sections.get(*place)?, entry.provider.as_ref()?)))
    }
}

/// An entry, with the owner of the global one that it replaces.
type Merged<T> = (Arc<T>, Option<Owner>);

/// The globals in order of registration, each replaced by the scoped one of its name, then the scoped-only ones; sorted stably
/// by order (S2).
fn merge_sections(global: &PromptLayer, scope: Option<&PromptLayer>) -> Vec<Merged<SectionEntry>> {
    let mut sections = Vec::new();
    for entry in global.sections.iter() {
        match scope.and_then(|scope| scope.sections.named(entry.section.name())) {
            None => sections.push((Arc::clone(entry), None)),
            Some(own) => sections.push((Arc::clone(own), Some(entry.origin.owner().clone()))),
        }
    }
    for own in scope.into_iter().flat_map(|scope| scope.sections.iter()) {
        if global.sections.named(own.section.name()).is_none() {
            sections.push((Arc::clone(own), None));
        }
    }
    // Finite, so they compare; +0 and -0 are one place.
    sections.sort_by(|(a, _), (b, _)| {
        a.section.order().partial_cmp(&b.section.order()).unwrap_or(std::cmp::Ordering::Equal)
    });
    sections
}

/// The globals that no scoped one shadows, then the scoped ones, in order of registration (S4, S8).
fn merge_variables(global: &PromptLayer, scope: Option<&PromptLayer>) -> Vec<Merged<VariableEntry>> {
    let shadowed = |name: &Name| scope.is_some_and(|scope| scope.variables.named(name.as_str()).is_some());
    let globals = global.variables.iter().filter(|entry| !shadowed(&entry.name));
    let mut variables: Vec<_> = globals.map(|entry| (Arc::clone(entry), None)).collect();
    for own in scope.into_iter().flat_map(|scope| scope.variables.iter()) {
        let shadows = global.variables.named(own.name.as_str()).map(|shadowed| shadowed.origin.owner().clone());
        variables.push((Arc::clone(own), shadows));
    }
    variables
}
