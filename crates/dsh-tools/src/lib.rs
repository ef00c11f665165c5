//! The tools that agents have: a registry with layers and restrictions, and the way of a call from its arguments to its result.
//!
//! **Role.** Plugins register tools, for everyone or for one scope; restrictions take tools away from a scope. One visibility
//! function says what a scope has, and prompt, look-up and execution all ask it. A call has its arguments checked, passes the
//! listeners of `tools/pre-execute`, runs as a task of the tool's owner, and passes those of `tools/post-execute`. Whatever goes
//! wrong on the way is a result that the model can read.
//!
//! **Non-goals.** No tool of its own: packs bring them. No agents, sessions or loop: a scope key is all that is known of who calls.
//! No processes, no files, no network.
//!
//! ```
//! use dsh_kernel::{Context, Failure, Kernel, Plugin};
//! use dsh_llm::ToolCall;
//! use dsh_system_prompt::{PromptConfig, PromptSection, SystemPrompt, SystemPromptExt};
//! use dsh_tools::{ExecuteContext, Tool, ToolFilter, ToolRegistry, Tools, ToolsConfig, ToolsExt};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Count {
//!     /// What to count the words of.
//!     text: String,
//! }
//!
//! struct Words;
//!
//! impl Plugin for Words {
//!     const NAME: &'static str = "words";
//!     type Inject = (ToolRegistry,);
//!
//!     async fn start(&self, ctx: &Context) -> Result<(), Failure> {
//!         let count = Tool::typed("count", "Counts words.", |count: Count, _cx| async move {
//!             Ok(count.text.split_whitespace().count().to_string())
//!         });
//!         ctx.tools().register(count)?;
//!         Ok(())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let kernel = Kernel::new();
//! let root = kernel.root();
//! root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
//! root.plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
//! root.plugin(Words)?.ready().await?;
//!
//! let scribe = root.scope("scribe")?;
//! scribe.ctx().tools().restrict(ToolFilter::new().deny(["count"]))?;
//! assert!(root.tools().get("count", None)?.is_some());
//! assert!(root.tools().get("count", scribe.key())?.is_none());
//! # Ok::<(), Failure>(())
//! # }).unwrap();
//! ```
//!
//! In reading order: what a tool is and what it is told, who registers, what a call is and what comes of it; then the machinery.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod arguments;
mod failure;
mod output;
mod tool;
mod tool_context;
mod typed;

mod config;
mod filter;
mod handle;
mod plugin;
mod registry;
mod view;

mod approval;
pub mod code;
mod events;
mod execute_context;
mod executed;
mod observer;

mod error;

mod bound;
mod bounds;
mod check;
mod entry;
mod execute;
mod layer;
mod sight;

pub use approval::{Approval, ApprovalRequest, Approver};
pub use arguments::Arguments;
pub use check::{JsonSchema, Misfit};
pub use config::ToolsConfig;
pub use error::{Error, ErrorKind};
pub use events::{ChangeKind, Decision, PostExecute, PostExecuteEvent, PreExecute, PreExecuteEvent, ToolChange};
pub use execute_context::ExecuteContext;
pub use executed::Executed;
pub use failure::ToolFailure;
pub use filter::ToolFilter;
pub use handle::{ToolsExt, ToolsHandle};
pub use observer::CallObserver;
pub use output::ToolOutput;
pub use plugin::Tools;
pub use registry::ToolRegistry;
pub use tool::Tool;
pub use tool_context::ToolContext;
pub use typed::TypedTool;
pub use view::{RegisteredTool, ToolView};
