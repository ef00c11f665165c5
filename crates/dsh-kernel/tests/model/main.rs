//! Models: the kernel under a checker that runs each one in every interleaving of its threads, as far as its bound goes.
//!
//! Empty but under `cfg(dsh_model)`, which `cargo xtask model` sets. Each model is a small world of its own; what has to hold
//! is looked at when its threads have ended, and a thread that waits for ever is found by the checker.
#![cfg(dsh_model)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what a helper of a test cannot do has failed the test, and what a model explored is worth a line; clippy lets only `#[test]` functions do so"
)]

mod explore;
mod parts;

mod adoption;
mod disposal;
mod events;
mod outside;
mod registration;
mod services;
