//! The events of agents, as typed decisions (A4). All are filtered by the agent's scope.

mod decisions;
mod life;
mod step;
mod turn;

pub use decisions::{Continuation, PreStepDecision, PromptDecision, StepDecision};
pub use life::{AgentCreated, AgentDisposed, AgentSessionStart};
pub use step::{AgentPreStep, AgentRequest, AgentStepResult, AgentStream, AgentToolCall, AgentToolResult};
pub use turn::{AgentCompacted, AgentPromptSubmit, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart};
