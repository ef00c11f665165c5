//! One value from a task to whoever waits for it, or the news that none will come.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use dsh_kernel::Quiet;

/// Both ends of a handoff.
pub(crate) fn handoff<T>() -> (Giver<T>, Taker<T>) {
    let slot = Arc::new(Mutex::new(Slot { value: None, is_over: false, waker: None }));
    (Giver(Arc::clone(&slot)), Taker(slot))
}

struct Slot<T> {
    /// What is handed over may be foreign, and may never be taken (K13).
    value: Option<Quiet<T>>,
    is_over: bool,
    waker: Option<Waker>,
}

/// The task's end. Dropped without a value, it tells that none will come.
pub(crate) struct Giver<T>(Arc<Mutex<Slot<T>>>);

/// The waiting end.
pub(crate) struct Taker<T>(Arc<Mutex<Slot<T>>>);

impl<T> Giver<T> {
    pub(crate) fn give(self, value: T) {
        lock(&self.0).value = Some(Quiet::new(value));
    }
}

impl<T> Drop for Giver<T> {
    fn drop(&mut self) {
        let waker = {
            let mut slot = lock(&self.0);
            slot.is_over = true;
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Taker<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let (polled, displaced) = {
            let mut slot = lock(&self.0);
            if slot.is_over {
                (Poll::Ready(slot.value.take()), None)
            } else {
                (Poll::Pending, slot.waker.replace(cx.waker().clone()))
            }
        };
        drop(displaced);
        polled.map(|value| value.map(Quiet::into_inner))
    }
}

fn lock<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
