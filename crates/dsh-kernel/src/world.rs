//! The world: all that lives, under one structural lock.
//!
//! Everything here is data and decisions. Nothing in this module or below it calls foreign code: what has to be called,
//! woken, dropped or announced is put on the [`Agenda`](crate::agenda::Agenda), and happens when the lock is free (K13).

mod effects;
mod fibers;
mod ordinals;
mod services;
mod waits;
mod watchers;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::task::Waker;
use std::time::Duration;

use slotmap::{SlotMap, new_key_type};

use crate::effect::Entry;
use crate::error::Error;
use crate::events::FiberChanged;
use crate::failures::Failures;
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::latch::{Latch, Wakers};
use crate::name::Name;
use crate::plugin::DynPlugin;
use crate::scope_key::ScopeKey;
use crate::service::Provision;
use crate::sync::Arc;
use crate::unwind::Unwind;

new_key_type! {
    pub(crate) struct FiberId;
    pub(crate) struct EffectId;
    pub(crate) struct ProvisionId;
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) fibers: SlotMap<FiberId, FiberData>,
    pub(crate) effects: SlotMap<EffectId, EffectData>,
    pub(crate) provisions: SlotMap<ProvisionId, ProvisionData>,
    /// Who holds a service's name.
    by_name: HashMap<Name, ProvisionId>,
    /// Who injects a service, in mount order.
    injectors: HashMap<Name, BTreeMap<u64, FiberId>>,
    /// Who declares that it provides a service, in mount order.
    declared: HashMap<Name, BTreeMap<u64, FiberId>>,
    /// The fibers of the scopes that are there.
    pub(crate) scopes: HashMap<ScopeKey, FiberId>,
    /// How many fibers are loading, unloading, or about to start.
    busy: usize,
    pub(crate) root: Option<FiberId>,
    /// Who waits until the kernel is settled; with a flag where the wait is from inside foreign code.
    settle_wakers: Watchers,
    /// Who waits for a pending plugin, and may have to be told that it cannot start.
    hope_wakers: Watchers,
    /// Changes of state that listeners of `kernel/fiber` have still to hear, in order.
    pub(crate) changes: VecDeque<FiberChanged>,
    /// Somebody tells them.
    pub(crate) announcing: bool,
    mounts: u64,
    links_begun: u64,
    /// What waits for a call that finds a runtime (K4).
    pub(crate) parked: Parked,
}

#[derive(Default)]
pub(crate) struct Parked {
    pub(crate) starts: Vec<FiberId>,
    /// Starts that were cut short when their runtime ended.
    pub(crate) rollbacks: Vec<(FiberId, Error)>,
    pub(crate) chains: Vec<Unwind>,
    pub(crate) tasks: Vec<ParkedTask>,
}

/// Makes the task when there is a runtime to run it.
pub(crate) type ParkedTask = Box<dyn FnOnce() + Send>;

#[expect(clippy::struct_excessive_bools, reason = "independent facts of one fiber, private to the world")]
pub(crate) struct FiberData {
    pub(crate) core: Arc<FiberCore>,
    pub(crate) parent: Option<FiberId>,
    pub(crate) tag: Option<ScopeKey>,
    pub(crate) plugin: Option<Arc<dyn DynPlugin>>,
    pub(crate) inject: Box<[Name]>,
    pub(crate) declares: Box<[Name]>,
    /// It may start beside others that the same cause has woken.
    pub(crate) independent: bool,
    pub(crate) mount: u64,
    pub(crate) dispose_asked: bool,
    /// On somebody's list of starts.
    pub(crate) queued: bool,
    /// Whom its start waits behind.
    pub(crate) behind: Option<FiberId>,
    /// All effects have been told to end.
    pub(crate) swept: bool,
    /// The provisions that the present start runs on.
    pub(crate) epoch: Option<Vec<ProvisionId>>,
    /// The provisions that the failed start ran on.
    pub(crate) failed_epoch: Option<Vec<ProvisionId>>,
    pub(crate) first: Option<EffectId>,
    pub(crate) last: Option<EffectId>,
    /// What it provides, in order of provision.
    pub(crate) provided: BTreeMap<u64, ProvisionId>,
    pub(crate) failures: Failures,
    pub(crate) latch: Option<Arc<Latch>>,
    pub(crate) wakers: Wakers,
    /// The ordinals that live children of a name have taken.
    pub(crate) ordinals: HashMap<Name, Ordinals>,
}

pub(crate) struct EffectData {
    pub(crate) owner: FiberId,
    pub(crate) label: Name,
    pub(crate) state: EffectState,
    pub(crate) kind: EffectKind,
    pub(crate) links: Vec<Entry>,
    pub(crate) prev: Option<EffectId>,
    pub(crate) next: Option<EffectId>,
    /// In its owner's list of siblings; not so once it is adopted.
    pub(crate) listed: bool,
    pub(crate) adopted_by: Option<EffectId>,
    pub(crate) latch: Option<Arc<Latch>>,
    pub(crate) running: Option<Running>,
}

