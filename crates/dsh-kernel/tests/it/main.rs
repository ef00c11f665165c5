//! The kernel against its contract, clause by clause: one module a clause, and the properties at the end.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a helper of a test cannot do has failed the test; clippy lets only `#[test]` functions do so"
)]

mod support;

mod hostile;
mod k01_contexts;
mod k02_fibers;
mod k02_ready;
mod k03_effects;
mod k04_disposers;
mod k05_composites;
mod k06_unloading;
mod k07_failures;
mod k08_reentrancy;
mod k08_refusals;
mod k09_quiescence;
mod k09_warnings;
mod k10_services;
mod k10_starts;
mod k11_events;
mod k12_scopes;
mod k13_calls;
mod k13_endings;
mod k13_foreign_code;
mod k13_waits;
mod k13_wakers;
mod k14_tasks;
mod k15_residue;
mod k16_runtime;
mod layers;
mod properties;
mod stress;
