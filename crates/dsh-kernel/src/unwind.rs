//! Undoing one effect: a chain of links, from the back, each ended before the next begins (K5).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::clock::BoxFuture;
use crate::effect::{Entry, Link};
use crate::error::{Error, LinkFailure};
use crate::failure::Failure;
use crate::failures::Failures;
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed, Isolated};
use crate::kernel::Shared;
use crate::latch::Latch;
use crate::name::Name;
use crate::owner::Owner;
use crate::runtime;
use crate::sync::Arc;
use crate::world::{Adopted, EffectId, Running};

/// A synchronous link or a start that takes longer is named when it returns (K9).
pub(crate) const SLOW: Duration = Duration::from_secs(1);
/// A link that has not ended by then is named, and again each [`STALLED_AGAIN`] (K9).
const STALLED: Duration = Duration::from_secs(10);
const STALLED_AGAIN: Duration = Duration::from_mins(1);

/// A teardown under way.
pub(crate) struct Unwind {
    core: Arc<FiberCore>,
    effect: EffectId,
    /// What is left, the next at the back. Adopted chains are spread out here when their turn comes, so nesting costs no
    /// recursion.
    links: Vec<Entry>,
    failures: Failures,
    /// The end that the chain waits for before it goes on.
    waits: Option<Arc<Latch>>,
    /// It has waited: chains that go on together take turns, link by link, as siblings do (K6).
    takes_turns: bool,
}

/// What became of a link that was begun.
enum Begun {
    Ended,
    /// It was no link of its own: the links of an adopted effect, or their end.
    Spread,
    Waits(Arc<Latch>),
    Pending(PendingLink),
    /// There is no runtime to poll a future with.
    Later(Entry),
}

/// A link that has been polled and has not ended.
struct PendingLink {
    label: Name,
    began: u64,
    since: Duration,
    future: Framed<BoxFuture<'static, Result<(), Failure>>>,
}

impl Unwind {
    pub(crate) fn new(core: Arc<FiberCore>, effect: EffectId, links: Vec<Entry>) -> Self {
        Self { core, effect, links, failures: Failures::default(), waits: None, takes_turns: false }
    }

    fn fail(&mut self, label: Name, began: u64, failure: Failure) {
        let owner = self.core.owner();
        // Told here, since nobody may ever look at the teardown.
        tracing::warn!(%owner, %label, failure = failure.shown(), "a link failed");
        self.failures.push(LinkFailure { owner, label, failure: Arc::new(failure), began });
    }
}

impl Shared {
    /// Undoes links until the chain ends or has to wait; a chain that is pending then becomes a task (K4).
    pub(crate) fn unwind(self: &Arc<Self>, mut unwind: Unwind, agenda: &mut Agenda) {
        while let Some(entry) = unwind.links.pop() {
            match self.begin_link(&mut unwind, entry, agenda) {
                Begun::Ended if unwind.takes_turns && !unwind.links.is_empty() => {
                    agenda.chains.push_back(unwind);
                    return;
                }
                Begun::Ended | Begun::Spread => {}
                Begun::Waits(latch) => {
                    unwind.waits = Some(latch);
                    agenda.chains.push_back(unwind);
                    return;
                }
                Begun::Pending(pending) => {
                    self.spawn_chain(unwind, Some(pending));
                    return;
                }
                Begun::Later(entry) => {
                    unwind.links.push(entry);
                    self.world.lock().parked.chains.push(unwind);
                    self.note_parked();
                    return;
                }
            }
        }
        self.effect_ended(unwind.effect, unwind.failures.share(), agenda);
    }

    /// Goes on with a chain whose wait may be over; else makes a task of it.
    pub(crate) fn resume(self: &Arc<Self>, mut unwind: Unwind, agenda: &mut Agenda) {
        let ended = unwind.waits.as_ref().is_none_or(|latch| latch.result().is_some());
        if ended {
            unwind.take_waited();
            unwind.takes_turns = true;
            self.unwind(unwind, agenda);
        } else if runtime::available() {
            self.spawn_chain(unwind, None);
        } else {
            self.world.lock().parked.chains.push(unwind);
            self.note_parked();
        }
    }

