//! `dsh check`: everything that is wrong with a project, in the form that is asked for.

mod output;

use self::output::Checked;
use crate::args::{CheckArgs, FailOn, GlobalArgs};
use crate::commands::{open_project, runtime, unknown_agent};
use crate::diagnostic::{Counts, Report, Sources};
use crate::outside::Console;
use crate::project::{Project, Purpose, Shared, blame, lints};
use crate::status::ExitStatus;

/// Runs the command. What was found is what it is for, and so goes to standard output; wrong use does not.
pub(crate) fn run(global: &GlobalArgs, arguments: &CheckArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let answer = answer(global, arguments, &mut sources, &mut report);
    if report.is_about_arguments() {
        console.conclude(report, &sources);
        return ExitStatus::WrongUse;
    }
    console.say_more(&report, &sources);
    if !arguments.agent.is_empty() {
        report.keep_agents(&arguments.agent);
    }
    let diagnostics = report.into_sorted();
    let counts = Counts::of(&diagnostics);
    let (checked, status) = match answer {
        Err(status) => (Checked::Nothing, status),
        Ok(checked) if counts.errors > 0 || fails_on_warnings(arguments, counts) => (checked, ExitStatus::Findings),
        Ok(checked) => (checked, ExitStatus::Success),
    };
    output::print(arguments.format, &checked, &diagnostics, &sources, status, console)
}

fn fails_on_warnings(arguments: &CheckArgs, counts: Counts) -> bool {
    arguments.fail_on == FailOn::Warning && counts.warnings > 0
}

/// What was checked; a status, where it could not come to that.
fn answer(
    global: &GlobalArgs,
    arguments: &CheckArgs,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Checked, ExitStatus> {
    let project = open_project(global, sources, report)?;
    let unknown = arguments.agent.iter().filter(|name| project.agent(name).is_none());
    let unknown: Vec<_> = unknown.map(|name| unknown_agent(name, &project)).collect();
    if !unknown.is_empty() {
        for diagnostic in unknown {
            report.push(diagnostic);
        }
        return Err(ExitStatus::WrongUse);
    }
    runtime(report)?.block_on(assemble(&project, sources, report));
    let names = project.agents.iter().map(|agent| agent.name.value.clone());
    Ok(match project.agents.as_slice() {
        [] => Checked::Shared,
        _ => {
            Checked::Agents(names.filter(|name| arguments.agent.is_empty() || arguments.agent.contains(name)).collect())
        }
    })
}

async fn assemble(project: &Project, sources: &Sources, report: &mut Report) {
    let mounted = match project.mount(Purpose::Look, sources, report).await {
        Ok(mounted) => mounted,
        Err(error) => return report.push(blame::kernel(&error)),
    };
    // Where there are agents, nobody is sent what they share as it is without their own parts, and it need not be whole.
    let shared = if project.agents.is_empty() { Shared::Checked } else { Shared::LeftOut };
    let checked = mounted.check_all(shared, true, report).await;
    let shared = mounted.assemble(None).await.ok();
    lints::report(project, &checked, shared.as_ref(), sources, report);
    mounted.close(report).await;
}
