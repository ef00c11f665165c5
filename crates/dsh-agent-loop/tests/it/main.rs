//! The loop against the contract: clauses A4 and A5, A6 as far as it speaks of retries and broken streams, and A3's replay.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up has nothing to say")]
#![expect(clippy::panic, reason = "foreign code that panics is part of what is tested")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for the one event that it is about")]

mod support;

mod cancellation;
mod compaction;
mod decisions;
mod disposal;
mod failures;
mod limits;
mod listeners;
mod memory;
mod queues;
mod resume;
mod retries;
mod turns;
