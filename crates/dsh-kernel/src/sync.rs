//! The one door to shared-state primitives, so that a model checker can be put behind it (I28).
//!
//! In every build but a model's (`cfg(dsh_model)`) these are std's and arc-swap's own, by re-export. The `Arc` is std's in a
//! model too: most of the kernel's are, or become, pointers to `dyn` types or to unsized text, and many stand in public
//! signatures, which the checker's own `Arc` cannot; and that a count is right is std's promise, not ours. So is the
//! `OnceLock`.

pub(crate) use std::sync::atomic::Ordering;
pub(crate) use std::sync::{Arc, OnceLock};

#[cfg(dsh_model)]
mod model;
mod numbers;
#[cfg(not(dsh_model))]
mod plain;

#[cfg(dsh_model)]
pub(crate) use model::{ArcSwap, AtomicBool, AtomicU8, AtomicU64, Guard, Local, Mutex, thread_local};
pub(crate) use numbers::Numbers;
#[cfg(not(dsh_model))]
pub(crate) use plain::{ArcSwap, AtomicBool, AtomicU8, AtomicU64, Guard, Mutex, thread_local};
