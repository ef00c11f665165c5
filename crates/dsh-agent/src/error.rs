//! The crate's one error: a kind, a stable code, which agent, who, and what would be right.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Failure, Owner, Teardown};
use dsh_session::SessionId;

use crate::agent::Agent;

/// An error of agents: one pointer, cheap to clone.
///
/// Errors of the kernel and of sessions pass through with their own code: see [`Error::kernel`] and [`Error::session`]. What an
/// agent's setup, or a listener of `agent/session-start`, failed with is in [`Error::failure`].
///
/// ```
/// use dsh_agent::{AgentOptions, Agents, AgentsExt, ErrorKind};
/// use dsh_kernel::Kernel;
/// use dsh_session::{MemoryStore, Sessions};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
/// root.plugin(Agents::new())?.ready().await?;
/// let error = root.agents().create(AgentOptions::new("main")).await.unwrap_err();
/// assert_eq!((error.kind(), error.code()), (ErrorKind::NoFactory, "agent::no_factory"));
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    problem: Box<str>,
    help: &'static str,
    agent: Option<SessionId>,
    owner: Option<Owner>,
    first_owner: Option<Owner>,
    failure: Option<Arc<Failure>>,
    kernel: Option<dsh_kernel::Error>,
    session: Option<dsh_session::Error>,
    teardown: Option<Teardown>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `agent::duplicate_agent`: an agent of that session is registered already.
    DuplicateAgent,
    /// `agent::duplicate_factory`: there is a factory already (A1).
    DuplicateFactory,
    /// `agent::no_factory`: nobody makes drivers, or whoever did has left.
    NoFactory,
    /// `agent::no_session_id`: neither the options nor the plugin say what the session is called.
    NoSessionId,
    /// `agent::session_chosen`: an agent is to go on with a session, and its options name one too.
    SessionChosen,
    /// `agent::unscoped`: an agent was to be made without a scope.
    Unscoped,
    /// `agent::stopped`: the agent takes in nothing any more.
    Stopped,
    /// `agent::driver_failed`: what drives the agent panicked.
    DriverFailed,
    /// An error of a session, with its own code.
    Session,
    /// An error of the kernel, with its own code.
    Kernel,
}

