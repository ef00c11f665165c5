//! Models: the kernel under a checker that runs each one in every interleaving of its threads, as far as its bound goes.
//!
//! Empty but under `cfg(dsh_model)`, which `cargo xtask model` sets.
#![cfg(dsh_model)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a helper of a test cannot do has failed the test; clippy lets only `#[test]` functions do so"
)]

#[path = "model/explore.rs"]
mod explore;

#[path = "model/disposal.rs"]
mod disposal;
