//! Agents against the contract: clauses A1, A2, S10, and the parts of K that registries must keep.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod support;

mod context;
mod creation;
mod faults;
mod listeners;
mod owners;
mod reentrancy;
mod sessions;
