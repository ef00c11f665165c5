//! The turn itself: a kernel with the project on it, an agent, its loop; and whoever interrupts.

use std::sync::Arc;
use std::time::Duration;

use dsh_agent::{
    AgentCompacted, AgentHandle, AgentOptions, AgentStream, AgentToolCall, AgentToolResult, AgentTurnEnd,
    AgentTurnStart, Agents, AgentsExt, NewSession, TurnSummary,
};
use dsh_agent_loop::{AgentLoop, Compaction, LoopConfig, LoopOptions};
use dsh_kernel::{Context, Failure};
use dsh_llm::{Message, Model, StopReason};
use dsh_session::{FileStore, SessionId, Sessions, TurnEnd};
use dsh_subagent::{SubagentEnd, SubagentStart};
use dsh_tools::Approver;

use super::interrupts::Interrupts;
use super::shown::Shown;
use crate::commands::sessions::{fresh_id, tell_damage, wrong};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::environment::now_millis;
use crate::outside::in_words;
use crate::project::{HandedDown, MadeAs, Mounted, Project, Purpose, blame};
use crate::status::ExitStatus;

/// What turns while a model is waited for is turned on so often.
const FRAME: Duration = Duration::from_millis(100);

/// The agent of a run that names none; no agent of a project can be called so.
pub(in crate::commands) const MAIN: &str = "(main)";

pub(super) struct Turn {
    pub(super) project: Arc<Project>,
    pub(super) agent: Option<String>,
    pub(super) sources: Arc<Sources>,
    pub(super) model: Arc<dyn Model>,
    pub(super) store: FileStore,
    pub(super) id: SessionId,
    /// Whether the session is there already.
    pub(super) resumes: bool,
    pub(super) shown: Arc<Shown>,
    pub(super) approver: Option<Arc<dyn Approver>>,
}

impl Turn {
    /// Makes the agent, says the message, waits for the end of the turn, and undoes all.
    pub(super) async fn run(self, message: String, report: &mut Report) -> ExitStatus {
        // Heard from the beginning, so that no interrupt ends the process while the session is made.
        let mut interrupts = match Interrupts::listen() {
            Ok(interrupts) => interrupts,
            Err(error) => {
                let headline = format!("interrupts cannot be heard: {}", in_words(&error));
                report.push(Diagnostic::error("cli::no_runtime", headline));
                return ExitStatus::Findings;
            }
        };
        let (project, sources, shown) = (Arc::clone(&self.project), Arc::clone(&self.sources), Arc::clone(&self.shown));
        let mounted = match project.mount_shared(&sources, report).await {
            Ok(mounted) => mounted,
            Err(error) => {
                report.push(blame::kernel(&error));
                return ExitStatus::Findings;
            }
        };
        let store = self.store.clone();
        let handle = match self.agent(&mounted.root()).await {
            Ok(handle) => handle,
            Err(failure) => {
                report.push(refused(&failure, &store));
                mounted.close(report).await;
                return ExitStatus::Findings;
            }
        };
        tell_damage(handle.agent().session().damage(), handle.agent().id(), report);
        let status = converse(&handle, message, &shown, &mut interrupts, report).await;
        if status.is_some() {
            end(handle, mounted, &mut interrupts, report).await;
        }
        shown.screen().question_ends();
        shown.screen().still();
        status.unwrap_or(ExitStatus::Interrupted)
    }

    async fn agent(self, root: &Context) -> Result<AgentHandle, Failure> {
        let Self { project, agent, sources, model, store, id, resumes, shown, approver } = self;
        listen(root, &shown)?;
        root.plugin(Sessions::new(store).clock(now_millis))?.ready().await?;
        root.plugin(Agents::new().ids(fresh_id))?.ready().await?;
        root.plugin(HandedDown(Arc::clone(&project)))?.ready().await?;
        shown.opened(agent.as_deref(), model.name(), resumes);
        if let Some(compaction) = project.compaction(Arc::clone(&model)) {
            root.plugin(Compaction::new(compaction))?.ready().await?;
        }
        let mut loop_options = LoopOptions::new().limits(project.limits());
        if let Some(approver) = approver {
            loop_options = loop_options.approver(approver);
        }
        root.plugin(AgentLoop::new(LoopConfig::new(model).options(loop_options)))?.ready().await?;
        project.mount_subagents(root, &sources).await?;
        let name = agent.clone().unwrap_or_else(|| MAIN.to_owned());
        let mut options = AgentOptions::new(name).run(project.run.clone());
        if let Some(name) = &agent {
            let limits = project.agent(name).and_then(|own| project.own_limits(own));
            options = options.with(MadeAs(name.clone()));
            options = options.with(limits.map_or_else(LoopOptions::new, |limits| LoopOptions::new().limits(limits)));
        }
        let options = options.setup(move |ctx| async move {
            let Some(own) = agent.and_then(|name| project.agent(&name)) else { return Ok(()) };
            project.furnish(&ctx, own, Purpose::Run, &sources).await?;
            Ok(())
        });
        let agents = root.agents();
        let handle = if resumes {
            agents.resume(id, options).await?
        } else {
            agents.create(options.session(NewSession::new().named(id))).await?
        };
        Ok(handle)
    }
}

