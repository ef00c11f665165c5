//! Tasks: cancelled, awaited, and after a grace aborted, when their owner unloads (K14).

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use crate::agenda::Agenda;
use crate::cancel::{Cancel, Canceller};
use crate::context::Context;
use crate::effect::Disposer;
use crate::error::Error;
use crate::failure::{Failure, Outcome};
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed};
use crate::kernel::Shared;
use crate::latch::Latch;
use crate::name::Name;
use crate::quiet::{Quiet, wake_quietly};
use crate::runtime::{self, TaskHandle};
use crate::sync::{Arc, Mutex};
use crate::world::{EffectId, EffectKind, EffectState};

/// What a task and the link that ends it share.
struct Running {
    cancel: Canceller,
    /// Set when the task's future is gone, however it went.
    end: Arc<Latch>,
    phase: Mutex<Phase>,
}

enum Phase {
    /// Not begun yet: it may wait for a runtime (K4).
    Waiting,
    /// Cancelled before it was begun.
    Stillborn,
    /// Its closure runs.
    Beginning,
    /// Its grace has passed while its closure ran.
    Overdue,
    Begun(TaskHandle),
}

/// Sets the latch when the future is dropped: at its end, or when it is aborted.
struct Ended(Arc<Latch>);

impl Drop for Ended {
    fn drop(&mut self) {
        let mut wakers = Vec::new();
        self.0.set(Ok(()), &mut wakers);
        wakers.into_iter().for_each(wake_quietly);
    }
}

impl Context {
    /// Runs a task as an effect: on unload its token is cancelled, the task is awaited, and after the grace period (5 s unless
    /// set) aborted and reported. A task that ends by itself leaves its owner's list (K14).
    ///
    /// A failure or panic of the task is logged with owner and label.
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let kernel = Kernel::new();
    /// kernel.root().spawn("watch", |cancel| async move {
    ///     cancel.cancelled().await; // closes what it has open
    /// })?;
    /// kernel.shutdown().await?;
    /// # Ok::<(), dsh_kernel::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// `kernel::inactive` where the owner takes no registrations (K8).
    pub fn spawn<F>(
        &self,
        label: impl Into<Name>,
        task: impl FnOnce(Cancel) -> F + Send + 'static,
    ) -> Result<Disposer, Error>
    where
        F: Future<Output: Outcome> + Send + 'static,
    {
        let task = Quiet::new(task);
        let label = label.into();
        let running =
            Arc::new(Running { cancel: Canceller::new(), end: Latch::new(), phase: Mutex::new(Phase::Waiting) });
        let core = Arc::clone(self.core());
        let shared = Arc::clone(self.shared());
        let mut effect = EffectId::default();
        let disposer = self.own_effect(label.clone(), EffectKind::Plain, |fx, _| {
            let (grace, ending) = (shared.grace, Arc::clone(&running));
            let clock = Arc::clone(&shared.clock);
            fx.defer_async(move || async move { ending.end(clock.sleep(grace), grace).await });
            effect = fx.id();
            Ok(())
        })?;
        let begin = {
            let shared = Arc::clone(&shared);
            move || begin(&shared, &core, effect, &label, &running, task)
        };
        if runtime::available() {
            begin();
        } else {
            shared.world.lock().parked.tasks.push(Box::new(begin));
            shared.note_parked();
        }
        Ok(disposer)
    }
}

fn begin<F>(
    shared: &Arc<Shared>,
    core: &Arc<FiberCore>,
    effect: EffectId,
    label: &Name,
    running: &Arc<Running>,
    task: Quiet<impl FnOnce(Cancel) -> F>,
) where
    F: Future<Output: Outcome> + Send + 'static,
{
    let ended = Ended(Arc::clone(&running.end));
    {
        let mut phase = running.phase.lock();
        if matches!(*phase, Phase::Stillborn) {
            return;
        }
        *phase = Phase::Beginning;
    }
    let frame = Frame::new(shared, core.id, Some(effect));
    let cancel = running.cancel.token();
    let task = task.into_inner();
    let made = frames::call(frame, || task(cancel));
    frames::settle(shared);
    let future = match made {
        Ok(future) => future,
        Err(failure) => return ended_by_itself(shared, core, effect, label, Err(failure)),
    };
    let mut future = Framed::new(shared, frame, Box::pin(async move { future.await.into_outcome() }));
    let (shared, core, label) = (Arc::clone(shared), Arc::clone(core), label.clone());
    let run = async move {
        let ended = ended;
        let result = (&mut future).await.and_then(|result| result);
        drop(future);
        ended_by_itself(&shared, &core, effect, &label, result);
        drop(ended);
    };
    let mut phase = running.phase.lock();
    if matches!(*phase, Phase::Overdue) {
        drop(phase);
        frames::drop_quietly(run);
    } else {
        *phase = Phase::Begun(runtime::spawn(run));
    }
}

fn ended_by_itself(
    shared: &Arc<Shared>,
    core: &Arc<FiberCore>,
    effect: EffectId,
    label: &Name,
    result: Result<(), Failure>,
) {
    if let Err(failure) = result {
        tracing::error!(owner = %core.owner(), %label, failure = failure.shown(), "a task failed");
    }
    let mut agenda = Agenda::new();
    {
        let mut world = shared.world.lock();
        // While its body or its link runs, those see to the end.
        let live = world.effects.get(effect).is_some_and(|effect| effect.state == EffectState::Live);
        if live {
            world.effect_ended(effect, Arc::default(), &mut agenda);
        }
    }
    agenda.drain(shared);
}

impl Running {
    /// The link of a task: asks it to end, waits, and after the grace aborts it.
    async fn end(self: Arc<Self>, sleep: crate::BoxFuture<'static, ()>, grace: Duration) -> Result<(), Failure> {
        self.cancel.cancel();
        {
            let mut phase = self.phase.lock();
            if matches!(*phase, Phase::Waiting) {
                *phase = Phase::Stillborn;
                return Ok(());
            }
        }
        let mut end = self.end.wait();
        let mut sleep = Some(sleep);
        let late = std::future::poll_fn(|cx| {
            if Pin::new(&mut end).poll(cx).is_ready() {
                return Poll::Ready(false);
            }
            match sleep.as_mut().map(|sleep| sleep.as_mut().poll(cx)) {
                Some(Poll::Ready(())) => Poll::Ready(true),
                Some(Poll::Pending) | None => Poll::Pending,
            }
        })
        .await;
        if !late {
            return Ok(());
        }
        {
            let mut phase = self.phase.lock();
            if let Phase::Begun(handle) = &*phase {
                handle.abort();
            } else {
                *phase = Phase::Overdue;
            }
        }
        drop(end.await);
        Err(Failure::msg(format!("the task did not end within {grace:?} of its cancellation and was aborted")))
    }
}
