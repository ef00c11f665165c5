//! The handle: subagents as one context sees them.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Context, Disposer, Handle};

use crate::error::Error;
use crate::provider::{ProviderInfo, SubagentProvider};
use crate::registry::SubagentRegistry;
use crate::request::SubagentRequest;
use crate::run::SubagentRun;

/// `ctx.subagents()`, on every [`Context`].
pub trait SubagentsExt {
    /// The subagents as this context sees them. Making the handle never fails; its methods do, where the service is not in reach.
    fn subagents(&self) -> SubagentsHandle;
}

impl SubagentsExt for Context {
    fn subagents(&self) -> SubagentsHandle {
        SubagentsHandle { registry: self.get() }
    }
}

/// The subagents as one context sees them: its owner owns what is registered or started through it (K1).
///
/// All methods fail with the kernel's own errors where the service is not in reach: `kernel::undeclared_service`,
/// `kernel::missing_service`, `kernel::inactive`.
#[derive(Clone)]
pub struct SubagentsHandle {
    registry: Handle<SubagentRegistry>,
}

impl SubagentsHandle {
    /// Registers a provider under its name, until the effect ends: then nobody finds it any more, and its runs end, which is awaited. A
    /// failing listener of `subagent/provider-added` or `subagent/provider-removed` is logged, and changes nothing (G1).
    ///
    /// # Errors
    ///
    /// `subagent::duplicate_provider`, naming the owner of the first; `kernel::inactive` (K8).
    pub fn register_provider(&self, provider: impl SubagentProvider) -> Result<Disposer, Error> {
        self.registry.resolve()?.register_provider(self.registry.ctx(), Box::new(provider))
    }

    /// The provider of that name.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn get(&self, name: &str) -> Result<Option<ProviderInfo>, Error> {
        Ok(self.registry.with(|registry| registry.get(name))?)
    }

    /// The providers, in order of registration.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn list(&self) -> Result<Vec<ProviderInfo>, Error> {
        Ok(self.registry.with(SubagentRegistry::list)?)
    }

    /// What runs now, in order of its beginning.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn running(&self) -> Result<Vec<SubagentRun>, Error> {
        Ok(self.registry.with(SubagentRegistry::running)?)
    }

    /// Begins a run. It ends by itself, or with the context's owner, the parent, or the provider, whichever leaves first: each of
    /// them awaits its end (G3). When the parent is cancelled, it is too.
    ///
    /// # Errors
    ///
    /// All before there is a child, in this order: `subagent::no_provider`; `subagent::unsupported_capability`, naming the first that is
    /// not met; `subagent::invalid_output_schema`; `subagent::too_deep`; `agent::stopped` where the parent is being undone;
    /// `subagent::too_many`; `kernel::inactive` (K8). Whatever goes wrong later is in the run's result.
    pub fn start(&self, provider: &str, request: SubagentRequest) -> Result<SubagentRun, Error> {
        self.registry.resolve()?.start(self.registry.ctx(), provider, request)
    }

    pub(crate) fn registry(&self) -> Result<Arc<SubagentRegistry>, Error> {
        Ok(self.registry.resolve()?)
    }
}

impl fmt::Debug for SubagentsHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SubagentsHandle({:?})", self.registry.ctx())
    }
}
