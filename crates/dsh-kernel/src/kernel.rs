//! The kernel: the root of everything, and what all fibers share.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::clock::Clock;
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::events::Events;
use crate::failures::Failures;
use crate::fiber::FiberState;
use crate::fiber::core::{FiberCore, FiberKind};
use crate::frames;
use crate::inspect::Inspection;
use crate::name::Name;
use crate::quiet::wake_quietly;
use crate::runtime::{self, RuntimeClock};
use crate::sync::{Arc, AtomicBool, Mutex, Numbers, Ordering};
use crate::teardown::{Target, Teardown};
use crate::unwind::Unwind;
use crate::world::{EffectId, FiberId, NewFiber, Parked, WatcherKey, World};

/// What all fibers of one kernel share.
pub(crate) struct Shared {
    pub(crate) id: KernelId,
    pub(crate) world: Mutex<World>,
    pub(crate) events: Events,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) grace: Duration,
    /// Whether something waits for a call that finds a runtime; spares the other calls a look under the lock.
    parked: AtomicBool,
}

/// Tells kernels apart on a thread that runs code of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelId(u64);

impl KernelId {
    fn fresh() -> Self {
        static NEXT: Numbers = Numbers::from(0);
        Self(NEXT.next())
    }
}

/// How long a cancelled task may take before it is aborted (K14).
const GRACE: Duration = Duration::from_secs(5);

/// A world of contexts, fibers, effects, services and events.
///
/// Keep it for as long as its contexts are used: dropping it without [`Kernel::shutdown`] undoes nothing and lets go of
/// everything; whoever still has a context finds its owner disposed, and whoever waits is told `kernel::disposed`.
///
/// It wants an async runtime with timers (`enable_time`): without them a stalled link is not named and an overdue task not
/// aborted, which is logged once.
///
/// ```
/// use dsh_kernel::Kernel;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let scope = kernel.root().scope("agent")?;
/// scope.ctx().effect("desk", |fx| {
///     fx.defer_async(|| async { println!("desk cleared") });
///     Ok(())
/// })?;
/// scope.dispose().await?; // ends when the desk is cleared
/// kernel.shutdown().await?;
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
pub struct Kernel {
    root: Context,
}

impl Kernel {
    /// A kernel with the runtime's clock and a grace of 5 s for tasks.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A kernel with a clock or a grace of one's own.
    pub fn builder() -> KernelBuilder {
        KernelBuilder { clock: Arc::new(RuntimeClock::default()), grace: GRACE }
    }

    /// The root context: its owner is never unloaded but by [`Kernel::shutdown`].
    pub fn root(&self) -> Context {
        self.root.clone()
    }

    /// Waits until no plugin is starting or unloading (K16).
    ///
    /// # Errors
    ///
    /// `kernel::reentrant` from inside code that is part of what is starting or unloading (K8).
    pub fn settled(&self) -> Settled {
        Settled { shared: Arc::clone(self.root.shared()), key: WatcherKey::fresh() }
    }

    /// Unloads everything, the root too: the last call (K4).
    ///
    /// Once begun it goes on to its end, even if the kernel is dropped meanwhile.
    pub fn shutdown(&self) -> Teardown {
        let mut agenda = Agenda::new();
        let shared = self.root.shared();
        let teardown = shared.dispose_fiber(self.root.core(), &mut agenda);
        agenda.drain(shared);
        teardown
    }

    /// What lives now, as a tree.
    pub fn inspect(&self) -> Inspection {
        Inspection::of(self.root.shared())
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let shared = self.root.shared();
        let mut wakers = Vec::new();
        let (mut world, events) = {
            let mut world = shared.world.lock();
            if self.root.state() == FiberState::Unloading {
                // A shutdown is under way: it goes on to its end, after which nothing is left.
                return;
            }
            world.end_all(&mut wakers);
            (std::mem::take(&mut *world), shared.events.take())
        };
        // One by one: each destructor may panic.
        world.fibers.drain().for_each(|(_, fiber)| frames::drop_quietly(fiber));
        world.provisions.drain().for_each(|(_, provision)| frames::drop_quietly(provision));
        world.parked.chains.drain(..).for_each(frames::drop_quietly);
        world.parked.tasks.drain(..).for_each(frames::drop_quietly);
        frames::drop_quietly(world);
        frames::drop_quietly(events);
        wakers.into_iter().for_each(wake_quietly);
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} fibers)", self.root.shared().world.lock().fibers.len())
    }
}

/// What a kernel is built with.
#[derive(Debug)]
pub struct KernelBuilder {
    clock: Arc<dyn Clock>,
    grace: Duration,
}

