//! Boots a kernel with the shipped plugins and prints, as JSON, what they say of themselves: services with their methods and
//! events, all events, and the types that have register-methods. `cargo xtask catalog` makes `docs/catalog.md` of it.

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

use dsh_harness::agent::Agents;
use dsh_harness::agent_loop::{AgentLoop, LoopConfig};
use dsh_harness::kernel::{CONTEXT_METHODS, EventInfo, KERNEL_EVENTS, Kernel, Method};
use dsh_harness::llm::ScriptedModel;
use dsh_harness::prompt::{PromptConfig, RunFacts, SystemPrompt};
use dsh_harness::session::{MemoryStore, Sessions};
use dsh_harness::subagent::{Subagents, SubagentsConfig, TaskTool};
use dsh_harness::tools::{Tools, ToolsConfig};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let catalog = runtime.block_on(boot())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{catalog:#}")?;
    Ok(())
}

/// Mounts every shipped plugin and asks the kernel what there is.
async fn boot() -> Result<Value, Box<dyn Error>> {
    let kernel = Kernel::new();
    kernel.root().plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
    kernel.root().plugin(RunFacts::new())?.ready().await?;
    kernel.root().plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
    kernel.root().plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
    kernel.root().plugin(Agents::new())?.ready().await?;
    let model = ScriptedModel::parse("")?;
    kernel.root().plugin(AgentLoop::new(LoopConfig::new(Arc::new(model))))?.ready().await?;
    kernel.root().plugin(Subagents::new(SubagentsConfig::new()))?.ready().await?;
    kernel.root().plugin(TaskTool::new())?.ready().await?;
    let services = kernel.services();
    let of_kernel = KERNEL_EVENTS.iter().map(|event| with_crate(event, "dsh_kernel"));
    let of_services = services.iter().flat_map(|service| {
        let crate_name = service.crate_name;
        service.events.iter().map(move |event| with_crate(event, crate_name))
    });
    let catalog = json!({
        "services": services.iter().map(|service| json!({
            "name": service.name,
            "crate": crate_name(service.crate_name),
            "doc": service.doc,
            "methods": service.methods.iter().map(method).collect::<Vec<_>>(),
            "events": service.events.iter().map(event).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "events": of_kernel.chain(of_services).collect::<Vec<_>>(),
        "types": [{
            "name": "Context",
            "crate": "dsh-kernel",
            "doc": "A cheap handle that carries an owner and at most one scope, and through which everything is registered.",
            "methods": CONTEXT_METHODS.iter().map(method).collect::<Vec<_>>(),
        }],
    });
    kernel.shutdown().await?;
    Ok(catalog)
}

fn method(method: &Method) -> Value {
    json!({"name": method.name, "signature": method.signature, "doc": method.doc})
}

fn event(event: &EventInfo) -> Value {
    json!({"name": event.name, "mode": event.mode, "doc": event.doc})
}

fn with_crate(info: &EventInfo, of: &str) -> Value {
    json!({"name": info.name, "crate": crate_name(of), "mode": info.mode, "doc": info.doc})
}

/// A crate is spelled with underscores in paths and with dashes in manifests.
fn crate_name(path: &str) -> String {
    path.replace('_', "-")
}
