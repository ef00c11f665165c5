//! Steps: one draw for each kind.

use crate::model::{Effect, EffectId, Kind, Layer, State};
use crate::scenario::{Action, Assembly, Content, FixedSection, Part, Plugin, Step};

use super::Draft;
use super::profile::Op;
use super::words;

impl Draft {
    /// Draws a step of that kind, which the model may yet refuse; nothing where there is nothing to draw from.
    pub(super) fn draw(&mut self, op: Op) -> Option<Step> {
        let waits = self.model.rollback.is_some() && !(matches!(op, Op::Scope | Op::Probe) && self.rng.chance(50));
        match op {
            _ if waits => self.draw_wait(),
            Op::Plugin => self.draw_plugin(),
            Op::Scope => {
                let (at, _) = self.draw_context()?;
                Some(Step::Scope { id: self.fresh_id("s"), at })
            }
            Op::Provide => {
                let (at, _) = self.draw_context()?;
                Some(Step::Provide { id: self.fresh_id("h"), at, name: self.draw_provided() })
            }
            Op::Section => self.draw_single(Self::draw_section),
            Op::Variable => self.draw_single(Self::draw_variable),
            Op::Tools => self.draw_single(Self::draw_tools),
            Op::Probe => self.draw_single(|draft, _| draft.draw_probe(&[])),
            Op::Composite => self.draw_composite(),
            Op::OnChange => {
                let (at, _) = self.draw_context()?;
                let id = self.fresh_id("h");
                let throws_on = self.rng.chance(35).then(|| self.rng.one_of([1, 1, 2, 3, 4]));
                Some(Step::OnChange { name: id.clone(), id, at, throws_on })
            }
            Op::OnAssemble => {
                let (at, context) = self.draw_context()?;
                let id = self.fresh_id("h");
                Some(Step::OnAssemble { actions: self.draw_actions(context.tag, &id), id, at })
            }
            Op::Dispose => self.draw_dispose(),
            Op::Unload => self.draw_unload(),
            Op::Assemble => Some(Step::Assemble { scope: self.draw_scope() }),
            Op::Render => Some(Step::Render { scope: self.draw_scope() }),
            Op::Log => Some(Step::Log),
            Op::State => {
                let ids: Vec<&String> = self.model.plugins.keys().collect();
                Some(Step::State { id: (*self.rng.pick(&ids)?).clone() })
            }
        }
    }

    /// Whether a plugin has failed that would start again if a service returned.
    fn may_heal(&self) -> bool {
        let mut failed = self.model.fibers.iter().filter(|fiber| fiber.state == State::Failed);
        failed.any(|fiber| fiber.plugin.as_ref().is_some_and(|plugin| !plugin.inject.is_empty()))
    }

    /// What would make the last step tell more: a service for those that wait, its end for those that have it, a look
    /// at the log.
    pub(super) fn draw_next(&mut self) -> Option<Op> {
        let last = self.scenario.steps.last()?;
        let waiting = self.model.fibers.iter().any(|fiber| {
            matches!(fiber.state, State::Pending | State::Failed)
                && fiber.plugin.as_ref().is_some_and(|plugin| !plugin.inject.is_empty())
        });
        if let Step::Part { part, .. } = last
            && throws(part)
            && self.rng.chance(50)
        {
            let same = match part {
                Part::Variable(_) => Op::Variable,
                Part::Tools(_) => Op::Tools,
                Part::Section(_) | Part::Probe(_) | Part::Provide(_) | Part::Fail(_) => Op::Section,
            };
            return Some(self.rng.one_of([same, same, same, Op::Tools, Op::Variable]));
        }
        let ended = matches!(last, Step::Dispose { .. } | Step::Unload { .. });
        let provided = matches!(last, Step::Provide { .. } | Step::Composite { .. });
        if ended && waiting && self.rng.chance(50) || matches!(last, Step::Plugin(_)) && waiting && self.rng.chance(40)
        {
            Some(Op::Provide)
        } else if self.may_heal() && self.rng.chance(30) || provided && self.rng.chance(25) {
            Some(Op::Dispose)
        } else if ended && self.rng.chance(25) {
            Some(Op::Log)
        } else {
            None
        }
    }

    fn draw_plugin(&mut self) -> Option<Step> {
        let (at, context) = self.draw_context()?;
        let mut inject = Vec::new();
        if self.rng.chance(self.profile.inject) {
            inject.push(self.draw_service());
            let second = self.draw_service();
            if self.rng.chance(25) && !inject.contains(&second) {
                inject.push(second);
            }
        }
        let parts = if self.rng.chance(60) { self.draw_parts(context.tag, 4, 8) } else { Vec::new() };
        Some(Step::Plugin(Plugin { id: self.fresh_id("p"), at, inject, trace: self.rng.chance(70), parts }))
    }

    fn draw_single(&mut self, part: impl FnOnce(&mut Self, Layer) -> Part) -> Option<Step> {
        let (at, context) = self.draw_context()?;
        let part = part(self, context.tag);
        Some(Step::Part { id: self.fresh_id("h"), at, part })
    }

