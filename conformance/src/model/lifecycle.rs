//! Plugins and scopes: mounting, starting, waking, unloading.

use std::collections::BTreeSet;

use crate::entry::{Entry, Failed};
use crate::scenario::Plugin;

use super::{Context, EffectId, Fiber, FiberId, Kind, Model, Rule, State};

/// What ends together: effects, and fibers with the state that they end in.
#[derive(Default)]
struct Teardown {
    effects: Vec<EffectId>,
    fibers: Vec<(FiberId, State)>,
}

impl Model {
    pub(super) fn mount(&mut self, plugin: &Plugin) -> Result<Entry, Rule> {
        let Some(context) = self.open_context(&plugin.at)? else { return Ok(Failed::with("inactive").into()) };
        let fiber = self.add_fiber(context, context.tag, Some(plugin.clone()), &plugin.id);
        self.plugins.insert(plugin.id.clone(), fiber);
        if plugin.inject.iter().all(|name| self.is_available(name)) {
            self.start_all([fiber])?;
        }
        Ok(Entry::DONE)
    }

    pub(super) fn open_scope(&mut self, id: &str, at: &str) -> Result<Entry, Rule> {
        let Some(context) = self.open_context(at)? else { return Ok(Failed::with("inactive").into()) };
        self.scopes.push(id.to_owned());
        let fiber = self.add_fiber(context, Some(self.scopes.len() - 1), None, id);
        self.fibers[fiber].state = State::Active;
        Ok(Entry::DONE)
    }

    fn add_fiber(&mut self, parent: Context, tag: Option<usize>, plugin: Option<Plugin>, id: &str) -> FiberId {
        let fiber = self.fibers.len();
        self.fibers.push(Fiber { parent: Some(parent.fiber), state: State::Pending, tag, plugin });
        let effect = self.add(parent.fiber, None, Kind::Child(fiber));
        self.contexts.insert(id.to_owned(), Context { fiber, tag });
        self.handles.insert(id.to_owned(), effect);
        fiber
    }

    /// Starts the plugins that wait for what these effects provide.
    pub(super) fn wake_for(&mut self, effects: &[EffectId]) -> Result<(), Rule> {
        let woken = self.woken_by(effects);
        self.start_all(woken)
    }

