//! Parts: what steps, composites and plugins register.

use crate::model::{Context, Kind, Layer, REST, State};
use crate::scenario::{Content, Part, Probe, Section, Step, Tools, Variable};

use super::Draft;
use super::words;

impl Draft {
    /// A context to go through: mostly one that accepts, now and then one that refuses.
    pub(super) fn draw_context(&mut self) -> Option<(String, Context)> {
        let stale = self.rng.chance(self.profile.stale);
        let fits = |id: &&String| {
            let open = self.model.open_context(id);
            if stale { open == Ok(None) } else { matches!(open, Ok(Some(_))) }
        };
        let ids: Vec<String> = self.model.contexts.keys().filter(fits).cloned().collect();
        let id = self.rng.pick(&ids)?.clone();
        let context = self.model.context(&id).ok()?;
        Some((id, context))
    }

    /// The parts of a composite or of a plugin's start.
    pub(super) fn draw_parts(&mut self, layer: Layer, most: usize, fails: usize) -> Vec<Part> {
        let least = usize::from(!self.rng.chance(4));
        let wanted = self.rng.between(least, most);
        let mut parts: Vec<Part> = Vec::new();
        if self.rng.chance(12) {
            // A connection and its service: the one ends when the users of the other have.
            parts.extend([self.draw_probe(&[]), Part::Provide(self.draw_provided())]);
        }
        for _ in 0..wanted {
            let kind = self.rng.weighted(&[(26, 0), (28, 1), (16, 2), (12, 3), (11, 4)], 0);
            let part = match kind {
                0 => self.draw_probe(&parts),
                1 => self.draw_section(layer),
                2 => self.draw_variable(layer),
                3 => self.draw_tools(layer),
                _ => Part::Provide(self.draw_provided()),
            };
            parts.push(part);
        }
        if self.rng.chance(fails) {
            let place = self.rng.between(parts.len() / 2, parts.len());
            parts.insert(place, Part::Fail(words::message(&mut self.rng)));
        }
        parts
    }

    /// A service to provide: mostly one that a plugin waits for.
    pub(super) fn draw_provided(&mut self) -> String {
        let mut wanted = Vec::new();
        for fiber in self.model.fibers.iter().filter(|fiber| matches!(fiber.state, State::Pending | State::Failed)) {
            let injected = fiber.plugin.iter().flat_map(|plugin| &plugin.inject);
            wanted.extend(injected.filter(|name| self.model.provider(name).is_none()).cloned());
        }
        if self.rng.chance(80)
            && let Some(name) = self.rng.pick(&wanted)
        {
            return name.clone();
        }
        self.draw_service()
    }

    pub(super) fn draw_service(&mut self) -> String {
        self.rng.weighted(&[(5, words::SERVICES[0]), (4, words::SERVICES[1]), (1, words::SERVICES[2])], "db").to_owned()
    }

    /// A probe; `beside` are parts of the same step, whose waits are taken, too.
    pub(super) fn draw_probe(&mut self, beside: &[Part]) -> Part {
        let taken: Vec<u64> = self.scenario.steps.iter().flat_map(Step::parts).chain(beside).filter_map(wait).collect();
        let free: Vec<u64> = self.profile.waits.iter().copied().filter(|wait| !taken.contains(wait)).collect();
        let ms = if self.rng.chance(75) { self.rng.pick(&free).copied().unwrap_or(0) } else { 0 };
        Part::Probe(Probe { name: self.fresh_id("probe"), ms })
    }

    /// Of a hundred providers, how many throw: more where one does already, since it should show which of two comes
    /// first.
    fn throws(&self) -> usize {
        let throwing = self.model.live().any(|(_, effect)| match &effect.kind {
            Kind::Section { section, .. } => matches!(section.text, Content::Throws(_)),
            Kind::Variable { variable, .. } => matches!(variable.value, Some(Content::Throws(_))),
            Kind::Tools { tools, .. } => tools.throws.is_some(),
            Kind::Probe { .. }
            | Kind::Provide(_)
            | Kind::Composite
            | Kind::Change { .. }
            | Kind::Assemble { .. }
            | Kind::Child(_) => false,
        });
        if throwing { self.profile.throws.max(45) } else { self.profile.throws }
    }

