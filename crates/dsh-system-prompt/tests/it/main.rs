//! The prompt registry against the contract: clauses S1 to S12, X1, X3, X5 and the parts of K that registries must keep.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod support;

mod assemble;
mod bounds;
mod cases;
mod change;
mod disposers;
mod edits;
mod errors;
mod events;
mod faults;
mod hostile;
mod hygiene;
mod leaving;
mod listeners_leaving;
mod memory;
mod opener;
mod order;
mod parts;
mod properties;
mod reentrancy;
mod render;
mod run_facts;
mod sections;
mod tools;
mod unkept;
mod variables;
mod wire;
