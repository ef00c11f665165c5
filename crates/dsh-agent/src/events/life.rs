//! An agent comes and goes.

use std::convert::Infallible;

use dsh_kernel::{Emit, Event, Serial, SerialEvent};

use crate::agent::Agent;

/// `agent/created`: an agent was registered. A failing listener is logged (A1).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentCreated {
    /// Which.
    pub agent: Agent,
}

/// `agent/disposed`: an agent is registered no longer; its session is still entered, and its scope still there. A failing listener
/// is logged (A1).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentDisposed {
    /// Which.
    pub agent: Agent,
}

/// `agent/session-start`: an agent is about to begin its work. All listeners are awaited, one by one; where one fails, the agent is
/// undone (A2).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentSessionStart {
    /// Which.
    pub agent: Agent,
    /// Whether its session goes on from earlier.
    pub resumed: bool,
}

impl AgentCreated {
    pub(crate) fn new(agent: Agent) -> Self {
        Self { agent }
    }
}

impl AgentDisposed {
    pub(crate) fn new(agent: Agent) -> Self {
        Self { agent }
    }
}

impl AgentSessionStart {
    pub(crate) fn new(agent: Agent, resumed: bool) -> Self {
        Self { agent, resumed }
    }
}

impl Event for AgentCreated {
    const NAME: &'static str = "agent/created";
    const DOC: &'static str = "An agent was registered.";
    type Mode = Emit;
}

impl Event for AgentDisposed {
    const NAME: &'static str = "agent/disposed";
    const DOC: &'static str = "An agent is registered no longer.";
    type Mode = Emit;
}

impl Event for AgentSessionStart {
    const NAME: &'static str = "agent/session-start";
    const DOC: &'static str = "An agent is about to begin its work; where a listener fails, it is undone.";
    type Mode = Serial;
}

impl SerialEvent for AgentSessionStart {
    /// Nobody can answer, so everybody hears.
    type Answer = Infallible;
}
