//! A small model of the kernel and the prompt registry: what each step of a scenario gives, and whether the scenario
//! keeps to the format's restrictions.
//!
//! The generator asks it before it adds a step, the shrinker before it tries a smaller scenario. It knows no time and
//! no order of teardown, so it says nothing of what the log holds; everything else it predicts, and the prediction is
//! compared with the npm package in each `conform` run, since every restriction rests on it.

mod assembly;
mod lifecycle;
mod registry;
mod render;
mod rule;
mod waits;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::entry::{Entry, Failed};
use crate::scenario::{Action, Config, Part, Plugin, Scenario, Section, Step, Tools, Variable};

pub use rule::Rule;

/// The name of the rest entry of a tool order.
pub(crate) const REST: &str = "<unlisted-tools>";

/// What the model says of one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// The step gives exactly this.
    Entry(Entry),
    /// The step takes the log, whose order the model does not know.
    Log,
}

/// The state of a fiber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    /// Only within a step.
    Loading,
    Active,
    Failed,
    Disposed,
}

pub(crate) type FiberId = usize;
pub(crate) type EffectId = usize;
/// Nothing is the global layer, else the index of a scope.
pub(crate) type Layer = Option<usize>;

#[derive(Clone, Debug)]
pub(crate) struct Fiber {
    pub(crate) parent: Option<FiberId>,
    pub(crate) state: State,
    pub(crate) tag: Layer,
    /// The plugin, where the fiber is one; the root and the scopes are none.
    pub(crate) plugin: Option<Plugin>,
}

#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) owner: FiberId,
    pub(crate) alive: bool,
    /// The composite that adopted it.
    pub(crate) inside: Option<EffectId>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Section { layer: Layer, section: Section, identity: bool },
    Variable { layer: Layer, variable: Variable },
    Tools { layer: Layer, tools: Tools },
    Probe { ms: u64 },
    Provide(String),
    Composite,
    Change { name: String, throws_on: Option<u64>, calls: u64 },
    Assemble { tag: Layer, actions: Vec<Action> },
    Child(FiberId),
}

/// A rollback that goes on after its step: nothing may look until it has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rollback {
    owner: FiberId,
    ms: u64,
    /// How many steps may yet pass that do not look.
    steps: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) fiber: FiberId,
    pub(crate) tag: Layer,
}

/// The modelled state after some steps.
#[derive(Clone, Debug)]
pub struct Model {
    config: Config,
    pub(crate) fibers: Vec<Fiber>,
    /// In order of registration, the dead ones kept so that an index stays what it is.
    pub(crate) effects: Vec<Effect>,
    pub(crate) contexts: BTreeMap<String, Context>,
    pub(crate) handles: BTreeMap<String, EffectId>,
    pub(crate) plugins: BTreeMap<String, FiberId>,
    /// The ids of the scopes, the index being the key.
    pub(crate) scopes: Vec<String>,
    pub(crate) rollback: Option<Rollback>,
    /// The waits of all probes written so far.
    waits: Vec<u64>,
    had_rollback: bool,
}

impl Model {
    /// The state before the first step.
    ///
    /// # Errors
    ///
    /// How it is refused at load, which is then the one entry of the trace.
    pub fn new(config: &Config) -> Result<Self, Failed> {
        if let Some(order) = &config.tool_order {
            if (1..order.len()).any(|index| order[..index].contains(&order[index])) {
                return Err(Failed::with("tool_order_duplicate"));
            }
            if !order.iter().any(|name| name == REST) {
                return Err(Failed::with("tool_order_missing_rest"));
            }
        }
        let root = Fiber { parent: None, state: State::Active, tag: None, plugin: None };
        let mut model = Self {
            config: config.clone(),
            fibers: vec![root],
            effects: Vec::new(),
            contexts: BTreeMap::from([("root".to_owned(), Context { fiber: 0, tag: None })]),
            handles: BTreeMap::new(),
            plugins: BTreeMap::new(),
            scopes: Vec::new(),
            rollback: None,
            waits: Vec::new(),
            had_rollback: false,
        };
        model.register_own(config);
        Ok(model)
    }

