//! One of those who act at once: a random script over what it has made itself, and a pool of names that all want.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dsh_kernel::{Audience, Disposer, Fiber, Scope, Teardown};
use dsh_system_prompt::{ErrorKind, PromptSection, PromptVariable, SystemPromptExt, ToolProvider};
use dsh_template::Text;
use dsh_testkit::{Dice, DropProbe, Gate, poll_once};

use crate::heart::{Heart, Ping, Place, REFUSED, RESIDENTS, schema};
use crate::look::{Own, Seen, look};
use crate::model::{GLOBAL, Model, Part, Row};
use crate::pack::{Pack, Spec, Thrower, Track, token};

/// So many numbers each actor may give in a round.
const NUMBERS: u32 = 10_000;
/// How many names in each layer all want, and how many services.
pub(crate) const POOL: u32 = 4;
/// How many services an actor has for itself.
pub(crate) const SERVICES: u32 = 3;
/// How many names an actor has for itself in each layer.
const NAMES: u32 = 6;

/// What the actors of one round share.
pub(crate) struct Round {
    pub(crate) heart: Arc<Heart>,
    pub(crate) seen: Arc<Seen>,
    /// Who holds a name of the pool: sections by layer, variables by layer, services.
    claims: Vec<AtomicU32>,
    dispatches: Arc<AtomicU64>,
    /// What each actor does now, for the watchdog.
    pub(crate) doing: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy)]
enum Pooled {
    Section(u32),
    Variable(u32),
    Service,
}

impl Round {
    pub(crate) fn new(heart: &Arc<Heart>, seen: &Arc<Seen>, doing: &Arc<Mutex<Vec<String>>>) -> Arc<Self> {
        let claims = (0..POOL * (2 * (RESIDENTS + 1) + 1)).map(|_| AtomicU32::new(0)).collect();
        let dispatches = Arc::new(AtomicU64::new(1));
        Arc::new(Self {
            heart: Arc::clone(heart),
            seen: Arc::clone(seen),
            claims,
            dispatches,
            doing: Arc::clone(doing),
        })
    }

    pub(crate) fn dispatch(&self) -> u64 {
        self.dispatches.fetch_add(1, Ordering::Relaxed)
    }

    fn claim(&self, pooled: Pooled, name: u32) -> &AtomicU32 {
        let row = match pooled {
            Pooled::Section(place) => place * 2,
            Pooled::Variable(place) => place * 2 + 1,
            Pooled::Service => (RESIDENTS + 1) * 2,
        };
        &self.claims[(row * POOL + name) as usize]
    }
}

/// A registration of one effect.
struct Held {
    row: Row,
    /// `None` where a composite holds it.
    disposer: Option<Disposer>,
    pooled: Option<(Pooled, u32)>,
}

/// An effect that holds registrations, with an asynchronous link after them.
struct Composite {
    place: u32,
    members: Vec<u32>,
    disposer: Disposer,
    gate: Gate,
}

struct OpenScope {
    place: Place,
    parent: u32,
    scope: Scope,
}

struct Provided {
    name: String,
    pooled: Option<u32>,
    disposer: Disposer,
}

pub(crate) struct Actor {
    number: u32,
    round: Arc<Round>,
    dice: Dice,
    /// Whether teardowns may be awaited: a thread without a runtime leaves their asynchronous links to others.
    waits: bool,
    next: u32,
    held: Vec<Held>,
    composites: Vec<Composite>,
    scopes: Vec<OpenScope>,
    packs: Vec<Arc<Track>>,
    provided: Vec<Provided>,
    gates: Vec<Gate>,
    /// Services that its packs provide, or have provided.
    offers: Vec<String>,
    /// Effects that hold a pack, each with the place of it.
    wraps: Vec<(u32, Disposer)>,
    /// Numbers of rows that may still be there.
    leaving: BTreeSet<u32>,
    /// The dispatches that its listeners have heard.
    heard: Arc<Mutex<Vec<(u64, u32)>>>,
    pub(crate) ends: Vec<Teardown>,
}

/// A section whose text is fixed or computed.
fn section(name: String, order: f64, text: Text, computed: bool, probe: DropProbe) -> PromptSection {
    if computed {
        PromptSection::computed(name, order, move |_| {
            probe.touch();
            text.clone()
        })
    } else {
        PromptSection::new(name, order, text)
    }
}

