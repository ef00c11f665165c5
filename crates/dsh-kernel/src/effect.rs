//! Effects: what is to be undone, in links that unwind in reverse (K3, K4, K5).

use std::fmt;
use std::future::Future;

use crate::agenda::Agenda;
use crate::clock::BoxFuture;
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::failure::{Failure, Outcome};
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed};
use crate::name::Name;
use crate::quiet::Quiet;
use crate::sync::Arc;
use crate::teardown::{Target, Teardown};
use crate::unwind::Unwind;
use crate::world::{Closed, EffectId, EffectKind, EffectState, Ending, FiberData, ProvisionId};

/// One thing to be undone, with the label of the effect that collected it.
pub(crate) struct Entry {
    pub(crate) label: Name,
    pub(crate) link: Link,
}

pub(crate) enum Link {
    Sync(Quiet<SyncLink>),
    Async(Quiet<AsyncLink>),
    Adopted(EffectId),
    /// The end of an adopted effect, whose links have been spread out in the chain above this.
    End(EffectId),
    Withdraw(ProvisionId),
}

type SyncLink = Box<dyn FnOnce() -> Result<(), Failure> + Send>;
type AsyncLink = Box<dyn FnOnce() -> BoxFuture<'static, Result<(), Failure>> + Send>;

/// The right to undo one effect: the exact disposer (K4).
///
/// It is move-only, so that it is single-shot by type, and it can be adopted into another effect of the same fiber, where
/// its own place in the chain is kept (K5). Dropping it undoes nothing: the owner still holds the effect.
pub struct Disposer {
    core: Arc<FiberCore>,
    effect: EffectId,
}

impl Disposer {
    pub(crate) fn new(core: Arc<FiberCore>, effect: EffectId) -> Self {
        Self { core, effect }
    }

    /// Begins the teardown before it returns: the leading synchronous links have run, and the first asynchronous one has
    /// been polled once (K4).
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// # use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    /// let kernel = Kernel::new();
    /// let undone = Arc::new(AtomicBool::new(false));
    /// let flag = undone.clone();
    /// let disposer = kernel.root().effect("flag", |fx| {
    ///     fx.defer(move || flag.store(true, Ordering::Relaxed));
    ///     Ok(())
    /// })?;
    /// drop(disposer.dispose());
    /// assert!(undone.load(Ordering::Relaxed));
    /// # Ok::<(), dsh_kernel::Error>(())
    /// ```
    pub fn dispose(self) -> Teardown {
        let shared = &self.core.shared;
        let mut agenda = Agenda::new();
        let mut world = shared.world.lock();
        let Some(latch) = world.effect_latch(self.effect) else { return Teardown::done(Ok(())) };
        let ending = world.end_effect(self.effect, &mut agenda);
        drop(world);
        if let Ending::Links(links) = ending {
            let unwind = Unwind::new(Arc::clone(&self.core), self.effect, links);
            agenda.flush(shared);
            shared.unwind(unwind, &mut agenda);
        }
        agenda.drain(shared);
        match latch.result() {
            Some(result) => Teardown::done(result),
            None => Teardown::waiting(latch, &self.core, Target::Effect(self.effect)),
        }
    }
}

impl fmt::Debug for Disposer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.core.shared.world.lock().label(self.effect);
        let label = label.unwrap_or(Name::fixed("an ended effect"));
        write!(f, "Disposer({label} of {})", self.core.owner())
    }
}

/// What the body of an effect collects: links, undone in reverse (K3).
pub struct Fx {
    core: Arc<FiberCore>,
    effect: EffectId,
    label: Name,
    links: Vec<Entry>,
    open: bool,
}

impl Fx {
    /// Collects a synchronous link: called once, when its turn in the unwinding comes.
    pub fn defer<T: Outcome>(&mut self, undo: impl FnOnce() -> T + Send + 'static) {
        self.push(Link::Sync(Quiet::new(Box::new(|| undo().into_outcome()))));
    }

