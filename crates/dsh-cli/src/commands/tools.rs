//! `dsh tools`: which tools there are, and calling one.

mod call;
mod json;
mod listing;
mod show;

use self::listing::Listing;
use crate::args::{GlobalArgs, ToolsArgs};
use crate::commands::{Scene, reported, with_mounted};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::names::{list, nearest, quoted};
use crate::outside::Console;
use crate::project::{Project, Purpose};
use crate::status::ExitStatus;

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, arguments: &ToolsArgs, console: &mut Console) -> ExitStatus {
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let wrong = |headline: &str, help: &str| Diagnostic::error("cli::wrong_words", headline).with_help(help);
    let wrong = match words.as_slice() {
        ["call", name] => return call::run(global, arguments, name, console),
        ["call"] => wrong("`call` names no tool", "write `dsh tools call NAME`, with its arguments behind `--args`"),
        [_, _] => wrong("more than one tool is named", "write `dsh tools NAME`, or `dsh tools call NAME`"),
        _ if arguments.args.is_some() => wrong("`--args` is for a call", "write `dsh tools call NAME --args JSON`"),
        [] => return show(global, arguments, None, console),
        [name, ..] => return show(global, arguments, Some(name), console),
    };
    console.report(&[wrong], &Sources::new());
    ExitStatus::WrongUse
}

/// Lists the tools, or shows one.
fn show(global: &GlobalArgs, arguments: &ToolsArgs, name: Option<&str>, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let agent = arguments.agent.as_deref();
    let answer = with_mounted(global, agent, Purpose::Look, &mut sources, &mut report, async |mut scene: Scene<'_>| {
        let listing = Listing::of(&mut scene);
        let Some(name) = name else {
            return Ok(if arguments.json { json::all(&listing) } else { show::all(&listing) });
        };
        if let Some(tool) = listing.tools.iter().find(|tool| tool.schema.name() == name) {
            return Ok(if arguments.json { json::one(&listing, tool) } else { show::one(&listing, tool) });
        }
        // What has the name may have been left out for a finding.
        let may_be_left_out = scene.report.leaves_out(None);
        scene.report.push(unknown_tool(name, scene.project));
        Err(if may_be_left_out { ExitStatus::Findings } else { ExitStatus::WrongUse })
    });
    let answer = answer.flatten();
    let status = reported(&answer, report, &sources, console);
    match answer {
        Ok(text) => console.print_styled(&text, status),
        Err(status) => status,
    }
}

/// A tool was asked for that is not there.
fn unknown_tool(name: &str, project: &Project) -> Diagnostic {
    let names = || project.tools.names();
    let help = match nearest(name, names()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None if project.tools.is_empty() => {
            "there are no tools: `tool_schemas` names the files that describe them, and `[[tools]]` makes one of a command".to_owned()
        }
        None => format!("the tools are {}", list(names())),
    };
    Diagnostic::error("cli::unknown_name", format!("no tool of this project is called {}", quoted(name)))
        .with_help(help)
}
