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
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed, Isolated};
use crate::kernel::Shared;
use crate::latch::Latch;
use crate::name::Name;
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
    failures: Vec<LinkFailure>,
    /// The end that the chain waits for before it goes on.
    waits: Option<Arc<Latch>>,
}

/// What became of a link that was begun.
enum Begun {
    Ended,
    Waits(Arc<Latch>),
    Pending(PendingLink),
    /// There is no runtime, or no room on the stack, to poll a future now.
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
        Self { core, effect, links, failures: Vec::new(), waits: None }
    }

    fn fail(&mut self, label: Name, began: u64, failure: Failure) {
        let owner = self.core.owner();
        self.failures.push(LinkFailure { owner, label, failure: Arc::new(failure), began });
    }
}

impl Shared {
    /// Undoes links until the chain ends or has to wait; a chain that is pending then becomes a task (K4).
    pub(crate) fn unwind(self: &Arc<Self>, mut unwind: Unwind, agenda: &mut Agenda) {
        while let Some(entry) = unwind.links.pop() {
            match self.begin_link(&mut unwind, entry, agenda) {
                Begun::Ended => {}
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
                    if runtime::available() {
                        self.spawn_chain(unwind, None);
                    } else {
                        self.world.lock().parked.chains.push(unwind);
                        self.note_parked();
                    }
                    return;
                }
            }
        }
        self.effect_ended(unwind.effect, unwind.failures, agenda);
    }

    /// Goes on with a chain whose wait may be over; else makes a task of it.
    pub(crate) fn resume(self: &Arc<Self>, mut unwind: Unwind, agenda: &mut Agenda) {
        let ended = unwind.waits.as_ref().is_none_or(|latch| latch.result().is_some());
        if ended {
            unwind.take_waited();
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
                let undo = undo.into_inner();
                let result = frames::call(frame, || undo.map_or(Ok(()), |undo| undo())).and_then(|result| result);
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
            Link::Async(_) if !runtime::available() || frames::deep() => Begun::Later(Entry { label, link }),
            Link::Async(undo) => {
                let began = self.world.lock().next_link();
                let since = self.clock.now();
                let isolated = Isolated::enter();
                let undo = undo.into_inner();
                let future = match frames::call(frame, || undo.map(|undo| undo())) {
                    Ok(Some(future)) => future,
                    Ok(None) => return Begun::Ended,
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
                let mut world = self.world.lock();
                match world.begin_adopted(inner, agenda) {
                    Adopted::Gone => Begun::Ended,
                    Adopted::Links(links) => {
                        unwind.links.push(Entry { label, link: Link::End(inner) });
                        unwind.links.extend(links);
                        Begun::Ended
                    }
                    Adopted::Waits(latch) => {
                        world.set_running(unwind.effect, Running { label, since: self.clock.now() });
                        Begun::Waits(latch)
                    }
                }
            }
            Link::End(inner) => {
                self.world.lock().adopted_ended(inner, agenda);
                Begun::Ended
            }
            Link::Withdraw(provision) => {
                let mut world = self.world.lock();
                let Some(latch) = world.withdraw(provision, agenda) else { return Begun::Ended };
                world.set_running(unwind.effect, Running { label, since: self.clock.now() });
                Begun::Waits(latch)
            }
        }
    }

    fn spawn_chain(self: &Arc<Self>, mut unwind: Unwind, pending: Option<PendingLink>) {
        let shared = Arc::clone(self);
        runtime::spawn(async move {
            if let Some(PendingLink { label, began, since, mut future }) = pending {
                let result = shared.named(&unwind.core, &label, since, &mut future).await;
                drop(future);
                if let Err(failure) = result.and_then(|result| result) {
                    unwind.fail(label, began, failure);
                }
            }
            if let Some(latch) = unwind.waits.clone() {
                let mut wait = latch.wait();
                let (label, since) = shared.world.lock().running(unwind.effect);
                drop(shared.named(&unwind.core, &label, since, &mut wait).await);
                unwind.take_waited();
            }
            let mut agenda = Agenda::new();
            shared.unwind(unwind, &mut agenda);
            agenda.drain(&shared);
        });
    }

    /// Awaits a link's end, naming it by a warning while it does not come (K9).
    async fn named<F: Future + Unpin>(
        self: &Arc<Self>,
        core: &Arc<FiberCore>,
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
                tracing::warn!(owner = %core.owner(), %label, ?waited, "a link has not ended");
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
            self.failures.extend(error.links().iter().cloned());
        }
    }
}
