//! Fibers: where a plugin runs, and the handles to it (K2).

pub(crate) mod core;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::context::Context;
use crate::effect::Disposer;
use crate::error::{Error, ErrorKind};
use crate::fiber::core::FiberCore;
use crate::frames;
use crate::owner::Owner;
use crate::scope_key::ScopeKey;
use crate::sync::{Arc, Ordering};
use crate::teardown::{Target, Teardown, reentrant};
use crate::world::WatcherKey;

/// Where a fiber stands in its life (K2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FiberState {
    /// A service that it injects is missing.
    Pending,
    /// Its start runs.
    Loading,
    /// Its start has succeeded.
    Active,
    /// Its start has failed, and what it had registered is undone.
    Failed,
    /// What it registered is being undone.
    Unloading,
    /// It is gone for good.
    Disposed,
}

impl FiberState {
    pub(crate) fn from_u8(value: u8) -> Self {
        match value {
            0 => Self::Pending,
            1 => Self::Loading,
            2 => Self::Active,
            3 => Self::Failed,
            4 => Self::Unloading,
            _ => Self::Disposed,
        }
    }

    /// The lower-case name, as `inspect` and traces print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Loading => "loading",
            Self::Active => "active",
            Self::Failed => "failed",
            Self::Unloading => "unloading",
            Self::Disposed => "disposed",
        }
    }
}

impl fmt::Display for FiberState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A handle to a mounted plugin. Clones are handles to the same fiber; dropping all of them undoes nothing.
///
/// ```
/// # use dsh_kernel::{Context, Failure, FiberState, Kernel, Plugin};
/// struct Hello;
/// impl Plugin for Hello {
///     const NAME: &'static str = "hello";
///     type Inject = ();
///     async fn start(&self, _ctx: &Context) -> Result<(), Failure> {
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let hello = kernel.root().plugin(Hello)?;
/// hello.ready().await?;
/// assert_eq!(hello.state(), FiberState::Active);
/// hello.dispose().await?;
/// assert_eq!(hello.state(), FiberState::Disposed);
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Fiber {
    core: Arc<FiberCore>,
    tag: Option<ScopeKey>,
}

impl Fiber {
    pub(crate) fn new(core: Arc<FiberCore>, tag: Option<ScopeKey>) -> Self {
        Self { core, tag }
    }

    /// The context that the plugin runs with.
    pub fn ctx(&self) -> Context {
        Context::new(Arc::clone(&self.core), self.tag)
    }

    /// The state now.
    pub fn state(&self) -> FiberState {
        self.core.state()
    }

    /// Why the last start failed, until one succeeds (`kernel::start_failed`).
    pub fn error(&self) -> Option<Error> {
        self.core.error()
    }

    /// The fiber's path (X3).
    pub fn path(&self) -> Owner {
        self.core.owner()
    }

    /// Waits until the plugin is active (K2).
    ///
    /// # Errors
    ///
    /// `kernel::start_failed` when its start fails, `kernel::disposed` when it is disposed first, and when the kernel is
    /// settled: `kernel::missing_provider` where no mounted plugin that could still start declares what is missing,
    /// `kernel::injection_cycle` where only plugins in a cycle do. The fiber stays pending then, and starts when the service
    /// comes. `kernel::reentrant` from inside code that the start has to wait for (K8).
    pub fn ready(&self) -> Ready {
        Ready { core: Arc::clone(&self.core), key: WatcherKey::fresh() }
    }

    /// Begins the unload, or joins one that has begun, and returns its end (K2, K9).
    pub fn dispose(&self) -> Teardown {
        let mut agenda = Agenda::new();
        let teardown = self.core.shared.dispose_fiber(&self.core, &mut agenda);
        agenda.drain(&self.core.shared);
        // What ended meanwhile needs no latch any more.
        teardown.result().map_or(teardown, Teardown::done)
    }

    /// Begins the unload and waits for it, but no longer than `limit` on the kernel's clock (K9).
    ///
    /// # Errors
    ///
    /// `kernel::unfinished` when the limit passes: [`Error::left`] has the labels of what is still being undone, and the
    /// names of plugins whose start has not ended; the unload goes on. Otherwise as the [`Teardown`] of [`Fiber::dispose`].
    pub fn dispose_within(&self, limit: Duration) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let mut teardown = self.dispose();
        let core = Arc::clone(&self.core);
        let mut sleep = core.shared.clock.sleep(limit);
        std::future::poll_fn(move |cx| {
            if let Poll::Ready(result) = Pin::new(&mut teardown).poll(cx) {
                return Poll::Ready(result);
            }
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let left = core.shared.world.lock().left(core.id);
            let list = left.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ");
            let owner = core.owner();
            let message = format!("`{owner}` was still unloading after {limit:?}: {list}; the unload goes on");
            Poll::Ready(Err(Error::build(ErrorKind::Unfinished, message).owner(owner).left(left).into()))
        })
    }

    /// The right to undo this fiber as a link of another effect of the fiber that mounted it; once.
    pub fn take_disposer(&self) -> Option<Disposer> {
        take_disposer(&self.core)
    }
}

impl fmt::Debug for Fiber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fiber({}, {})", self.path(), self.state())
    }
}

/// The disposer of a child fiber belongs to the parent's effect, so it can be taken only once.
pub(crate) fn take_disposer(core: &Arc<FiberCore>) -> Option<Disposer> {
    let parent = core.parent()?;
    let effect = core.own_effect?;
    (!core.disposer_taken.swap(true, Ordering::Relaxed)).then(|| Disposer::new(Arc::clone(parent), effect))
}

/// Waits until a plugin is active; see [`Fiber::ready`].
#[must_use = "futures do nothing unless awaited"]
pub struct Ready {
    core: Arc<FiberCore>,
    key: WatcherKey,
}

impl Clone for Ready {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core), key: WatcherKey::fresh() }
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        let gone = self.core.shared.world.lock().forget_watcher(self.key);
        frames::drop_quietly(gone);
    }
}

impl Future for Ready {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let core = &self.core;
        core.shared.unpark_now();
        let frames = frames::own_frames(&core.shared);
        let mut world = core.shared.world.lock();
        match core.state() {
            FiberState::Active => return Poll::Ready(Ok(())),
            // One that failed may be about to start again.
            FiberState::Failed if world.is_queued(core.id) => {}
            FiberState::Failed | FiberState::Disposed => return Poll::Ready(Err(failed(core))),
            FiberState::Pending | FiberState::Loading | FiberState::Unloading => {}
        }
        if world.waits_for(Target::Fiber(core.id), &frames) || world.start_waits_for(core.id, &frames) {
            return Poll::Ready(Err(reentrant(core.owner(), "`ready()`")));
        }
        if world.is_settled()
            && let Some(error) = world.stuck(core.id)
        {
            return Poll::Ready(Err(error));
        }
        let displaced = world.watch(core.id, self.key, cx.waker(), !frames.is_empty());
        drop(world);
        frames::drop_quietly(displaced);
        // As in `Settled`.
        core.shared.unpark_now();
        Poll::Pending
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ready({})", self.core.owner())
    }
}

fn failed(core: &Arc<FiberCore>) -> Error {
    core.error().unwrap_or_else(|| disposed(core))
}

fn disposed(core: &Arc<FiberCore>) -> Error {
    let owner = core.owner();
    Error::build(ErrorKind::Disposed, format!("`{owner}` was disposed before it became active")).owner(owner).into()
}
