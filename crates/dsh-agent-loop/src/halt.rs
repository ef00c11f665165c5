//! What ends a turn from outside: somebody cancels it, its agent is stopped, its time is over.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use dsh_kernel::{BoxFuture, Cancel, Cancelled};
use dsh_session::{TurnEnd, TurnLimit};

/// What ends a turn from outside.
pub(crate) struct Halt {
    /// The turn's own, which tools are given.
    token: Cancel,
    cancelled: Cancelled,
    /// The task's: fired where the agent's scope goes without its driver having been stopped.
    stopped: Cancelled,
    time: Option<BoxFuture<'static, ()>>,
    reached: Option<TurnEnd>,
}

impl Halt {
    pub(crate) fn new(turn: Cancel, task: &Cancel, time: Option<BoxFuture<'static, ()>>) -> Self {
        Self { cancelled: turn.cancelled(), token: turn, stopped: task.cancelled(), time, reached: None }
    }

    /// What tools are told to end by.
    pub(crate) fn token(&self) -> Cancel {
        self.token.clone()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Option<TurnEnd> {
        if let Some(reached) = &self.reached {
            return Some(reached.clone());
        }
        let is_cancelled =
            Pin::new(&mut self.cancelled).poll(cx).is_ready() || Pin::new(&mut self.stopped).poll(cx).is_ready();
        if is_cancelled {
            self.reached = Some(TurnEnd::Cancelled);
        } else if self.time.as_mut().is_some_and(|time| time.as_mut().poll(cx).is_ready()) {
            self.reached = Some(TurnEnd::limit(TurnLimit::Time));
        }
        self.reached.clone()
    }

    /// Whether the turn is to end.
    pub(crate) fn check(&mut self) -> Result<(), TurnEnd> {
        self.poll(&mut Context::from_waker(std::task::Waker::noop())).map_or(Ok(()), Err)
    }

    /// Waits for a future, which is dropped where the turn is to end first. That is looked at first, so that a future which is
    /// always ready cannot keep a turn from its end.
    pub(crate) async fn within<T>(&mut self, future: impl Future<Output = T>) -> Result<T, TurnEnd> {
        let mut future = pin!(future);
        std::future::poll_fn(|cx| match self.poll(cx) {
            Some(end) => Poll::Ready(Err(end)),
            None => future.as_mut().poll(cx).map(Ok),
        })
        .await
    }
}
