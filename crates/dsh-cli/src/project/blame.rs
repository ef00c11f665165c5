//! What the kernel and the registry refuse, led back to its place in the project's files.
//!
//! The libraries know sections, owners and bytes of a text; which line of which file that is, only this crate knows.

use dsh_kernel::Failure;
use dsh_system_prompt::{Error, ErrorKind, TOOL_ORDER_REST};

use super::{Agent, Layer, Loaded, Project};
use crate::config::PERSONA;
use crate::diagnostic::Diagnostic;
use crate::names::quoted;

/// A plugin that failed to start.
pub(super) fn start(project: &Project, agent: Option<&Agent>, error: &dsh_kernel::Error) -> Diagnostic {
    match error.failure().and_then(Failure::downcast_ref::<Error>) {
        Some(refused) => prompt(project, agent, refused),
        None => match error.failure().and_then(Failure::downcast_ref::<dsh_tools::Error>) {
            Some(refused) => tools(project, refused),
            None => kernel(error),
        },
    }
}

/// What the registry of tools refused.
fn tools(project: &Project, error: &dsh_tools::Error) -> Diagnostic {
    let diagnostic = Diagnostic::error(error.code(), error.to_string());
    match error.name().and_then(|name| project.tools.place(name)) {
        Some(place) => diagnostic.at(place, "this tool"),
        None => diagnostic,
    }
}

/// An error of the kernel, which has no place in a file.
pub(crate) fn kernel(error: &dsh_kernel::Error) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string())
}

/// What the prompt registry refused, in the layer of `agent` or in assembling for it.
pub(crate) fn prompt(project: &Project, agent: Option<&Agent>, error: &Error) -> Diagnostic {
    let placed = taken(project, agent, error).or_else(|| reserved_tool(project, error));
    placed.unwrap_or_else(|| Diagnostic::error(error.code(), error.to_string()))
}

/// A tool whose name means something else.
fn reserved_tool(project: &Project, error: &Error) -> Option<Diagnostic> {
    if error.kind() != ErrorKind::ReservedToolName {
        return None;
    }
    let diagnostic = Diagnostic::error(error.code(), format!("a tool is called `{TOOL_ORDER_REST}`"))
        .at(project.tools.place(TOOL_ORDER_REST)?, "stands for all other tools in `tool_order`")
        .with_help("give the tool another name");
    Some(diagnostic)
}

/// A section's name that somebody else has taken.
fn taken(project: &Project, agent: Option<&Agent>, error: &Error) -> Option<Diagnostic> {
    if error.kind() != ErrorKind::DuplicateSection {
        return None;
    }
    let name = error.section()?;
    let section = project.own(agent).sections.iter().find(|section| section.name.value == name)?;
    let first = error.first_owner().map_or_else(|| "another part".to_owned(), |owner| format!("`{owner}`"));
    let help = match name {
        PERSONA => "write `persona = \"…\"`: that is the text of this section",
        "harness:identity" => "give it another name; `identity = false` leaves out what the harness says there",
        _ if name.starts_with("instructions:") => {
            "give it another name; a section of yours with this very file (`file = \"…\"`) takes the place of this one"
        }
        _ => "give it another name",
    };
    Some(
        Diagnostic::error(error.code(), format!("the section {} is there already: it is {first}'s", quoted(name)))
            .at(section.name.span, "taken in this layer")
            .with_help(help),
    )
}

impl Project {
    /// What is registered for the agent alone; without one, for everyone.
    fn own<'p>(&'p self, agent: Option<&'p Agent>) -> &'p Layer {
        agent.map_or(&self.layer, |agent| &agent.layer)
    }

    /// The words of the section that an agent sees under this name.
    pub(super) fn words<'p>(&'p self, agent: Option<&'p Agent>, section: &str) -> Option<&'p Loaded> {
        let of = |layer: &'p Layer| {
            let named = layer.sections.iter().find(|own| own.name.value == section).map(|own| &own.words);
            named.or_else(|| layer.persona.as_ref().filter(|_| section == PERSONA))
        };
        let found = || self.instructions.iter().find(|own| own.name.value == section).map(|own| &own.words);
        of(self.own(agent)).or_else(|| of(&self.layer)).or_else(found)
    }
}
