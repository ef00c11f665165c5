//! Fibers in the world: mounting, unloading, and what comes after (K2, K6).

use std::task::Waker;

use crate::agenda::Agenda;
use crate::error::Error;
use crate::events::{Audience, FiberChanged};
use crate::failures::Failures;
use crate::fiber::FiberState;
use crate::fiber::core::{FiberCore, FiberKind, NewCore};
use crate::kernel::Shared;
use crate::latch::{Latch, Wakers};
use crate::name::Name;
use crate::owner::Place;
use crate::plugin::DynPlugin;
use crate::service::Reach;
use crate::sync::Arc;
use crate::world::{Displaced, EffectData, EffectId, EffectKind, EffectState, FiberData, FiberId, WatcherKey, World};

/// What a fiber is made from.
pub(crate) struct NewFiber {
    pub(crate) name: Name,
    pub(crate) kind: FiberKind,
    pub(crate) plugin: Option<Arc<dyn DynPlugin>>,
    pub(crate) inject: Vec<Name>,
    pub(crate) declares: Vec<Name>,
    pub(crate) independent: bool,
}

impl NewFiber {
    pub(crate) fn bare(name: Name, kind: FiberKind) -> Self {
        Self { name, kind, plugin: None, inject: Vec::new(), declares: Vec::new(), independent: false }
    }
}

impl World {
    /// Adds a fiber under `parent`, as an effect of it, and returns its core.
    pub(crate) fn add_fiber(
        &mut self,
        shared: &Arc<Shared>,
        parent: Option<&Arc<FiberCore>>,
        new: NewFiber,
    ) -> Arc<FiberCore> {
        let state = if new.plugin.is_some() { FiberState::Pending } else { FiberState::Active };
        let ordinal = parent.map_or(1, |parent| self.take_ordinal(parent.id, &new.name));
        let own_effect =
            parent.map(|parent| self.add_effect(parent.id, new.name.clone(), EffectKind::Plain, EffectState::Live));
        self.mounts += 1;
        let mount = self.mounts;
        let mut core = None;
        let id = self.fibers.insert_with_key(|id| {
            let made = FiberCore::new(NewCore {
                shared: Arc::clone(shared),
                id,
                place: Place::new(new.name, ordinal, parent.map(|parent| Arc::clone(&parent.place)), state),
                kind: new.kind,
                parent: parent.cloned(),
                own_effect,
            });
            core = Some(Arc::clone(&made));
            FiberData {
                core: made,
                parent: parent.map(|parent| parent.id),
                tag: None,
                plugin: new.plugin,
                inject: new.inject.into_boxed_slice(),
                declares: new.declares.into_boxed_slice(),
                independent: new.independent,
                mount,
                dispose_asked: false,
                queued: false,
                behind: None,
                swept: false,
                epoch: None,
                failed_epoch: None,
                first: None,
                last: None,
                provided: std::collections::BTreeMap::new(),
                failures: Failures::default(),
                latch: None,
                wakers: Wakers::default(),
                ordinals: std::collections::HashMap::new(),
            }
        });
        if let Some(effect) = own_effect.and_then(|effect| self.effects.get_mut(effect)) {
            effect.kind = EffectKind::Child(id);
        }
        self.index(id);
        // `insert_with_key` has run the closure.
        core.unwrap_or_else(|| unreachable!("a fiber was inserted without its core"))
    }

    fn index(&mut self, id: FiberId) {
        let Some(fiber) = self.fibers.get(id) else { return };
        for name in &fiber.inject {
            self.injectors.entry(name.clone()).or_default().insert(fiber.mount, id);
        }
        for name in &fiber.declares {
            self.declared.entry(name.clone()).or_default().insert(fiber.mount, id);
        }
    }

    fn take_ordinal(&mut self, parent: FiberId, name: &Name) -> u32 {
        let Some(parent) = self.fibers.get_mut(parent) else { return 1 };
        let taken = parent.ordinals.entry(name.clone()).or_default();
        taken.take()
    }

    pub(crate) fn set_state(&mut self, id: FiberId, to: FiberState, agenda: &mut Agenda) {
        let Some(fiber) = self.fibers.get_mut(id) else { return };
        let from = fiber.state();
        if from == to {
            return;
        }
        let busy = |state| matches!(state, FiberState::Loading | FiberState::Unloading);
        fiber.core.place.set_state(to);
        fiber.wakers.take(&mut agenda.wakers);
        if fiber.core.shared.events.hears::<FiberChanged>(Audience::Everyone) {
            self.changes.push_back(FiberChanged { path: fiber.core.owner(), from, to });
            agenda.announce = true;
        }
        match (busy(from), busy(to)) {
            (false, true) => self.busy += 1,
            (true, false) => self.less_busy(agenda),
            (true, true) | (false, false) => {}
        }
        if to == FiberState::Unloading {
            // A wait that is polled from inside this fiber has to look again (K8).
            self.settle_wakers.take_inside(&mut agenda.wakers);
            self.hope_wakers.take_inside(&mut agenda.wakers);
        }
        if matches!(to, FiberState::Failed | FiberState::Disposed) {
            self.lost_hope(agenda);
        }
    }

