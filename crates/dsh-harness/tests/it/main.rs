//! What holds across all crates, seen through the one front.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper of a test cannot do has failed the test; clippy lets only `#[test]` functions do so"
)]

mod plugins;
mod stack;

mod cases;
mod register_methods;

/// Runs a test on a runtime of its own.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(test);
}
