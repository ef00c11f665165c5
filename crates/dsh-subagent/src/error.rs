//! The crate's one error: a kind, a stable code, who, and what would be right.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Failure, Name, Owner, Teardown};

use crate::capability::Capability;

/// An error of subagents: one pointer, cheap to clone. What becomes of a run that has begun is no error but a
/// [`SubagentResult`](crate::SubagentResult).
///
/// Errors of the kernel and of agents pass through with their own code: see [`Error::kernel`] and [`Error::agent`].
///
/// ```
/// use dsh_subagent::{Error, ErrorKind};
///
/// fn is_worth_a_wait(error: &Error) -> bool {
///     error.kind() == ErrorKind::TooMany
/// }
/// assert_eq!(ErrorKind::TooMany.code(), "subagent::too_many");
/// # let _used: fn(&Error) -> bool = is_worth_a_wait;
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    problem: Box<str>,
    help: Box<str>,
    provider: Option<Name>,
    capability: Option<Capability>,
    owner: Option<Owner>,
    first_owner: Option<Owner>,
    agent: Option<dsh_agent::Error>,
    kernel: Option<dsh_kernel::Error>,
    teardown: Option<Teardown>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `subagent::duplicate_provider`: a provider of that name is registered already (G1).
    DuplicateProvider,
    /// `subagent::no_provider`: there is no provider of that name (G1).
    NoProvider,
    /// `subagent::provider_panicked`: a provider panicked when it was to say what it is.
    ProviderPanicked,
    /// `subagent::unsupported_capability`: the provider cannot do what the request asks for (G1).
    UnsupportedCapability,
    /// `subagent::invalid_output_schema`: the schema of the final answer is none.
    InvalidOutputSchema,
    /// `subagent::too_deep`: no agent may work under this one (G3).
    TooDeep,
    /// `subagent::too_many`: as many run already as may (G3).
    TooMany,
    /// `subagent::no_parent`: there is nobody whose conversation the child could know.
    NoParent,
    /// An error of agents, with its own code.
    Agent,
    /// An error of the kernel, with its own code.
    Kernel,
}

impl ErrorKind {
    /// The stable code of this kind; of others' errors only whose they are, since [`Error::code`] has their own.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DuplicateProvider => "subagent::duplicate_provider",
            Self::NoProvider => "subagent::no_provider",
            Self::ProviderPanicked => "subagent::provider_panicked",
            Self::UnsupportedCapability => "subagent::unsupported_capability",
            Self::InvalidOutputSchema => "subagent::invalid_output_schema",
            Self::TooDeep => "subagent::too_deep",
            Self::TooMany => "subagent::too_many",
            Self::NoParent => "subagent::no_parent",
            Self::Agent => "agent",
            Self::Kernel => "kernel",
        }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, problem: impl Into<Box<str>>, help: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Inner {
            kind,
            problem: problem.into(),
            help: help.into(),
            provider: None,
            capability: None,
            owner: None,
            first_owner: None,
            agent: None,
            kernel: None,
            teardown: None,
        }))
    }

    pub(crate) fn duplicate(name: &Name, owner: Owner, first: Owner) -> Self {
        let problem = format!("a provider `{}` is registered already", name.as_str().escape_debug());
        let error = Self::new(ErrorKind::DuplicateProvider, problem, "dispose the first one, or rename it");
        error.of(name).with(|inner| (inner.owner, inner.first_owner) = (Some(owner), Some(first)))
    }

    pub(crate) fn no_provider(name: &str, known: &[Name]) -> Self {
        let problem = format!("there is no provider `{}` of subagents", name.escape_debug());
        let known: Vec<String> = known.iter().map(|name| format!("`{}`", name.as_str().escape_debug())).collect();
        let help =
            if known.is_empty() { "register one first".to_owned() } else { format!("there are: {}", known.join(", ")) };
        Self::new(ErrorKind::NoProvider, problem, help).of(&Name::from(name.to_owned()))
    }

    pub(crate) fn unsupported(name: &Name, owner: Owner, capability: Capability) -> Self {
        let problem = format!("the provider `{}` cannot do `{capability}`", name.as_str().escape_debug());
        let error = Self::new(ErrorKind::UnsupportedCapability, problem, "ask another provider, or do not ask for it");
        error.of(name).with(|inner| (inner.owner, inner.capability) = (Some(owner), Some(capability)))
    }

    fn of(self, provider: &Name) -> Self {
        self.with(|inner| inner.provider = Some(provider.clone()))
    }

    /// The error of an effect: what its body failed with, where that is an error of ours, stands in place of the kernel's account of
    /// it, and keeps the rollback's end.
    pub(crate) fn of_effect(error: dsh_kernel::Error) -> Self {
        let own = error.failure().and_then(Failure::downcast_ref::<Self>).cloned();
        match own {
            Some(own) => own.with(|inner| inner.teardown = error.teardown()),
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

    /// The stable code, such as `subagent::no_provider`; for an error of the kernel or of agents, theirs.
    pub fn code(&self) -> &'static str {
        match (&self.0.kernel, &self.0.agent) {
            (Some(kernel), _) => kernel.code(),
            (None, Some(agent)) => agent.code(),
            (None, None) => self.0.kind.code(),
        }
    }

    /// What would be right; empty where nobody can say.
    pub fn help(&self) -> &str {
        &self.0.help
    }

    /// The provider that it is about.
    pub fn provider(&self) -> Option<&str> {
        self.0.provider.as_ref().map(Name::as_str)
    }

    /// What the provider cannot do: the first that was asked for and is not met (G1).
    pub fn capability(&self) -> Option<Capability> {
        self.0.capability
    }

    /// Whose registration it is about: of a duplicate, who came second; of a kernel's error, whom that one names.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.owner.as_ref().or_else(|| self.kernel()?.owner()).or_else(|| self.agent()?.owner())
    }

    /// Of a duplicate, who came first.
    pub fn first_owner(&self) -> Option<&Owner> {
        self.0.first_owner.as_ref()
    }

    /// The kernel's error, where it is one.
    pub fn kernel(&self) -> Option<&dsh_kernel::Error> {
        self.0.kernel.as_ref()
    }

    /// The error of agents, where it is one.
    pub fn agent(&self) -> Option<&dsh_agent::Error> {
        self.0.agent.as_ref()
    }

    /// The end of the rollback, where something was rolled back (K7).
    pub fn teardown(&self) -> Option<Teardown> {
        self.0.teardown.clone().or_else(|| self.kernel()?.teardown()).or_else(|| self.agent()?.teardown())
    }
}

impl From<dsh_kernel::Error> for Error {
    fn from(error: dsh_kernel::Error) -> Self {
        Self::new(ErrorKind::Kernel, error.to_string(), "").with(|inner| inner.kernel = Some(error))
    }
}

impl From<dsh_agent::Error> for Error {
    fn from(error: dsh_agent::Error) -> Self {
        Self::new(ErrorKind::Agent, error.to_string(), error.help()).with(|inner| inner.agent = Some(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, help, owner, first_owner, kernel, agent, .. } = &*self.0;
        f.write_str(problem)?;
        if kernel.is_some() || agent.is_some() {
            return Ok(());
        }
        if let Some(owner) = owner {
            write!(f, " (of `{owner}`)")?;
        }
        if let Some(first) = first_owner {
            write!(f, " (the first is of `{first}`)")?;
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
        match (&self.0.kernel, &self.0.agent) {
            (Some(kernel), _) => kernel.source(),
            (None, Some(agent)) => agent.source(),
            (None, None) => None,
        }
    }
}