impl Actor {
    pub(crate) fn new(round: &Arc<Round>, seed: u64, number: u32, waits: bool) -> Self {
        Self {
            number,
            round: Arc::clone(round),
            dice: Dice::new(seed, u64::from(number)),
            waits,
            next: 0,
            held: Vec::new(),
            composites: Vec::new(),
            scopes: Vec::new(),
            packs: Vec::new(),
            provided: Vec::new(),
            gates: Vec::new(),
            offers: Vec::new(),
            wraps: Vec::new(),
            leaving: BTreeSet::new(),
            heard: Arc::default(),
            ends: Vec::new(),
        }
    }

    fn heart(&self) -> Arc<Heart> {
        Arc::clone(&self.round.heart)
    }

    fn fault(&self, fault: impl Into<String>) {
        let fault: String = fault.into();
        self.round.heart.faults.say(format!("actor {}: {fault}", self.number));
    }

    fn first(&self) -> u32 {
        (self.number + 1) * NUMBERS
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.first() + self.next
    }

    fn say(&self, doing: &str) {
        let mut all = self.round.doing.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.number as usize;
        if all.len() <= index {
            all.resize(index + 1, String::new());
        }
        doing.clone_into(&mut all[index]);
    }

    /// The root, the scopes that stay, its own.
    fn places(&self) -> Vec<Place> {
        self.round.heart.places.iter().chain(self.scopes.iter().map(|scope| &scope.place)).cloned().collect()
    }

    fn somewhere(&mut self) -> Place {
        let places = self.places();
        let index = self.dice.index(places.len()).unwrap_or_default();
        places[index].clone()
    }

    /// Opens all its gates: nobody waits for a link of this actor's while it waits for somebody else's.
    fn open_gates(&mut self) {
        for gate in self.gates.drain(..) {
            gate.open();
        }
    }

    async fn ended(&mut self, end: Teardown) {
        if !self.waits {
            self.ends.push(end);
            return;
        }
        self.open_gates();
        let result = end.await;
        if let Err(error) = result {
            self.fault(format!("a teardown failed: {error:?}"));
        }
    }

    pub(crate) async fn play(&mut self, steps: u32) {
        for step in 0..steps {
            let act = self.dice.roll(36);
            self.say(&format!("step {step}, act {act}"));
            Box::pin(self.act(act)).await;
        }
        self.open_gates();
        self.say("done");
    }

    async fn act(&mut self, act: u32) {
        match act {
            0..=4 => self.register_section(),
            5 | 6 => self.register_variable(),
            7 => self.register_tools(),
            8..=10 => self.dispose_one(),
            11 | 12 => self.open_scope(),
            13 => self.close_scope().await,
            14..=16 => self.mount(),
            17 | 18 => self.unmount().await,
            19 | 20 => self.provide(),
            21 => self.withdraw().await,
            22..=26 => self.look().await,
            27 => self.emit(),
            28 => self.listen(),
            29 => self.compose(),
            30 => self.decompose().await,
            31 => self.give_up().await,
            32 => self.open_gates(),
            33 => self.cut(),
            34 => self.be_refused(),
            _ => self.adopt_a_pack(),
        }
    }

    /// A name in that layer: its own, or one of the pool, which only layers that stay have.
    fn name(&mut self, place: u32) -> (String, Option<u32>) {
        if place <= RESIDENTS && self.dice.one_in(3) {
            let name = self.dice.roll(POOL);
            return (format!("pool{name}"), Some(name));
        }
        (format!("own{}_{}", self.number, self.dice.roll(NAMES)), None)
    }

    /// Whether a registration of its own has that name there, and whether it may be there still.
    fn taken(&self, place: u32, name: &str, same: impl Fn(&Row) -> bool) -> (bool, bool) {
        let of = |held: &&Held| held.row.place == place && held.row.name == name && same(&held.row);
        let held = self.held.iter().filter(of).map(|held| held.row.id);
        let (mut certain, mut possible) = (false, false);
        for id in held {
            if self.leaving.contains(&id) { possible = true } else { certain = true }
        }
        (certain, possible)
    }

