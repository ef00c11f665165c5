//! The handle: agents as one context sees them.

use std::fmt;

use dsh_kernel::{BoxFuture, Context, Disposer, Handle};
use dsh_session::SessionId;

use crate::agent::Agent;
use crate::agent_handle::AgentHandle;
use crate::create::create;
use crate::driver::AgentFactory;
use crate::error::Error;
use crate::options::AgentOptions;
use crate::registry::AgentRegistry;

/// `ctx.agents()`, on every [`Context`].
pub trait AgentsExt {
    /// The agents as this context sees them. Making the handle never fails; its methods do, where the service is not in reach.
    fn agents(&self) -> AgentsHandle;
}

impl AgentsExt for Context {
    fn agents(&self) -> AgentsHandle {
        AgentsHandle { registry: self.get() }
    }
}

/// The agents as one context sees them: its owner owns what is registered or created through it (A1, K1).
///
/// All methods fail with the kernel's own errors where the service is not in reach: `kernel::undeclared_service`,
/// `kernel::missing_service`, `kernel::inactive`.
#[derive(Clone)]
pub struct AgentsHandle {
    registry: Handle<AgentRegistry>,
}

impl AgentsHandle {
    /// Registers an agent that was made by hand ([`Agent::new`]), until the effect ends. A failing listener of `agent/created` or
    /// `agent/disposed` is logged, and changes nothing (A1).
    ///
    /// # Errors
    ///
    /// `agent::duplicate_agent`, naming the owner of the first; `kernel::inactive` (K8).
    pub fn register(&self, agent: &Agent) -> Result<Disposer, Error> {
        self.registry.resolve()?.register(self.registry.ctx(), agent)
    }

    /// The agent of that session.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn get(&self, id: &SessionId) -> Result<Option<Agent>, Error> {
        Ok(self.registry.with(|registry| registry.get(id))?)
    }

    /// The agents that there are, in order of registration.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn list(&self) -> Result<Vec<Agent>, Error> {
        Ok(self.registry.with(AgentRegistry::list)?)
    }

    /// Says who makes what drives agents, until the effect ends: then the agents that it drives are stopped, and stay registered
    /// until their owners dispose them.
    ///
    /// # Errors
    ///
    /// `agent::duplicate_factory`, naming the owner of the first; `kernel::inactive` (K8).
    pub fn set_factory(&self, factory: impl AgentFactory) -> Result<Disposer, Error> {
        self.registry.resolve()?.set_factory(self.registry.ctx(), Box::new(factory))
    }

    /// Makes an agent with a new session, or with one that is open, as one composite effect of the context's owner (A2): scope →
    /// session entered → registered → [`setup`](AgentOptions::setup) → `agent/session-start` → driver started. It is undone in
    /// reverse; a failure at any step undoes the earlier ones, and a new session goes with them.
    ///
    /// # Errors
    ///
    /// `agent::no_factory`, `agent::no_session_id`; those of sessions; `kernel::listener_failed`; `kernel::body_failed` with the
    /// [`Failure`](dsh_kernel::Failure) of the setup or the factory; `kernel::inactive` (K8).
    pub fn create(&self, options: AgentOptions) -> BoxFuture<'static, Result<AgentHandle, Error>> {
        self.make(options, None)
    }

    /// Makes an agent that goes on with a session of the store. What an earlier process left open in it is ended first: each open call
    /// gets an `interrupted` result and none is run again, and the turn ends so. The options name no session.
    ///
    /// # Errors
    ///
    /// `agent::session_chosen`; `session::not_found`, `session::locked`, `session::corrupt` and others of sessions; those of [`create`](Self::create).
    pub fn resume(&self, id: SessionId, options: AgentOptions) -> BoxFuture<'static, Result<AgentHandle, Error>> {
        self.make(options, Some(id))
    }

    fn make(&self, options: AgentOptions, resume: Option<SessionId>) -> BoxFuture<'static, Result<AgentHandle, Error>> {
        let handle = self.registry.clone();
        Box::pin(async move {
            let registry = handle.resolve()?;
            create(registry, handle.ctx().clone(), options, resume).await
        })
    }
}

impl fmt::Debug for AgentsHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentsHandle({:?})", self.registry.ctx())
    }
}
