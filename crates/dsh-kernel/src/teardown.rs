//! The end of an undoing, as a future that cancels nothing (K4).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::error::{Error, ErrorKind};
use crate::fiber::core::FiberCore;
use crate::frames;
use crate::kernel::Shared;
use crate::latch::Latch;
use crate::owner::Owner;
use crate::sync::Arc;
use crate::world::{EffectId, FiberId};

/// The end of a teardown that has begun already.
///
/// Awaiting it observes the full unwind; dropping it cancels nothing. The result is the failures of the links, if any
/// ([`ErrorKind::LinksFailed`]). Polled from inside the code that it would have to wait for, it is ready at once with
/// [`ErrorKind::Reentrant`] (K8).
///
/// ```
/// # use dsh_kernel::Kernel;
/// let kernel = Kernel::new();
/// let disposer = kernel.root().effect("greeting", |fx| {
///     fx.defer(|| println!("undone"));
///     Ok(())
/// })?;
/// drop(disposer.dispose()); // the synchronous links have run by now
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
#[must_use = "await it to observe the end, or drop it by name: the teardown goes on either way"]
#[derive(Clone)]
pub struct Teardown(State);

#[derive(Clone)]
enum State {
    Done(Result<(), Error>),
    Waiting { latch: Arc<Latch>, shared: Arc<Shared>, owner: Owner, target: Target },
}

/// What a wait is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Fiber(FiberId),
    Effect(EffectId),
}

impl Teardown {
    pub(crate) fn done(result: Result<(), Error>) -> Self {
        Self(State::Done(result))
    }

    /// A wait for `target`, whose owner is `core`. It holds the owner's place, not the core: an error that is kept in a core
    /// may hold a teardown.
    pub(crate) fn waiting(latch: Arc<Latch>, core: &FiberCore, target: Target) -> Self {
        Self(State::Waiting { latch, shared: Arc::clone(&core.shared), owner: core.owner(), target })
    }

    /// The result, if the end has come.
    pub fn result(&self) -> Option<Result<(), Error>> {
        match &self.0 {
            State::Done(result) => Some(result.clone()),
            State::Waiting { latch, .. } => latch.result(),
        }
    }
}

impl Future for Teardown {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match &self.0 {
            State::Done(result) => Poll::Ready(result.clone()),
            State::Waiting { latch, shared, owner, target } => {
                shared.unpark_now();
                if let Poll::Ready(result) = latch.poll(cx) {
                    return Poll::Ready(result);
                }
                if frames::waits_for_itself(shared, *target) {
                    return Poll::Ready(Err(reentrant(owner.clone(), "a teardown")));
                }
                // Once more: what was parked before the waker was there has woken nobody here.
                shared.unpark_now();
                Poll::Pending
            }
        }
    }
}

pub(crate) fn reentrant(owner: Owner, what: &str) -> Error {
    Error::build(
        ErrorKind::Reentrant,
        format!(
            "{what} of `{owner}` was awaited from inside code that it has to wait for; \
             drop the future there, or await it from outside"
        ),
    )
    .owner(owner)
    .into()
}

impl fmt::Debug for Teardown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Teardown").field(&self.result()).finish()
    }
}
