//! The shape of a scope's prompt: which parts there are, from whom, in which order. It holds no provider and no context, so that
//! an assembly that outlives a plugin keeps none of its code (K9).

mod plan;

use std::collections::HashSet;
use std::sync::Arc;

use dsh_kernel::{Name, Owner};

use crate::assembly::AssembledSection;
use crate::origin::{Origin, is_live};
use crate::provenance::Stability;

use plan::Plan;

/// The parts of a view, without what computes them.
pub(crate) struct Shape {
    /// In the order of the prompt.
    pub(crate) sections: Vec<ShapeSection>,
    /// In the order of evaluation; a section's bindings are indices into it.
    pub(crate) variables: Vec<ShapeVariable>,
    /// In the order of evaluation.
    pub(crate) tools: Vec<Arc<Origin>>,
    /// Indices into `variables`, by name.
    names: Vec<usize>,
    /// Whoever has a part in it, once.
    owners: Vec<Owner>,
    pub(crate) plan: Plan,
    /// What is left out for want of a tool, and which tool that is (X11).
    pub(crate) left_out: Vec<(AssembledSection, Name)>,
}

pub(crate) struct ShapeSection {
    pub(crate) origin: Arc<Origin>,
    /// As it stands in an assembly; without its text, where that is computed.
    pub(crate) section: AssembledSection,
    pub(crate) text: ShapeText,
}

pub(crate) enum ShapeText {
    /// For each of the template's slots the variable.
    Fixed(Vec<Option<usize>>),
    /// Which of the computed ones.
    Computed(usize),
}

#[derive(Clone)]
pub(crate) struct ShapeVariable {
    pub(crate) origin: Arc<Origin>,
    pub(crate) name: Name,
    pub(crate) stability: Stability,
    /// Whose variable of the global layer it replaces.
    pub(crate) shadows: Option<Owner>,
}

impl Shape {
    /// `sections` in the order of the prompt, each with whether its text is computed.
    pub(crate) fn new(
        sections: Vec<(Arc<Origin>, AssembledSection, bool)>,
        variables: Vec<ShapeVariable>,
        tools: Vec<Arc<Origin>>,
    ) -> Self {
        let mut names: Vec<usize> = (0..variables.len()).collect();
        names.sort_by(|a, b| name_at(&variables, *a).cmp(&name_at(&variables, *b)));
        let plan = Plan::new(&[], 0);
        let left_out = Vec::new();
        let mut shape = Self { sections: Vec::new(), variables, tools, names, owners: Vec::new(), plan, left_out };
        let mut computed = 0;
        for (origin, section, is_computed) in sections {
            let text = if is_computed {
                computed += 1;
                ShapeText::Computed(computed - 1)
            } else {
                ShapeText::Fixed(section.template().names().map(|name| shape.variable(name)).collect())
            };
            shape.sections.push(ShapeSection { origin, section, text });
        }
        shape.owners = shape.distinct_owners();
        shape.plan = Plan::new(&shape.sections, shape.variables.len());
        shape
    }

    /// The same without the sections at these places, each of which lacks a tool. Whoever has a part in the whole still counts, so
    /// that the two agree on who has left meanwhile.
    pub(crate) fn without(&self, lacking: &[(usize, Name)]) -> Self {
        let is_left_out = |place: usize| lacking.iter().any(|(lacking, _)| *lacking == place);
        let kept = self.sections.iter().enumerate().filter(|(place, _)| !is_left_out(*place));
        let kept = kept.map(|(_, ShapeSection { origin, section, text })| {
            (Arc::clone(origin), section.clone(), matches!(text, ShapeText::Computed(_)))
        });
        let mut shape = Self::new(kept.collect(), self.variables.clone(), self.tools.clone());
        shape.owners.clone_from(&self.owners);
        let left_out = lacking.iter().filter_map(|(place, name)| Some((self.sections.get(*place)?, name)));
        shape.left_out = left_out.map(|(section, name)| (section.section.clone(), name.clone())).collect();
        shape
    }

    pub(crate) fn variable(&self, name: &str) -> Option<usize> {
        let found = self.names.binary_search_by(|index| name_at(&self.variables, *index).cmp(&Some(name))).ok()?;
        self.names.get(found).copied()
    }

    /// A number that grows with each unload of an owner that has a part in it.
    pub(crate) fn unloads(&self) -> u64 {
        self.owners.iter().map(Owner::unloads).sum()
    }

    /// Whether a part of it went with its owner.
    pub(crate) fn has_lost_a_part(&self) -> bool {
        self.origins().any(|origin| origin.has_left())
    }

    /// An owner that has left, for an error to name.
    pub(crate) fn leaver(&self) -> Option<&Owner> {
        let lost = self.origins().find(|origin| origin.has_left()).map(|origin| origin.owner());
        lost.or_else(|| self.owners.iter().find(|owner| !is_live(owner)))
    }

    fn origins(&self) -> impl Iterator<Item = &Arc<Origin>> {
        let sections = self.sections.iter().map(|section| &section.origin);
        let variables = self.variables.iter().map(|variable| &variable.origin);
        sections.chain(variables).chain(&self.tools)
    }

    #[expect(clippy::mutable_key_type, reason = "an owner is hashed by its address, which does not change")]
    fn distinct_owners(&self) -> Vec<Owner> {
        let mut seen = HashSet::new();
        self.origins().map(|origin| origin.owner()).filter(|owner| seen.insert(*owner)).cloned().collect()
    }
}

fn name_at(variables: &[ShapeVariable], index: usize) -> Option<&str> {
    variables.get(index).map(|variable| variable.name.as_str())
}
