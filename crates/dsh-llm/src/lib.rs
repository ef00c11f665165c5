//! The vocabulary of language models: messages, tool schemas with canonical bytes, and the trait of models.
//!
//! Two programs that mean the same tool must send the same bytes, or a provider's prompt cache is lost for nothing. So a
//! [`ToolSchema`] keeps its parameters as canonical JSON text (contract X5), made by a token pass over the source in which
//! numbers are copied digit for digit and the order of properties stays its author's.
//!
//! A [`Model`] is asked with a [`ModelRequest`] and answers as a stream of [`ModelEvent`]s, which an [`Answer`] puts together.
//! [`ScriptedModel`] answers by rules, without a network.
//!
//! Not here: no IO, no kernel, no HTTP, no validation of arguments against a schema, and no lowering of a schema to what
//! a provider accepts. The wire dialects come later.
//!
//! ```
//! use dsh_llm::{keep_old_bytes, parse_tool_list};
//!
//! # fn main() -> Result<(), dsh_llm::Error> {
//! let before = parse_tool_list(
//!     r#"[{"name": "find", "description": "Finds.", "parameters": {"type": "object",
//!         "properties": {"path": {"type": "string"}, "limit": {"default": 1.0}}, "required": ["path", "limit"]}}]"#,
//! )?;
//! let after = parse_tool_list(
//!     r#"{"tools": [{"inputSchema": {"required": ["limit", "path"],
//!         "properties": {"limit": {"default": 1.0}, "path": {"type": "string"}}, "type": "object"},
//!         "description": "Finds.", "name": "find", "title": "Find"}]}"#,
//! )?;
//! assert_eq!(after.dropped_count(), 1); // `title`
//!
//! let before = before.into_schemas();
//! let after = keep_old_bytes(&before, after.into_schemas());
//! assert_eq!(
//!     after[0].parameters_json(),
//!     r#"{"properties":{"path":{"type":"string"},"limit":{"default":1.0}},"required":["limit","path"],"type":"object"}"#,
//! );
//! assert_eq!(after[0].fingerprint(), before[0].fingerprint());
//! # Ok(())
//! # }
//! ```

mod error;
mod json;

mod canonical;
mod keep;
mod schema;
mod tool_list;

mod message;

mod model;
mod request;
mod scripted;

pub use canonical::canonical_json;
pub use error::{Error, ErrorKind};
pub use json::{MAX_DEPTH, escape_json, utf16_cmp};
pub use keep::keep_old_bytes;
pub use message::{
    ContentBlock, Image, Message, Reasoning, Resource, ResourceBody, Role, StopReason, ToolCall, ToolResult, Usage,
};
pub use model::{Answer, Model, ModelError, ModelErrorKind, ModelEvent, ModelStream};
pub use request::ModelRequest;
pub use schema::{NO_PARAMETERS, ToolSchema};
pub use scripted::{ScriptError, ScriptedModel};
pub use tool_list::{DroppedField, ListedTool, ToolList, parse_each_tool, parse_tool_list};
