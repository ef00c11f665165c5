//! What the fuzz targets of this crate look at: what each reader makes of bytes, as plain data. No API: it may change at any time.
//!
//! This crate is a command and no library (`lib.rs` says why), and its readers are reached by no program but that. The functions
//! here read bytes as the command does and say what came of it; what must hold of that is asserted in the crate `dsh-fuzz`.

mod agent_file;
mod configuration;
mod found;
mod instructions;

pub use self::agent_file::{AgentReading, agent_file};
pub use self::configuration::{
    Configuration, ConfigurationReading, InlineText, SCHEMA, configuration, configuration_flag, configuration_says,
};
pub use self::found::{Decoded, Finding, FoundPlace, Shown};
pub use self::instructions::{InstructionReading, InstructionSection, instruction_file};
