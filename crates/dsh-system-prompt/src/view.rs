//! The merged view: what an assembly for one scope is made from, worked out once and kept (S2, S4, S5).

use std::collections::HashSet;
use std::sync::Arc;

use dsh_kernel::{Name, Owner};

use crate::assembly::AssembledSection;
use crate::layer::PromptLayer;
use crate::registration::{Origin, SectionEntry, SectionText, ToolEntry, VariableEntry, is_live};
use crate::section::TextProvider;

/// The global layer with one scope's over it, shadowed and sorted.
pub(crate) struct View {
    /// The global layer's generation that it was made from.
    pub(crate) global_generation: u64,
    /// Whether a scope's layer is over it.
    pub(crate) scoped: bool,
    /// In the order of the prompt.
    pub(crate) sections: Vec<ViewSection>,
    /// In the order of evaluation; a section's bindings are indices into it.
    pub(crate) variables: Vec<ViewVariable>,
    /// Indices into `variables`, by name.
    names: Vec<usize>,
    /// In the order of evaluation.
    pub(crate) tools: Vec<Arc<ToolEntry>>,
    /// Whoever has a part in it, once.
    owners: Vec<Owner>,
    /// Which of `sections` are computed.
    pub(crate) computed: Vec<usize>,
}

pub(crate) struct ViewSection {
    pub(crate) entry: Arc<SectionEntry>,
    /// The entry of the global layer that this one replaces.
    pub(crate) shadows: Option<Arc<SectionEntry>>,
    pub(crate) text: ViewText,
}

pub(crate) enum ViewText {
    /// The section, and for each of its template's slots the variable.
    Fixed(AssembledSection, Vec<Option<usize>>),
    /// Which of the computed ones.
    Computed(usize),
}

pub(crate) struct ViewVariable {
    pub(crate) entry: Arc<VariableEntry>,
    pub(crate) shadows: Option<Arc<VariableEntry>>,
}

impl View {
    pub(crate) fn new(global_generation: u64, global: &PromptLayer, scope: Option<&PromptLayer>) -> Self {
        let variables = merge_variables(global, scope);
        let mut names: Vec<usize> = (0..variables.len()).collect();
        names.sort_by(|a, b| name_at(&variables, *a).cmp(&name_at(&variables, *b)));
        let tools =
            global.tools.iter().chain(scope.into_iter().flat_map(|scope| scope.tools.iter())).cloned().collect();
        let mut view = Self {
            global_generation,
            scoped: scope.is_some(),
            sections: Vec::new(),
            variables,
            names,
            tools,
            owners: Vec::new(),
            computed: Vec::new(),
        };
        for (index, (entry, shadows)) in merge_sections(global, scope).into_iter().enumerate() {
            let text = match &entry.text {
                SectionText::Computed(_) => {
                    view.computed.push(index);
                    ViewText::Computed(view.computed.len() - 1)
                }
                SectionText::Fixed(section) => {
                    let section = match &shadows {
                        None => section.clone(),
                        Some(shadowed) => section.shadowing(shadowed.origin.owner().clone()),
                    };
                    let bindings = view.bindings(&section);
                    ViewText::Fixed(section, bindings)
                }
            };
            view.sections.push(ViewSection { entry, shadows, text });
        }
        view.owners = view.distinct_owners();
        view
    }

    /// For each slot of the section's template, which variable it is.
    pub(crate) fn bindings(&self, section: &AssembledSection) -> Vec<Option<usize>> {
        section.template().names().map(|name| self.variable(name)).collect()
    }

    pub(crate) fn variable(&self, name: &str) -> Option<usize> {
        let found = self.names.binary_search_by(|index| name_at(&self.variables, *index).cmp(&Some(name))).ok()?;
        self.names.get(found).copied()
    }

    /// The section that is the `index`th of the computed ones, with its provider.
    pub(crate) fn computed(&self) -> impl Iterator<Item = (&ViewSection, &TextProvider)> {
        self.computed.iter().filter_map(|index| {
            let section = self.sections.get(*index)?;
            match &section.entry.text {
                SectionText::Computed(provider) => Some((section, &**provider)),
                SectionText::Fixed(_) => None,
            }
        })
    }

    /// A number that grows with each unload of an owner that has a part in it.
    pub(crate) fn unloads(&self) -> u64 {
        self.owners.iter().map(Owner::unloads).sum()
    }

    /// Whether a part of it went with its owner.
    pub(crate) fn has_lost_a_part(&self) -> bool {
        self.origins().any(Origin::has_left)
    }

    /// An owner that has left, for an error to name.
    pub(crate) fn leaver(&self) -> Option<&Owner> {
        let lost = self.origins().find(|origin| origin.has_left()).map(Origin::owner);
        lost.or_else(|| self.owners.iter().find(|owner| !is_live(owner)))
    }

    fn origins(&self) -> impl Iterator<Item = &Origin> {
        let sections = self.sections.iter().map(|section| &section.entry.origin);
        let variables = self.variables.iter().map(|variable| &variable.entry.origin);
        sections.chain(variables).chain(self.tools.iter().map(|entry| &entry.origin))
    }

    #[expect(clippy::mutable_key_type, reason = "an owner is hashed by its address, which does not change")]
    fn distinct_owners(&self) -> Vec<Owner> {
        let mut seen = HashSet::new();
        self.origins().map(Origin::owner).filter(|owner| seen.insert(*owner)).cloned().collect()
    }
}

fn name_at(variables: &[ViewVariable], index: usize) -> Option<&str> {
    variables.get(index).map(|variable| variable.entry.name.as_str())
}

/// The globals in order of registration, each replaced by the scoped one of its name, then the scoped-only ones; sorted stably
/// by order (S2).
fn merge_sections(
    global: &PromptLayer,
    scope: Option<&PromptLayer>,
) -> Vec<(Arc<SectionEntry>, Option<Arc<SectionEntry>>)> {
    let mut sections = Vec::new();
    for entry in global.sections.iter() {
        match scope.and_then(|scope| scope.sections.named(entry.name.as_str())) {
            None => sections.push((Arc::clone(entry), None)),
            Some(own) => sections.push((Arc::clone(own), Some(Arc::clone(entry)))),
        }
    }
    for own in scope.into_iter().flat_map(|scope| scope.sections.iter()) {
        if global.sections.named(own.name.as_str()).is_none() {
            sections.push((Arc::clone(own), None));
        }
    }
    // Finite, so they compare; +0 and -0 are one place.
    sections.sort_by(|(a, _), (b, _)| a.order.partial_cmp(&b.order).unwrap_or(std::cmp::Ordering::Equal));
    sections
}

/// The globals that no scoped one shadows, then the scoped ones, in order of registration (S4, S8).
fn merge_variables(global: &PromptLayer, scope: Option<&PromptLayer>) -> Vec<ViewVariable> {
    let shadowed = |name: &Name| scope.is_some_and(|scope| scope.variables.named(name.as_str()).is_some());
    let globals = global.variables.iter().filter(|entry| !shadowed(&entry.name));
    let mut variables: Vec<_> = globals.map(|entry| ViewVariable { entry: Arc::clone(entry), shadows: None }).collect();
    for own in scope.into_iter().flat_map(|scope| scope.variables.iter()) {
        let shadows = global.variables.named(own.name.as_str()).cloned();
        variables.push(ViewVariable { entry: Arc::clone(own), shadows });
    }
    variables
}
