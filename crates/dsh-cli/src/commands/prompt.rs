//! `dsh prompt`: the prompt that a project makes.

mod json;

use dsh_system_prompt::{PromptAssembly, render};

use crate::args::{GlobalArgs, PromptArgs};
use crate::commands::visibly::for_a_terminal;
use crate::commands::{Scene, reported, with_mounted};
use crate::diagnostic::{Report, Sources};
use crate::outside::Console;
use crate::project::{Purpose, blame};
use crate::status::ExitStatus;

/// Runs the command: prints the prompt if nothing stands in its way, and everything that was found, be it in another agent.
pub(crate) fn run(global: &GlobalArgs, arguments: &PromptArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let answer = with_mounted(
        global,
        arguments.agent.as_deref(),
        Purpose::Look,
        &mut sources,
        &mut report,
        async |mut scene: Scene<'_>| {
            let assembly = scene.mounted.check(scene.agent, !arguments.tools, scene.report).await?;
            text(&mut scene, arguments, &assembly)
        },
    );
    let status = reported(&answer, report, &sources, console);
    match answer {
        Ok(Some(text)) => {
            let is_json = arguments.json || arguments.tools;
            let shown = if console.shows_output() { for_a_terminal(&text, is_json) } else { None };
            if shown.is_some() {
                console.say(SHOWN);
            }
            console.print(shown.unwrap_or(text).as_bytes(), status)
        }
        Ok(None) | Err(_) => status,
    }
}

/// What is said where the output is not exact.
const SHOWN: &str = "dsh: hidden characters are shown as escapes, like \\u{1B}, on a terminal; into a file or a pipe the output is exact\n\n";

/// What was asked for. The tool block needs no rendering.
fn text(scene: &mut Scene<'_>, arguments: &PromptArgs, assembly: &PromptAssembly) -> Option<String> {
    let Scene { project, agent, report, .. } = scene;
    let mut text = if arguments.tools {
        let name = agent.map(|agent| agent.name.value.as_str());
        if arguments.json { json::tools(name, assembly) } else { assembly.tools_json().to_string() }
    } else {
        let rendered = render(assembly).map_err(|error| report.push(blame::prompt(project, *agent, &error)));
        let rendered = rendered.ok()?;
        if arguments.json { json::prompt(project, *agent, assembly, &rendered) } else { rendered.text().to_string() }
    };
    // The prompt may end with a newline or without; one more always follows, so that its own end can be told.
    text.push('\n');
    Some(text)
}