    fn register_section(&mut self) {
        let place = self.somewhere();
        let (name, pooled) = self.name(place.number);
        let id = self.id();
        // Only what this actor has named itself may stand beside another one of the same order: their order is known.
        let order = f64::from(self.first())
            + if pooled.is_some() { 10.0 + f64::from(self.next) } else { f64::from(self.dice.roll(4)) / 2.0 };
        let raw = self.dice.one_in(2);
        let mark = token('s', id, 0, place.number);
        let text = if raw { format!("{mark} raw {{{{who}}") } else { format!("{mark} for {{{{who}}}}") };
        let probe = self.round.heart.probes.probe();
        let computed = self.dice.one_in(2);
        let given = if raw { Text::raw(text.as_str()) } else { Text::template(text.as_str()) };
        let result = place.ctx.system_prompt().section(section(name.clone(), order, given, computed, probe));
        let part = Part::Section { order, text, raw };
        let row = Row { id, place: place.number, name, owner: place.path, part };
        self.settle(row, result, pooled.map(|name| (Pooled::Section(place.number), name)), Row::is_section);
    }

    fn register_variable(&mut self) {
        let place = self.somewhere();
        let (mut name, mut pooled) = self.name(place.number);
        if place.number > RESIDENTS && self.dice.one_in(2) {
            (name, pooled) = ("who".to_owned(), None);
        }
        let id = self.id();
        let value = format!("value {id}");
        let (probe, given) = (self.round.heart.probes.probe(), value.clone());
        let variable = if self.dice.one_in(2) {
            PromptVariable::new(name.clone(), value.clone())
        } else {
            PromptVariable::computed(name.clone(), move |_| {
                probe.touch();
                given.clone()
            })
        };
        let result = place.ctx.system_prompt().variable(variable);
        let row = Row { id, place: place.number, name, owner: place.path, part: Part::Variable { value } };
        self.settle(row, result, pooled.map(|name| (Pooled::Variable(place.number), name)), Row::is_variable);
    }

    /// Takes note of a registration, or of its refusal, which has to be due.
    fn settle(
        &mut self,
        row: Row,
        result: Result<Disposer, dsh_system_prompt::Error>,
        pooled: Option<(Pooled, u32)>,
        same: impl Fn(&Row) -> bool,
    ) {
        let (certain, possible) = self.taken(row.place, &row.name, same);
        match result {
            Ok(disposer) => {
                if certain {
                    self.fault(format!("`{}` was registered twice in {}", row.name, row.owner));
                }
                if let Some((pool, name)) = pooled {
                    let holder = self.round.claim(pool, name).swap(row.id, Ordering::AcqRel);
                    if holder != 0 {
                        self.fault(format!("`{}` in {} went to {holder} and to {}", row.name, row.owner, row.id));
                    }
                }
                self.held.push(Held { row, disposer: Some(disposer), pooled });
            }
            Err(error) => {
                let duplicate = matches!(error.kind(), ErrorKind::DuplicateSection | ErrorKind::DuplicateVariable);
                if !duplicate || error.first_owner().is_none() {
                    self.fault(format!("`{}` in {} is refused: {error:?}", row.name, row.owner));
                } else if pooled.is_none() && !certain && !possible {
                    self.fault(format!("`{}` in {} is free, and refused: {error:?}", row.name, row.owner));
                }
            }
        }
    }

    fn register_tools(&mut self) {
        let place = self.somewhere();
        let id = self.id();
        let names: Vec<String> = (0..=self.dice.roll(3)).map(|index| format!("t{id}_{index}")).collect();
        let schemas: Vec<_> = names.iter().map(|name| schema(name)).collect();
        let probe = self.round.heart.probes.probe();
        let provider = if self.dice.one_in(2) {
            ToolProvider::new(schemas)
        } else {
            ToolProvider::computed(move |_| {
                probe.touch();
                schemas.clone()
            })
        };
        match place.ctx.system_prompt().tools(provider) {
            Ok(disposer) => {
                let row = Row {
                    id,
                    place: place.number,
                    name: String::new(),
                    owner: place.path,
                    part: Part::Tools { names },
                };
                self.held.push(Held { row, disposer: Some(disposer), pooled: None });
            }
            Err(error) => self.fault(format!("tools are refused: {error:?}")),
        }
    }

    fn dispose_one(&mut self) {
        let Some(index) = self.dice.index(self.held.len()) else { return };
        if self.held[index].disposer.is_some() {
            let held = self.held.remove(index);
            self.dispose(held);
        }
    }