    fn begin_link(self: &Arc<Self>, unwind: &mut Unwind, entry: Entry, agenda: &mut Agenda) -> Begun {
        let Entry { label, link } = entry;
        let frame = Frame::new(self, unwind.core.id, Some(unwind.effect));
        match link {
            Link::Sync(undo) => {
                let began = self.world.lock().next_link();
                let since = self.clock.now();
                let isolated = Isolated::enter();
                let result = frames::call(frame, undo.into_inner()).and_then(|result| result);
                drop(isolated);
                let took = self.clock.now().saturating_sub(since);
                if took > SLOW {
                    let owner = unwind.core.owner();
                    tracing::warn!(%owner, %label, ?took, "a synchronous link was slow");
                }
                if let Err(failure) = result {
                    unwind.fail(label, began, failure);
                }
                Begun::Ended
            }
            Link::Async(_) if !runtime::available() => Begun::Later(Entry { label, link }),
            Link::Async(undo) => {
                let began = self.world.lock().next_link();
                let since = self.clock.now();
                let isolated = Isolated::enter();
                let future = match frames::call(frame, undo.into_inner()) {
                    Ok(future) => future,
                    Err(failure) => {
                        unwind.fail(label, began, failure);
                        return Begun::Ended;
                    }
                };
                let mut future = Framed::new(self, frame, future);
                let polled = Pin::new(&mut future).poll(&mut TaskContext::from_waker(Waker::noop()));
                drop(isolated);
                match polled {
                    Poll::Pending => {
                        let running = Running { label: label.clone(), since };
                        self.world.lock().set_running(unwind.effect, running);
                        Begun::Pending(PendingLink { label, began, since, future })
                    }
                    Poll::Ready(result) => {
                        if let Err(failure) = result.and_then(|result| result) {
                            unwind.fail(label, began, failure);
                        }
                        Begun::Ended
                    }
                }
            }
            Link::Adopted(inner) => {
                let since = self.clock.now();
                let mut world = self.world.lock();
                match world.begin_adopted(inner, agenda) {
                    Adopted::Gone => Begun::Ended,
                    Adopted::Links(links) => {
                        unwind.links.push(Entry { label, link: Link::End(inner) });
                        unwind.links.extend(links);
                        Begun::Spread
                    }
                    Adopted::Waits(latch) => {
                        let label = world.label(inner).unwrap_or(label);
                        world.set_running(unwind.effect, Running { label, since });
                        Begun::Waits(latch)
                    }
                }
            }
            Link::End(inner) => {
                self.world.lock().adopted_ended(inner, agenda);
                Begun::Spread
            }
            Link::Withdraw(provision) => {
                let since = self.clock.now();
                let mut world = self.world.lock();
                let Some(latch) = world.withdraw(provision, agenda) else { return Begun::Ended };
                world.set_running(unwind.effect, Running { label, since });
                Begun::Waits(latch)
            }
        }
    }

    fn spawn_chain(self: &Arc<Self>, unwind: Unwind, pending: Option<PendingLink>) {
        let shared = Arc::clone(self);
        // If the runtime ends first, even before the task's first poll, the link that was cut has failed, and the rest waits
        // for the next runtime (K4).
        let cut = pending.as_ref().map(|pending| (pending.label.clone(), pending.began));
        let mut chain = Chain { shared: Arc::clone(&shared), unwind: Some(unwind), cut };
        runtime::spawn(async move {
            if let Some(PendingLink { label, began, since, mut future }) = pending {
                let result = shared.named(chain.owner(), &label, since, &mut future).await;
                drop(future);
                chain.cut = None;
                if let Err(failure) = result.and_then(|result| result) {
                    chain.fail(label, began, failure);
                }
            }
            if let Some(latch) = chain.waits() {
                let (label, since) = chain.running();
                drop(shared.named(chain.owner(), &label, since, &mut latch.wait()).await);
            }
            let Some(mut unwind) = chain.unwind.take() else { return };
            unwind.take_waited();
            let mut agenda = Agenda::new();
            shared.unwind(unwind, &mut agenda);
            agenda.drain(&shared);
        });
    }

    /// Awaits a link's end, naming it by a warning while it does not come (K9).
    async fn named<F: Future + Unpin>(
        self: &Arc<Self>,
        owner: Option<Owner>,
        label: &Name,
        since: Duration,
        future: &mut F,
    ) -> F::Output {
        let passed = self.clock.now().saturating_sub(since);
        let mut alarm = self.clock.sleep(STALLED.saturating_sub(passed));
        std::future::poll_fn(|cx| {
            if let Poll::Ready(output) = Pin::new(&mut *future).poll(cx) {
                return Poll::Ready(output);
            }
            while alarm.as_mut().poll(cx).is_ready() {
                let waited = self.clock.now().saturating_sub(since);
                tracing::warn!(owner = owner.as_ref().map(tracing::field::display), %label, ?waited, "a link has not ended");
                alarm = self.clock.sleep(STALLED_AGAIN);
            }
            Poll::Pending
        })
        .await
    }
}

impl Unwind {
    /// The links of an adopted fiber that failed are this chain's failures too.
    fn take_waited(&mut self) {
        let Some(latch) = self.waits.take() else { return };
        if let Some(Err(error)) = latch.result() {
            let error: Error = error;
            if let Some(failures) = error.failures() {
                self.failures.add(failures);
            }
        }
    }
}

/// A chain that is a task. Dropped before its end, it leaves the rest to the next call that finds a runtime.
struct Chain {
    shared: Arc<Shared>,
    unwind: Option<Unwind>,
    cut: Option<(Name, u64)>,
}

impl Chain {
    fn owner(&self) -> Option<Owner> {
        self.unwind.as_ref().map(|unwind| unwind.core.owner())
    }

    fn waits(&self) -> Option<Arc<Latch>> {
        self.unwind.as_ref().and_then(|unwind| unwind.waits.clone())
    }

    fn running(&self) -> (Name, Duration) {
        let effect = self.unwind.as_ref().map(|unwind| unwind.effect).unwrap_or_default();
        self.shared.world.lock().running(effect)
    }

    fn fail(&mut self, label: Name, began: u64, failure: Failure) {
        if let Some(unwind) = &mut self.unwind {
            unwind.fail(label, began, failure);
        }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        if let Some((label, began)) = self.cut.take() {
            self.fail(label, began, Failure::msg("its runtime ended before it did"));
        }
        if let Some(unwind) = self.unwind.take() {
            self.shared.world.lock().parked.chains.push(unwind);
            self.shared.note_parked();
        }
    }
}
