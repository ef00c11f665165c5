//! Packs: plugins that register a bit of everything in one start, and go with all of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, Fiber, FiberState, Name, ScopeKey, Service};
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, AssembledSection, ErrorKind, PromptRegistry, PromptSection, PromptVariable,
    SystemPromptExt, ToolProvider,
};
use dsh_template::Text;
use dsh_testkit::{Dice, Gate, Probes};

use crate::actor::{POOL, SERVICES};
use crate::heart::{Faults, Ping, schema};
use crate::model::{Part, Row};

/// Where the sections of the hooks begin, after all that is registered.
pub(crate) const HOOKS: f64 = 1e9;
/// What is added to a pack's number for the scope that it opens itself.
const NESTED: u32 = 1_000_000_000;

/// What a pack is. It may start many times.
#[expect(clippy::struct_excessive_bools, reason = "independent traits, thrown by dice")]
pub(crate) struct Spec {
    pub(crate) id: u32,
    pub(crate) place: u32,
    pub(crate) path: String,
    pub(crate) sections: u32,
    pub(crate) injects: Vec<String>,
    pub(crate) provides: Option<String>,
    /// Its last section goes when an asynchronous link has ended.
    pub(crate) drains: bool,
    pub(crate) child: Option<Arc<Self>>,
    pub(crate) fails: bool,
    hook: bool,
    slow_start: bool,
    computed: bool,
    nested: bool,
    looks: bool,
    independent: bool,
    gate: Option<Gate>,
    /// The scope that its present start has opened.
    pub(crate) opened: Mutex<Option<ScopeKey>>,
    /// How many of its tasks and asynchronous links run now.
    running: Arc<AtomicIsize>,
}

/// A pack that was mounted, for whoever looks at an assembly.
pub(crate) struct Track {
    pub(crate) spec: Arc<Spec>,
    pub(crate) fiber: Fiber,
}

impl Track {
    /// Whether it has nothing registered now.
    pub(crate) fn is_away(&self) -> bool {
        matches!(self.fiber.state(), FiberState::Pending | FiberState::Failed | FiberState::Disposed)
    }
}

/// Counts something that runs.
struct Runs(Arc<AtomicIsize>);

impl Runs {
    fn new(count: &Arc<AtomicIsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A token that says whose a piece of a prompt is.
pub(crate) fn token(kind: char, id: u32, part: u32, place: u32) -> String {
    format!("#{kind}{id}.{part}@{place}#")
}

/// Throws packs.
pub(crate) struct Thrower<'a> {
    pub(crate) dice: &'a mut Dice,
    /// The actor that mounts them, and the number that it gave last.
    pub(crate) actor: u32,
    pub(crate) last: &'a mut u32,
    /// The services that packs of this actor provide, or have provided.
    pub(crate) offers: &'a mut Vec<String>,
    pub(crate) gates: &'a mut Vec<Gate>,
}

impl Thrower<'_> {
    /// A pack, perhaps with another one below it, to be mounted where `path_of` says.
    pub(crate) fn throw(&mut self, place: u32, path_of: &dyn Fn(&str) -> String, depth: u32) -> Arc<Spec> {
        *self.last += 1;
        let id = *self.last;
        let path = path_of(&format!("pack{id}"));
        let injects = self.injects();
        let provides = self.dice.one_in(3).then(|| format!("by{}_{id}", self.actor));
        self.offers.extend(provides.clone());
        let below = |name: &str| format!("{path}/{name}");
        let child = (depth < 2 && self.dice.one_in(4)).then(|| self.throw(place, &below, depth + 1));
        let drains = self.dice.one_in(3);
        let gate = (drains && self.dice.one_in(2)).then(Gate::new);
        self.gates.extend(gate.clone());
        let dice = &mut *self.dice;
        Arc::new(Spec {
            id,
            place,
            path,
            sections: 2 + dice.roll(3),
            injects,
            provides,
            drains,
            child,
            fails: dice.one_in(12),
            hook: dice.one_in(4),
            slow_start: dice.one_in(3),
            computed: dice.one_in(2),
            nested: dice.one_in(4),
            looks: dice.one_in(8),
            independent: dice.one_in(5),
            gate,
            opened: Mutex::default(),
            running: Arc::default(),
        })
    }

