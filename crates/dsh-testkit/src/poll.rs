//! Driving a future by hand, without a runtime.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// Polls a future once with a waker that does nothing, to see whether it is ready.
///
/// ```
/// use dsh_testkit::{Gate, poll_once};
///
/// let gate = Gate::new();
/// let mut wait = gate.wait();
/// assert!(poll_once(&mut wait).is_pending());
/// gate.open();
/// assert!(poll_once(&mut wait).is_ready());
/// ```
pub fn poll_once<F: Future + Unpin + ?Sized>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs a future to its end on this thread, which sleeps (parked, no timer) while the future is pending.
///
/// ```
/// assert_eq!(dsh_testkit::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        std::thread::park();
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
