//! What an agent's prompt is assembled with: the agent and its scope, never one without the other (S10).

use dsh_system_prompt::AssembleContext;

use crate::agent::Agent;

/// The agent that something is assembled or run for: a field of the [`AssembleContext`] that [`assemble_context_for`] makes, and so
/// of all that is made of one: what tools run with, what listeners of an assembly see.
///
/// Nobody else can make one, so there is no agent without its scope (S10).
#[derive(Debug)]
pub struct CurrentAgent(Agent);

impl CurrentAgent {
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.0
    }
}

/// What an agent's prompt is assembled with: its scope, the agent itself ([`CurrentAgent`]), its
/// [`RunContext`](dsh_system_prompt::RunContext), and the fields of its options, all together (S10).
pub fn assemble_context_for(agent: &Agent) -> AssembleContext {
    agent.fields().clone().with(CurrentAgent(agent.clone()))
}
