//! Any executable as a tool: the arguments on its standard input, its standard output the result.
//!
//! **Role.** A [`CommandTool`] is a schema and a command line. Each call starts the command in a process group of its own, writes the
//! arguments to it, and reads what it answers; what it started is killed whole when the call is given up. Nothing of that blocks the
//! caller's threads.
//!
//! **Non-goals.** No shell: a command line is a list of words. No environment, no working folder, no trust: whoever makes the tool
//! passes in what the command may see, and decides whether it may run. No sandbox.
//!
//! ```
//! use dsh_llm::ToolSchema;
//! use dsh_tool_command::CommandTool;
//! use dsh_tools::Tool;
//! use std::time::Duration;
//!
//! let schema = ToolSchema::new(
//!     "count",
//!     "Counts the words of a file.",
//!     r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#,
//! )?;
//! let count = CommandTool::new(schema, ["python3", "tools/count.py"])?
//!     .folder("/srv/harbour")
//!     .environment([("PATH", "/usr/bin:/bin")])
//!     .timeout(Duration::from_secs(30));
//! let tool: Tool = count.into();
//! assert_eq!(tool.name(), "count");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order: what a tool is made of, what a command answers, what goes wrong; then the call and its process.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod tool;

mod answer;
mod error;

mod call;
mod kept;
mod process;
mod program;

pub use error::{Error, ErrorKind};
pub use process::kill_all;
pub use tool::CommandTool;