    fn dispose(&self, held: Held) {
        let Some(disposer) = held.disposer else { return };
        if let Some((pool, name)) = held.pooled {
            // Before the name is free: from then on somebody else may have it.
            self.round.claim(pool, name).store(0, Ordering::Release);
        }
        // K4: its links are synchronous, so it has ended.
        let result = disposer.dispose().result();
        if !matches!(result, Some(Ok(()))) {
            self.fault(format!("the disposal of {:?} came to {result:?}", held.row));
        }
    }

    fn open_scope(&mut self) {
        if self.scopes.len() > 4 {
            return;
        }
        let parent = self.somewhere();
        let number = self.id();
        let label = format!("scope{number}");
        match parent.ctx.scope(label.clone()) {
            Ok(scope) => {
                let (path, key) = (parent.below(&label), Some(scope.key()));
                let place = Place { number, key, ctx: scope.ctx().clone(), path };
                self.scopes.push(OpenScope { place, parent: parent.number, scope });
            }
            Err(error) => self.fault(format!("no scope: {error:?}")),
        }
    }

    /// Closes a scope, and with it what is in it.
    async fn close_scope(&mut self) {
        let Some(index) = self.dice.index(self.scopes.len()) else { return };
        let closing = self.scopes.remove(index);
        let gone = self.forget_below(closing.place.number);
        let (key, path) = (closing.place.key, closing.place.path.clone());
        let end = closing.scope.dispose();
        if self.dice.one_in(2) && self.waits {
            self.ended(end).await;
            for track in gone {
                self.has_ended(&track);
            }
            let view = self.round.heart.root().system_prompt().view(key);
            let left = view.map(|view| view.sections().filter(|section| section.layer == key.into()).count());
            if left.as_ref().ok() != Some(&0) {
                self.fault(format!("`{path}` has ended, and its layer has {left:?} sections"));
            }
        } else {
            self.ends.push(end);
        }
    }

    /// Drops from the account what a scope holds, and what is below it; returns its packs.
    fn forget_below(&mut self, place: u32) -> Vec<Arc<Track>> {
        let mut closed = BTreeSet::from([place]);
        while let Some(index) = self.scopes.iter().position(|scope| closed.contains(&scope.parent)) {
            closed.insert(self.scopes.remove(index).place.number);
        }
        self.held.retain(|held| !closed.contains(&held.row.place));
        // What a composite has adopted is there until its asynchronous link has ended (K5), however long that takes.
        let members = self.composites.extract_if(.., |composite| closed.contains(&composite.place));
        self.leaving.extend(members.flat_map(|composite| composite.members));
        self.wraps.retain(|(place, _)| !closed.contains(place));
        self.packs.extract_if(.., |track| closed.contains(&track.spec.place)).collect()
    }