    fn draw_composite(&mut self) -> Option<Step> {
        let (at, context) = self.draw_context()?;
        let parts = self.draw_parts(context.tag, 5, 15);
        let slow = |part: &Part| matches!(part, Part::Probe(probe) if probe.ms > 0);
        let fails = parts.iter().any(|part| matches!(part, Part::Fail(_)));
        if fails && !self.profile.slow_rollbacks && parts.iter().any(slow) {
            return None;
        }
        Some(Step::Composite { id: self.fresh_id("h"), at, parts })
    }

    /// While a rollback goes on, only a step that waits for its end will do.
    fn draw_wait(&mut self) -> Option<Step> {
        let ids: Vec<String> = self.model.handles.keys().cloned().collect();
        let id = self.rng.pick(&ids)?.clone();
        let step = Step::Unload { id: id.clone() };
        match self.model.clone().apply(&step) {
            Ok(_) if self.effect_of(&id).is_some_and(|(_, effect)| is_child(effect)) => Some(step),
            Ok(_) => Some(Step::Dispose { id }),
            Err(_) => None,
        }
    }

    fn effect_of(&self, id: &str) -> Option<(EffectId, &Effect)> {
        let effect = *self.model.handles.get(id)?;
        Some((effect, &self.model.effects[effect]))
    }

    fn draw_dispose(&mut self) -> Option<Step> {
        let wanted = self.rng.weighted(
            &[
                (30, Wanted::Any),
                (20, Wanted::Trouble),
                (25, Wanted::Used),
                (10, Wanted::Blocks),
                (10, Wanted::Dead),
                (5, Wanted::Child),
            ],
            Wanted::Any,
        );
        Some(Step::Dispose { id: self.draw_handle(wanted)? })
    }

    fn draw_unload(&mut self) -> Option<Step> {
        let wanted =
            self.rng.weighted(&[(50, Wanted::Child), (40, Wanted::Full), (10, Wanted::DeadChild)], Wanted::Child);
        Some(Step::Unload { id: self.draw_handle(wanted)? })
    }

    fn draw_handle(&mut self, wanted: Wanted) -> Option<String> {
        let fits = |id: &&String| {
            let Some((effect_id, effect)) = self.effect_of(id) else { return false };
            let child = is_child(effect);
            match wanted {
                Wanted::Any => effect.alive && !child,
                Wanted::Trouble => effect.alive && makes_trouble(effect),
                Wanted::Used => effect.alive && self.has_users(effect_id),
                Wanted::Blocks => effect.alive && self.blocks(effect),
                Wanted::Dead => !effect.alive && !child,
                Wanted::Child => effect.alive && child,
                Wanted::Full => effect.alive && self.holds(effect) > 1,
                Wanted::DeadChild => !effect.alive && child,
            }
        };
        let ids: Vec<String> = self.model.handles.keys().filter(fits).cloned().collect();
        self.rng.pick(&ids).cloned()
    }

    /// Whether a failed plugin would take the effect's name, or start again when the service returns.
    fn blocks(&self, effect: &Effect) -> bool {
        let failed = self.model.fibers.iter().filter(|fiber| fiber.state == State::Failed);
        failed.filter_map(|fiber| fiber.plugin.as_ref()).any(|plugin| match &effect.kind {
            Kind::Provide(name) => plugin.inject.contains(name) || plugin.parts.contains(&Part::Provide(name.clone())),
            Kind::Section { section, .. } => {
                plugin.parts.iter().any(|part| matches!(part, Part::Section(wanted) if wanted.name == section.name))
            }
            Kind::Variable { variable, .. } => {
                plugin.parts.iter().any(|part| matches!(part, Part::Variable(wanted) if wanted.name == variable.name))
            }
            Kind::Tools { .. }
            | Kind::Probe { .. }
            | Kind::Composite
            | Kind::Change { .. }
            | Kind::Assemble { .. }
            | Kind::Child(_) => false,
        })
    }

    /// Whether a service or a composite with one has plugins that use it.
    fn has_users(&self, effect: EffectId) -> bool {
        let provided = self.model.live().filter(|(id, one)| *id == effect || one.inside == Some(effect));
        let provided =
            provided.filter_map(|(_, one)| if let Kind::Provide(name) = &one.kind { Some(name) } else { None });
        let injects = |name: &String| {
            let mut active = self.model.fibers.iter().filter(|fiber| fiber.state == State::Active);
            active.any(|fiber| fiber.plugin.as_ref().is_some_and(|plugin| plugin.inject.contains(name)))
        };
        provided.into_iter().any(injects)
    }

    /// How much ends with a plugin or a scope.
    fn holds(&self, effect: &Effect) -> usize {
        let Kind::Child(fiber) = effect.kind else { return 0 };
        self.model.live().filter(|(_, one)| one.owner == fiber).count()
    }

    fn draw_scope(&mut self) -> Option<String> {
        if self.rng.chance(40) {
            return None;
        }
        let open = |id: &&String| {
            self.model.contexts.get(*id).is_some_and(|context| self.model.fibers[context.fiber].state == State::Active)
        };
        let open: Vec<String> = self.model.scopes.iter().filter(open).cloned().collect();
        let filled: Vec<String> = open.iter().filter(|id| self.fills_a_layer(id)).cloned().collect();
        let from = if self.rng.chance(60) && !filled.is_empty() {
            &filled
        } else if self.rng.chance(70) && !open.is_empty() {
            &open
        } else {
            &self.model.scopes
        };
        self.rng.pick(from).cloned()
    }

