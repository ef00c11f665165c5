//! What lives over all rounds: the kernel with the registry, scopes that stay, what is registered in them, and the ears that
//! hear every change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dsh_kernel::{
    BoxFuture, Context, DynPlugin, Emit, Event, Failure, Fiber, FiberChanged, FiberState, Inspection, Kernel, Name,
    Owner, Registered, Scope, ScopeKey, Service,
};
use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_system_prompt::{
    AssembleEvent, Identity, PromptChange, PromptConfig, PromptRegistry, PromptSection, PromptVariable, SystemPrompt,
    SystemPromptExt, TOOL_ORDER_REST, ToolProvider,
};
use dsh_template::Text;
use dsh_testkit::Probes;

use crate::model::{GLOBAL, Part, Row};
use crate::pack::Track;

/// How many scopes stay open over all rounds; their numbers are 1, 2, …
pub(crate) const RESIDENTS: u32 = 2;
/// The tools that `tool_order` lists.
pub(crate) const FIRST_TOOL: &str = "zz_base";
pub(crate) const LAST_TOOL: &str = "aa_base";
/// Whoever registers a name that begins like this is refused by a listener of the change (S9).
pub(crate) const REFUSED: &str = "refused";

/// An event of the stress. Each dispatch has a number of its own.
pub(crate) struct Ping(pub(crate) u64);

impl Event for Ping {
    const NAME: &'static str = "stress/ping";
    const DOC: &'static str = "A dispatch of the stress test.";
    type Mode = Emit;
}

/// Faults that anybody has found, foreign code included, where a panic would be caught.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Vec<String>>>);

impl Faults {
    pub(crate) fn say(&self, fault: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault.into());
    }

    pub(crate) fn check(&self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.say(fault());
        }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An open scope, or the root, as somewhere to register in.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) number: u32,
    pub(crate) key: Option<ScopeKey>,
    pub(crate) ctx: Context,
    pub(crate) path: String,
}

impl Place {
    pub(crate) fn below(&self, name: &str) -> String {
        if self.number == GLOBAL { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    /// Whether it is a scope in which all register.
    pub(crate) fn is_wanted_by_all(&self) -> bool {
        self.number != GLOBAL && self.number <= RESIDENTS
    }
}

/// How often something was registered, less how often it was removed, as the change listeners were told.
type Tally = BTreeMap<String, i64>;

pub(crate) struct Heart {
    pub(crate) kernel: Kernel,
    pub(crate) places: Vec<Place>,
    pub(crate) probes: Probes,
    pub(crate) faults: Faults,
    /// The packs of the present round.
    pub(crate) ledger: Arc<Mutex<Vec<Arc<Track>>>>,
    tally: Arc<Mutex<Tally>>,
    registry: Mutex<Fiber>,
    _residents: Vec<Scope>,
}

/// The packs that were away when the last listener but the registry itself had the assembly.
pub(crate) struct Absent(pub(crate) Vec<u32>);

impl Heart {
    pub(crate) async fn new() -> Arc<Self> {
        // How long a task takes to end on a loaded machine is not what is looked at; one that never does is the watchdog's.
        let kernel = Kernel::builder().grace(Duration::from_mins(10)).build();
        let root = kernel.root();
        let (faults, tally, ledger) = (Faults::default(), Arc::default(), Arc::default());
        hear_changes(&root, &tally);
        hear_fibers(&root, &faults);
        let registry = mount_registry(&root);
        let mut places = vec![Place { number: GLOBAL, key: None, ctx: root.clone(), path: "root".to_owned() }];
        let mut residents = Vec::new();
        for number in 1..=RESIDENTS {
            let label = format!("resident{number}");
            let scope = root.scope(label.clone()).unwrap();
            places.push(Place { number, key: Some(scope.key()), ctx: scope.ctx().clone(), path: label });
            residents.push(scope);
        }
        for place in &places {
            place.ctx.plugin_dyn(Arc::new(Base { place: place.number })).unwrap().ready().await.unwrap();
            if place.number != GLOBAL {
                note_who_is_away(&place.ctx, &ledger);
            }
        }
        let (probes, registry) = (Probes::new(), Mutex::new(registry));
        Arc::new(Self { kernel, places, probes, faults, ledger, tally, registry, _residents: residents })
    }

    pub(crate) fn root(&self) -> Context {
        self.kernel.root()
    }

    /// Unloads the registry and mounts it again: whoever injects it follows.
    pub(crate) async fn reload_registry(&self) {
        let old = self.registry.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ended = old.dispose().await;
        self.faults.check(ended.is_ok(), || format!("the registry's end: {ended:?}"));
        let new = mount_registry(&self.root());
        *self.registry.lock().unwrap_or_else(PoisonError::into_inner) = new.clone();
        let ready = new.ready().await;
        self.faults.check(ready.is_ok(), || format!("the registry does not come back: {ready:?}"));
    }

    /// What is registered as long as nobody else has registered anything.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let section = |place: u32, owner: String, name: &str, order: f64, text: &str, raw| Row {
            id: 0,
            place,
            name: name.to_owned(),
            owner,
            part: Part::Section { order, text: text.to_owned(), raw },
        };
        let mut rows = vec![
            section(GLOBAL, "system-prompt".to_owned(), "harness:identity", -100.0, "", true),
            section(GLOBAL, "system-prompt".to_owned(), "deployment:persona", 0.0, PERSONA, false),
        ];
        for place in &self.places {
            let owner = place.below("base");
            let row = |name: &str, part: Part| Row {
                id: 0,
                place: place.number,
                name: name.to_owned(),
                owner: owner.clone(),
                part,
            };
            rows.push(row("who", Part::Variable { value: who(place.number) }));
            let text = base_text(place.number);
            rows.push(section(place.number, owner.clone(), "base", 1.0, &text, false));
            if place.number == GLOBAL {
                rows.push(row("", Part::Tools { names: vec![LAST_TOOL.to_owned(), FIRST_TOOL.to_owned()] }));
            }
        }
        rows
    }

