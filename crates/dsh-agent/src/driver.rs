//! What drives an agent: made by a factory, so that agents and the loop that runs them know one another by traits alone.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use dsh_kernel::{BoxFuture, Failure};
use dsh_llm::{Message, StopReason, Usage};
use dsh_session::TurnEnd;
use dsh_system_prompt::AssembleContext;

use crate::agent::Agent;
use crate::error::Error;

/// Makes the drivers of agents. The shipped one is the plugin of `dsh-agent-loop`.
///
/// It is called as code of whoever set it ([`AgentsHandle::set_factory`](crate::AgentsHandle::set_factory)).
pub trait AgentFactory: Send + Sync + 'static {
    /// The model that an agent of these fields asks: what `{{model}}` says, where its options do not.
    fn model(&self, _fields: &AssembleContext) -> Option<Arc<str>> {
        None
    }

    /// Makes the driver of an agent. It takes in messages from now on, and works on them once it is
    /// [started](AgentDriver::start). It must not keep the agent before that: the agent keeps the driver.
    ///
    /// # Errors
    ///
    /// Any: the agent is not made then.
    fn make(&self, agent: &Agent) -> Result<Arc<dyn AgentDriver>, Failure>;
}

/// Takes in what is said to an agent, and works on it. An [`Agent`]'s methods of these names come here.
///
/// It is called as code of whoever set the factory. A panic in it is contained.
pub trait AgentDriver: Send + Sync + 'static {
    /// Begins to work: the last step of making an agent (A2).
    ///
    /// # Errors
    ///
    /// Any: the agent is undone then.
    fn start(&self, agent: &Agent) -> Result<(), Failure>;

    /// Stops for good: what is under way is cancelled, and ended in the log, before the future ends. A second call awaits the same
    /// end. It may be called before `start`, which fails then.
    fn stop(&self) -> BoxFuture<'static, Result<(), Failure>>;

    /// See [`Agent::send`].
    ///
    /// # Errors
    ///
    /// `agent::stopped`.
    fn send(&self, message: Message) -> Result<(), Error>;

    /// See [`Agent::steer`].
    ///
    /// # Errors
    ///
    /// `agent::stopped`.
    fn steer(&self, message: Message) -> Result<(), Error>;

    /// See [`Agent::inject_message`].
    ///
    /// # Errors
    ///
    /// `agent::stopped`; those of the session.
    fn inject_message(&self, message: Message) -> Result<(), Error>;

    /// See [`Agent::cancel`].
    fn cancel(&self);

    /// See [`Agent::when_idle`].
    fn when_idle(&self) -> BoxFuture<'static, ()>;

    /// See [`Agent::status`].
    fn status(&self) -> AgentStatus;

    /// See [`Agent::last_turn`].
    fn last_turn(&self) -> Option<TurnSummary>;

    /// See [`Agent::working_with`]; nothing unless it says so.
    fn working_with(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }
}

/// What an agent does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It is being made: it takes in messages, and works on none yet.
    Starting,
    /// It waits for a message.
    Idle,
    /// A turn is under way, or is about to begin.
    Running,
    /// It has been stopped, and takes in nothing any more.
    Stopped,
}

impl fmt::Display for AgentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starting => "starting",
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Stopped => "stopped",
        })
    }
}

/// How a turn went.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnSummary {
    /// Which turn of the session, from 1.
    pub turn: u32,
    /// How it ended.
    pub end: TurnEnd,
    /// How many steps it had.
    pub steps: u32,
    /// What its requests cost together, as far as the provider says.
    pub usage: Usage,
    /// Why the model's last answer ended, where one came and the provider says.
    pub stop: Option<StopReason>,
    /// A call was denied, since a listener asked and nobody was there to answer.
    pub denied_for_want_of_approver: bool,
}

impl TurnSummary {
    /// A turn that ended so, without a step.
    pub fn new(turn: u32, end: TurnEnd) -> Self {
        Self { turn, end, steps: 0, usage: Usage::default(), stop: None, denied_for_want_of_approver: false }
    }
}