impl ErrorKind {
    /// The stable code of this kind; of others' errors only whose they are, since [`Error::code`] has their own.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DuplicateAgent => "agent::duplicate_agent",
            Self::DuplicateFactory => "agent::duplicate_factory",
            Self::NoFactory => "agent::no_factory",
            Self::NoSessionId => "agent::no_session_id",
            Self::SessionChosen => "agent::session_chosen",
            Self::Unscoped => "agent::unscoped",
            Self::Stopped => "agent::stopped",
            Self::DriverFailed => "agent::driver_failed",
            Self::Session => "session",
            Self::Kernel => "kernel",
        }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, problem: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Inner {
            kind,
            problem: problem.into(),
            help: "",
            agent: None,
            owner: None,
            first_owner: None,
            failure: None,
            kernel: None,
            session: None,
            teardown: None,
        }))
    }

    /// `agent::stopped`, for a driver to refuse with.
    pub fn stopped(agent: &SessionId) -> Self {
        let error = Self::new(ErrorKind::Stopped, "the agent has been stopped and takes in nothing any more");
        error.with_help("resume its session with a new agent").with(|inner| inner.agent = Some(agent.clone()))
    }

    pub(crate) fn with_help(self, help: &'static str) -> Self {
        self.with(|inner| inner.help = help)
    }

    pub(crate) fn of(self, agent: &Agent) -> Self {
        self.with(|inner| inner.agent = Some(agent.id().clone()))
    }

    pub(crate) fn by(self, owner: Owner) -> Self {
        self.with(|inner| inner.owner = Some(owner))
    }

    pub(crate) fn after(self, first: Owner) -> Self {
        self.with(|inner| inner.first_owner = Some(first))
    }

    pub(crate) fn with_failure(self, failure: Failure) -> Self {
        self.with(|inner| inner.failure = Some(Arc::new(failure)))
    }

    /// The error of an effect: what its body failed with, where that is an error of ours, stands in place of the kernel's account of
    /// it, and keeps the rollback's end.
    pub(crate) fn of_effect(error: dsh_kernel::Error) -> Self {
        if error.kind() != dsh_kernel::ErrorKind::BodyFailed {
            return error.into();
        }
        let Some(failure) = error.failure() else { return error.into() };
        let own = failure.downcast_ref::<Self>().cloned();
        let of_session = || failure.downcast_ref::<dsh_session::Error>().cloned().map(Self::from);
        let of_kernel = || failure.downcast_ref::<dsh_kernel::Error>().cloned().map(Self::from);
        match own.or_else(of_session).or_else(of_kernel) {
            Some(inside) => inside.with(|inner| inner.teardown = error.teardown()),
            None => error.into(),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// What went wrong, for matching.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `agent::no_factory`; for an error of the kernel or of a session, theirs.
    pub fn code(&self) -> &'static str {
        match (&self.0.kernel, &self.0.session) {
            (Some(kernel), _) => kernel.code(),
            (None, Some(session)) => session.code(),
            (None, None) => self.0.kind.code(),
        }
    }

    /// What would be right; empty where nobody can say.
    pub fn help(&self) -> &str {
        self.0.help
    }

    /// The agent that it is about.
    pub fn agent(&self) -> Option<&SessionId> {
        self.0.agent.as_ref()
    }

    /// Who was refused; of a kernel's error, whom that one names.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.owner.as_ref().or_else(|| self.kernel()?.owner()).or_else(|| self.session()?.owner())
    }

    /// Who was first.
    pub fn first_owner(&self) -> Option<&Owner> {
        self.0.first_owner.as_ref().or_else(|| self.session()?.first_owner())
    }

    /// What foreign code failed with: setup, a listener, a factory.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_deref().or_else(|| self.kernel()?.failure())
    }

    /// The kernel's error, where it is one.
    pub fn kernel(&self) -> Option<&dsh_kernel::Error> {
        self.0.kernel.as_ref()
    }

    /// The session's error, where it is one.
    pub fn session(&self) -> Option<&dsh_session::Error> {
        self.0.session.as_ref()
    }

    /// The end of the rollback, where something was rolled back (K7).
    pub fn teardown(&self) -> Option<Teardown> {
        self.0.teardown.clone().or_else(|| self.kernel()?.teardown()).or_else(|| self.session()?.teardown())
    }
}

impl From<dsh_kernel::Error> for Error {
    fn from(error: dsh_kernel::Error) -> Self {
        Self::new(ErrorKind::Kernel, error.to_string()).with(|inner| inner.kernel = Some(error))
    }
}

impl From<dsh_session::Error> for Error {
    fn from(error: dsh_session::Error) -> Self {
        Self::new(ErrorKind::Session, error.to_string()).with(|inner| inner.session = Some(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, help, agent, owner, first_owner, failure, kernel, session, .. } = &*self.0;
        f.write_str(problem)?;
        if kernel.is_some() || session.is_some() {
            return Ok(());
        }
        if let Some(agent) = agent {
            write!(f, " (agent `{agent}`)")?;
        }
        if let Some(owner) = owner {
            write!(f, " (of `{owner}`)")?;
        }
        if let Some(first) = first_owner {
            write!(f, " (the first is of `{first}`)")?;
        }
        if let Some(failure) = failure {
            write!(f, ": {failure}")?;
        }
        if !help.is_empty() {
            write!(f, ": {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.code())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The texts of these are in this error's text already.
        match (&self.0.kernel, &self.0.session, &self.0.failure) {
            (Some(kernel), _, _) => kernel.source(),
            (None, Some(session), _) => session.source(),
            (None, None, Some(failure)) => failure.as_error().source(),
            (None, None, None) => None,
        }
    }
}
