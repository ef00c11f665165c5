//! The registry of sections, tool schemas and variables that a system prompt is assembled from.
//!
//! **Role.** Plugins contribute ordered sections of text, providers of tool schemas, and named variables. Once per step somebody
//! assembles them for one scope and renders the result: that is the whole system prompt that a model sees. Every part knows who
//! contributed it, from which layer, and what it replaces. The plugin [`SystemPrompt`] registers the harness's own opener and the
//! deployment's persona itself; the plugin [`RunFacts`] adds the variables `model` and `cwd`. [`hidden_characters`] and
//! [`show_hidden`] are for text that others write.
//!
//! **Non-goals.** No prompt text but the one sentence that says what the harness is. No files, no tokens, no wire formats, no
//! compaction; no execution of tools.
//!
//! ```
//! use dsh_kernel::{Context, Failure, Kernel, Plugin};
//! use dsh_system_prompt::{
//!     AssembleContext, PromptConfig, PromptRegistry, PromptSection, PromptVariable, SystemPrompt, SystemPromptExt, render_prompt,
//! };
//! use dsh_template::Text;
//!
//! struct Shell;
//!
//! impl Plugin for Shell {
//!     const NAME: &'static str = "shell";
//!     type Inject = (PromptRegistry,);
//!
//!     async fn start(&self, ctx: &Context) -> Result<(), Failure> {
//!         // One composite: undone in reverse, rolled back if a line fails.
//!         ctx.effect("shell", |fx| {
//!             fx.adopt(ctx.system_prompt().variable(PromptVariable::new("project", "dsh"))?)?;
//!             fx.adopt(ctx.system_prompt().section(PromptSection::new("tool:shell", 110, Text::raw("Quote {{.}}.")))?)?;
//!             Ok(())
//!         })?;
//!         Ok(())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let kernel = Kernel::new();
//! let root = kernel.root();
//! let config = PromptConfig::new().persona("You maintain {{project}}.");
//! root.plugin(SystemPrompt::new(config))?.ready().await?;
//! root.plugin(Shell)?.ready().await?;
//!
//! let agent = root.scope("reviewer")?; // what goes through agent.ctx() is for it alone
//! agent.ctx().system_prompt().section(PromptSection::new("deployment:persona", 0, "You review {{project}}."))?;
//!
//! let everyone = root.system_prompt().assemble(AssembleContext::new()).await?;
//! assert!(render_prompt(&everyone)?.ends_with("\n\nYou maintain dsh.\n\nQuote {{.}}."));
//! let reviewer = root.system_prompt().assemble(AssembleContext::for_scope(agent.key())).await?;
//! assert!(render_prompt(&reviewer)?.ends_with("\n\nYou review dsh.\n\nQuote {{.}}."));
//! let persona = reviewer.section("deployment:persona").unwrap();
//! assert_eq!(persona.owner().unwrap().to_string(), "reviewer");
//! assert_eq!(persona.shadows().unwrap().to_string(), "system-prompt");
//!
//! agent.dispose().await?; // nothing of it is left
//! # Ok::<(), Failure>(())
//! # }).unwrap();
//! ```
//!
//! In reading order: what is registered, who registers, what an assembly is, what is rendered, what is done about text
//! that others write; then the machinery.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod provenance;
mod section;
mod tools;
mod value;
mod variable;

mod handle;
mod plugin;
mod registry;

mod context;
mod events;

mod assembly;
mod render;
mod wire;

mod explain;

mod hygiene;
mod run_facts;

mod error;

mod assemble;
mod extensions;
mod journal;
mod layer;
mod memory;
mod order;
mod origin;
mod provider;
mod registration;
mod shape;
mod state;
mod view;

pub use assembly::{AssembledSection, AssembledTool, AssembledVariable, LeftOut, PromptAssembly, Sections};
pub use context::AssembleContext;
pub use error::{Error, ErrorKind, UnknownTool};
pub use events::{AssembleEvent, PartKind, PromptChange};
pub use explain::{PromptView, SectionInfo, ToolProviderInfo, VariableInfo};
pub use handle::{PromptHandle, SystemPromptExt};
pub use hygiene::{HiddenCharacter, HiddenCharacters, HiddenKind, hidden_characters, show_hidden, show_path};
pub use order::TOOL_ORDER_REST;
pub use plugin::{Identity, PromptConfig, SystemPrompt};
pub use provenance::{PartLayer, Source, Stability};
pub use registry::PromptRegistry;
pub use render::{Part, PartPiece, Parts, PieceVariable, RenderedPrompt, render, render_prompt};
pub use run_facts::{RunContext, RunFacts};
pub use section::PromptSection;
pub use tools::{ProvidedTool, ToolProvider, ToolProviderResult};
pub use value::{IntoValue, Value};
pub use variable::PromptVariable;
pub use wire::{WireBody, wire_body};