    /// Services of its own actor's packs, of actors, and of the pool.
    fn injects(&mut self) -> Vec<String> {
        let mut injects = BTreeSet::new();
        for _ in 0..self.dice.roll(3) {
            injects.insert(match (self.dice.roll(3), self.dice.index(self.offers.len())) {
                (0, Some(offer)) => self.offers[offer].clone(),
                (1, _) => format!("service{}_{}", self.dice.roll(3), self.dice.roll(SERVICES)),
                _ => format!("pool{}", self.dice.roll(POOL)),
            });
        }
        injects.into_iter().collect()
    }
}

impl Spec {
    pub(crate) fn name(&self) -> String {
        format!("pack{}", self.id)
    }

    pub(crate) fn variable(&self) -> String {
        format!("p{}", self.id)
    }

    pub(crate) fn tool(&self) -> String {
        format!("p{}", self.id)
    }

    /// The place of the scope that it opens itself.
    pub(crate) fn nested_place(&self) -> Option<u32> {
        self.nested.then_some(NESTED + self.id)
    }

    /// Whether no turn of another task comes between its registrations, nor between their ends.
    pub(crate) fn goes_in_one_go(&self) -> bool {
        !self.slow_start && !self.drains
    }

    pub(crate) fn running(&self) -> isize {
        self.running.load(Ordering::SeqCst)
    }

    fn order(&self, part: u32) -> f64 {
        // Spread, so that packs stand between one another.
        1e6 + f64::from(self.id) + f64::from(part) * 1e5
    }

    fn text(&self, part: u32) -> String {
        if self.is_last_to_go(part) {
            // The variable goes at once, so that what stays longer does not refer to it.
            return token('p', self.id, part, self.place);
        }
        format!("{} says {{{{{}}}}}", token('p', self.id, part, self.place), self.variable())
    }

    fn is_last_to_go(&self, part: u32) -> bool {
        self.drains && part + 1 == self.sections
    }

    fn value(&self) -> String {
        format!("pack {} of {}", self.id, self.place)
    }

    fn hook_text(&self) -> String {
        token('h', self.id, 0, self.place)
    }

    fn nested_text(&self) -> String {
        token('n', self.id, 0, NESTED + self.id)
    }

    /// What is registered while it is active, its child left aside.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let row =
            |name: String, part: Part| Row { id: self.id, place: self.place, name, owner: self.path.clone(), part };
        let mut rows = vec![row(self.variable(), Part::Variable { value: self.value() })];
        for part in 0..self.sections {
            let section = Part::Section { order: self.order(part), text: self.text(part), raw: false };
            rows.push(row(format!("pack{}.{part}", self.id), section));
        }
        rows.push(row(String::new(), Part::Tools { names: vec![self.tool()] }));
        if self.hook {
            let part = Part::Hook { order: HOOKS + f64::from(self.id), text: self.hook_text() };
            rows.push(row("hook".to_owned(), part));
        }
        if let Some(place) = self.nested_place() {
            let part = Part::Section { order: 5.0, text: self.nested_text(), raw: true };
            rows.push(Row { place, owner: format!("{}/nest", self.path), ..row("nested".to_owned(), part) });
        }
        rows
    }
}

/// The plugin of a pack.
pub(crate) struct Pack {
    spec: Arc<Spec>,
    probes: Probes,
    faults: Faults,
    _probe: dsh_testkit::DropProbe,
}

impl Pack {
    pub(crate) fn new(spec: &Arc<Spec>, probes: &Probes, faults: &Faults) -> Arc<Self> {
        Arc::new(Self {
            spec: Arc::clone(spec),
            probes: probes.clone(),
            faults: faults.clone(),
            _probe: probes.probe(),
        })
    }
}

impl DynPlugin for Pack {
    fn name(&self) -> Name {
        self.spec.name().into()
    }

    fn inject(&self) -> Vec<Name> {
        let services = self.spec.injects.iter().map(|service| Name::from(service.clone()));
        std::iter::once(Name::fixed(PromptRegistry::NAME)).chain(services).collect()
    }

    fn provides(&self) -> Vec<Name> {
        self.spec.provides.iter().map(|service| Name::from(service.clone())).collect()
    }

