//! Who waits for whom: waits that would wait for themselves (K8), and waits for what cannot come (K2).

use std::collections::HashSet;

use crate::error::{Error, ErrorKind};
use crate::fiber::FiberState;
use crate::frames::Frame;
use crate::name::Name;
use crate::owner::Owner;
use crate::teardown::Target;
use crate::world::{EffectId, FiberId, World};

#[derive(Default)]
struct Waiting {
    fibers: HashSet<FiberId>,
    effects: HashSet<EffectId>,
}

impl World {
    /// Whether the end of `target` waits for the code that runs in one of `frames`.
    pub(crate) fn waits_for(&self, target: Target, frames: &[Frame]) -> bool {
        frames.iter().any(|frame| {
            let waiting = self.waiting_for(frame);
            match target {
                Target::Fiber(fiber) => waiting.fibers.contains(&fiber),
                Target::Effect(effect) => waiting.effects.contains(&effect),
            }
        })
    }

    /// Whether `settled()` waits for the code that runs in one of `frames`.
    pub(crate) fn settling_waits_for(&self, frames: &[Frame]) -> bool {
        frames.iter().flat_map(|frame| self.waiting_for(frame).fibers).any(|fiber| {
            self.fibers
                .get(fiber)
                .is_some_and(|fiber| matches!(fiber.state(), FiberState::Loading | FiberState::Unloading))
        })
    }

    /// Whatever cannot end before the code in `frame` does: its effect, what has adopted that, its fiber, the fiber's
    /// ancestors, those whose services it runs on, and theirs.
    fn waiting_for(&self, frame: &Frame) -> Waiting {
        let mut waiting = Waiting::default();
        let (mut fibers, mut effects) = (vec![frame.fiber], Vec::from_iter(frame.effect));
        loop {
            if let Some(id) = effects.pop() {
                if let Some(effect) = self.effects.get(id).filter(|_| waiting.effects.insert(id)) {
                    effects.extend(effect.adopted_by);
                    fibers.push(effect.owner);
                }
            } else if let Some(id) = fibers.pop() {
                if let Some(fiber) = self.fibers.get(id).filter(|_| waiting.fibers.insert(id)) {
                    fibers.extend(fiber.parent);
                    effects.extend(fiber.core.own_effect);
                    let epoch = fiber.epoch.iter().flatten();
                    effects.extend(epoch.filter_map(|id| self.provisions.get(*id)).map(|provision| provision.effect));
                }
            } else {
                return waiting;
            }
        }
    }

    /// Why a pending plugin cannot start as things stand, if so. Asked for when the kernel is settled.
    pub(crate) fn stuck(&self, id: FiberId) -> Option<Error> {
        let fiber = self.fibers.get(id)?;
        if fiber.state() != FiberState::Pending || self.missing(id).is_empty() {
            return None;
        }
        let hopeful = self.hopeful(id);
        if hopeful.contains(&id) {
            return None;
        }
        let mut way = vec![id];
        loop {
            let here = *way.last()?;
            let service = self.missing(here).into_iter().find(|name| !self.can_come(name, &hopeful))?;
            let next = self.declarers(&service).into_iter().find(|declarer| self.is_pending(*declarer));
            match next {
                None => return Some(self.missing_provider(id, here, service)),
                Some(next) => {
                    if let Some(from) = way.iter().position(|seen| *seen == next) {
                        return Some(self.cycle(id, &way[from..]));
                    }
                    way.push(next);
                }
            }
        }
    }

    /// Of the pending plugins that `id` waits for, itself included, those that may still start: the least such set.
    fn hopeful(&self, id: FiberId) -> HashSet<FiberId> {
        let mut pending = Vec::new();
        let mut seen = HashSet::new();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            if seen.insert(id) {
                pending.push(id);
                let providers = self.missing(id).into_iter().flat_map(|name| self.declarers(&name));
                next.extend(providers.filter(|provider| self.is_pending(*provider)));
            }
        }
        let mut hopeful = HashSet::new();
        loop {
            let before = hopeful.len();
            for id in &pending {
                if self.missing(*id).iter().all(|name| self.can_come(name, &hopeful)) {
                    hopeful.insert(*id);
                }
            }
            if hopeful.len() == before {
                return hopeful;
            }
        }
    }

    /// Whether a missing service may come without anybody mounting another plugin.
    fn can_come(&self, name: &Name, hopeful: &HashSet<FiberId>) -> bool {
        let lives = |id: &FiberId| {
            self.fibers.get(*id).is_some_and(|fiber| match fiber.state() {
                FiberState::Loading | FiberState::Active | FiberState::Unloading => true,
                FiberState::Pending => hopeful.contains(id),
                FiberState::Failed | FiberState::Disposed => false,
            })
        };
        // A name that is held by a provider which is not active now counts too: it is loading or leaving.
        self.is_named(name) || self.declarers(name).iter().any(lives)
    }

    fn is_pending(&self, id: FiberId) -> bool {
        self.fibers.get(id).is_some_and(|fiber| fiber.state() == FiberState::Pending)
    }

    fn owner(&self, id: FiberId) -> Option<Owner> {
        self.fibers.get(id).map(|fiber| fiber.core.owner())
    }

    fn shown(&self, id: FiberId) -> String {
        self.owner(id).map_or_else(|| "a disposed fiber".to_owned(), |owner| format!("`{owner}`"))
    }

    fn missing_provider(&self, id: FiberId, lacks: FiberId, service: Name) -> Error {
        let failed = self.declarers(&service).into_iter().find_map(|id| Some((id, self.error_of(id)?)));
        let why = match &failed {
            Some((failed, _)) => format!("whose provider {} has failed", self.shown(*failed)),
            None => "which no mounted plugin provides; mount one that does".to_owned(),
        };
        let mut message = format!("{} waits for the service `{service}`, {why}", self.shown(lacks));
        if lacks != id {
            message = format!("{} cannot start: {message}", self.shown(id));
        }
        let mut error = Error::build(ErrorKind::MissingProvider, message).label(service);
        if let Some((_, cause)) = failed {
            // It is shown when somebody shows this error, not here under the lock.
            error = error.failure(cause.into());
        }
        match self.owner(id) {
            Some(owner) => error.owner(owner).into(),
            None => error.into(),
        }
    }

    fn cycle(&self, id: FiberId, members: &[FiberId]) -> Error {
        let mut names: Vec<String> = members.iter().map(|member| self.shown(*member)).collect();
        names.extend(names.first().cloned());
        let message = format!(
            "{} cannot start: plugins wait for one another's services: {}; one of them has to do without",
            self.shown(id),
            names.join(" -> ")
        );
        let error = Error::build(ErrorKind::InjectionCycle, message);
        match self.owner(id) {
            Some(owner) => error.owner(owner).into(),
            None => error.into(),
        }
    }
}