/// What an effect's teardown waits for.
pub(crate) struct Running {
    pub(crate) label: Name,
    pub(crate) since: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectState {
    /// Its body runs; `asked` when it is to be undone as soon as the body ends.
    Collecting {
        asked: bool,
    },
    Live,
    Unwinding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectKind {
    Plain,
    Child(FiberId),
}

pub(crate) struct ProvisionData {
    pub(crate) provision: Arc<Provision>,
    pub(crate) owner: FiberId,
    /// The effect whose undoing withdraws it.
    pub(crate) effect: EffectId,
    pub(crate) withdrawn: bool,
    /// Who runs on it, by mount order.
    pub(crate) users: BTreeMap<u64, FiberId>,
    pub(crate) latch: Arc<Latch>,
}

impl FiberData {
    pub(crate) fn state(&self) -> FiberState {
        self.core.state()
    }

    /// Whether it may register now (K8).
    pub(crate) fn accepts(&self) -> bool {
        match self.state() {
            FiberState::Active | FiberState::Loading => !self.dispose_asked,
            FiberState::Pending | FiberState::Failed | FiberState::Unloading | FiberState::Disposed => false,
        }
    }
}

impl World {
    /// Among all links, which comes now; failures are reported in this order (K7).
    pub(crate) fn next_link(&mut self) -> u64 {
        self.links_begun += 1;
        self.links_begun
    }

    /// The kernel is dropped: whoever waits for anything is told so.
    pub(crate) fn end_all(&mut self, wakers: &mut Vec<Waker>) {
        let gone = Error::kernel_dropped();
        for fiber in self.fibers.values_mut() {
            fiber.core.place.set_state(FiberState::Disposed);
            fiber.core.reach.store(Arc::default());
            fiber.wakers.take(wakers);
            if let Some(latch) = &fiber.latch {
                latch.set(Err(gone.clone()), wakers);
            }
        }
        for latch in self.effects.values().filter_map(|effect| effect.latch.as_ref()) {
            latch.set(Err(gone.clone()), wakers);
        }
        for provision in self.provisions.values() {
            provision.latch.set(Err(gone.clone()), wakers);
        }
        self.settle_wakers.take(wakers);
        self.hope_wakers.take(wakers);
    }

    /// Whoever waits for anything, and goes on waiting.
    pub(crate) fn waiting(&self) -> Vec<Waker> {
        let mut wakers = Vec::new();
        self.settle_wakers.waiting(&mut wakers);
        self.hope_wakers.waiting(&mut wakers);
        wakers.extend(self.fibers.values().flat_map(|fiber| fiber.wakers.all()).cloned());
        let fibers = self.fibers.values().filter_map(|fiber| fiber.latch.as_ref());
        let effects = self.effects.values().filter_map(|effect| effect.latch.as_ref());
        let provisions = self.provisions.values().map(|provision| &provision.latch);
        fibers.chain(effects).chain(provisions).for_each(|latch| latch.waiting(&mut wakers));
        wakers
    }

    /// The children of each fiber in mount order, whether a composite has adopted them or not.
    pub(crate) fn children(&self) -> HashMap<FiberId, Vec<FiberId>> {
        let mut mounted: Vec<_> = self.fibers.iter().collect();
        mounted.sort_by_key(|(_, fiber)| fiber.mount);
        let mut children: HashMap<FiberId, Vec<FiberId>> = HashMap::new();
        for (id, fiber) in mounted {
            if let Some(parent) = fiber.parent {
                children.entry(parent).or_default().push(id);
            }
        }
        children
    }

    /// Whether a fiber declares that it injects a service.
    pub(crate) fn declares_injection(&self, fiber: FiberId, service: &str) -> bool {
        let mut next = Some(fiber);
        while let Some(fiber) = next.and_then(|id| self.fibers.get(id)) {
            if fiber.inject.iter().any(|name| name.as_str() == service) {
                return true;
            }
            next = fiber.parent;
        }
        false
    }

    pub(crate) fn tag(&self, fiber: FiberId) -> Option<ScopeKey> {
        self.fibers.get(fiber).and_then(|fiber| fiber.tag)
    }

    pub(crate) fn error_of(&self, fiber: FiberId) -> Option<Error> {
        self.fibers.get(fiber).and_then(|data| data.core.error())
    }

    /// Whether the fiber is about to start.
    pub(crate) fn is_queued(&self, fiber: FiberId) -> bool {
        self.fibers.get(fiber).is_some_and(|fiber| fiber.queued)
    }
}

pub(crate) use effects::{Adopted, Closed, Ending};
pub(crate) use fibers::NewFiber;
use ordinals::Ordinals;
pub(crate) use services::StartPlan;
pub(crate) use watchers::WatcherKey;
use watchers::{Displaced, Watchers};
