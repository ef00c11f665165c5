//! The right to dispose an agent.

use std::fmt;

use dsh_kernel::{Disposer, Teardown};

use crate::agent::Agent;

/// The right to dispose one agent, and the agent itself. Who created it has it; dropping it undoes nothing.
///
/// It derefs to nothing on purpose: what is handed around is [`agent`](Self::agent).
#[must_use = "it alone can dispose the agent before its owner unloads; drop it by name to leave it to that"]
pub struct AgentHandle {
    pub(crate) agent: Agent,
    pub(crate) disposer: Disposer,
}

impl AgentHandle {
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Undoes the agent: its turn is cancelled and ended in the log, then it is unregistered, its session left after a last flush,
    /// and its scope unwound (A2).
    ///
    /// Inside of its own turn, let go of the [`Teardown`]: a tool that awaits it is aborted after the kernel's grace.
    pub fn dispose(self) -> Teardown {
        self.disposer.dispose()
    }

    /// The exact disposer, to be adopted by an effect of the fiber that created the agent (K4).
    pub fn into_disposer(self) -> Disposer {
        self.disposer
    }
}

impl fmt::Debug for AgentHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentHandle({:?})", self.agent)
    }
}