    fn independent(&self) -> bool {
        self.spec.independent
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { self.run(ctx).await })
    }
}

impl Pack {
    async fn pause(&self) {
        if self.spec.slow_start {
            tokio::task::yield_now().await;
        }
    }

    async fn run(&self, ctx: Context) -> Result<(), Failure> {
        let spec = &self.spec;
        let prompt = ctx.system_prompt();
        let (probe, value) = (self.probes.probe(), spec.value());
        prompt.variable(PromptVariable::computed(spec.variable(), move |_| {
            probe.touch();
            value.clone()
        }))?;
        self.pause().await;
        for part in 0..spec.sections {
            let section = self.section(part);
            if spec.is_last_to_go(part) {
                self.composite(&ctx, section)?;
            } else {
                prompt.section(section)?;
            }
            self.pause().await;
        }
        let (probe, tool) = (self.probes.probe(), schema(&spec.tool()));
        prompt.tools(ToolProvider::computed(move |_| {
            probe.touch();
            vec![tool.clone()]
        }))?;
        if spec.hook {
            self.hook(&ctx)?;
        }
        let probe = self.probes.probe();
        ctx.on::<Ping, _>(move |_| probe.touch())?;
        let (probe, running) = (self.probes.probe(), Arc::clone(&spec.running));
        ctx.spawn("task", move |cancel| {
            let runs = Runs::new(&running);
            async move {
                cancel.cancelled().await;
                tokio::task::yield_now().await;
                probe.touch();
                drop(runs);
            }
        })?;
        if spec.nested {
            let nest = ctx.scope("nest")?;
            let text = Text::raw(spec.nested_text());
            nest.ctx().system_prompt().section(PromptSection::new("nested", 5, text))?;
            *spec.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(nest.key());
        }
        if let Some(child) = &spec.child {
            ctx.plugin_dyn(Self::new(child, &self.probes, &self.faults))?;
        }
        self.pause().await;
        if let Some(service) = &spec.provides {
            ctx.provide_dyn(service.clone(), Arc::new(self.probes.probe()))?;
        }
        if spec.looks {
            let seen = prompt.assemble(AssembleContext::new()).await;
            let fine = seen.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::Unsettled);
            self.faults.check(fine, || format!("{} looked and saw {seen:?}", spec.path));
        }
        if spec.fails { Err(Failure::msg("this one always fails")) } else { Ok(()) }
    }

    fn section(&self, part: u32) -> PromptSection {
        let (name, order) = (format!("pack{}.{part}", self.spec.id), self.spec.order(part));
        let (text, probe) = (Text::template(self.spec.text(part)), self.probes.probe());
        if self.spec.computed {
            PromptSection::computed(name, order, move |_| {
                probe.touch();
                text.clone()
            })
        } else {
            PromptSection::new(name, order, text)
        }
    }

    /// The section is undone when the link after it has ended (K5).
    fn composite(&self, ctx: &Context, section: PromptSection) -> Result<(), Failure> {
        let (probe, running, gate) = (self.probes.probe(), Arc::clone(&self.spec.running), self.spec.gate.clone());
        let (prompt, first) = (ctx.system_prompt(), self.probes.probe());
        ctx.effect("composite", |fx| {
            fx.defer(move || first.touch());
            fx.adopt(prompt.section(section)?)?;
            fx.defer_async(move || {
                let runs = Runs::new(&running);
                async move {
                    if let Some(gate) = gate {
                        gate.wait().await;
                    }
                    tokio::task::yield_now().await;
                    probe.touch();
                    drop(runs);
                }
            });
            Ok(())
        })?;
        Ok(())
    }

    fn hook(&self, ctx: &Context) -> Result<(), Failure> {
        let (probe, id, text) = (self.probes.probe(), self.spec.id, Text::raw(self.spec.hook_text()));
        ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
            let (probe, text) = (probe.clone(), text.clone());
            async move {
                let order = HOOKS + f64::from(id);
                let sections = assembly.sections_mut();
                let place = sections.iter().position(|other| other.order() > order).unwrap_or(sections.len());
                sections.insert(place, AssembledSection::new("hook", order, text));
                tokio::task::yield_now().await;
                let assembly = next.run(assembly).await;
                probe.touch();
                assembly
            }
        })?;
        Ok(())
    }
}
