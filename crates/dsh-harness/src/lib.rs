//! The one front of the dsh libraries: re-exports by feature.
//!
//! **Role.** A program that embeds dsh depends on this crate alone and names what it wants of it. `kernel` is the plugin kernel,
//! `prompt` the prompt registry with its texts ([`template`]) and tool schemas ([`llm`]); both are there by default. `report` adds
//! the lints of an assembly, `tools` the registry of tools, `agent` sessions, agents and the loop that
//! drives them, `subagent` agents that work for agents. What most programs write every day stands in [`prelude`].
//!
//! **Non-goals.** No code of its own: what is here is documented in the crate that it comes from.
//!
#![cfg_attr(feature = "prompt", doc = "```")]
#![cfg_attr(not(feature = "prompt"), doc = "```ignore")]
//! use dsh_harness::prelude::*;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let kernel = Kernel::new();
//! let root = kernel.root();
//! root.plugin(SystemPrompt::new(PromptConfig::new().persona("You maintain {{project}}.")))?.ready().await?;
//! root.system_prompt().variable(PromptVariable::new("project", "dsh"))?;
//!
//! let assembly = root.system_prompt().assemble(AssembleContext::new()).await?;
//! assert!(render_prompt(&assembly)?.ends_with("You maintain dsh."));
//! # Ok::<(), Failure>(())
//! # }).unwrap();
//! ```
#![cfg_attr(all(doctest, feature = "prompt"), doc = include_str!("../README.md"))]
#![cfg_attr(all(doctest, feature = "agent"), doc = include_str!("../../../README.md"))]

#[cfg(feature = "agent")]
pub use dsh_agent as agent;
#[cfg(feature = "agent")]
pub use dsh_agent_loop as agent_loop;
#[cfg(feature = "kernel")]
pub use dsh_kernel as kernel;
#[cfg(feature = "prompt")]
pub use dsh_llm as llm;
#[cfg(feature = "report")]
pub use dsh_prompt_report as report;
#[cfg(feature = "agent")]
pub use dsh_session as session;
#[cfg(feature = "subagent")]
pub use dsh_subagent as subagent;
#[cfg(feature = "prompt")]
pub use dsh_system_prompt as prompt;
#[cfg(feature = "prompt")]
pub use dsh_template as template;
#[cfg(feature = "tools")]
pub use dsh_tools as tools;

/// What most programs need, in one line: `use dsh_harness::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "agent")]
    pub use dsh_agent::{
        Agent, AgentCompacted, AgentHandle, AgentOptions, AgentPreStep, AgentPromptSubmit, AgentRegistry, AgentRequest,
        AgentStatus, AgentStepResult, AgentStream, AgentToolCall, AgentToolResult, AgentTurnContinuation, AgentTurnEnd,
        AgentTurnStart, Agents, AgentsExt, CurrentAgent, NewSession, TurnSummary, assemble_context_for,
    };
    #[cfg(feature = "agent")]
    pub use dsh_agent_loop::{AgentLoop, Compaction, CompactionConfig, LoopConfig, LoopOptions, Retries, TurnLimits};
    #[cfg(feature = "kernel")]
    pub use dsh_kernel::{
        Audience, Context, Disposer, Emit, Event, Failure, Fiber, Kernel, Method, Name, Plugin, Scope, ScopeKey,
        Serial, SerialEvent, Service, Waterfall, WaterfallEvent,
    };
    #[cfg(feature = "prompt")]
    pub use dsh_llm::ToolSchema;
    #[cfg(all(feature = "agent", unix))]
    pub use dsh_session::FileStore;
    #[cfg(feature = "agent")]
    pub use dsh_session::{MemoryStore, Opened, Session, SessionEvent, SessionId, Sessions, SessionsExt};
    #[cfg(feature = "subagent")]
    pub use dsh_subagent::{
        Spawn, SubagentProvider, SubagentRegistry, SubagentRequest, SubagentResult, SubagentRun, SubagentStop,
        Subagents, SubagentsConfig, SubagentsExt, TaskTool,
    };
    #[cfg(feature = "prompt")]
    pub use dsh_system_prompt::{
        AssembleContext, AssembleEvent, AssembledSection, AssembledTool, Identity, PromptAssembly, PromptChange,
        PromptConfig, PromptRegistry, PromptSection, PromptVariable, RenderedPrompt, Source, Stability, SystemPrompt,
        SystemPromptExt, TOOL_ORDER_REST, ToolProvider, ToolProviderResult, Value, render, render_prompt,
    };
    #[cfg(feature = "prompt")]
    pub use dsh_template::Text;
    #[cfg(feature = "tools")]
    pub use dsh_tools::{
        Approval, ApprovalRequest, Approver, Arguments, ExecuteContext, Executed, PostExecuteEvent, PreExecuteEvent,
        Tool, ToolChange, ToolContext, ToolFailure, ToolFilter, ToolOutput, ToolRegistry, Tools, ToolsConfig, ToolsExt,
        TypedTool,
    };
}
