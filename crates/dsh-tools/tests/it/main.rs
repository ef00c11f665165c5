//! The tool registry against the contract: clauses T1 to T5, X11 as far as it speaks of tools, and the parts of K that registries
//! must keep.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod support;

mod approval;
mod arguments;
mod batch;
mod bombs;
mod bounds;
mod callers;
mod cases;
mod change;
mod endings;
mod failures;
mod hooks;
mod layers;
mod leftovers;
mod observer;
mod prompt;
mod properties;
mod reentrancy;
mod restrictions;
mod turn;
mod typed;
