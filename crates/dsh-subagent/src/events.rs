//! Providers come and go, and runs begin and end (G1). A failing listener of any of these is logged, and changes nothing.

use std::sync::Arc;

use dsh_agent::Agent;
use dsh_kernel::{Emit, Event, Name, Owner};

use crate::result::SubagentResult;
use crate::run::SubagentId;

/// `subagent/provider-added`: a provider was registered; everybody hears it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentProviderAdded {
    /// Its name.
    pub name: Name,
    /// Whose it is.
    pub owner: Owner,
}

/// `subagent/provider-removed`: a provider is registered no longer; its runs are about to end. Everybody hears it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentProviderRemoved {
    /// Its name.
    pub name: Name,
    /// Whose it is.
    pub owner: Owner,
}

/// `subagent/start`: a run has begun, and there is no child yet. Heard by whoever listens for the parent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentStart {
    /// Which run.
    pub id: SubagentId,
    /// Whose it is to do.
    pub provider: Name,
    /// For whom.
    pub parent: Option<Agent>,
    /// What the child will be called.
    pub name: Name,
    /// What the work is, in a few words; empty where nobody said.
    pub description: Box<str>,
}

/// `subagent/end`: a run is over, and its child is gone. Heard by whoever listens for the parent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentEnd {
    /// Which run.
    pub id: SubagentId,
    /// Whose it was to do.
    pub provider: Name,
    /// For whom.
    pub parent: Option<Agent>,
    /// What the child was called.
    pub name: Name,
    /// How it went.
    pub result: Arc<SubagentResult>,
}

impl Event for SubagentProviderAdded {
    const NAME: &'static str = "subagent/provider-added";
    const DOC: &'static str = "A provider of subagents was registered.";
    type Mode = Emit;
}

impl Event for SubagentProviderRemoved {
    const NAME: &'static str = "subagent/provider-removed";
    const DOC: &'static str = "A provider of subagents is registered no longer.";
    type Mode = Emit;
}

impl Event for SubagentStart {
    const NAME: &'static str = "subagent/start";
    const DOC: &'static str = "A subagent's run has begun; there is no child yet.";
    type Mode = Emit;
}

impl Event for SubagentEnd {
    const NAME: &'static str = "subagent/end";
    const DOC: &'static str = "A subagent's run is over, and its child is gone.";
    type Mode = Emit;
}
