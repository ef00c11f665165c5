//! The agenda of one public call: what there is to announce, to unload, to go on with and to start.
//!
//! No function that runs foreign code recurses into the lifecycle. A call does its part under the lock, puts what follows on
//! its agenda, and drains it: unloads first, breadth first; then starts, one after the other in mount order; then chains that
//! waited for those (K6, K10).

use std::any::Any;
use std::collections::VecDeque;
use std::task::Waker;

use crate::error::Error;
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::frames;
use crate::kernel::Shared;
use crate::latch::Latch;
use crate::quiet::wake_quietly;
use crate::runtime;
use crate::sync::Arc;
use crate::unwind::Unwind;
use crate::world::FiberId;

#[derive(Default)]
pub(crate) struct Agenda {
    /// Fibers that are marked as unloading, whose effects are to be undone.
    pub(crate) unloads: VecDeque<FiberId>,
    /// Chains that wait for a fiber or for the users of a service.
    pub(crate) chains: VecDeque<Unwind>,
    /// Plugins to start, woken by one cause.
    pub(crate) starts: VecDeque<FiberId>,
    /// Starts of this row that failed at once. They are rolled back when the row has had its turn, and before those that
    /// the row has woken: the order of the recorded traces (K10, D9).
    pub(crate) rollbacks: VecDeque<(FiberId, Error)>,
    /// Plugins that were woken meanwhile: the next row.
    pub(crate) woken: Vec<FiberId>,
    /// The plugin that was started last, where the next has to wait until it has settled.
    pub(crate) settling: Option<Arc<FiberCore>>,
    /// Fibers that have nothing left but their plugin, whose destructor is the last of their code to run.
    pub(crate) farewells: VecDeque<FiberId>,
    /// What has ended. Whoever waits for it hears so when what it held is dropped (K9).
    pub(crate) ended: Vec<(Arc<Latch>, Result<(), Error>)>,
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

    /// Drops, announces, and wakes for, what the last step under the lock has left.
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
        for (latch, result) in self.ended.drain(..) {
            latch.set(result, &mut self.wakers);
        }
        for waker in self.wakers.drain(..) {
            wake_quietly(waker);
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
            self.woken.extend(frames::take_deferred(shared));
            if self.starts.is_empty() && self.rollbacks.is_empty() {
                self.starts.extend(self.woken.drain(..));
            }
            if !self.starts.is_empty() && self.may_start(shared) {
                match self.settling.take().filter(|core| core.state() == FiberState::Unloading) {
                    Some(core) => shared.start_after(core, &mut self),
                    None => shared.start_next(&mut self),
                }
                continue;
            }
            if let Some((fiber, error)) = self.rollbacks.pop_front() {
                shared.roll_back(fiber, error, &mut self);
                continue;
            }
            let Some(chain) = self.chains.pop_front() else { break };
            shared.resume(chain, &mut self);
        }
    }

    /// Whether plugins may start here and now; else the starts are left to whoever comes to it.
    fn may_start(&mut self, shared: &Arc<Shared>) -> bool {
        let left = if frames::inside(shared) {
            frames::defer_starts
        } else if !runtime::available() {
            Shared::park_starts
        } else {
            return true;
        };
        let starts: Vec<_> = self.starts.drain(..).chain(self.woken.drain(..)).collect();
        left(shared, starts);
        false
    }
}
