//! The whole heart under load, kernel and prompt registry together: many threads register, dispose, assemble and unload at once,
//! in rounds, each compared with a sequential model. `cargo xtask stress` runs it for as long as one likes.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]

mod actor;
mod compare;
mod dice;
mod given_time;
mod heart;
mod look;
mod model;
mod pack;
mod residue;
mod rounds;
mod watchdog;

use rounds::Settings;

/// How long the rounds go on, in seconds, and the seed of the first one; `cargo xtask stress` sets them.
const SECONDS: &str = "DSH_STRESS_SECONDS";
const SEED: &str = "DSH_STRESS_SEED";

fn given(variable: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "a test that is told by a command how long to run")]
    let text = std::env::var(variable).ok()?;
    let number = text.parse().ok();
    assert!(number.is_some(), "{variable} is to be a number, not `{text}`");
    number
}

// K9, K13, K15, S8
#[test]
fn whatever_threads_do_at_once_agrees_with_a_model_and_leaves_nothing() {
    rounds::run(&Settings { seconds: given(SECONDS).unwrap_or(4), seed: given(SEED).unwrap_or(1) });
}
