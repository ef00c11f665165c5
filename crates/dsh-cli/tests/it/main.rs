//! Tests of the binary `dsh`, as a user runs it.
//!
//! What a person reads is kept under `snapshots/`: `INSTA_UPDATE=always cargo test -p dsh-cli` writes it anew, and whoever does that reads it.

mod agents;
mod bad_files;
mod bad_values;
mod cases;
mod examples;
mod json;
mod limits;
mod prompt;
mod refused;
mod streams;
mod support;
mod trust;
mod variables;
mod warnings;
