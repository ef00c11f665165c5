//! `dsh prompt`: the prompt that a project makes.

mod json;

use dsh_system_prompt::{PromptAssembly, render};

use crate::args::{GlobalArgs, PromptArgs};
use crate::commands::open_project;
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::names::{list, nearest, quoted};
use crate::outside::Console;
use crate::project::{Agent, Project, blame};
use crate::status::ExitStatus;

/// Runs the command: prints the prompt if nothing stands in its way, and everything that was found, be it in another agent.
pub(crate) fn run(global: &GlobalArgs, arguments: &PromptArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let answer = answer(global, arguments, &mut sources, &mut report);
    let status = match &answer {
        Err(status) => *status,
        Ok(_) if report.has_errors() => ExitStatus::Findings,
        Ok(_) => ExitStatus::Success,
    };
    console.conclude(report, &sources);
    match answer {
        Ok(Some(text)) => console.print(text.as_bytes(), status),
        Ok(None) | Err(_) => status,
    }
}

/// What is to be printed; nothing, where findings stand in the way; a status, where it could not come to that.
fn answer(
    global: &GlobalArgs,
    arguments: &PromptArgs,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Option<String>, ExitStatus> {
    let project = open_project(global, sources, report)?;
    let agent = match arguments.agent.as_deref() {
        None => None,
        Some(name) => Some(project.agent(name).ok_or_else(|| {
            report.push(unknown_agent(name, &project));
            ExitStatus::WrongUse
        })?),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|error| {
        report.push(Diagnostic::error("cli::no_runtime", format!("no runtime can be had: {error}")));
        ExitStatus::WrongUse
    })?;
    Ok(runtime.block_on(assemble(&project, agent, arguments, sources, report)))
}

async fn assemble(
    project: &Project,
    agent: Option<&Agent>,
    arguments: &PromptArgs,
    sources: &Sources,
    report: &mut Report,
) -> Option<String> {
    let mounted = match project.mount(sources, report).await {
        Ok(mounted) => mounted,
        Err(error) => {
            report.push(blame::kernel(&error));
            return None;
        }
    };
    let assembly = mounted.check(agent, !arguments.tools, report).await;
    let text = assembly.and_then(|assembly| text(project, agent, arguments, &assembly, report));
    mounted.close(report).await;
    text
}

/// What was asked for. The tool block needs no rendering.
fn text(
    project: &Project,
    agent: Option<&Agent>,
    arguments: &PromptArgs,
    assembly: &PromptAssembly,
    report: &mut Report,
) -> Option<String> {
    let mut text = if arguments.tools {
        let name = agent.map(|agent| agent.name.value.as_str());
        if arguments.json { json::tools(name, assembly) } else { assembly.tools_json().to_string() }
    } else {
        let rendered =
            render(assembly).map_err(|error| report.push(blame::prompt(project, agent, &error, &report.guesses)));
        let rendered = rendered.ok()?;
        if arguments.json {
            json::prompt(agent, assembly, &rendered, &project.tools.dropped)
        } else {
            rendered.text().to_string()
        }
    };
    // The prompt may end with a newline or without; one more always follows, so that its own end can be told.
    text.push('\n');
    Some(text)
}

fn unknown_agent(name: &str, project: &Project) -> Diagnostic {
    let names: Vec<&str> = project.agents.iter().map(|agent| agent.name.value.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => {
            "no agents are configured: a table `[agents.NAME]` or a file `agents/NAME.md` makes one".to_owned()
        }
        None => format!("the agents are {}", list(names)),
    };
    let headline = format!("there is no agent {} in `{}`", quoted(name), project.config);
    Diagnostic::error("cli::unknown_agent", headline).with_help(help)
}
