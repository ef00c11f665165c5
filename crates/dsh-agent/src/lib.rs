//! Agents: what one is, how it is made and unmade as one effect, and the events of its turns.
//!
//! **Role.** An agent is a scope, a session, and something that drives it. The plugin [`Agents`] knows which there are, makes one as one
//! composite effect ([`AgentsHandle::create`]), and undoes it in reverse: nothing of it is left. The events of an agent's turns are
//! typed decisions, dispatched by whatever drives it.
//!
//! **Non-goals.** No loop: drivers come from an [`AgentFactory`], such as that of `dsh-agent-loop`. No tools, no models, no
//! prompt text.
//!
//! In reading order: what an agent is, what drives it, what it is made with, what happens; then who registers.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod agent;
mod agent_handle;
mod driver;
mod new_session;
mod options;

mod assemble;
mod events;

mod create;
mod handle;
mod plugin;
mod registry;
mod work;

mod error;

pub use agent::Agent;
pub use agent_handle::AgentHandle;
pub use assemble::{CurrentAgent, assemble_context_for};
pub use driver::{AgentDriver, AgentFactory, AgentStatus, TurnSummary};
pub use error::{Error, ErrorKind};
pub use events::{
    AgentCompacted, AgentCreated, AgentDisposed, AgentPreStep, AgentPromptSubmit, AgentRequest, AgentSessionStart,
    AgentStepResult, AgentStream, AgentToolCall, AgentToolResult, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart,
    Continuation, PreStepDecision, PromptDecision, StepDecision,
};
pub use handle::{AgentsExt, AgentsHandle};
pub use new_session::{AgentSession, NewSession};
pub use options::AgentOptions;
pub use plugin::Agents;
pub use registry::AgentRegistry;
