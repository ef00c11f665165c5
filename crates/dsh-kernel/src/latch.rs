//! A one-time event that any number of waiters can hold on to.

use std::collections::HashSet;
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
    wakers: Wakers,
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
        state.wakers.take(wakers);
    }

    pub(crate) fn poll(&self, cx: &TaskContext<'_>) -> Poll<Result<(), Error>> {
        let mut state = self.0.lock();
        if let Some(result) = &state.done {
            return Poll::Ready(result.clone());
        }
        state.wakers.add(cx.waker());
        Poll::Pending
    }

    /// The wakers of whoever waits, who go on waiting.
    pub(crate) fn waiting(&self, wakers: &mut Vec<Waker>) {
        wakers.extend_from_slice(self.0.lock().wakers.all());
    }

    pub(crate) fn wait(self: &Arc<Self>) -> LatchWait {
        LatchWait(Arc::clone(self))
    }
}

/// Wakers in the order in which they came, each once.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    all: Vec<Waker>,
    /// Which those are, once there are many: looking through them at each poll would be quadratic.
    known: HashSet<Identity>,
}

/// So many are looked through; where there are more, they are looked up.
const FEW: usize = 16;

/// Where a waker's data and functions lie. That of a waker which is kept belongs to no other one.
type Identity = (usize, usize);

fn identity(waker: &Waker) -> Identity {
    (waker.data().addr(), std::ptr::from_ref(waker.vtable()).addr())
}

impl Wakers {
    pub(crate) fn all(&self) -> &[Waker] {
        &self.all
    }

    /// Adds a waker unless the same one waits already.
    pub(crate) fn add(&mut self, waker: &Waker) {
        if self.all.len() < FEW {
            if !self.all.iter().any(|known| known.will_wake(waker)) {
                self.all.push(waker.clone());
            }
            return;
        }
        if self.known.is_empty() {
            self.known.extend(self.all.iter().map(identity));
        }
        if !self.known.contains(&identity(waker)) {
            // Of what is kept: a clone may lie elsewhere, and where the one that was handed in lay another may come to lie.
            let kept = waker.clone();
            self.known.insert(identity(&kept));
            self.all.push(kept);
        }
    }

    /// Hands all of them out.
    pub(crate) fn take(&mut self, wakers: &mut Vec<Waker>) {
        self.known.clear();
        wakers.append(&mut self.all);
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
