//! What is registered, as it stands, without asking any provider.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::Owner;
use dsh_template::Text;

use crate::provenance::{Layer, Source, Stability};
use crate::view::{View, ViewText};

/// What is registered for a scope: the merged view that its assemblies are made from.
///
/// A view is a snapshot: what is registered later is not in it. It holds what it shows, so it is not to be kept.
#[derive(Clone)]
pub struct PromptView(Arc<View>);

/// A section as it is registered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SectionInfo<'a> {
    /// The name.
    pub name: &'a str,
    /// The place.
    pub order: f64,
    /// The text, where it is fixed.
    pub text: Option<&'a Text>,
    /// Whose it is.
    pub owner: &'a Owner,
    /// The layer that it stands in.
    pub layer: Layer,
    /// Whose section of its name it replaces for this scope.
    pub shadows: Option<&'a Owner>,
    /// How often its text may change, as declared.
    pub stability: Stability,
    /// Where its text was read from.
    pub source: Option<&'a Source>,
}

/// A variable as it is registered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VariableInfo<'a> {
    /// The name.
    pub name: &'a str,
    /// Whose it is.
    pub owner: &'a Owner,
    /// The layer that it stands in.
    pub layer: Layer,
    /// Whose variable of its name it replaces for this scope.
    pub shadows: Option<&'a Owner>,
    /// How often its value may change, as declared.
    pub stability: Stability,
}

/// A tool provider as it is registered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ToolProviderInfo<'a> {
    /// Whose it is.
    pub owner: &'a Owner,
    /// The layer that it stands in.
    pub layer: Layer,
}

impl PromptView {
    pub(crate) fn new(view: Arc<View>) -> Self {
        Self(view)
    }

    /// The sections, in the order of the prompt.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionInfo<'_>> {
        self.0.sections.iter().map(|section| SectionInfo {
            name: section.entry.name.as_str(),
            order: section.entry.order,
            text: match &section.text {
                ViewText::Fixed(section, _) => Some(section.text()),
                ViewText::Computed(_) => None,
            },
            owner: section.entry.origin.owner(),
            layer: section.entry.origin.layer(),
            shadows: section.shadows.as_ref().map(|shadowed| shadowed.origin.owner()),
            stability: section.entry.stability,
            source: section.entry.source.as_ref(),
        })
    }

    /// The variables, in order of evaluation.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = VariableInfo<'_>> {
        self.0.variables.iter().map(|variable| VariableInfo {
            name: variable.entry.name.as_str(),
            owner: variable.entry.origin.owner(),
            layer: variable.entry.origin.layer(),
            shadows: variable.shadows.as_ref().map(|shadowed| shadowed.origin.owner()),
            stability: variable.entry.stability,
        })
    }

    /// The tool providers, in the order in which they are asked.
    pub fn tool_providers(&self) -> impl ExactSizeIterator<Item = ToolProviderInfo<'_>> {
        self.0.tools.iter().map(|entry| ToolProviderInfo { owner: entry.origin.owner(), layer: entry.origin.layer() })
    }
}

impl fmt::Debug for PromptView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptView")
            .field("sections", &self.sections().map(|section| section.name).collect::<Vec<_>>())
            .field("variables", &self.variables().map(|variable| variable.name).collect::<Vec<_>>())
            .field("tool_providers", &self.0.tools.len())
            .finish()
    }
}
