//! Assemblies and prompts as a trace shows them.

use dsh_harness::kernel::Kernel;
use dsh_harness::prompt::{AssembleContext, PromptAssembly, PromptConfig, SystemPrompt, SystemPromptExt};
use serde_json::{Map, Value, json};

use super::failure::NoEntry;

const IDENTITY: &str = "harness:identity";

/// Hides the words in which this project introduces itself: each implementation has its own.
pub(super) struct View {
    identity: String,
}

impl View {
    /// Learns the words from a registry of its own, since a scenario's may be configured to refuse every assembly.
    pub(super) async fn new() -> Result<Self, NoEntry> {
        let no_entry = |error: &dyn std::error::Error| NoEntry::new(format!("no identity: {error}"));
        let kernel = Kernel::new();
        let root = kernel.root();
        let mounted = root.plugin(SystemPrompt::new(PromptConfig::new())).map_err(|error| no_entry(&error))?;
        mounted.ready().await.map_err(|error| no_entry(&error))?;
        let assembly = root.system_prompt().assemble(AssembleContext::new()).await;
        let assembly = assembly.map_err(|error| no_entry(&error))?;
        let identity = assembly.section(IDENTITY).map(|section| section.text().as_str().to_owned());
        Ok(Self { identity: identity.unwrap_or_default() })
    }

    pub(super) fn prompt(&self, text: &str) -> String {
        match text.strip_prefix(&self.identity) {
            Some(rest) if !self.identity.is_empty() => format!("<identity>{rest}"),
            _ => text.to_owned(),
        }
    }

    pub(super) fn assembly(&self, assembly: &PromptAssembly) -> Result<Value, NoEntry> {
        let sections = assembly.sections().map(|section| {
            let text = section.text().as_str();
            let text = if section.name() == IDENTITY { self.prompt(text) } else { text.to_owned() };
            json!({"name": section.name(), "text": text})
        });
        let tools = assembly.tools().iter().map(|tool| {
            serde_json::from_str::<Value>(tool.schema().json())
                .map_err(|error| NoEntry::new(format!("a tool is no JSON: {error}")))
        });
        let variables = assembly.variables().map(|variable| {
            (variable.name().to_owned(), variable.value().map_or(Value::Null, |value| json!(value.as_str())))
        });
        Ok(json!({
            "sections": sections.collect::<Value>(),
            "tools": tools.collect::<Result<Value, _>>()?,
            "variables": variables.collect::<Map<_, _>>(),
        }))
    }
}
