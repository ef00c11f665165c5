//! Registrations and removals, one at a time, and the change listeners that hear them.

use crate::entry::{Entry, Failed};
use crate::scenario::{Config, Content, Part, Section, Tools, Variable};

use super::{Context, Effect, EffectId, FiberId, Kind, Layer, Model, Rule, State};

/// The words of the identity in a trace.
pub(super) const IDENTITY: &str = "<identity>";

impl Model {
    /// What the registry registers itself.
    pub(super) fn register_own(&mut self, config: &Config) {
        let persona = config.persona.clone().unwrap_or_default();
        for (name, order, text, identity) in
            [("harness:identity", -100.0, IDENTITY.to_owned(), true), ("deployment:persona", 0.0, persona, false)]
        {
            let section = Section { name: name.to_owned(), order, text: Content::Fixed(text) };
            self.add(0, None, Kind::Section { layer: None, section, identity });
        }
    }

    pub(super) fn add(&mut self, owner: FiberId, inside: Option<EffectId>, kind: Kind) -> EffectId {
        self.effects.push(Effect { owner, alive: true, inside, kind });
        self.effects.len() - 1
    }

    /// A step that makes one effect.
    pub(super) fn register_step(&mut self, id: &str, at: &str, part: &Part) -> Result<Entry, Rule> {
        // Names are looked at before the owner is.
        if let Part::Variable(variable) = part
            && !is_variable_name(&variable.name)
        {
            self.context(at)?;
            return Ok(Failed::with("invalid_variable_name").into());
        }
        let Some(context) = self.open_context(at)? else { return Ok(Failed::with("inactive").into()) };
        match self.register(context, None, part)? {
            Ok(effect) => {
                self.handles.insert(id.to_owned(), effect);
                self.wake_for(&[effect])?;
                Ok(Entry::DONE)
            }
            Err(failed) => Ok(failed.into()),
        }
    }

    /// A step that adds a listener.
    pub(super) fn listen(&mut self, id: &str, at: &str, kind: Kind) -> Result<Entry, Rule> {
        let Some(context) = self.open_context(at)? else { return Ok(Failed::with("inactive").into()) };
        let effect = self.add(context.fiber, None, kind);
        self.handles.insert(id.to_owned(), effect);
        Ok(Entry::DONE)
    }

    pub(super) fn composite(&mut self, id: &str, at: &str, parts: &[Part]) -> Result<Entry, Rule> {
        let Some(context) = self.open_context(at)? else { return Ok(Failed::with("inactive").into()) };
        let composite = self.add(context.fiber, None, Kind::Composite);
        let mut made = Vec::new();
        for part in parts {
            match self.register(context, Some(composite), part)? {
                Ok(effect) => made.push(effect),
                Err(failed) => {
                    let ms = self.waits_of(&made) + self.woken_meanwhile(&made)?;
                    made.push(composite);
                    self.remove_all(&made)?;
                    if ms > 0 {
                        self.begin_rollback(context.fiber, ms);
                    }
                    return Ok(failed.into());
                }
            }
        }
        self.handles.insert(id.to_owned(), composite);
        self.wake_for(&made)?;
        Ok(Entry::DONE)
    }

    fn waits_of(&self, effects: &[EffectId]) -> u64 {
        effects.iter().map(|effect| if let Kind::Probe { ms } = self.effects[*effect].kind { ms } else { 0 }).sum()
    }

    /// A composite fails: while a slow link of its rollback is undone, a service that it collected earlier is still
    /// there and wakes who waits for it. How long those take to unload again.
    fn woken_meanwhile(&self, made: &[EffectId]) -> Result<u64, Rule> {
        let mut ms = 0;
        for (place, effect) in made.iter().enumerate() {
            let woken = self.woken_by(std::slice::from_ref(effect));
            let later = made.get(place + 1..).unwrap_or_default();
            let slow = self.waits_of(later) > 0;
            let withdraws = later.iter().any(|later| matches!(self.effects[*later].kind, Kind::Provide(_)));
            for fiber in woken.into_iter().filter(|_| slow || withdraws) {
                let parts = self.fibers[fiber].plugin.as_ref().map_or(&[][..], |plugin| &plugin.parts);
                for part in parts {
                    // Whatever else it did could fail, or meet what the rollback still holds.
                    let Part::Probe(probe) = part else { return Err(Rule::WakesInRollback) };
                    ms += probe.ms;
                }
            }
        }
        Ok(ms)
    }