/// Shows what agents do.
fn listen(root: &Context, shown: &Arc<Shown>) -> Result<(), Failure> {
    let own = || Arc::clone(shown);
    let (start, stream, call, result, end) = (own(), own(), own(), own(), own());
    let (compacted, begun, over) = (own(), own(), own());
    root.on(move |event: &AgentTurnStart| start.turn_start(event))?;
    root.on(move |event: &AgentStream| stream.stream(event))?;
    root.on(move |event: &AgentToolCall| call.tool_call(event))?;
    root.on(move |event: &AgentToolResult| result.tool_result(event))?;
    root.on(move |event: &AgentCompacted| compacted.compacted(event))?;
    root.on(move |event: &AgentTurnEnd| end.turn_end(event))?;
    root.on(move |event: &SubagentStart| begun.subagent_start(event))?;
    root.on(move |event: &SubagentEnd| over.subagent_end(event))?;
    Ok(())
}

/// Says the message, and waits for the end of the turn. The first interrupt cancels it; at the second there is no status: all is left
/// as it is.
async fn converse(
    handle: &AgentHandle,
    message: String,
    shown: &Shown,
    interrupts: &mut Interrupts,
    report: &mut Report,
) -> Option<ExitStatus> {
    let agent = handle.agent();
    if let Err(error) = agent.send(Message::user(message)) {
        report.push(Diagnostic::error(error.code(), error.to_string()));
        return Some(ExitStatus::Findings);
    }
    let mut idle = agent.when_idle();
    let mut frames = tokio::time::interval(FRAME);
    let mut interrupted = false;
    loop {
        tokio::select! {
            () = &mut idle => break,
            () = interrupts.next() => {
                if interrupted {
                    return None;
                }
                interrupted = true;
                shown.screen().question_ends();
                shown.screen().say("interrupted; once more to quit at once");
                agent.cancel();
            }
            _ = frames.tick() => shown.screen().spin(),
        }
    }
    let summary = agent.last_turn();
    Some(
        summary.map_or(ExitStatus::Findings, |summary| {
            of_turn(&summary, handle.agent().name(), shown.was_denied(), report)
        }),
    )
}

/// The status of a turn that has ended; what is wrong with it is reported. `unanswered` says that a call was denied for want of an approver,
/// be it of an agent that worked for this one.
fn of_turn(summary: &TurnSummary, agent: &str, unanswered: bool, report: &mut Report) -> ExitStatus {
    if let Some(why) = cut_off(summary) {
        let headline = format!("the answer is not whole: {why}");
        report.push(Diagnostic::warning("run::cut_off", headline).with_help("`--continue` with a message goes on"));
    }
    match &summary.end {
        TurnEnd::Completed if unanswered => {
            let note = Diagnostic::warning("run::not_approved", "a call was denied, since there was nobody to ask");
            report.push(note.with_help("run it on a terminal, or allow the tool under [permissions] in dsh.toml"));
            ExitStatus::NotApproved
        }
        TurnEnd::Completed => ExitStatus::Success,
        TurnEnd::Cancelled | TurnEnd::Interrupted => ExitStatus::Interrupted,
        TurnEnd::Limit { which, .. } => {
            let whose = if agent == MAIN { String::new() } else { format!("--agent {agent} ") };
            report.push(Diagnostic::error("run::limit", format!("the turn ended at a limit: {which}")).with_help(
                format!("`dsh run {whose}--continue \"…\"` goes on, with a message; `[limits]` says how far"),
            ));
            ExitStatus::Limit
        }
        TurnEnd::Failed { code, message, .. } => {
            let headline = format!("the turn failed: {message}");
            report.push(Diagnostic::error("run::failed", headline).with_note(format!("its code is {code}")));
            ExitStatus::Findings
        }
        TurnEnd::Refused { reason, .. } => {
            report.push(Diagnostic::error("run::refused", format!("the message was not let through: {reason}")));
            ExitStatus::Findings
        }
        TurnEnd::Ended { reason, .. } => {
            report.push(Diagnostic::note("run::ended", format!("the turn was ended: {reason}")));
            if unanswered { ExitStatus::NotApproved } else { ExitStatus::Success }
        }
        _ => ExitStatus::Findings,
    }
}

/// Undoes the agent, and ends the kernel. An interrupt ends the waiting.
async fn end(handle: AgentHandle, mounted: Mounted<'_>, interrupts: &mut Interrupts, report: &mut Report) {
    let all = async {
        if let Err(error) = handle.dispose().await {
            report.push(blame::kernel(&error));
        }
        mounted.close(report).await;
    };
    tokio::select! {
        () = all => {}
        () = interrupts.next() => {}
    }
}

/// Why the agent could not be made.
fn refused(failure: &Failure, store: &FileStore) -> Diagnostic {
    if let Some(error) = failure.downcast_ref::<dsh_agent::Error>() {
        let own = || Diagnostic::error(error.code(), error.to_string());
        return error.session().map_or_else(own, |error| wrong(error, store));
    }
    Diagnostic::error("run::failed", format!("the agent could not be made: {failure}"))
}

/// Why a turn that has completed has no whole answer.
fn cut_off(summary: &TurnSummary) -> Option<&'static str> {
    if summary.end != TurnEnd::Completed {
        return None;
    }
    match summary.stop? {
        StopReason::MaxTokens => Some("the model reached the most that it may say at once"),
        StopReason::Refusal => Some("the model refused"),
        StopReason::EndTurn | StopReason::ToolCalls | StopReason::StopSequence | StopReason::Other | _ => None,
    }
}
