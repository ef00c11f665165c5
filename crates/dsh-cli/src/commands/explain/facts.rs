//! What is known of a prompt: read from its assembly and its table of parts, never computed anew (X3).

use std::collections::BTreeMap;
use std::ops::Range;

use dsh_kernel::Name;
use dsh_system_prompt::{
    AssembledSection, AssembledTool, AssembledVariable, Part, PartLayer, PromptAssembly, RenderedPrompt,
};

use super::places::{Place, Places};
use crate::commands::Scene;
use crate::project::{Agent, Layer, Project, texts};
use crate::trust::Resolved;

/// Everything about one prompt, or about what has one name in it.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) project: &'a Project,
    /// Whose prompt it is; without an agent, the one that all share.
    pub(super) agent: Option<&'a Agent>,
    pub(super) assembly: &'a PromptAssembly,
    /// The prompt; none, where findings stand in its way.
    pub(super) rendered: Option<&'a RenderedPrompt>,
    /// The sections in the prompt's order, those that render to nothing among them.
    pub(super) sections: Vec<SectionFacts<'a>>,
    /// The tools that are seen, in the order in which they are sent.
    pub(super) tools: Vec<ToolFacts<'a>>,
    /// The tools of the project that are kept from this agent.
    pub(super) hidden_tools: Vec<HiddenTool<'a>>,
    /// The variables, by name.
    pub(super) variables: Vec<VariableFacts<'a>>,
}

/// A section.
#[derive(Clone, Debug)]
pub(super) struct SectionFacts<'a> {
    pub(super) section: &'a AssembledSection,
    pub(super) source: Option<Place<'a>>,
    /// Its part of the prompt, if it has one.
    pub(super) part: Option<Part<'a>>,
    /// How large it is; none, where it cannot be rendered.
    pub(super) bytes: Option<usize>,
}

/// A tool.
#[derive(Clone, Debug)]
pub(super) struct ToolFacts<'a> {
    pub(super) tool: &'a AssembledTool,
    /// Where its name stands.
    pub(super) source: Option<Place<'a>>,
    /// Its bytes of the tool block.
    pub(super) range: Range<usize>,
}

/// A tool that is kept from the agent.
#[derive(Clone, Debug)]
pub(super) struct HiddenTool<'a> {
    pub(super) name: &'a str,
    /// Where its name stands.
    pub(super) source: Option<Place<'a>>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct VariableFacts<'a> {
    pub(super) variable: AssembledVariable<'a>,
    /// Where its name stands.
    pub(super) source: Option<Place<'a>>,
    /// Why it has no value, where that is known.
    pub(super) absence: Option<String>,
    /// Which sections refer to it, in the prompt's order.
    pub(super) uses: Vec<Use<'a>>,
}

/// A reference to a variable.
#[derive(Clone, Debug)]
pub(super) struct Use<'a> {
    pub(super) section: &'a str,
    /// The bytes of the prompt that are its value; none where the section has no place in it.
    pub(super) range: Option<Range<usize>>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        scene: &Scene<'a>,
        assembly: &'a PromptAssembly,
        rendered: Option<&'a RenderedPrompt>,
        places: &Places<'a>,
    ) -> Self {
        let sections = sections(assembly, rendered, places);
        let mut uses = uses(&sections);
        let given = Given::of(scene);
        let mut variables: Vec<_> = assembly
            .variables()
            .map(|variable| {
                let given = given.of_variable(&variable);
                VariableFacts {
                    variable,
                    source: given.and_then(|given| places.of_span(given.name.span)),
                    absence: given.and_then(|given| given.value.as_ref().err()).map(|absence| absence.explained().1),
                    uses: uses.remove(variable.name()).unwrap_or_default(),
                }
            })
            .collect();
        variables.sort_by_key(|facts| facts.variable.name());
        let place = |name: &str| scene.project.tools.place(name).and_then(|span| places.of_span(span));
        let tools = assembly.tools().iter().zip(assembly.tool_ranges());
        Self {
            project: scene.project,
            agent: scene.agent,
            assembly,
            rendered,
            sections,
            tools: tools.map(|(tool, range)| ToolFacts { tool, source: place(tool.schema().name()), range }).collect(),
            hidden_tools: hidden_tools(scene).map(|name| HiddenTool { name, source: place(name) }).collect(),
            variables,
        }
    }

    /// What has this name alone, if anything has.
    pub(super) fn named(&self, name: &str) -> Option<Self> {
        let named = Self {
            sections: self.sections.iter().filter(|facts| facts.section.name() == name).cloned().collect(),
            tools: self.tools.iter().filter(|facts| facts.tool.schema().name() == name).cloned().collect(),
            hidden_tools: self.hidden_tools.iter().filter(|tool| tool.name == name).cloned().collect(),
            variables: self.variables.iter().filter(|facts| facts.variable.name() == name).cloned().collect(),
            ..*self
        };
        let is_empty = named.sections.is_empty()
            && named.tools.is_empty()
            && named.hidden_tools.is_empty()
            && named.variables.is_empty();
        (!is_empty).then_some(named)
    }
}

