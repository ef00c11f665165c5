//! Tests of the binary `dsh`, as a user runs it.
//!
//! What a person reads is kept under `snapshots/`: `INSTA_UPDATE=always cargo test -p dsh-cli` writes it anew, and whoever does that reads it.

mod agent_files;
mod agents;
mod args;
mod bad_files;
mod bad_input;
mod bad_values;
mod built_ins;
mod cases;
mod check;
mod ci_files;
mod command_tools;
mod examples;
mod explain;
mod formats;
mod help;
mod hostile;
mod init;
mod instructions;
mod json;
mod layers;
mod limits;
mod lints;
mod own_folder;
mod partition;
mod printed;
mod process_information;
mod prompt;
mod refused;
mod rule;
mod run;
mod sarif;
mod secrets;
mod streams;
mod support;
mod tools;
mod trust;
mod variables;
mod warnings;
mod write_faults;
