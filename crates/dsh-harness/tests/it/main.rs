//! What holds across all crates, seen through the one front.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper of a test cannot do has failed the test; clippy lets only `#[test]` functions do so"
)]

mod register_methods;
