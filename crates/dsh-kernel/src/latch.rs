//! A one-time event that any number of waiters can hold on to.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use crate::error::Error;
use crate::sync::{Arc, Mutex};

/// Set once, with the result of what ended.
#[derive(Debug, Default)]
pub(crate) struct Latch(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    done: Option<Result<(), Error>>,
    wakers: Vec<Waker>,
}

impl Latch {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn result(&self) -> Option<Result<(), Error>> {
        self.0.lock().done.clone()
    }

    /// Sets the latch and hands the waiters' wakers to the caller, who wakes them outside of every lock.
    pub(crate) fn set(&self, result: Result<(), Error>, wakers: &mut Vec<Waker>) {
        let mut state = self.0.lock();
        if state.done.is_none() {
            state.done = Some(result);
        }
        wakers.append(&mut state.wakers);
    }

    pub(crate) fn poll(&self, cx: &TaskContext<'_>) -> Poll<Result<(), Error>> {
        let mut state = self.0.lock();
        if let Some(result) = &state.done {
            return Poll::Ready(result.clone());
        }
        register(&mut state.wakers, cx.waker());
        Poll::Pending
    }

    /// The wakers of whoever waits, who go on waiting.
    pub(crate) fn waiting(&self, wakers: &mut Vec<Waker>) {
        wakers.extend_from_slice(&self.0.lock().wakers);
    }

    pub(crate) fn wait(self: &Arc<Self>) -> LatchWait {
        LatchWait(Arc::clone(self))
    }
}

/// Adds a waker unless the same one waits already.
pub(crate) fn register(wakers: &mut Vec<Waker>, waker: &Waker) {
    if !wakers.iter().any(|known| known.will_wake(waker)) {
        wakers.push(waker.clone());
    }
}

/// Waits for a latch.
pub(crate) struct LatchWait(Arc<Latch>);

impl Future for LatchWait {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        self.0.poll(cx)
    }
}