    pub(super) fn draw_section(&mut self, layer: Layer) -> Part {
        let taken: Vec<&str> = self.model.sections_of(layer).map(|(section, _)| section.name.as_str()).collect();
        let mut name = self.rng.one_of(words::SECTIONS);
        if taken.contains(&name) && !self.rng.chance(self.profile.careless) {
            let free: Vec<&str> = words::SECTIONS.into_iter().filter(|name| !taken.contains(name)).collect();
            name = self.rng.pick(&free).copied().unwrap_or(name);
        }
        let known = self.visible_variables(layer);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let throws = self.throws();
        let (order, text) = (words::order(&mut self.rng), words::content(&mut self.rng, &self.profile, &known, throws));
        Part::Section(Section { name: name.to_owned(), order, text })
    }

    /// The variables that a section of that layer may refer to; those without a value now and then.
    pub(super) fn visible_variables(&mut self, layer: Layer) -> Vec<String> {
        let valueless = self.rng.chance(40);
        let visible =
            self.model.variables_of(None).chain(layer.into_iter().flat_map(|_| self.model.variables_of(layer)));
        visible.filter(|variable| valueless || variable.value.is_some()).map(|variable| variable.name.clone()).collect()
    }

    pub(super) fn draw_variable(&mut self, layer: Layer) -> Part {
        if self.rng.chance(6) {
            let name = words::bad_variable(&mut self.rng);
            return Part::Variable(Variable { name, value: Some(Content::Fixed("x".to_owned())) });
        }
        let taken: Vec<&str> = self.model.variables_of(layer).map(|variable| variable.name.as_str()).collect();
        let mut name = self.rng.one_of(words::VARIABLES);
        if taken.contains(&name) && !self.rng.chance(self.profile.careless) {
            let free: Vec<&str> = words::VARIABLES.into_iter().filter(|name| !taken.contains(name)).collect();
            name = self.rng.pick(&free).copied().unwrap_or(name);
        }
        let throws = self.throws();
        Part::Variable(Variable { name: name.to_owned(), value: words::value(&mut self.rng, throws) })
    }

    pub(super) fn draw_tools(&mut self, layer: Layer) -> Part {
        let throws = self.rng.chance(self.throws()).then(|| words::message(&mut self.rng));
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.rng.one_of([0, 1, 1, 2, 3]) {
            names.extend(self.draw_tool_name(&names, layer));
        }
        if self.rng.chance(2) {
            names.push(REST.to_owned());
        }
        let known_names = self.rng.chance(30).then(|| self.draw_known_names(&names));
        let schemas = names.iter().map(|name| words::schema(&mut self.rng, name)).collect();
        Part::Tools(Tools { schemas, known_names, throws })
    }

    /// The names before restriction: those returned, others, now and then not all of those returned.
    fn draw_known_names(&mut self, returned: &[String]) -> Vec<String> {
        let mut names = returned.to_vec();
        names.extend(
            self.config().tool_order.iter().flatten().filter(|name| *name != REST).cloned().collect::<Vec<_>>(),
        );
        for _ in 0..self.rng.below(3) {
            names.push(self.rng.one_of(words::TOOLS).to_owned());
        }
        if self.rng.chance(15) {
            names.truncate(self.rng.below(2));
        }
        names
    }

    /// A name that no provider has whose tools are seen together with those of that layer: no two visible tools share
    /// one.
    pub(super) fn draw_tool_name(&mut self, beside: &[String], layer: Layer) -> Option<String> {
        let mut taken: Vec<String> = beside.to_vec();
        for (_, effect) in self.model.live() {
            if let Kind::Tools { tools, layer: of } = &effect.kind
                && (layer.is_none() || of.is_none() || *of == layer)
            {
                taken.extend(tools.schemas.iter().map(|schema| schema.name.clone()));
            }
        }
        let free: Vec<&str> = words::TOOLS.into_iter().filter(|name| !taken.iter().any(|one| one == name)).collect();
        let wanted: Vec<&str> = free
            .iter()
            .copied()
            .filter(|name| self.config().tool_order.iter().flatten().any(|one| one == name))
            .collect();
        // What the tool order lists comes first, or most assemblies would be refused for it.
        let from = if !wanted.is_empty() && self.rng.chance(70) { &wanted } else { &free };
        self.rng.pick(from).map(|name| (*name).to_owned())
    }
}

fn wait(part: &Part) -> Option<u64> {
    if let Part::Probe(probe) = part { Some(probe.ms).filter(|ms| *ms > 0) } else { None }
}
