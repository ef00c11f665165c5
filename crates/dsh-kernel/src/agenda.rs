//! The agenda of one public call: what there is to announce, to unload, to go on with and to start.
//!
//! No function that runs foreign code recurses into the lifecycle. A call does its part under the lock, puts what follows on
//! its agenda, and drains it: unloads first, breadth first; then chains that waited for those; then starts, one after the
//! other in mount order (K6, K10).

use std::any::Any;
use std::collections::VecDeque;
use std::task::Waker;

use crate::error::Error;
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::frames;
use crate::kernel::Shared;
use crate::runtime;
use crate::sync::Arc;
use crate::unwind::Unwind;
use crate::world::FiberId;

/// What is due in the row of starts.
pub(crate) enum Due {
    Start(FiberId),
    /// A start that failed at once is rolled back when the plugins woken together with it have had their turn: the order
    /// that recorded traces have (K10, D9).
    Rollback(FiberId, Error),
}

#[derive(Default)]
pub(crate) struct Agenda {
    /// Fibers that are marked as unloading, whose effects are to be undone.
    pub(crate) unloads: VecDeque<FiberId>,
    /// Chains that wait for a fiber or for the users of a service.
    pub(crate) chains: VecDeque<Unwind>,
    /// Plugins to start.
    pub(crate) starts: VecDeque<Due>,
    /// The plugin that was started last, where the next has to wait until it has settled.
    pub(crate) settling: Option<Arc<FiberCore>>,
    /// Fibers that have nothing left but their plugin, whose destructor is the last of their code to run.
    pub(crate) farewells: VecDeque<FiberId>,
    pub(crate) wakers: Vec<Waker>,
    /// There are changes to be told.
    pub(crate) announce: bool,
    /// What was handed in and is dropped when no lock is held.
    pub(crate) garbage: Vec<Box<dyn Any + Send>>,
}

impl Agenda {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Announces, wakes and drops what the last step under the lock has left.
    pub(crate) fn flush(&mut self, shared: &Arc<Shared>) {
        loop {
            for garbage in self.garbage.drain(..) {
                frames::drop_quietly(garbage);
            }
            if std::mem::take(&mut self.announce) {
                shared.announce();
            }
            let Some(fiber) = self.farewells.pop_front() else { break };
            let plugin = shared.world.lock().take_plugin(fiber);
            frames::drop_quietly(plugin);
            shared.world.lock().take_leave(fiber, self);
        }
        for waker in self.wakers.drain(..) {
            waker.wake();
        }
    }

    /// Does all there is to do, as far as it can be done here and now.
    pub(crate) fn drain(mut self, shared: &Arc<Shared>) {
        shared.unpark(&mut self);
        loop {
            self.flush(shared);
            if let Some(fiber) = self.unloads.pop_front() {
                shared.sweep(fiber, &mut self);
                continue;
            }
            if let Some(chain) = self.chains.pop_front() {
                shared.resume(chain, &mut self);
                continue;
            }
            self.starts.extend(frames::take_deferred(shared).into_iter().map(Due::Start));
            if self.starts.is_empty() {
                return;
            }
            if frames::inside(shared) {
                frames::defer_starts(shared, self.take_starts());
            } else if !runtime::available() {
                shared.park_starts(self.take_starts());
            }
            if let Some(core) = self.settling.take()
                && core.state() == FiberState::Unloading
            {
                shared.start_after(core, &mut self);
                continue;
            }
            match self.starts.pop_front() {
                Some(Due::Start(fiber)) => shared.start(fiber, &mut self),
                Some(Due::Rollback(fiber, error)) => shared.roll_back(fiber, error, &mut self),
                None => {}
            }
        }
    }

    /// Takes the starts, and leaves the rollbacks.
    pub(crate) fn take_starts(&mut self) -> Vec<FiberId> {
        let mut starts = Vec::new();
        self.starts.retain(|due| match due {
            Due::Start(fiber) => {
                starts.push(*fiber);
                false
            }
            Due::Rollback(..) => true,
        });
        starts
    }
}
