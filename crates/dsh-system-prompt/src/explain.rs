//! What is registered, as it stands, without asking any provider.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Name, Owner};
use dsh_template::Text;

use crate::provenance::{PartLayer, Source, Stability};
use crate::shape::{Shape, ShapeSection, ShapeText};

/// What is registered for a scope: the merged view that its assemblies are made from.
///
/// A view is a snapshot: what is registered later is not in it, and no code of a plugin is kept by it.
#[derive(Clone)]
pub struct PromptView(Arc<Shape>);

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
    pub layer: PartLayer,
    /// Whose section of its name it replaces for this scope.
    pub shadows: Option<&'a Owner>,
    /// How often its text may change, as declared.
    pub stability: Stability,
    /// Where its text was read from.
    pub source: Option<&'a Source>,
    /// The tools that its text is about: an assembly in which one of them is not visible leaves the section out (X11).
    pub requires_tools: &'a [Name],
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
    pub layer: PartLayer,
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
    pub layer: PartLayer,
}

impl PromptView {
    pub(crate) fn new(shape: Arc<Shape>) -> Self {
        Self(shape)
    }

    /// The sections, in the order of the prompt.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionInfo<'_>> {
        self.0.sections.iter().map(|ShapeSection { origin, section, text }| SectionInfo {
            name: section.name(),
            order: section.order(),
            text: match text {
                ShapeText::Fixed(_) => Some(section.text()),
                ShapeText::Computed(_) => None,
            },
            owner: origin.owner(),
            layer: origin.layer(),
            shadows: section.shadows(),
            stability: section.stability(),
            source: section.source(),
            requires_tools: section.requires_tools(),
        })
    }

    /// The variables, in order of evaluation.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = VariableInfo<'_>> {
        self.0.variables.iter().map(|variable| VariableInfo {
            name: variable.name.as_str(),
            owner: variable.origin.owner(),
            layer: variable.origin.layer(),
            shadows: variable.shadows.as_ref(),
            stability: variable.stability,
        })
    }

    /// The tool providers, in the order in which they are asked.
    pub fn tool_providers(&self) -> impl ExactSizeIterator<Item = ToolProviderInfo<'_>> {
        self.0.tools.iter().map(|origin| ToolProviderInfo { owner: origin.owner(), layer: origin.layer() })
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
