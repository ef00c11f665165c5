//! The loop that drives agents: turns, steps, tool calls, limits, retries and cancellation; and compaction.
//!
//! **Role.** The plugin [`AgentLoop`] is the factory of what drives agents. Each agent has one task, on its own scope, that waits for
//! messages. A message begins a turn: it passes `agent/prompt-submit`, then steps follow one another until the model has said all.
//! Each step assembles and renders the prompt once, asks the model, and runs the calls of its answer. All that happens is in the
//! session's log before it has effects, and each call has exactly one result, whatever comes between. The plugin [`Compaction`]
//! summarises the oldest part of a session that grows too long.
//!
//! **Non-goals.** No model, no tool, no text of a prompt (but the one sentence that asks for a summary). No files, no terminal.
//!
//! In reading order: what is configured, what limits a turn, the plugin; then the machinery.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod budget;
mod config;
mod limits;

mod plugin;

pub mod code;
mod compaction;

mod call_ids;
mod calls;
mod driver;
mod halt;
mod mailbox;
mod repeats;
mod step;
mod stream;
mod turn;

pub use budget::Budget;
pub use compaction::{Compaction, CompactionConfig, Summariser};
pub use config::{LoopConfig, LoopOptions, Retries};
pub use limits::TurnLimits;
pub use plugin::AgentLoop;