    /// Registers one part through a context that accepts it. The inner result is the step's.
    pub(super) fn register(
        &mut self,
        context: Context,
        inside: Option<EffectId>,
        part: &Part,
    ) -> Result<Result<EffectId, Failed>, Rule> {
        let (layer, owner) = (context.tag, context.fiber);
        let kind = match part {
            Part::Probe(probe) => return Ok(Ok(self.add(owner, inside, Kind::Probe { ms: probe.ms }))),
            Part::Fail(message) => return Ok(Err(Failed::user(message))),
            Part::Provide(name) => {
                if self.provider(name).is_some() {
                    return Ok(Err(Failed::with("duplicate_service")));
                }
                return Ok(Ok(self.add(owner, inside, Kind::Provide(name.clone()))));
            }
            Part::Section(section) => {
                if self.sections_of(layer).any(|(known, _)| known.name == section.name) {
                    return Ok(Err(Failed::with("duplicate_section")));
                }
                Kind::Section { layer, section: section.clone(), identity: false }
            }
            Part::Variable(variable) => {
                if !is_variable_name(&variable.name) {
                    return Ok(Err(Failed::with("invalid_variable_name")));
                }
                if self.variables_of(layer).any(|known| known.name == variable.name) {
                    return Ok(Err(Failed::with("duplicate_variable")));
                }
                Kind::Variable { layer, variable: variable.clone() }
            }
            Part::Tools(tools) => Kind::Tools { layer, tools: tools.clone() },
        };
        let effect = self.add(owner, inside, kind);
        match self.emit_change()? {
            None => Ok(Ok(effect)),
            Some(message) => {
                self.effects[effect].alive = false;
                match self.emit_change()? {
                    None => Ok(Err(Failed::user(message))),
                    Some(_) => Err(Rule::ThrowsInTeardown),
                }
            }
        }
    }

    /// Every change listener hears; the message is that of the one that throws.
    pub(super) fn emit_change(&mut self) -> Result<Option<String>, Rule> {
        let mut thrown = None;
        for effect in self.effects.iter_mut().filter(|effect| effect.alive) {
            let Kind::Change { name, throws_on, calls } = &mut effect.kind else { continue };
            if thrown.is_some() {
                return Err(Rule::ThrowsBeforeOthers);
            }
            *calls += 1;
            if Some(*calls) == *throws_on {
                thrown = Some(format!("change listener {name}"));
            }
        }
        Ok(thrown)
    }

    /// The live provider of a service, whether or not its fiber has ended its start.
    pub(crate) fn provider(&self, name: &str) -> Option<&Effect> {
        self.live()
            .map(|(_, effect)| effect)
            .find(|effect| matches!(&effect.kind, Kind::Provide(known) if known == name))
    }

    /// Whether a plugin may use the service now.
    pub(crate) fn is_available(&self, name: &str) -> bool {
        self.provider(name).is_some_and(|effect| self.fibers[effect.owner].state == State::Active)
    }

    pub(crate) fn sections_of(&self, layer: Layer) -> impl Iterator<Item = (&Section, bool)> {
        self.live().filter_map(move |(_, effect)| {
            let Kind::Section { layer: of, section, identity } = &effect.kind else { return None };
            (*of == layer).then_some((section, *identity))
        })
    }

    pub(crate) fn variables_of(&self, layer: Layer) -> impl Iterator<Item = &Variable> {
        self.live().filter_map(move |(_, effect)| {
            let Kind::Variable { layer: of, variable } = &effect.kind else { return None };
            (*of == layer).then_some(variable)
        })
    }

    pub(crate) fn tools_of(&self, layer: Layer) -> impl Iterator<Item = &Tools> {
        self.live().filter_map(move |(_, effect)| {
            let Kind::Tools { layer: of, tools } = &effect.kind else { return None };
            (*of == layer).then_some(tools)
        })
    }
}

/// Whether a name is `[a-z][a-z0-9_]*`.
pub(super) fn is_variable_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
