//! Subagents against the contract: clauses G1 to G3, and the parts of K, A and T that they rest on.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up has nothing to say")]

mod support;

mod bounds;
mod children;
mod disposers;
mod ends;
mod limits;
mod many;
mod providers;
mod schemas;
mod task;
