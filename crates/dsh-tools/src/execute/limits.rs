//! What ends a call before it has answered: its caller, or time.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use dsh_kernel::{BoxFuture, Cancelled, Clock};

use crate::execute_context::ExecuteContext;

/// Why a call was ended before it had answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The caller fired its token.
    Cancelled,
    /// The caller's deadline passed.
    Overdue,
    /// The tool took longer than one run of it may.
    TooLong(Duration),
    /// The tool's owner left.
    Unloaded,
}

/// The limits that hold from the beginning of a call to its end.
pub(crate) struct Limits {
    cancelled: Option<Cancelled>,
    overdue: Option<BoxFuture<'static, ()>>,
}

impl Limits {
    pub(crate) fn new(cx: &ExecuteContext, clock: impl FnOnce() -> std::sync::Arc<dyn Clock>) -> Self {
        let overdue = cx.deadline.map(|at| {
            let clock = clock();
            clock.sleep(at.saturating_sub(clock.now()))
        });
        Self { cancelled: cx.cancel.as_ref().map(dsh_kernel::Cancel::cancelled), overdue }
    }

    /// Whether one of them is reached; if not, the task is woken when one is.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Option<Stop> {
        if self.cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(cx).is_ready()) {
            return Some(Stop::Cancelled);
        }
        if self.overdue.as_mut().is_some_and(|overdue| overdue.as_mut().poll(cx).is_ready()) {
            return Some(Stop::Overdue);
        }
        None
    }

    /// Whether one of them is reached already.
    pub(crate) fn reached(&mut self) -> Option<Stop> {
        self.poll(&mut Context::from_waker(std::task::Waker::noop()))
    }

    /// Waits for a future, which is dropped where a limit is reached first.
    pub(crate) async fn within<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Stop> {
        let mut future = pin!(future);
        std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => self.poll(cx).map_or(Poll::Pending, |stop| Poll::Ready(Err(stop))),
        })
        .await
    }
}