    pub(crate) fn less_busy(&mut self, agenda: &mut Agenda) {
        self.busy = self.busy.saturating_sub(1);
        if self.busy == 0 {
            self.settle_wakers.take(&mut agenda.wakers);
            self.lost_hope(agenda);
        }
    }

    /// Puts a plugin on the list of starts.
    pub(crate) fn queue_start(&mut self, id: FiberId, agenda: &mut Agenda) {
        let Some(fiber) = self.fibers.get_mut(id) else { return };
        if !std::mem::replace(&mut fiber.queued, true) {
            self.busy += 1;
            agenda.woken.push(id);
        }
    }

    /// Somebody wants the fiber gone: now, or as soon as its start has settled.
    pub(crate) fn ask_dispose(&mut self, id: FiberId, agenda: &mut Agenda) {
        let Some(fiber) = self.fibers.get_mut(id) else { return };
        fiber.dispose_asked = true;
        match fiber.state() {
            FiberState::Active => self.begin_unload(id, agenda),
            FiberState::Pending | FiberState::Failed => {
                if let Some((effect, failures)) = self.finish(id, agenda) {
                    self.effect_ended(effect, failures, agenda);
                }
            }
            FiberState::Loading | FiberState::Unloading | FiberState::Disposed => {}
        }
    }

    /// Marks a fiber as unloading, and with it, in mount order, the plugins that lose a service by it.
    pub(crate) fn begin_unload(&mut self, id: FiberId, agenda: &mut Agenda) {
        // A stack of our own in place of recursion: users of users may be 100,000 deep (K6).
        let mut marks = vec![id];
        while let Some(id) = marks.pop() {
            let Some(fiber) = self.fibers.get_mut(id) else { continue };
            if !matches!(fiber.state(), FiberState::Active | FiberState::Loading) {
                continue;
            }
            fiber.swept = false;
            let provided: Vec<_> = fiber.provided.values().copied().collect();
            self.set_state(id, FiberState::Unloading, agenda);
            agenda.unloads.push_back(id);
            for &provision in provided.iter().rev() {
                self.changed_provision(provision);
                marks.extend(self.users_to_unload(provision).into_iter().rev());
            }
        }
    }

    /// All effects of the fiber have been told to end.
    pub(crate) fn swept(&mut self, id: FiberId, agenda: &mut Agenda) {
        if let Some(fiber) = self.fibers.get_mut(id) {
            fiber.swept = true;
        }
        if let Some((effect, failures)) = self.finish_if_empty(id, agenda) {
            self.effect_ended(effect, failures, agenda);
        }
    }

    /// Ends the unload if nothing is left of it. Where that ends the fiber for good, the effect that it was in its parent
    /// has ended too, which is for the caller to carry on with.
    pub(crate) fn finish_if_empty(&mut self, id: FiberId, agenda: &mut Agenda) -> Option<(EffectId, Arc<Failures>)> {
        let fiber = self.fibers.get(id)?;
        let over = fiber.state() == FiberState::Unloading && fiber.swept && fiber.first.is_none();
        over.then(|| self.finish(id, agenda)).flatten()
    }

    fn finish(&mut self, id: FiberId, agenda: &mut Agenda) -> Option<(EffectId, Arc<Failures>)> {
        self.release_epoch(id, agenda);
        let fiber = self.fibers.get_mut(id)?;
        let failures = std::mem::take(&mut fiber.failures).share();
        if fiber.dispose_asked {
            if fiber.plugin.is_some() {
                fiber.failures.add(&failures);
                agenda.farewells.push_back(id);
                return None;
            }
            return self.remove_fiber(id, failures, agenda);
        }
        agenda.garbage.push(Box::new(failures));
        let failed = fiber.failed_epoch.is_some();
        self.set_state(id, if failed { FiberState::Failed } else { FiberState::Pending }, agenda);
        self.refresh(id, agenda);
        None
    }

    /// The plugin of a fiber that is about to be disposed, to be dropped when the lock is free (K9).
    pub(crate) fn take_plugin(&mut self, id: FiberId) -> Option<Arc<dyn DynPlugin>> {
        self.fibers.get_mut(id).and_then(|fiber| fiber.plugin.take())
    }

    /// The plugin is dropped: the fiber is gone.
    pub(crate) fn take_leave(&mut self, id: FiberId, agenda: &mut Agenda) {
        if let Some((effect, failures)) = self.finish(id, agenda) {
            self.effect_ended(effect, failures, agenda);
        }
    }

