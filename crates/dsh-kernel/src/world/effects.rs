//! Effects in the world: the sibling list, and what begins and ends in it.

use std::time::Duration;

use crate::agenda::Agenda;
use crate::effect::Entry;
use crate::error::Error;
use crate::failures::Failures;
use crate::fiber::FiberState;
use crate::latch::Latch;
use crate::name::Name;
use crate::sync::Arc;
use crate::world::{EffectData, EffectId, EffectKind, EffectState, FiberData, FiberId, Running, World};

/// What became of an adopted effect whose turn in a chain has come.
pub(crate) enum Adopted {
    Gone,
    Links(Vec<Entry>),
    Waits(Arc<Latch>),
}

/// What beginning an effect's end came to.
pub(crate) enum Ending {
    /// It has ended before.
    Gone,
    /// It ends by itself: its body runs, it is unwinding already, or it is a fiber that unloads.
    Follows,
    /// The caller undoes these links.
    Links(Vec<Entry>),
}

/// What the end of a body came to.
pub(crate) enum Closed {
    /// The effect lives.
    Live,
    /// It was to be undone as soon as its body ended; the caller undoes these links.
    Undo(Vec<Entry>),
}

impl World {
    /// Puts a new effect at the end of its owner's list.
    pub(crate) fn add_effect(&mut self, owner: FiberId, label: Name, kind: EffectKind, state: EffectState) -> EffectId {
        let prev = self.fibers.get(owner).and_then(|fiber| fiber.last);
        let effect = self.effects.insert(EffectData {
            owner,
            label,
            state,
            kind,
            links: Vec::new(),
            prev,
            next: None,
            listed: true,
            adopted_by: None,
            latch: None,
            running: None,
        });
        if let Some(prev) = prev.and_then(|prev| self.effects.get_mut(prev)) {
            prev.next = Some(effect);
        }
        if let Some(fiber) = self.fibers.get_mut(owner) {
            fiber.last = Some(effect);
            if prev.is_none() {
                fiber.first = Some(effect);
            }
        }
        effect
    }

    /// Takes an effect out of its owner's list: O(1).
    pub(crate) fn unlist(&mut self, id: EffectId) {
        let Some(effect) = self.effects.get_mut(id) else { return };
        if !std::mem::take(&mut effect.listed) {
            return;
        }
        let (owner, prev, next) = (effect.owner, effect.prev.take(), effect.next.take());
        match prev.and_then(|prev| self.effects.get_mut(prev)) {
            Some(prev) => prev.next = next,
            None => {
                if let Some(fiber) = self.fibers.get_mut(owner) {
                    fiber.first = next;
                }
            }
        }
        match next.and_then(|next| self.effects.get_mut(next)) {
            Some(next) => next.prev = prev,
            None => {
                if let Some(fiber) = self.fibers.get_mut(owner) {
                    fiber.last = prev;
                }
            }
        }
    }

    /// A fiber's effects, the youngest first.
    pub(crate) fn effects_reversed(&self, fiber: FiberId) -> Vec<EffectId> {
        let mut effects = Vec::new();
        let mut next = self.fibers.get(fiber).and_then(|fiber| fiber.last);
        while let Some(id) = next {
            effects.push(id);
            next = self.effects.get(id).and_then(|effect| effect.prev);
        }
        effects
    }

    /// The body has ended well.
    pub(crate) fn close_effect(&mut self, id: EffectId, links: Vec<Entry>) -> Closed {
        let Some(effect) = self.effects.get_mut(id) else { return Closed::Undo(links) };
        match effect.state {
            EffectState::Collecting { asked: false } => {
                effect.state = EffectState::Live;
                effect.links = links;
                Closed::Live
            }
            EffectState::Collecting { asked: true } | EffectState::Live | EffectState::Unwinding => {
                effect.state = EffectState::Unwinding;
                Closed::Undo(links)
            }
        }
    }

    /// Marks an effect as unwinding, whatever it was.
    pub(crate) fn set_unwinding(&mut self, id: EffectId) {
        if let Some(effect) = self.effects.get_mut(id) {
            effect.state = EffectState::Unwinding;
        }
    }

