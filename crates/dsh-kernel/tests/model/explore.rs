//! Running a model: each interleaving on a kernel of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loom::thread::{Builder, JoinHandle};

pub(crate) use loom::future::block_on;

/// How often, in one interleaving, a thread that could go on is made to wait for another.
const PREEMPTIONS: usize = 4;

/// In words: the kernel and what it calls need more than the checker's own 4096.
const STACK: usize = 1 << 15;

/// Runs `model` in each interleaving within the bound, and says how many there were.
#[track_caller]
pub(crate) fn explore(model: fn()) {
    explore_to(PREEMPTIONS, model);
}

/// As [`explore`], with a bound of its own. `LOOM_MAX_PREEMPTIONS` goes before either.
#[track_caller]
pub(crate) fn explore_to(preemptions: usize, model: fn()) {
    let rounds = Arc::new(AtomicU64::new(0));
    let mut checker = loom::model::Builder::new();
    let bound = *checker.preemption_bound.get_or_insert(preemptions);
    checker.max_branches = 100_000;
    let count = Arc::clone(&rounds);
    checker.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        beside(model).join().unwrap();
    });
    let name = std::thread::current().name().unwrap_or("model").to_owned();
    println!("{name}: {} interleavings, up to {bound} preemptions in each", rounds.load(Ordering::Relaxed));
}

/// A thread of the model.
pub(crate) fn beside<T: Send + 'static>(code: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().stack_size(STACK).spawn(code).unwrap()
}

/// A thread of the model that is outside of the runtime (K4).
pub(crate) fn outside<T: Send + 'static>(code: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().name("outside".to_owned()).stack_size(STACK).spawn(code).unwrap()
}
