//! Models: the kernel under a checker that runs each one in every interleaving of its threads, as far as its bound goes.
//!
//! Empty but under `cfg(dsh_model)`, which `cargo xtask model` sets. Each model is a small world of its own; what has to hold
//! is looked at when its threads have ended, and a thread that waits for ever is found by the checker.
#![cfg(dsh_model)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a helper of a test cannot do has failed the test; clippy lets only `#[test]` functions do so"
)]

#[path = "model/explore.rs"]
mod explore;
#[path = "model/parts.rs"]
mod parts;

#[path = "model/adoption.rs"]
mod adoption;
#[path = "model/disposal.rs"]
mod disposal;
#[path = "model/events.rs"]
mod events;
#[path = "model/outside.rs"]
mod outside;
#[path = "model/registration.rs"]
mod registration;
#[path = "model/services.rs"]
mod services;
