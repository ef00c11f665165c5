//! What the kernel and the registry refuse, led back to its place in the project's files.
//!
//! The libraries know sections, owners and bytes of a text; which line of which file that is, only this crate knows.

use dsh_kernel::Failure;
use dsh_system_prompt::{Error, ErrorKind, TOOL_ORDER_REST};

use super::{Agent, Layer, Loaded, Project};
use crate::config::PERSONA;
use crate::diagnostic::Diagnostic;
use crate::names::{Guesses, list, quoted};

/// A plugin that failed to start.
pub(super) fn start(
    project: &Project,
    agent: Option<&Agent>,
    error: &dsh_kernel::Error,
    guesses: &Guesses,
) -> Diagnostic {
    match error.failure().and_then(Failure::downcast_ref::<Error>) {
        Some(refused) => prompt(project, agent, refused, guesses),
        None => kernel(error),
    }
}

/// An error of the kernel, which has no place in a file.
pub(crate) fn kernel(error: &dsh_kernel::Error) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string())
}

/// What the prompt registry refused, in the layer of `agent` or in assembling for it.
pub(crate) fn prompt(project: &Project, agent: Option<&Agent>, error: &Error, guesses: &Guesses) -> Diagnostic {
    let placed = taken(project, agent, error)
        .or_else(|| tool_order(project, error, guesses))
        .or_else(|| reserved_tool(project, error));
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

/// A `tool_order` that the registry does not take, at its start or in an assembly.
fn tool_order(project: &Project, error: &Error, guesses: &Guesses) -> Option<Diagnostic> {
    let order = project.tool_order.as_ref()?;
    let diagnostic = |headline: String| Diagnostic::error(error.code(), headline);
    if error.kind() == ErrorKind::ToolOrderMissingRest {
        let mistyped = order.value.iter().find(|entry| guesses.nearest(&entry.value, [TOOL_ORDER_REST]).is_some());
        if let Some(mistyped) = mistyped {
            return Some(
                diagnostic("`tool_order` does not say where the other tools go".to_owned())
                    .at(mistyped.span, format!("did you mean \"{TOOL_ORDER_REST}\"?")),
            );
        }
        return Some(
            diagnostic("`tool_order` does not say where the other tools go".to_owned())
                .at(order.span, format!("no \"{TOOL_ORDER_REST}\" in it"))
                .with_help(format!("add \"{TOOL_ORDER_REST}\" once, where the tools that are not listed shall stand")),
        );
    }
    if error.kind() == ErrorKind::ToolOrderDuplicate {
        let second = order.value.get(error.position()?)?;
        let first = order.value.iter().find(|entry| entry.value == second.value)?;
        return Some(
            diagnostic(format!("`tool_order` lists {} twice", quoted(&second.value)))
                .at(second.span, "the second")
                .at(first.span, "the first")
                .with_help("list each name once"),
        );
    }
    if error.kind() != ErrorKind::ToolOrderUnknown {
        return None;
    }
    let known: Vec<&str> = error.known().map(dsh_kernel::Name::as_str).collect();
    let names = list(error.unknown_tools().map(|tool| tool.name));
    let mut unknown = diagnostic(format!("`tool_order` lists what no schema file knows: {names}"));
    for tool in error.unknown_tools() {
        let label = match guesses.nearest(tool.name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "no tool of this name".to_owned(),
        };
        unknown = unknown.at(order.value.get(tool.position)?.span, label);
    }
    Some(match known.as_slice() {
        [] => unknown.with_note("there are no tools: `tool_schemas` names the files that describe them"),
        _ => unknown.with_note(format!("the tools are {}", list(known))),
    })
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