    /// Begins an effect's end.
    pub(crate) fn end_effect(&mut self, id: EffectId, agenda: &mut Agenda) -> Ending {
        let Some(effect) = self.effects.get_mut(id) else { return Ending::Gone };
        match effect.state {
            EffectState::Collecting { .. } => {
                effect.state = EffectState::Collecting { asked: true };
                Ending::Follows
            }
            EffectState::Unwinding => Ending::Follows,
            EffectState::Live => {
                effect.state = EffectState::Unwinding;
                if let EffectKind::Child(fiber) = effect.kind {
                    self.ask_dispose(fiber, agenda);
                    Ending::Follows
                } else {
                    Ending::Links(std::mem::take(&mut effect.links))
                }
            }
        }
    }

    /// Begins the end of a sibling whose turn has come in its owner's unload. One that was adopted meanwhile is no sibling any
    /// more: its turn comes in the chain that adopted it, which is under way by the same unload (K5).
    pub(crate) fn end_sibling(&mut self, id: EffectId, agenda: &mut Agenda) -> Ending {
        match self.effects.get(id) {
            Some(effect) if !effect.listed => Ending::Follows,
            Some(_) | None => self.end_effect(id, agenda),
        }
    }

    /// The turn of an adopted effect has come in the chain that adopted it.
    pub(crate) fn begin_adopted(&mut self, id: EffectId, agenda: &mut Agenda) -> Adopted {
        match self.end_effect(id, agenda) {
            Ending::Gone => Adopted::Gone,
            Ending::Links(links) => Adopted::Links(links),
            Ending::Follows => self.effect_latch(id).map_or(Adopted::Gone, Adopted::Waits),
        }
    }

    /// The latch of an effect's end.
    pub(crate) fn effect_latch(&mut self, id: EffectId) -> Option<Arc<Latch>> {
        self.effects.get_mut(id).map(|effect| Arc::clone(effect.latch.get_or_insert_with(Latch::new)))
    }

    /// Adoption takes the effect out of its owner's list of siblings; its chain has it from now on (K5).
    pub(crate) fn adopt(&mut self, id: EffectId, by: EffectId) {
        self.unlist(id);
        if let Some(effect) = self.effects.get_mut(id) {
            effect.adopted_by = Some(by);
        }
    }

    /// The links of an adopted effect have been undone, as a part of the chain that adopted it.
    pub(crate) fn adopted_ended(&mut self, id: EffectId, agenda: &mut Agenda) {
        if let Some(latch) = self.effects.remove(id).and_then(|effect| effect.latch) {
            agenda.ended.push((latch, Ok(())));
        }
    }

    pub(crate) fn set_running(&mut self, id: EffectId, running: Running) {
        if let Some(effect) = self.effects.get_mut(id) {
            effect.running = Some(running);
        }
    }

    /// What is being undone of an effect, and since when.
    pub(crate) fn running(&self, id: EffectId) -> (Name, Duration) {
        let running = self.effects.get(id).and_then(|effect| effect.running.as_ref());
        running.map_or((Name::fixed("effect"), Duration::ZERO), |running| (running.label.clone(), running.since))
    }

    pub(crate) fn label(&self, id: EffectId) -> Option<Name> {
        self.effects.get(id).map(|effect| effect.label.clone())
    }

    /// The effect has ended. Its owner may have ended by this, and the owner's owner.
    pub(crate) fn effect_ended(&mut self, id: EffectId, failures: Arc<Failures>, agenda: &mut Agenda) {
        let mut ended = Some((id, failures));
        while let Some((id, failures)) = ended.take() {
            self.unlist(id);
            let Some(mut effect) = self.effects.remove(id) else { return };
            // One by one: each destructor may panic.
            agenda.garbage.extend(effect.links.drain(..).map(|link| Box::new(link) as _));
            let owner = effect.owner;
            // What was adopted is reported by the chain that adopted it.
            let reports =
                |fiber: &&mut FiberData| fiber.state() == FiberState::Unloading && effect.adopted_by.is_none();
            if let Some(fiber) = self.fibers.get_mut(owner).filter(reports) {
                fiber.failures.add(&failures);
            }
            // A failure is foreign too: where nobody has it, it goes when the lock is free.
            if let Some(latch) = effect.latch {
                agenda.ended.push((latch, Error::from_links(&failures)));
            }
            agenda.garbage.push(Box::new(failures));
            ended = self.finish_if_empty(owner, agenda);
        }
    }
}
