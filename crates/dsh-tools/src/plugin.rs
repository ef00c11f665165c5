//! The plugin that provides the registry and tells the prompt of its tools (T3).

use std::sync::Arc;

use dsh_kernel::{Context, Failure, Name, Plugin, Service};
use dsh_system_prompt::{PromptRegistry, SystemPromptExt, ToolProvider};

use crate::config::ToolsConfig;
use crate::registry::ToolRegistry;

/// The plugin `tools`: provides a [`ToolRegistry`], and registers it as a tool provider of the prompt (T3).
#[derive(Clone, Debug, Default)]
pub struct Tools {
    config: ToolsConfig,
}

impl Tools {
    /// The plugin, with this configuration.
    pub fn new(config: ToolsConfig) -> Self {
        Self { config }
    }
}

impl Plugin for Tools {
    const NAME: &'static str = "tools";
    type Inject = (PromptRegistry,);

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(ToolRegistry::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let registry = Arc::new(ToolRegistry::new(self.config.clone()));
        let told = Arc::clone(&registry);
        // The prompt is told of tools for as long as anybody can register one.
        ctx.effect("tools", |fx| {
            fx.adopt(ctx.system_prompt().tools(ToolProvider::computed(move |cx| told.told(cx.scope())))?)?;
            fx.adopt(ctx.provide_shared(registry)?)?;
            Ok(())
        })?;
        Ok(())
    }
}