    /// The plugins, in mount order, that can start now and wait for one of the services that these effects provide.
    pub(super) fn woken_by(&self, effects: &[EffectId]) -> Vec<FiberId> {
        let provided: BTreeSet<&str> = effects
            .iter()
            .filter_map(|effect| match &self.effects[*effect] {
                super::Effect { alive: true, kind: Kind::Provide(name), .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let waiting = self.fibers.iter().enumerate().filter(|(_, fiber)| {
            matches!(fiber.state, State::Pending | State::Failed)
                && fiber.plugin.as_ref().is_some_and(|plugin| {
                    plugin.inject.iter().any(|name| provided.contains(name.as_str()))
                        && plugin.inject.iter().all(|name| self.is_available(name))
                })
        });
        waiting.map(|(id, _)| id).collect()
    }

    /// Starts plugins, and those that they wake, until nothing is left to start. What one cause woke starts together;
    /// the starts that failed are rolled back when each of them has had its turn, and before what they woke starts.
    fn start_all(&mut self, first: impl IntoIterator<Item = FiberId>) -> Result<(), Rule> {
        let mut woken: Vec<FiberId> = first.into_iter().collect();
        while !woken.is_empty() {
            let mut started = Vec::new();
            for fiber in std::mem::take(&mut woken) {
                let (made, failed) = self.start(fiber)?;
                started.push((fiber, made, failed));
            }
            for (fiber, made, failed) in started {
                if failed {
                    self.remove_all(&made)?;
                    self.fibers[fiber].state = State::Failed;
                } else {
                    self.fibers[fiber].state = State::Active;
                    let more = self.woken_by(&made);
                    woken.extend(more.into_iter().filter(|one| !woken.contains(one)).collect::<Vec<_>>());
                }
            }
        }
        Ok(())
    }

    /// One start: what it registered, and whether it failed.
    fn start(&mut self, fiber: FiberId) -> Result<(Vec<EffectId>, bool), Rule> {
        let mut made = Vec::new();
        self.fibers[fiber].state = State::Loading;
        let Some(plugin) = self.fibers[fiber].plugin.clone() else { return Ok((made, false)) };
        let context = Context { fiber, tag: self.fibers[fiber].tag };
        for part in &plugin.parts {
            match self.register(context, None, part)? {
                Ok(effect) => made.push(effect),
                Err(_) => return Ok((made, true)),
            }
        }
        Ok((made, false))
    }

    /// A `dispose` or an `unload` step.
    pub(super) fn dispose(&mut self, id: &str) -> Result<Entry, Rule> {
        let effect = *self.handles.get(id).ok_or(Rule::UnknownId)?;
        if !self.effects[effect].alive {
            return Ok(Entry::DONE);
        }
        if matches!(self.effects[effect].kind, Kind::Section { .. } | Kind::Variable { .. } | Kind::Tools { .. }) {
            self.effects[effect].alive = false;
            return Ok(self.emit_change()?.map_or(Entry::DONE, |message| Failed::user(message).into()));
        }
        self.remove_all(&[effect])?;
        Ok(Entry::DONE)
    }

    /// Undoes effects with all that ends with them. No listener may throw in it.
    pub(super) fn remove_all(&mut self, effects: &[EffectId]) -> Result<(), Rule> {
        let mut teardown = Teardown::default();
        for effect in effects {
            self.collect_effect(*effect, &mut teardown);
        }
        let removals = teardown.effects.iter().filter(|effect| {
            matches!(self.effects[**effect].kind, Kind::Section { .. } | Kind::Variable { .. } | Kind::Tools { .. })
        });
        let removals = removals.count() as u64;
        // A listener that ends among them hears an unknown part of them; that it might throw is enough.
        for effect in self.effects.iter_mut().filter(|effect| effect.alive) {
            if let Kind::Change { throws_on, calls, .. } = &mut effect.kind {
                let before = *calls;
                *calls += removals;
                if throws_on.is_some_and(|call| before < call && call <= *calls) {
                    return Err(Rule::ThrowsInTeardown);
                }
            }
        }
        for effect in teardown.effects {
            self.effects[effect].alive = false;
        }
        for (fiber, state) in teardown.fibers {
            self.fibers[fiber].state = state;
        }
        Ok(())
    }

    fn collect_effect(&self, effect: EffectId, teardown: &mut Teardown) {
        if !self.effects[effect].alive || teardown.effects.contains(&effect) {
            return;
        }
        teardown.effects.push(effect);
        match &self.effects[effect].kind {
            Kind::Composite => {
                let inner = self.live().filter(|(_, one)| one.inside == Some(effect)).map(|(id, _)| id);
                for one in inner {
                    self.collect_effect(one, teardown);
                }
            }
            Kind::Provide(name) if self.is_available(name) => {
                let users = self.fibers.iter().enumerate().filter(|(_, fiber)| {
                    fiber.state == State::Active
                        && fiber.plugin.as_ref().is_some_and(|plugin| plugin.inject.contains(name))
                });
                for (user, _) in users {
                    self.collect_fiber(user, State::Pending, teardown);
                }
            }
            Kind::Child(fiber) => self.collect_fiber(*fiber, State::Disposed, teardown),
            Kind::Section { .. }
            | Kind::Variable { .. }
            | Kind::Tools { .. }
            | Kind::Probe { .. }
            | Kind::Provide(_)
            | Kind::Change { .. }
            | Kind::Assemble { .. } => {}
        }
    }

    fn collect_fiber(&self, fiber: FiberId, state: State, teardown: &mut Teardown) {
        if let Some(known) = teardown.fibers.iter_mut().find(|(one, _)| *one == fiber) {
            if state == State::Disposed {
                known.1 = State::Disposed;
            }
            return;
        }
        teardown.fibers.push((fiber, state));
        let own: Vec<EffectId> = self.live().filter(|(_, one)| one.owner == fiber).map(|(id, _)| id).collect();
        for one in own {
            self.collect_effect(one, teardown);
        }
    }
}
