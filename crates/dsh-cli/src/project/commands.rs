//! The tools of a project that are commands.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_tool_command::CommandTool;
use dsh_tools::{Tool, ToolFailure};

use super::files::{Files, SCHEMA_LIMIT};
use crate::config::{self, Parameters};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::quoted;
use crate::trust::{Trust, TrustItem, TrustSet, comes_from_project};

/// A command that is a tool.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// What models are told of it.
    pub(crate) schema: ToolSchema,
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// How long a call may take.
    pub(crate) timeout: Duration,
    /// Whether it runs alone.
    pub(crate) exclusive: bool,
    /// Whether it may be run: it is the user's own, or the project is trusted (C4).
    pub(crate) may_run: bool,
    /// Where the command stands.
    pub(crate) place: Span,
}

/// How long a call may take where the configuration does not say.
pub(crate) const USUAL_TIMEOUT: Duration = Duration::from_mins(2);

/// What a command runs in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'s> {
    /// The project's folder.
    pub(super) folder: &'s Path,
    /// What it sees of the environment.
    pub(super) environment: &'s [(OsString, OsString)],
}

impl Command {
    /// The tool that runs it; one that may not be run refuses.
    pub(super) fn tool(&self, around: Surroundings<'_>) -> Result<Tool, dsh_tool_command::Error> {
        if !self.may_run {
            let name = self.schema.name().to_owned();
            return Ok(Tool::raw(self.schema.clone(), move |_, _| {
                let refused = format!("the folder of the tool `{name}` is not trusted");
                async { Err::<(), _>(ToolFailure::host(refused)) }
            }));
        }
        let tool = CommandTool::new(self.schema.clone(), &self.words)?
            .folder(around.folder)
            .environment(around.environment.iter().cloned())
            .timeout(self.timeout);
        Ok(if self.exclusive { tool.exclusive() } else { tool }.into())
    }
}

/// Reads what a command tool takes; what is wrong is reported.
pub(super) fn read(
    tool: &config::CommandTool,
    trust: Trust,
    asks: &TrustSet,
    files: &mut Files<'_>,
    report: &mut Report,
) -> Option<Command> {
    // Where the text of its parameters is, if it is a file's: errors have their places in that.
    let (parameters, source) = match &tool.parameters {
        None => (NO_PARAMETERS.to_owned(), None),
        Some(Parameters::Inline(json)) => (json.value.clone(), None),
        Some(Parameters::File(file)) => {
            let source = files.named(file, SCHEMA_LIMIT, report)?;
            (files.sources.text(source).to_owned(), Some(source))
        }
    };
    let schema = ToolSchema::new(tool.name.value.clone(), tool.description.clone(), &parameters).map_err(|error| {
        let headline = format!("tool {}: {}", quoted(&tool.name.value), error.problem());
        let mut diagnostic = Diagnostic::error(error.code(), headline);
        if let Some(source) = source {
            for offset in [error.offset(), error.first_offset()].into_iter().flatten() {
                diagnostic = diagnostic.at(Span::new(source, offset..offset + 1), "");
            }
        }
        let (place, label) = match &tool.parameters {
            Some(Parameters::Inline(json)) => (json.span, ""),
            Some(Parameters::File(file)) => (file.path.span, "named here"),
            None => (tool.name.span, ""),
        };
        report.push(diagnostic.at(place, label).with_help(error.help()));
    });
    let is_own = !comes_from_project(files.sources, tool.command.span);
    let item = TrustItem::Command { words: tool.command.value.clone() };
    Some(Command {
        schema: schema.ok()?,
        words: tool.command.value.clone(),
        timeout: tool.timeout.unwrap_or(USUAL_TIMEOUT),
        exclusive: tool.exclusive,
        may_run: is_own || (trust.is_trusted() && asks.contains(&item)),
        place: tool.command.span,
    })
}
