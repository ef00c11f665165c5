//! The whole heart under load, kernel and prompt registry together: many threads register, dispose, assemble and unload at once,
//! in rounds, each compared with a sequential model. `cargo xtask stress` runs it for as long as one likes.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod actor;
mod compare;
mod heart;
mod look;
mod model;
mod pack;
mod residue;
mod rounds;

// K9, K13, K15, S8
#[test]
fn whatever_threads_do_at_once_agrees_with_a_model_and_leaves_nothing() {
    rounds::run(dsh_testkit::Stress::of_seconds(4));
}
