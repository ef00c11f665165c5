//! What carries fibers through their lives: the sweep of an unload, and starts, one after the other (K2, K6, K10).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::clock::BoxFuture;
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::failure::Failure;
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed, Isolated};
use crate::kernel::Shared;
use crate::runtime;
use crate::sync::Arc;
use crate::unwind::{SLOW, Unwind};
use crate::world::{Ending, FiberId, StartPlan};

/// A start that has not ended yet.
struct Starting {
    core: Arc<FiberCore>,
    since: Duration,
    future: Framed<BoxFuture<'static, Result<(), Failure>>>,
}

/// What a task of starts holds. Dropped before its end, it leaves the rest to the next call that finds a runtime.
struct Cut {
    shared: Arc<Shared>,
    starting: Option<Arc<FiberCore>>,
    rest: Vec<FiberId>,
}

impl Cut {
    fn into_parts(mut self) -> (Arc<Shared>, Vec<FiberId>) {
        self.starting = None;
        (Arc::clone(&self.shared), std::mem::take(&mut self.rest))
    }
}

impl Drop for Cut {
    fn drop(&mut self) {
        let rollback = self.starting.take().and_then(|core| {
            let cut = Err(Failure::msg("its runtime ended"));
            Some((core.id, self.shared.name_start(&core, self.shared.clock.now(), cut)?))
        });
        if rollback.is_none() && self.rest.is_empty() {
            return;
        }
        let mut world = self.shared.world.lock();
        world.parked.rollbacks.extend(rollback);
        world.parked.starts.append(&mut self.rest);
        drop(world);
        self.shared.note_parked();
    }
}

impl Shared {
    /// Begins the end of every effect of a fiber, the youngest first.
    pub(crate) fn sweep(self: &Arc<Self>, fiber: FiberId, agenda: &mut Agenda) {
        let (core, effects) = {
            let world = self.world.lock();
            let Some(data) = world.fibers.get(fiber) else { return };
            (Arc::clone(&data.core), world.effects_reversed(fiber))
        };
        for effect in effects {
            let ending = self.world.lock().end_sibling(effect, agenda);
            agenda.flush(self);
            if let Ending::Links(links) = ending {
                self.unwind(Unwind::new(Arc::clone(&core), effect, links), agenda);
            }
        }
        self.world.lock().swept(fiber, agenda);
    }

    /// Starts the next plugin of the row, if that is still due. A start that does not end at once takes the rest of the agenda's starts with
    /// it into a task, so that each settles before the next.
    pub(crate) fn start_next(self: &Arc<Self>, agenda: &mut Agenda) {
        let Some(fiber) = agenda.starts.pop_front() else { return };
        let plan = self.world.lock().plan_start(fiber, agenda);
        agenda.flush(self);
        let Some(plan) = plan else { return };
        let independent = plan.independent;
        let Some(starting) = self.begin_start(plan, agenda) else { return };
        let rest = if independent { Vec::new() } else { self.dependent(&starting.core, agenda) };
        let Starting { core, since, mut future } = starting;
        // If the runtime ends first, even before the task's first poll, the start has failed, and the rest waits for the
        // next runtime (K4).
        let cut = Cut { shared: Arc::clone(self), starting: Some(Arc::clone(&core)), rest };
        runtime::spawn(async move {
            let result = (&mut future).await.and_then(|result| result);
            drop(future);
            let (shared, rest) = cut.into_parts();
            let mut agenda = Agenda::new();
            agenda.starts.extend(rest);
            let failed = shared.name_start(&core, since, result);
            shared.world.lock().finish_start(core.id, failed, &mut agenda);
            // The next one waits until this one has settled, rolled back if it failed.
            agenda.settling = Some(core);
            agenda.drain(&shared);
        });
    }

    /// Goes on with the starts when a plugin whose start has failed is rolled back.
    pub(crate) fn start_after(self: &Arc<Self>, core: Arc<FiberCore>, agenda: &mut Agenda) {
        let rest = self.dependent(&core, agenda);
        let cut = Cut { shared: Arc::clone(self), starting: None, rest };
        runtime::spawn(async move {
            std::future::poll_fn(|cx| {
                let mut world = cut.shared.world.lock();
                if core.state() != FiberState::Unloading {
                    return Poll::Ready(());
                }
                world.watch_state(core.id, cx.waker());
                Poll::Pending
            })
            .await;
            let (shared, rest) = cut.into_parts();
            let mut agenda = Agenda::new();
            agenda.starts.extend(rest);
            agenda.drain(&shared);
        });
    }

    /// Takes the starts that have to wait for `first` off the agenda.
    fn dependent(&self, first: &FiberCore, agenda: &mut Agenda) -> Vec<FiberId> {
        let mut world = self.world.lock();
        let is_independent = |id: &FiberId| world.fibers.get(*id).is_some_and(|fiber| fiber.independent);
        let (independent, dependent) = agenda.starts.drain(..).partition::<Vec<_>, _>(is_independent);
        agenda.starts.extend(independent);
        for fiber in &dependent {
            if let Some(fiber) = world.fibers.get_mut(*fiber) {
                fiber.behind = Some(first.id);
            }
        }
        dependent
    }

    fn begin_start(self: &Arc<Self>, plan: StartPlan, agenda: &mut Agenda) -> Option<Starting> {
        let StartPlan { core, plugin, independent: _ } = plan;
        let since = self.clock.now();
        let ctx = Context::new(Arc::clone(&core), self.world.lock().tag(core.id));
        let frame = Frame::new(self, core.id, None);
        let isolated = Isolated::enter();
        let begun = frames::call(frame, || plugin.start(ctx)).map(|future| Framed::new(self, frame, future));
        let result = match begun {
            Err(failure) => Err(failure),
            Ok(future) if frames::deep() => return Some(Starting { core, since, future }),
            Ok(mut future) => match Pin::new(&mut future).poll(&mut TaskContext::from_waker(Waker::noop())) {
                Poll::Pending => return Some(Starting { core, since, future }),
                Poll::Ready(result) => result.and_then(|result| result),
            },
        };
        drop(isolated);
        match self.name_start(&core, since, result) {
            None => self.world.lock().finish_start(core.id, None, agenda),
            Some(error) => agenda.rollbacks.push_back((core.id, error)),
        }
        None
    }

    /// The start has failed at once, and its turn to be rolled back has come.
    pub(crate) fn roll_back(self: &Arc<Self>, fiber: FiberId, error: Error, agenda: &mut Agenda) {
        self.world.lock().finish_start(fiber, Some(error), agenda);
    }

    /// Names a start that was slow, and gives a failed one its error.
    fn name_start(&self, core: &Arc<FiberCore>, since: Duration, result: Result<(), Failure>) -> Option<Error> {
        let owner = core.owner();
        let took = self.clock.now().saturating_sub(since);
        if took > SLOW {
            tracing::warn!(%owner, ?took, "a start was slow");
        }
        result.err().map(|failure| {
            tracing::error!(%owner, failure = failure.shown(), "a plugin's start failed");
            let message = format!("the start of `{owner}` failed");
            Error::build(ErrorKind::StartFailed, message).owner(owner).failure(failure).into()
        })
    }
}