    /// Collects an asynchronous link: the next one in the unwinding begins when this one has ended.
    pub fn defer_async<F>(&mut self, undo: impl FnOnce() -> F + Send + 'static)
    where
        F: Future<Output: Outcome> + Send + 'static,
    {
        self.push(Link::Async(Quiet::new(Box::new(|| {
            let future = undo();
            Box::pin(async { future.await.into_outcome() })
        }))));
    }

    /// Takes another effect of the same fiber into this one, at this place of the chain (K5).
    ///
    /// # Errors
    ///
    /// `kernel::foreign_disposer` for a disposer of another fiber; that effect stays with its owner (K8).
    pub fn adopt(&mut self, disposer: Disposer) -> Result<(), Error> {
        let Disposer { core, effect } = disposer;
        if !Arc::ptr_eq(&core, &self.core) {
            let (mine, theirs) = (self.core.owner(), core.owner());
            let message = format!(
                "the effect `{}` of `{mine}` cannot adopt an effect of `{theirs}`, which would unload apart from it; \
                 adopt the disposer of the scope or plugin instead",
                self.label
            );
            return Err(Error::build(ErrorKind::ForeignDisposer, message).owner(mine).label(self.label.clone()).into());
        }
        self.core.shared.world.lock().adopt(effect, self.effect);
        self.push(Link::Adopted(effect));
        Ok(())
    }

    pub(crate) fn withdraw(&mut self, provision: ProvisionId) {
        self.push(Link::Withdraw(provision));
    }

    fn push(&mut self, link: Link) {
        self.links.push(Entry { label: self.label.clone(), link });
    }

    /// Ends the body: the effect lives, or what it collected is undone (K7).
    fn close(&mut self, result: Result<(), Failure>, agenda: &mut Agenda) -> Result<Disposer, Error> {
        self.open = false;
        let links = std::mem::take(&mut self.links);
        let shared = Arc::clone(&self.core.shared);
        let owner = self.core.owner();
        match result {
            Ok(()) => {
                let closed = shared.world.lock().close_effect(self.effect, links);
                match closed {
                    Closed::Live => Ok(Disposer::new(Arc::clone(&self.core), self.effect)),
                    Closed::Undo(links) => {
                        let teardown = self.undo(links, agenda);
                        let message = format!("`{owner}` was disposed while the body of `{}` ran", self.label);
                        let error = Error::build(ErrorKind::Inactive, message).owner(owner).label(self.label.clone());
                        Err(error.teardown(teardown).into())
                    }
                }
            }
            Err(failure) => {
                shared.world.lock().set_unwinding(self.effect);
                let teardown = self.undo(links, agenda);
                let message = format!("the body of `{}` of `{owner}` failed", self.label);
                let error = Error::build(ErrorKind::BodyFailed, message).owner(owner).label(self.label.clone());
                Err(error.failure(failure).teardown(teardown).into())
            }
        }
    }

    fn undo(&self, links: Vec<Entry>, agenda: &mut Agenda) -> Teardown {
        let shared = &self.core.shared;
        let latch = shared.world.lock().effect_latch(self.effect);
        shared.unwind(Unwind::new(Arc::clone(&self.core), self.effect, links), agenda);
        match latch {
            Some(latch) => Teardown::waiting(latch, &self.core, Target::Effect(self.effect)),
            // The kernel was dropped while the body ran, and nobody tells of an end any more.
            None => Teardown::done(Err(Error::kernel_dropped())),
        }
    }
}

impl Drop for Fx {
    fn drop(&mut self) {
        // The future of an asynchronous body was dropped half way: what it collected is rolled back (K3).
        if self.open {
            let mut agenda = Agenda::new();
            let dropped = Failure::msg("its future was dropped");
            drop(self.close(Err(dropped), &mut agenda));
            let shared = Arc::clone(&self.core.shared);
            agenda.drain(&shared);
        }
    }
}

impl fmt::Debug for Fx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fx({}, {} links)", self.label, self.links.len())
    }
}

