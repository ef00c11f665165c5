//! Agents that work for agents: who runs them, the bounds that hold for all of them, and the tool that offers them to models.
//!
//! **Role.** A provider runs a request: the shipped ones make a fresh child ([`Spawn`]), or one that begins with its parent's completed
//! turns ([`Fork`]). Whoever starts a run gets its handle, and in the end a [`SubagentResult`], whatever happened. A child never has a
//! tool that its parent lacks, also where the parent is restricted while the child runs; its parent's limits hold for all agents under it
//! together; and when the parent is disposed, its children end first. The plugin [`TaskTool`] offers all this to models.
//!
//! **Non-goals.** No models, no loop, no tool but `task`. No kinds of agents: a deployment makes its own of [`Spawn::named`]. No
//! conversation between agents: a child answers once.
//!
//! In reading order: what is asked, how it went, who runs it; the registry; the machinery of a run; the shipped providers and the tool.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod capability;
mod job;
mod output;
mod provider;
mod request;
mod result;
mod run;

mod config;
mod events;
mod handle;
mod lineage;
mod plugin;
mod registry;

mod drive;

mod providers;
mod task_tool;

mod error;

pub use capability::{Capabilities, Capability};
pub use config::SubagentsConfig;
pub use error::{Error, ErrorKind};
pub use events::{SubagentEnd, SubagentProviderAdded, SubagentProviderRemoved, SubagentStart};
pub use handle::{SubagentsExt, SubagentsHandle};
pub use job::{ChildOptions, SubagentJob};
pub use lineage::Lineage;
pub use output::OutputSchema;
pub use plugin::Subagents;
pub use provider::{ProviderInfo, SubagentProvider};
pub use providers::{Fork, Spawn};
pub use registry::SubagentRegistry;
pub use request::SubagentRequest;
pub use result::{SubagentResult, SubagentStop};
pub use run::{SubagentId, SubagentRun};
pub use task_tool::TaskTool;