    fn mount(&mut self) {
        let place = self.somewhere();
        let mut last = self.first() + self.next;
        let mut thrower = Thrower {
            dice: &mut self.dice,
            actor: self.number,
            last: &mut last,
            offers: &mut self.offers,
            gates: &mut self.gates,
        };
        let spec = thrower.throw(place.number, &|name| place.below(name), 0);
        self.next = last - self.first();
        let heart = self.heart();
        match place.ctx.plugin_dyn(Pack::new(&spec, &heart.probes, &heart.faults)) {
            Ok(fiber) => {
                let track = Arc::new(Track { spec, fiber });
                heart.ledger.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&track));
                self.packs.push(track);
            }
            Err(error) => self.fault(format!("no pack: {error:?}")),
        }
    }

    async fn unmount(&mut self) {
        let Some(index) = self.dice.index(self.packs.len()) else { return };
        let track = self.packs.remove(index);
        let end = track.fiber.dispose();
        if self.waits && self.dice.one_in(2) {
            self.ended(end).await;
            self.has_ended(&track);
        } else {
            self.ends.push(end);
        }
    }

    /// K9: the end of a pack has been awaited.
    fn has_ended(&self, track: &Track) {
        let Track { spec, fiber } = track;
        let mut below = spec.child.as_ref();
        while let Some(child) = below {
            if child.running() != 0 {
                self.fault(format!("{} has ended, and {} of it run", child.path, child.running()));
            }
            below = child.child.as_ref();
        }
        if spec.running() != 0 {
            self.fault(format!("{} has ended, and {} of it run", spec.path, spec.running()));
        }
        let view =
            self.round.heart.places.get(spec.place as usize).map(|place| place.ctx.system_prompt().view(place.key));
        let Some(Ok(view)) = view else { return };
        let left = view.sections().filter(|section| section.owner == &fiber.path()).count();
        if left > 0 {
            self.fault(format!("{} has ended, and {left} of its sections are there", spec.path));
        }
    }

    fn provide(&mut self) {
        let (name, pooled) = if self.dice.one_in(2) {
            let name = self.dice.roll(POOL);
            (format!("pool{name}"), Some(name))
        } else {
            (format!("service{}_{}", self.number, self.dice.roll(SERVICES)), None)
        };
        let mine = self.provided.iter().any(|provided| provided.name == name);
        let value = Arc::new(self.round.heart.probes.probe());
        match self.round.heart.root().provide_dyn(name.clone(), value) {
            Ok(disposer) => {
                if mine {
                    self.fault(format!("`{name}` is provided twice"));
                }
                if let Some(pooled) = pooled {
                    let holder = self.round.claim(Pooled::Service, pooled).swap(self.first(), Ordering::AcqRel);
                    if holder != 0 {
                        self.fault(format!("`{name}` went to {holder} and to {}", self.number));
                    }
                }
                self.provided.push(Provided { name, pooled, disposer });
            }
            Err(error) => {
                let duplicate = error.kind() == dsh_kernel::ErrorKind::DuplicateService;
                if !duplicate || (pooled.is_none() && !mine) {
                    self.fault(format!("`{name}` is refused: {error:?}"));
                }
            }
        }
    }

    async fn withdraw(&mut self) {
        let Some(index) = self.dice.index(self.provided.len()) else { return };
        let provided = self.provided.remove(index);
        if let Some(pooled) = provided.pooled {
            self.round.claim(Pooled::Service, pooled).store(0, Ordering::Release);
        }
        let end = provided.disposer.dispose();
        if self.waits && self.dice.one_in(2) {
            self.ended(end).await;
        } else {
            self.ends.push(end);
        }
    }

    /// What it is certain of.
    fn own(&self) -> Own {
        let rows: Vec<Row> = self.held.iter().map(|held| held.row.clone()).collect();
        let shadowed = self.held.iter().filter(|held| held.pooled.is_some() && held.row.place == GLOBAL);
        Own {
            numbers: self.first()..self.first() + NUMBERS,
            live: Model { rows },
            leaving: self.leaving.clone(),
            shadowed: shadowed.map(|held| held.row.id).collect(),
        }
    }

    async fn look(&mut self) {
        let (through, place, own) = (self.somewhere(), self.somewhere(), self.own());
        look(&self.round.heart, &self.round.seen, &through, &place, &own).await;
    }

    /// K11, K12: who of its own hears a dispatch, in which order.
    fn emit(&mut self) {
        let (place, everyone) = (self.somewhere(), self.dice.one_in(3));
        let dispatch = self.round.dispatch();
        let audience = if everyone { Audience::Everyone } else { Audience::from(place.key) };
        if let Err(error) = place.ctx.emit(&Ping(dispatch), audience) {
            self.fault(format!("a listener failed: {error:?}"));
        }
        let found: Vec<u32> = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *heard).into_iter().filter(|(of, _)| *of == dispatch).map(|(_, ear)| ear).collect()
        };
        let wanted = self.own().live.ears((!everyone).then_some(place.number));
        let certain = |ears: Vec<u32>| ears.into_iter().filter(|ear| !self.leaving.contains(ear)).collect::<Vec<_>>();
        let (found, wanted) = (certain(found), certain(wanted));
        if found != wanted {
            self.fault(format!("a dispatch to {audience:?} was heard by {found:?}, not by {wanted:?}"));
        }
    }

    fn listen(&mut self) {
        let place = self.somewhere();
        let (id, first) = (self.id(), self.dice.one_in(3));
        let (heard, probe) = (Arc::clone(&self.heard), self.round.heart.probes.probe());
        let ear = move |ping: &Ping| {
            probe.touch();
            heard.lock().unwrap_or_else(PoisonError::into_inner).push((ping.0, id));
        };
        let result = if first { place.ctx.prepended().on(ear) } else { place.ctx.on(ear) };
        match result {
            Ok(disposer) => {
                let row =
                    Row { id, place: place.number, name: String::new(), owner: place.path, part: Part::Ear { first } };
                self.held.push(Held { row, disposer: Some(disposer), pooled: None });
            }
            Err(error) => self.fault(format!("no listener: {error:?}")),
        }
    }

    /// K5: takes what it has somewhere into one effect, under an asynchronous link.
    fn compose(&mut self) {
        let place = self.somewhere();
        let gate = Gate::new();
        let (id, waits, probe) = (self.id(), gate.clone(), self.round.heart.probes.probe());
        let mut members: Vec<(u32, Disposer)> = Vec::new();
        for held in self.held.iter_mut().filter(|held| held.row.place == place.number && held.pooled.is_none()) {
            if members.len() < 3 && self.dice.one_in(2) {
                members.extend(held.disposer.take().map(|disposer| (held.row.id, disposer)));
            }
        }
        let ids = members.iter().map(|(id, _)| *id).collect();
        let made = place.ctx.effect(format!("composite{id}"), |fx| {
            for (_, disposer) in members {
                fx.adopt(disposer)?;
            }
            fx.defer_async(move || async move {
                waits.wait().await;
                tokio::task::yield_now().await;
                probe.touch();
            });
            Ok(())
        });
        match made {
            Ok(disposer) => {
                self.gates.push(gate.clone());
                self.composites.push(Composite { place: place.number, members: ids, disposer, gate });
            }
            Err(error) => self.fault(format!("no composite: {error:?}")),
        }
    }

    /// K5: what a composite has adopted is registered until the link before it has ended, and gone when all is awaited.
    async fn decompose(&mut self) {
        let Some(index) = self.dice.index(self.composites.len()) else { return };
        let composite = self.composites.remove(index);
        let opened = composite.gate.is_open();
        let end = composite.disposer.dispose();
        if !opened && self.waits {
            if end.result().is_some() {
                self.fault("a composite has ended before its link".to_owned());
            }
            self.look().await;
        }
        composite.gate.open();
        if self.waits && self.dice.one_in(2) {
            self.ended(end).await;
            self.held.retain(|held| !composite.members.contains(&held.row.id));
            self.look().await;
        } else {
            self.leaving.extend(&composite.members);
            self.ends.push(end);
        }
    }

    /// Futures that are dropped half way.
    async fn give_up(&mut self) {
        let place = self.somewhere();
        let (heart, probe) = (self.heart(), self.round.heart.probes.probe());
        match self.dice.roll(5) {
            0 => drop(poll_once(&mut heart.kernel.settled())),
            1 => {
                let ready = self.dice.index(self.packs.len()).map(|index| self.packs[index].fiber.ready());
                drop(ready.map(|mut ready| poll_once(&mut ready)));
            }
            2 => {
                let prompt = place.ctx.system_prompt();
                let mut half =
                    Box::pin(async move { drop(prompt.assemble(dsh_system_prompt::AssembleContext::new()).await) });
                let _half_way: std::task::Poll<()> = poll_once(&mut half);
            }
            3 => {
                let ctx = place.ctx.clone();
                let mut half = Box::pin(async move {
                    let made = ctx.effect_async("half", async |fx| {
                        fx.defer(move || probe.touch());
                        tokio::task::yield_now().await;
                        Ok(())
                    });
                    drop(made.await);
                });
                let _half_way: std::task::Poll<()> = poll_once(&mut half);
            }
            _ if self.waits && self.dice.one_in(3) => {
                self.open_gates();
                let settled = heart.kernel.settled().await;
                if let Err(error) = settled {
                    self.fault(format!("not settled: {error:?}"));
                }
            }
            _ => drop(heart.kernel.inspect().to_string()),
        }
    }

    /// K11: a listener that is removed by an earlier one of the same dispatch is skipped.
    fn cut(&mut self) {
        let place = self.somewhere();
        let (dispatch, slot) = (self.round.dispatch(), Arc::<Mutex<Option<Disposer>>>::default());
        let heard = Arc::new(AtomicU32::new(0));
        let (cuts, counts) = (Arc::clone(&slot), Arc::clone(&heard));
        let first = place.ctx.on::<Ping, _>(move |ping| {
            if ping.0 == dispatch {
                let taken = cuts.lock().unwrap_or_else(PoisonError::into_inner).take();
                drop(taken.map(Disposer::dispose));
            }
        });
        let second = place.ctx.on::<Ping, _>(move |ping| {
            counts.fetch_add(u32::from(ping.0 == dispatch), Ordering::Relaxed);
        });
        let (Ok(first), Ok(second)) = (first, second) else { return self.fault("no listeners".to_owned()) };
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(second);
        drop(place.ctx.emit(&Ping(dispatch), Audience::from(place.key)));
        if heard.load(Ordering::Relaxed) != 0 {
            self.fault("a listener that was removed has heard the dispatch that removed it".to_owned());
        }
        drop(first.dispose());
    }

    /// S9: a registration that a listener of the change refuses is rolled back.
    fn be_refused(&mut self) {
        let place = self.somewhere();
        let (id, probe) = (self.id(), self.round.heart.probes.probe());
        let name = format!("{REFUSED}{id}");
        let prompt = place.ctx.system_prompt();
        let result = prompt.section(section(name.clone(), 3.0, Text::raw("refused"), true, probe));
        let code = result.as_ref().err().map(dsh_system_prompt::Error::code);
        let left = prompt.view(place.key).map(|view| view.sections().any(|section| section.name == name));
        if code != Some("kernel::listener_failed") || left.as_ref().ok() != Some(&false) {
            self.fault(format!("a refused registration came to {result:?}, left in the view: {left:?}"));
        }
    }

    /// K5, K12: a pack becomes a link of an effect of whoever it was mounted through.
    fn adopt_a_pack(&mut self) {
        let Some(index) = self.dice.index(self.packs.len()) else { return };
        let track = Arc::clone(&self.packs[index]);
        let Some(place) = self.places().into_iter().find(|place| place.number == track.spec.place) else { return };
        let Some(disposer) = track.fiber.take_disposer() else { return };
        let made = place.ctx.effect("holds a pack", |fx| Ok(fx.adopt(disposer)?));
        match made {
            Ok(effect) if self.dice.one_in(2) => {
                self.packs.remove(index);
                self.ends.push(effect.dispose());
            }
            Ok(effect) => self.wraps.push((place.number, effect)),
            Err(error) => self.fault(format!("a pack is not adopted: {error:?}")),
        }
    }

    // What is there when nobody acts any more.

    /// All that was leaving has gone.
    pub(crate) fn all_has_left(&mut self) {
        let leaving = std::mem::take(&mut self.leaving);
        self.held.retain(|held| !leaving.contains(&held.row.id));
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.held.iter().map(|held| &held.row)
    }

    pub(crate) fn packs(&self) -> impl Iterator<Item = (&Arc<Spec>, &Fiber)> {
        self.packs.iter().map(|track| (&track.spec, &track.fiber))
    }

    pub(crate) fn open_scopes(&self) -> impl Iterator<Item = &Place> {
        self.scopes.iter().map(|scope| &scope.place)
    }

    pub(crate) fn services(&self) -> impl Iterator<Item = &str> {
        self.provided.iter().map(|provided| provided.name.as_str())
    }

    /// The ears of this actor that have heard a dispatch.
    pub(crate) fn heard(&self, dispatch: u64) -> Vec<u32> {
        let heard = std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner));
        heard.into_iter().filter(|(of, _)| *of == dispatch).map(|(_, ear)| ear).collect()
    }

    /// Disposes all that it holds, in random order.
    pub(crate) async fn leave(&mut self) {
        self.say("leaving");
        loop {
            let left =
                [self.held.len(), self.composites.len(), self.scopes.len(), self.packs.len(), self.provided.len()];
            if left.iter().all(|left| *left == 0) {
                break;
            }
            match self.dice.roll(5) {
                0 => {
                    let Some(index) = self.dice.index(self.held.len()) else { continue };
                    let held = self.held.swap_remove(index);
                    self.dispose(held);
                }
                1 => {
                    if let Some(composite) = self.composites.pop() {
                        composite.gate.open();
                        self.held.retain(|held| !composite.members.contains(&held.row.id));
                        self.ends.push(composite.disposer.dispose());
                    }
                }
                2 => self.close_scope().await,
                3 => self.unmount().await,
                _ => self.withdraw().await,
            }
        }
        self.ends.extend(self.wraps.drain(..).map(|(_, effect)| effect.dispose()));
        self.open_gates();
        self.say("left");
    }
}