impl Context {
    /// Makes an effect: runs `body` at once, and undoes what it collected when the effect ends (K3).
    ///
    /// A body that fails, or panics, undoes what it had collected, in reverse (K7).
    ///
    /// ```
    /// # use dsh_kernel::{Failure, Kernel};
    /// let kernel = Kernel::new();
    /// let failed = kernel.root().effect("half", |fx| {
    ///     fx.defer(|| println!("rolled back"));
    ///     Err(Failure::msg("no key"))
    /// });
    /// assert_eq!(failed.unwrap_err().failure().unwrap().to_string(), "no key");
    /// ```
    ///
    /// # Errors
    ///
    /// `kernel::inactive` where the owner takes no registrations (K8), or is disposed by the body;
    /// `kernel::body_failed` with the body's own [`Failure`] and the [`Teardown`] of the rollback.
    pub fn effect(
        &self,
        label: impl Into<Name>,
        body: impl FnOnce(&mut Fx) -> Result<(), Failure>,
    ) -> Result<Disposer, Error> {
        let body = Quiet::new(body);
        let mut fx = self.open_effect(label.into(), EffectKind::Plain)?;
        let frame = Frame::new(self.shared(), self.core().id, Some(fx.effect));
        let body = body.into_inner();
        let result = frames::call(frame, || body(&mut fx)).and_then(|result| result);
        let mut agenda = Agenda::new();
        let closed = fx.close(result, &mut agenda);
        agenda.drain(self.shared());
        closed
    }

    /// Makes an effect with an asynchronous body; its place among its siblings is where the body begins (K3).
    ///
    /// If the future is dropped half way, what was collected is rolled back, and the owner's unload waits for that.
    ///
    /// # Errors
    ///
    /// As [`Context::effect`].
    pub async fn effect_async(
        &self,
        label: impl Into<Name>,
        body: impl AsyncFnOnce(&mut Fx) -> Result<(), Failure>,
    ) -> Result<Disposer, Error> {
        let body = Quiet::new(body);
        let mut fx = self.open_effect(label.into(), EffectKind::Plain)?;
        let frame = Frame::new(self.shared(), self.core().id, Some(fx.effect));
        let body = body.into_inner();
        let result = match frames::call(frame, || body(&mut fx)) {
            Ok(future) => Framed::new(self.shared(), frame, Box::pin(future)).await.and_then(|result| result),
            Err(failure) => Err(failure),
        };
        let mut agenda = Agenda::new();
        let closed = fx.close(result, &mut agenda);
        agenda.drain(self.shared());
        closed
    }

    /// An effect of one part, made by the kernel itself: `body` is not foreign code and cannot fail.
    pub(crate) fn own_effect(
        &self,
        label: Name,
        kind: EffectKind,
        body: impl FnOnce(&mut Fx, &mut Agenda) -> Result<(), Error>,
    ) -> Result<Disposer, Error> {
        let mut fx = self.open_effect(label, kind)?;
        let mut agenda = Agenda::new();
        let closed = match body(&mut fx, &mut agenda) {
            Ok(()) => fx.close(Ok(()), &mut agenda),
            Err(error) => {
                drop(fx.close(Err(error.clone().into()), &mut agenda));
                Err(error)
            }
        };
        agenda.drain(self.shared());
        closed
    }

    fn open_effect(&self, label: Name, kind: EffectKind) -> Result<Fx, Error> {
        let core = self.core();
        let mut world = core.shared.world.lock();
        let accepts = world.fibers.get(core.id).is_some_and(FiberData::accepts);
        if !accepts {
            drop(world);
            return Err(inactive(core, &label));
        }
        let effect = world.add_effect(core.id, label.clone(), kind, EffectState::Collecting { asked: false });
        drop(world);
        Ok(Fx { core: Arc::clone(core), effect, label, links: Vec::new(), open: true })
    }
}

impl Fx {
    pub(crate) fn id(&self) -> EffectId {
        self.effect
    }
}

pub(crate) fn inactive(core: &Arc<FiberCore>, label: &Name) -> Error {
    let owner = core.owner();
    let message = match core.state() {
        FiberState::Active | FiberState::Loading => {
            format!("`{owner}` is being disposed and takes no `{label}` any more")
        }
        FiberState::Disposed | FiberState::Unloading => {
            format!(
                "`{owner}` is {} and takes no `{label}` any more; nothing can be registered through it",
                core.state()
            )
        }
        state @ (FiberState::Pending | FiberState::Failed) => {
            format!(
                "`{owner}` is {state} and takes no `{label}`; register from inside the plugin's start, or once it is active"
            )
        }
    };
    Error::build(ErrorKind::Inactive, message).owner(owner).label(label.clone()).into()
}