    fn remove_fiber(
        &mut self,
        id: FiberId,
        failures: Arc<Failures>,
        agenda: &mut Agenda,
    ) -> Option<(EffectId, Arc<Failures>)> {
        self.set_state(id, FiberState::Disposed, agenda);
        let mut fiber = self.fibers.remove(id)?;
        if fiber.queued {
            self.less_busy(agenda);
        }
        for name in &fiber.inject {
            remove_from(&mut self.injectors, name, fiber.mount);
        }
        for name in &fiber.declares {
            remove_from(&mut self.declared, name, fiber.mount);
        }
        if let Some(key) = fiber.tag.filter(|_| matches!(fiber.core.kind, FiberKind::Scope)) {
            self.scopes.remove(&key);
        }
        if let Some(parent) = fiber.parent.and_then(|parent| self.fibers.get_mut(parent))
            && let Some(taken) = parent.ordinals.get_mut(&fiber.core.place.name)
            && taken.give_back(fiber.core.place.ordinal)
        {
            parent.ordinals.remove(&fiber.core.place.name);
        }
        fiber.core.reach.store(Arc::new(Reach::default()));
        fiber.wakers.take(&mut agenda.wakers);
        let result = Error::from_links(&failures);
        if let Some(latch) = fiber.latch.take() {
            agenda.ended.push((latch, result.clone()));
        }
        fiber.core.ended.get_or_init(|| result);
        let own_effect = fiber.core.own_effect;
        // What the core keeps, such as an error, is foreign: dropped when the lock is free.
        agenda.garbage.push(Box::new(fiber.core));
        own_effect.map(|effect| (effect, failures))
    }

    /// The latch of a fiber's disposal.
    pub(crate) fn fiber_latch(&mut self, id: FiberId) -> Option<Arc<Latch>> {
        self.fibers.get_mut(id).map(|fiber| Arc::clone(fiber.latch.get_or_insert_with(Latch::new)))
    }

    /// Wakes a wait at each change of the fiber's state, and while it is pending when its hope may be lost.
    pub(crate) fn watch(&mut self, id: FiberId, key: WatcherKey, waker: &Waker, inside: bool) -> Displaced {
        let Some(fiber) = self.fibers.get_mut(id) else { return Displaced::default() };
        fiber.wakers.add(waker);
        if inside || fiber.state() == FiberState::Pending {
            return self.hope_wakers.watch(key, waker, inside);
        }
        Displaced::default()
    }

    /// Wakes at each change of the fiber's state.
    pub(crate) fn watch_state(&mut self, id: FiberId, waker: &Waker) {
        if let Some(fiber) = self.fibers.get_mut(id) {
            fiber.wakers.add(waker);
        }
    }

    pub(crate) fn watch_settled(&mut self, key: WatcherKey, waker: &Waker, inside: bool) -> Displaced {
        self.settle_wakers.watch(key, waker, inside)
    }

    pub(crate) fn forget_watcher(&mut self, key: WatcherKey) -> [Displaced; 2] {
        [self.settle_wakers.forget(key), self.hope_wakers.forget(key)]
    }

    /// What a pending plugin waits for may not come any more: who waits for the plugin looks again.
    pub(crate) fn lost_hope(&mut self, agenda: &mut Agenda) {
        self.hope_wakers.take(&mut agenda.wakers);
    }

    /// No plugin is starting or unloading (K16).
    pub(crate) fn is_settled(&self) -> bool {
        self.busy == 0
    }

    /// The labels of what a fiber and its descendants are still undoing, and the names of those whose start has not ended.
    pub(crate) fn left(&self, id: FiberId) -> Vec<Name> {
        let children = self.children();
        let (mut labels, mut fibers) = (Vec::new(), vec![id]);
        while let Some(id) = fibers.pop() {
            let starting = self.fibers.get(id).filter(|fiber| fiber.state() == FiberState::Loading);
            labels.extend(starting.map(|fiber| fiber.core.place.name.clone()));
            let plain = |effect: &&EffectData| effect.kind == EffectKind::Plain;
            let own = self.effects_reversed(id).into_iter().rev().filter_map(|id| self.effects.get(id)).filter(plain);
            labels.extend(own.map(|effect| match &effect.running {
                Some(running) => running.label.clone(),
                None => effect.label.clone(),
            }));
            fibers.extend(children.get(&id).into_iter().flatten().rev());
        }
        labels
    }
}

fn remove_from(
    index: &mut std::collections::HashMap<Name, std::collections::BTreeMap<u64, FiberId>>,
    name: &Name,
    mount: u64,
) {
    if let Some(fibers) = index.get_mut(name) {
        fibers.remove(&mount);
        if fibers.is_empty() {
            index.remove(name);
        }
    }
}
