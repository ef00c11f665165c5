//! The loop under load: many at once make and dispose agents, talk to them and cancel them, register tools, restrictions and plugins in
//! the midst of their turns and take them away, and unload the loop itself. After each round every log is whole and nothing is left.
//! `cargo xtask stress` runs it for as long as one likes.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]
#![expect(clippy::panic, reason = "foreign code that panics is part of what is tested")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for the one event that it is about")]

mod actor;
#[path = "../it/support/check.rs"]
mod check;
mod model;
mod place;
mod rounds;
mod tools;

// A2, A3, A5, T4, K9, K15
#[test]
fn whatever_comes_at_once_each_call_has_one_result_and_nothing_is_left() {
    rounds::run(dsh_testkit::Stress::of_seconds(3));
}