    /// The names of what the change listeners have heard of and that is not gone, as far as they know.
    pub(crate) fn heard_of(&self) -> Vec<String> {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.iter().map(|(what, net)| if *net == 1 { what.clone() } else { format!("{what} x {net}") }).collect()
    }

    /// The tree, independent of the order in which its fibers were mounted.
    pub(crate) fn tree(&self) -> Vec<String> {
        lines(&self.kernel.inspect())
    }
}

/// One line for each fiber: its path, its state and its effects.
fn lines(inspection: &Inspection) -> Vec<String> {
    let mut path: Vec<&str> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for fiber in &inspection.fibers {
        path.truncate(fiber.depth);
        path.push(&fiber.name);
        let effects: Vec<_> =
            fiber.effects.iter().map(|effect| format!("{} {:?}", effect.label, effect.undoing)).collect();
        lines.push(format!("{} {} {:?} {}", path.join("/"), fiber.state, fiber.error, effects.join(", ")));
    }
    lines.sort();
    lines
}

const PERSONA: &str = "You work for {{who}}.";

fn who(place: u32) -> String {
    format!("place {place}")
}

fn base_text(place: u32) -> String {
    format!("base {place} for {{{{who}}}}")
}

fn mount_registry(root: &Context) -> Fiber {
    let order = [FIRST_TOOL, TOOL_ORDER_REST, LAST_TOOL];
    let config = PromptConfig::new().identity(Identity::Omitted).persona(PERSONA).tool_order(order);
    root.plugin(SystemPrompt::new(config)).unwrap()
}

/// What is there in all rounds, once for everyone and once for each scope that stays.
struct Base {
    place: u32,
}

impl DynPlugin for Base {
    fn name(&self) -> Name {
        Name::fixed("base")
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed(PromptRegistry::NAME)]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            let prompt = ctx.system_prompt();
            prompt.variable(PromptVariable::new("who", who(self.place)))?;
            prompt.section(PromptSection::new("base", 1, Text::template(base_text(self.place))))?;
            if self.place == GLOBAL {
                prompt.tools(ToolProvider::new([schema(LAST_TOOL), schema(FIRST_TOOL)]))?;
            }
            Ok(())
        })
    }
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name.to_owned(), format!("does {name}"), NO_PARAMETERS).unwrap()
}

/// What a change is called in the tally.
pub(crate) fn called(kind: &str, scope: Option<ScopeKey>, name: &str) -> String {
    format!("{kind} {name} in {scope:?}")
}

fn hear_changes(root: &Context, tally: &Arc<Mutex<Tally>>) {
    let tally = Arc::clone(tally);
    root.on::<PromptChange, _>(move |change| -> Result<(), Failure> {
        let name = change.name.as_ref().map_or_else(|| change.owner.to_string(), |name| name.as_str().to_owned());
        let what = called(&format!("{:?}", change.kind), change.scope, &name);
        let by = if change.change == Registered::Added { 1 } else { -1 };
        {
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            let net = tally.remove(&what).unwrap_or_default() + by;
            // Nothing is kept of what came and went: its scope may never be seen again.
            if net != 0 {
                tally.insert(what, net);
            }
        }
        if by > 0 && name.starts_with(REFUSED) { Err(Failure::msg("refused")) } else { Ok(()) }
    })
    .unwrap();
}

/// K2: what is told of a fiber is told in its order.
fn hear_fibers(root: &Context, faults: &Faults) {
    let faults = faults.clone();
    let states: Mutex<std::collections::HashMap<Owner, FiberState>> = Mutex::default();
    root.on::<FiberChanged, _>(move |change| {
        let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
        let before = states.insert(change.path.clone(), change.to);
        let follows = before.is_none_or(|before| before == change.from);
        faults.check(follows, || format!("{}: {before:?}, then {} > {}", change.path, change.from, change.to));
        if change.to == FiberState::Disposed {
            states.remove(&change.path);
        }
    })
    .unwrap();
}

/// A listener round all others of a scope's assemblies. What has gone when it gets the assembly back may not stand in what the
/// registry hands out after it.
fn note_who_is_away(scope: &Context, ledger: &Arc<Mutex<Vec<Arc<Track>>>>) {
    let ledger = Arc::clone(ledger);
    scope
        .prepended()
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            let ledger = Arc::clone(&ledger);
            async move {
                tokio::task::yield_now().await;
                let mut assembly = next.run(assembly).await?;
                tokio::task::yield_now().await;
                let tracks = ledger.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let away = tracks.iter().filter(|track| track.is_away()).map(|track| track.spec.id).collect();
                assembly.set_extension(Absent(away));
                Ok(assembly)
            }
        })
        .unwrap();
}