impl KernelBuilder {
    /// The monotonic clock that waits are measured with.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How long a cancelled task may take before it is aborted (K14).
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The kernel.
    pub fn build(self) -> Kernel {
        let shared = Arc::new(Shared {
            id: KernelId::fresh(),
            world: Mutex::default(),
            events: Events::default(),
            clock: self.clock,
            grace: self.grace,
            parked: AtomicBool::new(false),
        });
        let core = {
            let mut world = shared.world.lock();
            let core = world.add_fiber(&shared, None, NewFiber::bare(Name::fixed("root"), FiberKind::Root));
            world.root = Some(core.id);
            core
        };
        Kernel { root: Context::new(core, None) }
    }
}

/// Waits until no plugin is starting or unloading; see [`Kernel::settled`].
#[must_use = "futures do nothing unless awaited"]
pub struct Settled {
    shared: Arc<Shared>,
    key: WatcherKey,
}

impl Future for Settled {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        self.shared.unpark_now();
        let frames = frames::own_frames(&self.shared);
        let mut world = self.shared.world.lock();
        if world.is_settled() {
            return Poll::Ready(Ok(()));
        }
        if world.settling_waits_for(&frames) {
            let message =
                "`settled()` was awaited from inside a plugin that is starting or unloading; await it outside";
            return Poll::Ready(Err(Error::build(ErrorKind::Reentrant, message).into()));
        }
        let displaced = world.watch_settled(self.key, cx.waker(), !frames.is_empty());
        drop(world);
        frames::drop_quietly(displaced);
        // Once more: what was parked before the waker was there has woken nobody here.
        self.shared.unpark_now();
        Poll::Pending
    }
}

impl Drop for Settled {
    fn drop(&mut self) {
        let gone = self.shared.world.lock().forget_watcher(self.key);
        frames::drop_quietly(gone);
    }
}

impl fmt::Debug for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Settled")
    }
}

impl Shared {
    /// Begins a fiber's disposal, or joins one, and returns its end.
    pub(crate) fn dispose_fiber(self: &Arc<Self>, core: &Arc<FiberCore>, agenda: &mut Agenda) -> Teardown {
        let mut world = self.world.lock();
        let Some(latch) = world.fiber_latch(core.id) else { return Teardown::done(core.ended()) };
        if let Some(effect) = core.own_effect {
            // From now on the effect that the fiber is in its parent is under way, whoever holds its disposer.
            world.set_unwinding(effect);
        }
        world.ask_dispose(core.id, agenda);
        drop(world);
        Teardown::waiting(latch, core, Target::Fiber(core.id))
    }

    pub(crate) fn effect_ended(&self, effect: EffectId, failures: Arc<Failures>, agenda: &mut Agenda) {
        self.world.lock().effect_ended(effect, failures, agenda);
    }

    /// Tells the changes of state, one teller at a time, so that they are heard in their order. What a listener causes is
    /// told after what it hears.
    pub(crate) fn announce(self: &Arc<Self>) {
        if std::mem::replace(&mut self.world.lock().announcing, true) {
            return;
        }
        loop {
            let change = {
                let mut world = self.world.lock();
                let change = world.changes.pop_front();
                world.announcing = change.is_some();
                change
            };
            let Some(change) = change else { return };
            self.events.announce(self, &change);
        }
    }

    /// Remembers that something waits for a runtime. A wait inside of one may be for that very thing, and no other call may
    /// come: so all waits look again.
    pub(crate) fn note_parked(&self) {
        if !self.parked.swap(true, Ordering::AcqRel) {
            let waiting = self.world.lock().waiting();
            waiting.into_iter().for_each(wake_quietly);
        }
    }

    pub(crate) fn park_starts(&self, starts: Vec<FiberId>) {
        self.world.lock().parked.starts.extend(starts);
        self.note_parked();
    }

    /// As [`Shared::unpark`], for a wait: what it waits for may be parked.
    pub(crate) fn unpark_now(self: &Arc<Self>) {
        if self.parked.load(Ordering::Acquire) {
            Agenda::new().drain(self);
        }
    }

    /// Takes up what earlier calls had to leave for want of a runtime (K4).
    pub(crate) fn unpark(self: &Arc<Self>, agenda: &mut Agenda) {
        if !self.parked.load(Ordering::Acquire) || !runtime::available() {
            return;
        }
        let Parked { starts, rollbacks, chains, tasks } = {
            let mut world = self.world.lock();
            self.parked.store(false, Ordering::Release);
            std::mem::take(&mut world.parked)
        };
        agenda.rollbacks.extend(rollbacks);
        agenda.woken.extend(starts);
        // Ends first: a task that was disposed meanwhile need not begin.
        for chain in chains {
            let chain: Unwind = chain;
            self.resume(chain, agenda);
        }
        for task in tasks {
            task();
        }
    }
}
