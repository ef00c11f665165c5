//! The plugin: the factory of loops.

use std::fmt;
use std::sync::Arc;

use dsh_agent::{Agent, AgentDriver, AgentFactory, AgentRegistry, AgentsExt};
use dsh_kernel::{Context, Failure, Plugin};
use dsh_system_prompt::{AssembleContext, PromptRegistry, RunFacts, SystemPromptExt};
use dsh_tools::ToolRegistry;

use crate::config::{LoopConfig, LoopOptions};
use crate::driver::LoopDriver;

/// The plugin `agent-loop`: drives agents. It registers the variables `model` and `cwd` too ([`RunFacts`]), each unless it is there.
///
/// When it unloads, the agents that it drives are stopped.
#[derive(Clone)]
pub struct AgentLoop {
    config: LoopConfig,
}

impl AgentLoop {
    /// The plugin, with this configuration.
    pub fn new(config: LoopConfig) -> Self {
        Self { config }
    }
}

impl Plugin for AgentLoop {
    const NAME: &'static str = "agent-loop";
    type Inject = (AgentRegistry, PromptRegistry, ToolRegistry);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let is_there = |name: &str| {
            let view = ctx.system_prompt().view(None)?;
            Ok::<_, Failure>(view.variables().any(|variable| variable.name == name))
        };
        let (model, cwd) = (is_there("model")?, is_there("cwd")?);
        let mut facts = RunFacts::new();
        if model {
            facts = facts.without_model();
        }
        if cwd {
            facts = facts.without_cwd();
        }
        if !(model && cwd) {
            ctx.plugin(facts)?.ready().await?;
        }
        ctx.agents().set_factory(LoopFactory { ctx: ctx.clone(), config: self.config.clone() })?;
        Ok(())
    }
}

impl fmt::Debug for AgentLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentLoop({:?})", self.config)
    }
}

struct LoopFactory {
    /// The plugin's own: it injects what a loop uses, so that who makes an agent need not.
    ctx: Context,
    config: LoopConfig,
}

impl AgentFactory for LoopFactory {
    fn model(&self, fields: &AssembleContext) -> Option<Arc<str>> {
        Some(Arc::clone(self.config.model_name(fields.get::<LoopOptions>())))
    }

    fn make(&self, agent: &Agent) -> Result<Arc<dyn AgentDriver>, Failure> {
        let settings = self.config.settings(agent.get::<LoopOptions>());
        Ok(Arc::new(LoopDriver::new(self.ctx.clone(), settings, agent.session().clone())))
    }
}
