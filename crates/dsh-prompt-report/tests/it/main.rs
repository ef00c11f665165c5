//! The lints against the contract (S2, S4, X1, X12) and the cases 06 and 14.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod support;

mod hidden;
mod order;
mod unseen;
mod variable_use;
