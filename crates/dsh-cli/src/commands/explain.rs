//! `dsh explain`: what a prompt is made of.

pub(super) mod columns;
mod facts;
mod json;
mod marked;
mod one;
mod paint;
pub(super) mod places;
mod unknown;
mod whole;
pub(super) mod words;

use dsh_system_prompt::render;

use self::facts::Facts;
use self::places::Places;
use crate::args::{ExplainArgs, GlobalArgs};
use crate::commands::{Scene, reported, with_mounted};
use crate::diagnostic::{Report, Sources};
use crate::outside::Console;
use crate::project::{Purpose, blame};
use crate::status::ExitStatus;

/// Runs the command: prints what is known of the prompt, of one that cannot be made, too, and everything that was found.
pub(crate) fn run(global: &GlobalArgs, arguments: &ExplainArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let agent = arguments.agent.as_deref();
    let answer = with_mounted(global, agent, Purpose::Look, &mut sources, &mut report, async |mut scene: Scene<'_>| {
        explain(&mut scene, arguments).await
    });
    let answer = answer.flatten();
    let status = reported(&answer, report, &sources, console);
    match answer {
        Ok(Some(text)) => console.print_styled(&text, status),
        Ok(None) | Err(_) => status,
    }
}

/// What was asked for; nothing, where nothing could be assembled.
async fn explain(scene: &mut Scene<'_>, arguments: &ExplainArgs) -> Result<Option<String>, ExitStatus> {
    let whole = scene.mounted.check(scene.agent, true, scene.report).await;
    let rendered = whole.as_ref().and_then(|assembly| {
        render(assembly)
            .map_err(|error| {
                scene.report.push(blame::prompt(scene.project, scene.agent, &error));
            })
            .ok()
    });
    // Of a prompt that has a finding, what was read is shown.
    let assembly = match whole {
        Some(whole) => whole,
        None => match scene.mounted.assemble(scene.agent).await {
            Ok(assembly) => assembly,
            Err(_) => return Ok(None),
        },
    };
    let places = Places::new(scene.sources);
    let facts = Facts::new(scene, &assembly, rendered.as_ref(), &places);
    let Some(name) = arguments.name.as_deref() else {
        let text = if arguments.json { json::facts(&facts, false) + "\n" } else { whole::tables(&facts) };
        return Ok(Some(text));
    };
    let Some(named) = facts.named(name) else {
        scene.report.push(unknown::name(name, &facts));
        // What has the name may have been left out for a finding.
        return if rendered.is_some() { Err(ExitStatus::WrongUse) } else { Ok(None) };
    };
    Ok(Some(if arguments.json { json::facts(&named, true) + "\n" } else { one::things(&named, &facts.variables) }))
}
