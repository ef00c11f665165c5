//! The plugin that provides the registry, with the two shipped providers.

use std::sync::Arc;

use dsh_agent::AgentRegistry;
use dsh_kernel::{Context, Failure, Name, Plugin, Service};
use dsh_session::SessionRegistry;
use dsh_system_prompt::PromptRegistry;
use dsh_tools::ToolRegistry;

use crate::config::SubagentsConfig;
use crate::providers::{Fork, Spawn};
use crate::registry::SubagentRegistry;

/// The plugin `subagents`: provides a [`SubagentRegistry`], and registers the providers `spawn` and `fork`.
#[derive(Clone, Debug, Default)]
pub struct Subagents {
    config: SubagentsConfig,
}

impl Subagents {
    /// The plugin, with this configuration.
    pub fn new(config: SubagentsConfig) -> Self {
        Self { config }
    }
}

impl Plugin for Subagents {
    const NAME: &'static str = "subagents";
    type Inject = (AgentRegistry, SessionRegistry, ToolRegistry, PromptRegistry);

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(SubagentRegistry::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let registry = Arc::new(SubagentRegistry::new(ctx.clone(), self.config.clone()));
        registry.register_provider(ctx, Box::new(Spawn::new()))?;
        registry.register_provider(ctx, Box::new(Fork::new()))?;
        ctx.provide_shared(registry)?;
        Ok(())
    }
}
