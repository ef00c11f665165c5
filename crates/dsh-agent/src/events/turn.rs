//! A turn begins, and ends.

use dsh_kernel::{Emit, Event, Serial, SerialEvent, Waterfall, WaterfallEvent};
use dsh_llm::Message;
use dsh_session::Compacted;

use crate::agent::Agent;
use crate::driver::TurnSummary;
use crate::events::{Continuation, PromptDecision};

/// `agent/turn-start`: a turn has begun.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentTurnStart {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session, from 1.
    pub turn: u32,
}

/// `agent/prompt-submit`: a message is about to begin the work of a turn; listeners may change it, or block it. Where one fails, the
/// message goes to no model and the turn has failed.
///
/// ```
/// use dsh_agent::{AgentPromptSubmit, PromptDecision};
/// use dsh_kernel::Kernel;
///
/// let kernel = Kernel::new();
/// kernel.root().on_waterfall::<AgentPromptSubmit, _>(|decision, _event, next| async move {
///     match decision {
///         PromptDecision::Submit(message) if message.content.is_empty() => Ok(PromptDecision::block("it says nothing")),
///         decision => next.run(decision).await,
///     }
/// })?;
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentPromptSubmit {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
}

/// `agent/turn-continuation`: the model has said all, and the turn is about to end; the first listener that answers keeps it going.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentTurnContinuation {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Its last step.
    pub step: u32,
    /// What the model said last.
    pub message: Message,
}

/// `agent/compacted`: the oldest part of a session has given way to a summary, in the log too; told by whoever had it so.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentCompacted {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Before which step of it.
    pub step: u32,
    /// What stands for the oldest part now, and what it cost.
    pub compacted: Compacted,
}

/// `agent/turn-end`: a turn is over, in the log too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentTurnEnd {
    /// Whose.
    pub agent: Agent,
    /// How it went.
    pub summary: TurnSummary,
}

impl AgentTurnStart {
    /// This turn has begun.
    pub fn new(agent: Agent, turn: u32) -> Self {
        Self { agent, turn }
    }
}

impl AgentPromptSubmit {
    /// A message is to begin this turn.
    pub fn new(agent: Agent, turn: u32) -> Self {
        Self { agent, turn }
    }
}

impl AgentTurnContinuation {
    /// This turn is about to end.
    pub fn new(agent: Agent, turn: u32, step: u32, message: Message) -> Self {
        Self { agent, turn, step, message }
    }
}

impl AgentCompacted {
    /// This has been done before that step.
    pub fn new(agent: Agent, turn: u32, step: u32, compacted: Compacted) -> Self {
        Self { agent, turn, step, compacted }
    }
}

impl AgentTurnEnd {
    /// A turn went so.
    pub fn new(agent: Agent, summary: TurnSummary) -> Self {
        Self { agent, summary }
    }
}

impl Event for AgentTurnStart {
    const NAME: &'static str = "agent/turn-start";
    const DOC: &'static str = "A turn has begun.";
    type Mode = Emit;
}

impl Event for AgentPromptSubmit {
    const NAME: &'static str = "agent/prompt-submit";
    const DOC: &'static str = "A message is about to begin the work of a turn; listeners may change or block it.";
    type Mode = Waterfall;
}

impl WaterfallEvent for AgentPromptSubmit {
    type Value = PromptDecision;
}

impl Event for AgentTurnContinuation {
    const NAME: &'static str = "agent/turn-continuation";
    const DOC: &'static str = "A turn is about to end; a listener may keep it going with a message.";
    type Mode = Serial;
}

impl SerialEvent for AgentTurnContinuation {
    type Answer = Continuation;
}

impl Event for AgentCompacted {
    const NAME: &'static str = "agent/compacted";
    const DOC: &'static str = "The oldest part of a session has given way to a summary.";
    type Mode = Emit;
}

impl Event for AgentTurnEnd {
    const NAME: &'static str = "agent/turn-end";
    const DOC: &'static str = "A turn is over.";
    type Mode = Emit;
}
