//! `dsh run`: a whole turn of an agent, from the command line.

mod interrupts;
mod left_out;
pub(super) mod lines;
mod message;
mod model;
mod shown;
mod turn;

use std::sync::Arc;

use dsh_llm::Model;
use dsh_session::{FileStore, Listed, SessionId};
use dsh_tools::Approver;

use crate::args::{GlobalArgs, RunArgs};
use crate::commands::sessions::{Wanted, find, of_another, store};
use crate::commands::{open_project, runtime, unknown_agent};
use crate::diagnostic::{Report, Sources};
use crate::outside::{Console, Screen, TerminalApprover, output_lost};
use crate::project::{Project, TASK};
use crate::status::ExitStatus;
use left_out::left_out;
use message::message;
use model::model;
use shown::Shown;
pub(super) use turn::MAIN;
use turn::Turn;

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, arguments: &RunArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut found = Report::new();
    let ready = ready(global, arguments, &mut sources, &mut found);
    // It is said before the turn begins, which may take long.
    console.conclude(found, &sources);
    let ready = match ready {
        Ok(ready) => ready,
        Err(status) => return status,
    };
    let mut report = Report::new();
    let status = ready.turn(arguments, sources, &mut report, console);
    console.conclude(report, &Sources::new());
    status
}

/// All that a turn needs, so that nothing can be wrong any more but the turn itself.
struct ReadyToRun {
    message: String,
    project: Project,
    agent: Option<String>,
    model: Arc<dyn Model>,
    store: FileStore,
    /// The session to go on with.
    session: Option<SessionId>,
}

fn ready(
    global: &GlobalArgs,
    arguments: &RunArgs,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<ReadyToRun, ExitStatus> {
    let project = open_project(global, sources, report)?;
    let agent = arguments.agent.clone();
    if let Some(name) = agent.as_deref().filter(|name| project.agent(name).is_none()) {
        report.push(unknown_agent(name, &project));
        return Err(ExitStatus::WrongUse);
    }
    let model = model(arguments.scripted.as_deref(), &project, sources, report)?;
    let store = store(report)?;
    let wanted = match &arguments.session {
        Some(name) => Some(Wanted::Named(name)),
        None => arguments.continue_last.then_some(Wanted::Last { agent: agent.as_deref() }),
    };
    let here = project.folder.as_path();
    let session = wanted.map(|wanted| find(&store, here, wanted, report)).transpose()?;
    let other = session.as_ref().and_then(|session| of_another(session, here, agent.as_deref().unwrap_or(MAIN)));
    if let Some(warning) = other {
        report.push(warning);
    }
    let session = session.map(|Listed { id, .. }| id);
    // What is wrong with an agent that may work for this one may be what keeps it from something.
    let stops = |worker| report.stops(Some(worker));
    let own = agent.as_deref().and_then(|name| project.agent(name));
    let filter = own.and_then(|own| own.filter.as_ref());
    let workers = project.subagents.as_ref().filter(|_| filter.is_none_or(|filter| filter.admits(TASK)));
    let stops_a_worker = workers.is_some_and(|subagents| subagents.workers().any(stops));
    if report.stops(agent.as_deref()) || stops_a_worker {
        return Err(ExitStatus::Findings);
    }
    if let Some(note) = left_out(&project, own) {
        report.push(note);
    }
    // Last, since it may wait for whoever writes it.
    let message = message(arguments.message.as_deref()).map_err(|refused| {
        report.push(*refused);
        ExitStatus::WrongUse
    })?;
    Ok(ReadyToRun { message, project, agent, model, store, session })
}

impl ReadyToRun {
    fn turn(self, arguments: &RunArgs, sources: Sources, report: &mut Report, console: &Console) -> ExitStatus {
        let id = self.session.clone().unwrap_or_else(crate::commands::sessions::fresh_id);
        let screen = Screen::new(console.colors(), console.verbosity());
        let shown = Arc::new(Shown::new(screen, arguments.json, id.clone()));
        let runtime = match runtime(report) {
            Ok(runtime) => runtime,
            Err(status) => return status,
        };
        let screen = Arc::clone(&shown);
        let ask = move |open| if open { screen.screen().question_begins() } else { screen.screen().question_ends() };
        let approver = console.can_ask().then(|| TerminalApprover::new(ask)).flatten();
        let turn = Turn {
            project: Arc::new(self.project),
            agent: self.agent,
            sources: Arc::new(sources),
            model: self.model,
            store: self.store,
            id,
            resumes: self.session.is_some(),
            shown: Arc::clone(&shown),
            approver: approver.map(|approver| Arc::new(approver) as Arc<dyn Approver>),
        };
        let status = runtime.block_on(turn.run(self.message, report));
        // What still runs, after a second interrupt, goes with the runtime; commands are given no time then.
        drop(runtime);
        dsh_tool_command::kill_all();
        let screen = shown.screen();
        match screen.lost() {
            Some(error) => {
                report.push(output_lost(error));
                if status == ExitStatus::Success { ExitStatus::Findings } else { status }
            }
            None => status,
        }
    }
}
