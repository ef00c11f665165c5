//! Who waits for whom: waits that would wait for themselves (K8), and waits for what cannot come (K2).

use std::collections::{BTreeSet, HashMap, HashSet};

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

    /// Whether `id` cannot become active before the start that runs in one of `frames` has ended: it lacks a service that
    /// the starting plugin provides or declares, or stands behind it in the row of starts, or waits for one that does.
    pub(crate) fn start_waits_for(&self, id: FiberId, frames: &[Frame]) -> bool {
        let mut seen = HashSet::new();
        let mut next = if frames.is_empty() { Vec::new() } else { vec![id] };
        while let Some(id) = next.pop() {
            let Some(fiber) = self.fibers.get(id).filter(|_| seen.insert(id)) else { continue };
            let starts_here = |frame: &Frame| frame.fiber == id && frame.effect.is_none();
            if fiber.state() == FiberState::Loading && frames.iter().any(starts_here) {
                return true;
            }
            if !matches!(fiber.state(), FiberState::Pending | FiberState::Failed) {
                continue;
            }
            next.extend(fiber.behind);
            for name in self.missing(id) {
                let holder = self.by_name.get(&name).and_then(|id| self.provisions.get(*id));
                next.extend(holder.map(|provision| provision.owner));
                next.extend(self.declarers(&name));
            }
        }
        false
    }

    /// Why a pending plugin cannot start as things stand, if so. Asked for when the kernel is settled.
    pub(crate) fn stuck(&self, id: FiberId) -> Option<Error> {
        self.stuck_without(id, &self.hopeless([id]))
    }

    /// As [`World::stuck`], with the [hopeless](World::hopeless) ones worked out before.
    pub(crate) fn stuck_without(&self, id: FiberId, hopeless: &HashMap<FiberId, Name>) -> Option<Error> {
        let mut way = vec![id];
        let mut places = HashMap::from([(id, 0)]);
        loop {
            let here = *way.last()?;
            let service = hopeless.get(&here)?;
            let next = self.declarers(service).into_iter().find(|declarer| self.is_pending(*declarer));
            match next {
                None => return Some(self.missing_provider(id, here, service.clone())),
                Some(next) => {
                    if let Some(from) = places.insert(next, way.len()) {
                        return Some(self.cycle(id, way.get(from..).unwrap_or_default()));
                    }
                    way.push(next);
                }
            }
        }
    }

    /// Of the pending plugins that `from` wait for, themselves included, those that cannot start as things stand, each with
    /// the first service that cannot come to it. A plugin has hope when all that it lacks can come; what remains when hope has
    /// spread as far as it goes has none. Linear in the plugins and what they lack.
    pub(crate) fn hopeless(&self, from: impl IntoIterator<Item = FiberId>) -> HashMap<FiberId, Name> {
        let mut pending = HashSet::new();
        // How many services a plugin still lacks hope for, and who lacks hope for what this plugin declares.
        let mut lacks: HashMap<FiberId, BTreeSet<Name>> = HashMap::new();
        let mut waiting: HashMap<Name, Vec<FiberId>> = HashMap::new();
        let mut next: Vec<FiberId> = from.into_iter().filter(|id| self.is_pending(*id)).collect();
        let mut hopeful = Vec::new();
        while let Some(id) = next.pop() {
            if !pending.insert(id) {
                continue;
            }
            let missing: BTreeSet<Name> = self.missing(id).into_iter().filter(|name| !self.can_come(name)).collect();
            for name in &missing {
                waiting.entry(name.clone()).or_default().push(id);
                next.extend(self.declarers(name).into_iter().filter(|declarer| self.is_pending(*declarer)));
            }
            if missing.is_empty() {
                hopeful.push(id);
            }
            lacks.insert(id, missing);
        }
        while let Some(id) = hopeful.pop() {
            lacks.remove(&id);
            for name in self.fibers.get(id).into_iter().flat_map(|fiber| &fiber.declares) {
                for user in waiting.remove(name).unwrap_or_default() {
                    if let Some(lacking) = lacks.get_mut(&user) {
                        lacking.remove(name);
                        if lacking.is_empty() {
                            hopeful.push(user);
                        }
                    }
                }
            }
        }
        let first_lack = |id: FiberId, lacking: &BTreeSet<Name>| {
            let fiber = self.fibers.get(id)?;
            fiber.inject.iter().find(|name| lacking.contains(*name)).cloned()
        };
        lacks.iter().filter_map(|(id, lacking)| Some((*id, first_lack(*id, lacking)?))).collect()
    }

    /// Whether a missing service may come from somebody who is not himself pending.
    fn can_come(&self, name: &Name) -> bool {
        let lives = |id: &FiberId| {
            self.fibers.get(*id).is_some_and(|fiber| {
                matches!(fiber.state(), FiberState::Loading | FiberState::Active | FiberState::Unloading)
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
