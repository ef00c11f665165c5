//! Who is running: every call of foreign code, and every poll of a foreign future, stands on a thread-local stack.
//!
//! Three things are read from it: a wait that would wait for itself (K8), where a panic was caught (K13), and that plugins
//! woken by a call inside foreign code start when that code has returned, not in the midst of it (K10).

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::agenda::Agenda;
use crate::failure::Failure;
use crate::kernel::{KernelId, Shared};
use crate::sync::{Arc, thread_local};
use crate::teardown::Target;
use crate::world::{EffectId, FiberId};

/// One call of foreign code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) kernel: KernelId,
    pub(crate) fiber: FiberId,
    pub(crate) effect: Option<EffectId>,
}

impl Frame {
    pub(crate) fn new(shared: &Arc<Shared>, fiber: FiberId, effect: Option<EffectId>) -> Self {
        Self { kernel: shared.id, fiber, effect }
    }
}

struct Stack {
    frames: Vec<Frame>,
    /// Plugins whose start waits until the outermost frame of their kernel has returned.
    deferred: Vec<(KernelId, FiberId)>,
    /// How many starts and links run inside one another on this thread's real stack.
    nesting: usize,
}

impl Stack {
    const fn new() -> Self {
        Self { frames: Vec::new(), deferred: Vec::new(), nesting: 0 }
    }

    /// Whether foreign code of this kernel runs; another kernel's code does not keep this one's plugins waiting.
    fn inside(&self, kernel: KernelId) -> bool {
        self.frames.iter().any(|frame| frame.kernel == kernel)
    }
}

thread_local! {
    static STACK: RefCell<Stack> = const { RefCell::new(Stack::new()) };
}

/// Beyond this many lifecycle calls inside one another, what would be polled here becomes a task instead (K6).
const NESTING_LIMIT: usize = 32;

/// Calls foreign code: its panic becomes a failure.
pub(crate) fn call<R>(frame: Frame, code: impl FnOnce() -> R) -> Result<R, Failure> {
    framed(frame, code).0
}

/// Calls foreign code, and starts what it has left to be started.
pub(crate) fn call_and_settle<R>(shared: &Arc<Shared>, frame: Frame, code: impl FnOnce() -> R) -> Result<R, Failure> {
    let (result, left_starts) = framed(frame, code);
    if left_starts {
        settle(shared);
    }
    result
}

/// Calls foreign code on the stack; says too whether any plugin waits to be started.
fn framed<R>(frame: Frame, code: impl FnOnce() -> R) -> (Result<R, Failure>, bool) {
    STACK.with_borrow_mut(|stack| stack.frames.push(frame));
    // It catches every panic, so what was pushed is popped whatever happens.
    let result = catch_unwind(AssertUnwindSafe(code));
    let left_starts = STACK.with_borrow_mut(|stack| {
        stack.frames.pop();
        !stack.deferred.is_empty()
    });
    (result.map_err(panicked), left_starts)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Failure {
    let failure = Failure::from_panic(&*payload);
    // The payload is foreign too: its destructor may panic in its turn.
    drop_quietly(payload);
    failure
}

/// Drops what was handed in; a panic of its destructor is logged, not passed on.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        tracing::error!(failure = Failure::from_panic(&*payload).shown(), "a destructor panicked");
        drop(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    }
}

/// Starts what a call of foreign code has left to be started, if the thread is outside of this kernel's foreign code again.
pub(crate) fn settle(shared: &Arc<Shared>) {
    if STACK.with_borrow(|stack| !stack.deferred.is_empty() && !stack.inside(shared.id)) {
        Agenda::new().drain(shared);
    }
}

/// Whether the calling thread is inside foreign code of this kernel.
pub(crate) fn inside(shared: &Shared) -> bool {
    STACK.with_borrow(|stack| stack.inside(shared.id))
}

/// Leaves plugins to be started when the outermost frame has returned.
pub(crate) fn defer_starts(shared: &Shared, starts: Vec<FiberId>) {
    STACK.with_borrow_mut(|stack| stack.deferred.extend(starts.into_iter().map(|fiber| (shared.id, fiber))));
}

/// Takes the plugins that were left for this kernel, if the thread is outside of its foreign code.
pub(crate) fn take_deferred(shared: &Shared) -> Vec<FiberId> {
    STACK.with_borrow_mut(|stack| {
        if stack.deferred.is_empty() || stack.inside(shared.id) {
            return Vec::new();
        }
        let mut mine = Vec::new();
        stack.deferred.retain(|&(kernel, fiber)| {
            let is_mine = kernel == shared.id;
            if is_mine {
                mine.push(fiber);
            }
            !is_mine
        });
        mine
    })
}

/// Runs a step of the lifecycle inline, but as if it were a task of its own: with a stack of its own.
pub(crate) struct Isolated(Option<Stack>);

impl Isolated {
    pub(crate) fn enter() -> Self {
        STACK.with_borrow_mut(|stack| {
            let nesting = stack.nesting + 1;
            Self(Some(std::mem::replace(stack, Stack { nesting, ..Stack::new() })))
        })
    }
}

/// Whether the real stack is deep already.
pub(crate) fn deep() -> bool {
    STACK.with_borrow(|stack| stack.nesting >= NESTING_LIMIT)
}

impl Drop for Isolated {
    fn drop(&mut self) {
        if let Some(mut outer) = self.0.take() {
            STACK.with_borrow_mut(|stack| {
                outer.deferred.append(&mut stack.deferred);
                *stack = outer;
            });
        }
    }
}

/// A foreign future: each poll stands on the stack, a panic in a poll becomes a failure.
pub(crate) struct Framed<F> {
    shared: Arc<Shared>,
    frame: Frame,
    future: Option<F>,
}

impl<F> Framed<F> {
    pub(crate) fn new(shared: &Arc<Shared>, frame: Frame, future: F) -> Self {
        Self { shared: Arc::clone(shared), frame, future: Some(future) }
    }
}

impl<F> Drop for Framed<F> {
    fn drop(&mut self) {
        let Some(future) = self.future.take() else { return };
        if let Err(failure) = call(self.frame, || drop(future)) {
            tracing::error!(failure = failure.shown(), "the destructor of a future panicked");
        }
        settle(&self.shared);
    }
}

impl<F: Future + Unpin> Future for Framed<F> {
    type Output = Result<F::Output, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(future) = &mut this.future else { return Poll::Pending };
        let polled = call(this.frame, || Pin::new(future).poll(cx));
        settle(&this.shared);
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(failure) => Poll::Ready(Err(failure)),
        }
    }
}

/// Whether a wait for `target` from here would wait for itself (K8).
pub(crate) fn waits_for_itself(shared: &Arc<Shared>, target: Target) -> bool {
    let frames = own_frames(shared);
    !frames.is_empty() && shared.world.lock().waits_for(target, &frames)
}

/// The calling thread's frames in this kernel.
pub(crate) fn own_frames(shared: &Arc<Shared>) -> Vec<Frame> {
    let of_this_kernel = |frame: &&Frame| frame.kernel == shared.id;
    STACK.with_borrow(|stack| stack.frames.iter().filter(of_this_kernel).copied().collect())
}