    /// Whether something is registered for that scope.
    fn fills_a_layer(&self, id: &str) -> bool {
        let Ok(context) = self.model.context(id) else { return false };
        self.model.live().any(|(_, effect)| match &effect.kind {
            Kind::Section { layer, .. } | Kind::Variable { layer, .. } | Kind::Tools { layer, .. } => {
                *layer == context.tag
            }
            Kind::Assemble { tag, .. } => *tag == context.tag,
            Kind::Probe { .. } | Kind::Provide(_) | Kind::Composite | Kind::Change { .. } | Kind::Child(_) => false,
        })
    }

    fn draw_actions(&mut self, layer: Layer, id: &str) -> Vec<Action> {
        let mut actions = Vec::new();
        for _ in 0..self.rng.one_of([0, 1, 1, 1, 2, 2, 3, 4]) {
            let action = self.draw_action(layer, format!("{id}.{}", actions.len()));
            actions.push(action);
        }
        actions
    }

    fn draw_action(&mut self, layer: Layer, name: String) -> Action {
        let kind = self.rng.weighted(
            &[(24, 0), (14, 1), (8, 2), (10, 3), (12, 4), (8, 5), (5, 6), (5, 7), (16, 8), (5, 9), (3, 10)],
            0,
        );
        let section = self.rng.one_of(words::SECTIONS).to_owned();
        match kind {
            0 => Action::Log(name),
            1 => Action::PushSection(self.draw_fixed_section(section, layer)),
            2 => Action::DropSection(section),
            3 => Action::SetText { text: self.draw_fixed_section(String::new(), layer).text, name: section },
            4 => {
                let value =
                    if self.rng.chance(80) { Some(self.rng.one_of(["set", "", "{{v}}"]).to_owned()) } else { None };
                Action::SetVariable { name: self.rng.one_of(words::VARIABLES).to_owned(), value }
            }
            5 => {
                let name = self.draw_tool_name(&[], layer).unwrap_or_else(|| "pushed".to_owned());
                Action::PushTool(words::schema(&mut self.rng, &name))
            }
            6 => Action::DropTool(self.rng.one_of(words::TOOLS).to_owned()),
            7 => Action::Replace(self.draw_assembly(layer)),
            8 => Action::Next,
            9 => Action::Stop,
            _ => Action::Throw(words::message(&mut self.rng)),
        }
    }

    fn draw_fixed_section(&mut self, name: String, layer: Layer) -> FixedSection {
        let known = self.visible_variables(layer);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let text = words::text(&mut self.rng, &self.profile, &known);
        FixedSection { name, order: words::order(&mut self.rng), text }
    }

    fn draw_assembly(&mut self, layer: Layer) -> Assembly {
        let mut assembly = Assembly::default();
        for _ in 0..self.rng.below(3) {
            let name = self.rng.one_of(words::SECTIONS).to_owned();
            let section = self.draw_fixed_section(name, layer);
            assembly.sections.push(section);
        }
        for name in words::TOOLS.iter().take(self.rng.below(3)) {
            assembly.tools.push(words::schema(&mut self.rng, name));
        }
        for name in self.visible_variables(layer).into_iter().chain(["v".to_owned()]) {
            if !assembly.variables.iter().any(|(known, _)| *known == name) {
                let value = self.rng.chance(80).then(|| "replaced".to_owned());
                assembly.variables.push((name, value));
            }
        }
        assembly
    }
}

/// What a handle to dispose should be.
#[derive(Clone, Copy)]
enum Wanted {
    Any,
    Trouble,
    Used,
    Blocks,
    Dead,
    Child,
    Full,
    DeadChild,
}

fn is_child(effect: &Effect) -> bool {
    matches!(effect.kind, Kind::Child(_))
}

fn throws(part: &Part) -> bool {
    match part {
        Part::Section(section) => matches!(section.text, Content::Throws(_)),
        Part::Variable(variable) => matches!(variable.value, Some(Content::Throws(_))),
        Part::Tools(tools) => tools.throws.is_some(),
        Part::Probe(_) | Part::Provide(_) | Part::Fail(_) => false,
    }
}

/// Whether assemblies fail for as long as the effect is there.
fn makes_trouble(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Section { section, .. } => matches!(section.text, Content::Throws(_)),
        Kind::Variable { variable, .. } => matches!(variable.value, Some(Content::Throws(_))),
        Kind::Tools { tools, .. } => {
            tools.throws.is_some() || tools.schemas.iter().any(|tool| tool.name == crate::model::REST)
        }
        Kind::Assemble { actions, .. } => actions.iter().any(|action| matches!(action, Action::Throw(_))),
        Kind::Probe { .. } | Kind::Provide(_) | Kind::Composite | Kind::Change { .. } | Kind::Child(_) => false,
    }
}
