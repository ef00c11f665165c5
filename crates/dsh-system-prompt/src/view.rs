//! The merged view: what an assembly for one scope is made from, worked out once and kept (S2, S4, S5).

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use dsh_kernel::{Name, Owner};
use dsh_template::Text;

use crate::layer::PromptLayer;
use crate::provider::Provider;
use crate::registration::{SectionEntry, ToolEntry, VariableEntry};
use crate::shape::{Shape, ShapeSection, ShapeVariable};
use crate::tools::ToolProviderResult;

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
    /// The places of those that need tools.
    needy: Vec<usize>,
    /// What was left of it the last time that tools were looked at.
    narrowed: ArcSwapOption<Narrowed>,
}

/// A view without the sections that lack a tool (X11).
struct Narrowed {
    /// The answers that it was worked out from.
    answers: Vec<ToolProviderResult>,
    lacking: Vec<(usize, Name)>,
    /// `None` where nothing lacks a tool.
    view: Option<Arc<View>>,
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

        let needs = |(place, (entry, _)): (usize, &Merged<SectionEntry>)| {
            if entry.section.requires_tools().is_empty() { None } else { Some(place) }
        };
        let needy = sections.iter().enumerate().filter_map(needs).collect();
        let places = sections.into_iter().map(|(entry, _)| entry).enumerate();
        Self {
            global_generation,
            scoped: scope.is_some(),
            shape: Arc::new(shape),
            variables: variables.into_iter().map(|(entry, _)| entry).collect(),
            tools,
            computed: places.filter(|(_, entry)| entry.provider.is_some()).collect(),
            needy,
            narrowed: ArcSwapOption::empty(),
        }
    }

    /// The view without the sections that lack a tool; `None` where all have what they need. The same one again for the same
    /// tools, so that a step in which nothing has changed sees that (X11).
    pub(crate) fn narrowed(&self, answers: &[ToolProviderResult]) -> Option<Arc<View>> {
        if self.needy.is_empty() {
            return None;
        }
        let last = self.narrowed.load();
        if let Some(last) = &*last
            && last.answers.len() == answers.len()
            && last.answers.iter().zip(answers).all(|(old, new)| old.is_same(new))
        {
            return last.view.clone();
        }
        let is_there = |name: &str| answers.iter().any(|answer| answer.shows(name));
        let lacking = self.needy.iter().filter_map(|place| {
            let missing = self.shape.sections.get(*place)?.section.lacks(is_there)?;
            Some((*place, missing.clone()))
        });
        let lacking: Vec<(usize, Name)> = lacking.collect();
        let view = match &*last {
            Some(last) if last.lacking == lacking => last.view.clone(),
            Some(_) | None if lacking.is_empty() => None,
            Some(_) | None => Some(Arc::new(self.without(&lacking))),
        };
        let narrowed = Narrowed { answers: answers.to_vec(), lacking, view: view.clone() };
        self.narrowed.store(Some(Arc::new(narrowed)));
        view
    }

    fn without(&self, lacking: &[(usize, Name)]) -> Self {
        let left_out = |place: usize| lacking.iter().filter(|(lacking, _)| *lacking < place).count();
        let is_kept = |place: usize| lacking.iter().all(|(lacking, _)| *lacking != place);
        let computed = self.computed.iter().filter(|(place, _)| is_kept(*place));
        Self {
            global_generation: self.global_generation,
            scoped: self.scoped,
            shape: Arc::new(self.shape.without(lacking)),
            variables: self.variables.clone(),
            tools: self.tools.clone(),
            computed: computed.map(|(place, entry)| (place - left_out(*place), Arc::clone(entry))).collect(),
            needy: Vec::new(),
            narrowed: ArcSwapOption::empty(),
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