    /// Takes a step.
    ///
    /// # Errors
    ///
    /// The restriction that the step would break; the model is then no longer of use.
    pub fn apply(&mut self, step: &Step) -> Result<Predicted, Rule> {
        self.keep_apart(step)?;
        if let Some(id) = step.makes()
            && (id == "root" || self.contexts.contains_key(id) || self.handles.contains_key(id))
        {
            return Err(Rule::IdTaken);
        }
        self.note_waits(step);
        let entry = match step {
            Step::Plugin(plugin) => self.mount(plugin)?,
            Step::Provide { id, at, name } => {
                let part = Part::Provide(name.clone());
                self.register_step(id, at, &part)?
            }
            Step::Part { id, at, part } => self.register_step(id, at, part)?,
            Step::State { id } => Entry::Ok(self.state_of(id)?),
            Step::Scope { id, at } => self.open_scope(id, at)?,
            Step::Composite { id, at, parts } => self.composite(id, at, parts)?,
            Step::OnChange { id, at, name, throws_on } => {
                let kind = Kind::Change { name: name.clone(), throws_on: *throws_on, calls: 0 };
                self.listen(id, at, kind)?
            }
            Step::OnAssemble { id, at, actions } => {
                rule::check_actions(actions)?;
                let tag = self.context(at)?.tag;
                self.listen(id, at, Kind::Assemble { tag, actions: actions.clone() })?
            }
            Step::Dispose { id } | Step::Unload { id } => self.dispose(id)?,
            Step::Assemble { scope } => self.assemble_step(scope.as_deref(), false)?,
            Step::Render { scope } => self.assemble_step(scope.as_deref(), true)?,
            Step::Log => return Ok(Predicted::Log),
        };
        Ok(Predicted::Entry(entry))
    }

    pub(crate) fn context(&self, id: &str) -> Result<Context, Rule> {
        self.contexts.get(id).copied().ok_or(Rule::UnknownId)
    }

    /// The context, where an effect on it is accepted; nothing where it is refused as inactive.
    pub(crate) fn open_context(&self, id: &str) -> Result<Option<Context>, Rule> {
        let context = self.context(id)?;
        match self.fibers[context.fiber].state {
            State::Active => Ok(Some(context)),
            State::Disposed => Ok(None),
            State::Pending | State::Loading | State::Failed => Err(Rule::NotActive),
        }
    }

    fn state_of(&self, id: &str) -> Result<Value, Rule> {
        let fiber = self.plugins.get(id).ok_or(Rule::UnknownId)?;
        Ok(match self.fibers[*fiber].state {
            State::Pending => json!("pending"),
            State::Loading => json!("loading"),
            State::Active => json!("active"),
            State::Failed => json!("failed"),
            State::Disposed => json!("disposed"),
        })
    }

    /// A scope's key, which is known after the scope is gone, too.
    fn scope_key(&self, scope: Option<&str>) -> Result<Layer, Rule> {
        let Some(id) = scope else { return Ok(None) };
        self.scopes.iter().position(|known| known == id).map(Some).ok_or(Rule::UnknownId)
    }

    /// The live effects, in order of registration.
    pub(crate) fn live(&self) -> impl Iterator<Item = (EffectId, &Effect)> {
        self.effects.iter().enumerate().filter(|(_, effect)| effect.alive)
    }

    /// Whether `ancestor` is the fiber or one above it.
    pub(crate) fn is_within(&self, fiber: FiberId, ancestor: FiberId) -> bool {
        let mut cursor = Some(fiber);
        while let Some(one) = cursor {
            if one == ancestor {
                return true;
            }
            cursor = self.fibers[one].parent;
        }
        false
    }
}

/// The restrictions that a step's own texts decide.
pub(crate) fn check_step(step: &Step) -> Result<(), Rule> {
    rule::check_step_texts(step)
}

/// Predicts the trace of a scenario that keeps to every restriction.
///
/// # Errors
///
/// The first restriction that it breaks, with the index of the step.
pub fn predict(scenario: &Scenario) -> Result<Vec<Predicted>, (usize, Rule)> {
    rule::check_texts(scenario)?;
    walk(scenario, Model::check_waits)
}

/// As [`predict`], for a scenario whose trace is recorded: that its waits can be ordered and its quoted groups are
/// malformed on both sides was seen then.
///
/// # Errors
///
/// As [`predict`].
pub fn predict_recorded(scenario: &Scenario) -> Result<Vec<Predicted>, (usize, Rule)> {
    walk(scenario, |_| Ok(()))
}

fn walk(scenario: &Scenario, waits: impl Fn(&Model) -> Result<(), Rule>) -> Result<Vec<Predicted>, (usize, Rule)> {
    let mut model = match Model::new(&scenario.config) {
        Ok(model) => model,
        Err(failed) => return Ok(vec![Predicted::Entry(failed.into())]),
    };
    let mut take = |step| {
        let predicted = model.apply(step)?;
        waits(&model)?;
        Ok(predicted)
    };
    scenario.steps.iter().enumerate().map(|(index, step)| take(step).map_err(|rule| (index, rule))).collect()
}