/// Where the configuration gives variables, in the two layers that a prompt is made of.
#[derive(Debug)]
struct Given<'a> {
    global: BTreeMap<&'a str, &'a Resolved>,
    own: BTreeMap<&'a str, &'a Resolved>,
}

impl<'a> Given<'a> {
    fn of(scene: &Scene<'a>) -> Self {
        let given = |layer: &'a Layer| layer.variables.iter().map(|given| (given.name.value.as_str(), given));
        Self {
            global: given(&scene.project.layer).collect(),
            own: scene.agent.into_iter().flat_map(|agent| given(&agent.layer)).collect(),
        }
    }

    fn of_variable(&self, variable: &AssembledVariable<'_>) -> Option<&'a Resolved> {
        let layer = match variable.layer() {
            PartLayer::Global => &self.global,
            PartLayer::Scope(_) => &self.own,
            PartLayer::Assembly | _ => return None,
        };
        layer.get(variable.name()).copied()
    }
}

fn sections<'a>(
    assembly: &'a PromptAssembly,
    rendered: Option<&'a RenderedPrompt>,
    places: &Places<'a>,
) -> Vec<SectionFacts<'a>> {
    // Both have one order, and a section that renders to nothing has no part.
    let parts = rendered.into_iter().flat_map(RenderedPrompt::parts);
    let mut parts = parts.filter(|part| !part.is_separator()).peekable();
    let mut part_of = |section: &AssembledSection| {
        parts.next_if(|part| part.section().is_some_and(|its| its.name() == section.name()))
    };
    assembly
        .sections()
        .map(|section| {
            let part = part_of(section);
            let bytes = match (rendered, part) {
                (Some(_), part) => Some(part.map_or(0, |part| part.range().len())),
                (None, _) => texts::size(section, assembly),
            };
            SectionFacts { section, source: section.source().map(|source| places.of_source(source)), part, bytes }
        })
        .collect()
}

/// The references to each variable.
fn uses<'a>(sections: &[SectionFacts<'a>]) -> BTreeMap<Name, Vec<Use<'a>>> {
    let mut uses: BTreeMap<Name, Vec<Use<'_>>> = BTreeMap::new();
    for SectionFacts { section, part, .. } in sections {
        let section_name = section.name();
        match part {
            Some(part) => {
                for piece in part.pieces() {
                    let Some(variable) = piece.variable else { continue };
                    let range = Some(piece.range);
                    uses.entry(variable.name).or_default().push(Use { section: section_name, range });
                }
            }
            None => {
                for reference in section.text().references() {
                    uses.entry(Name::from(reference.name.to_owned()))
                        .or_default()
                        .push(Use { section: section_name, range: None });
                }
            }
        }
    }
    uses
}

/// The tools of the project's files that the agent does not see, in the order of the files.
fn hidden_tools<'a>(scene: &Scene<'a>) -> impl Iterator<Item = &'a str> {
    let filter = scene.agent.and_then(|agent| agent.filter.as_ref());
    let names = scene.project.tools.names();
    names.filter(move |name| filter.is_some_and(|filter| !filter.admits(name)))
}
