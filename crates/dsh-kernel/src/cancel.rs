//! Cancellation: a token that is asked, or awaited, and who fires it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::latch::{Latch, LatchWait};
use crate::quiet::wake_quietly;
use crate::sync::Arc;

/// Tells work that it should end: a task, that its owner unloads (K14); or whatever a [`Canceller`] is fired for.
///
/// A clone is one reference count.
#[derive(Clone)]
pub struct Cancel(Arc<Latch>);

impl Cancel {
    /// Whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.result().is_some()
    }

    /// Waits until the work should end.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled(self.0.wait())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cancel({})", self.is_cancelled())
    }
}

/// Ends when the work should end; see [`Cancel::cancelled`].
#[must_use = "futures do nothing unless awaited"]
pub struct Cancelled(LatchWait);

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx).map(drop)
    }
}

impl fmt::Debug for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cancelled")
    }
}

/// Fires the tokens that it gave out, once and for good. Dropping it fires nothing.
///
/// ```
/// use dsh_kernel::Canceller;
///
/// let turn = Canceller::new();
/// let token = turn.token();
/// assert!(!token.is_cancelled());
/// turn.cancel();
/// assert!(token.is_cancelled());
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// token.cancelled().await; // ready at once
/// # });
/// ```
pub struct Canceller(Arc<Latch>);

impl Canceller {
    /// Not fired yet.
    pub fn new() -> Self {
        Self(Latch::new())
    }

    /// A token that this fires.
    pub fn token(&self) -> Cancel {
        Cancel(Arc::clone(&self.0))
    }

    /// Fires; a second time changes nothing.
    pub fn cancel(&self) {
        let mut wakers = Vec::new();
        self.0.set(Ok(()), &mut wakers);
        wakers.into_iter().for_each(wake_quietly);
    }
}

impl Default for Canceller {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Canceller({})", self.0.result().is_some())
    }
}
