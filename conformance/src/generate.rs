//! Seeded random scenarios over the whole alphabet of the format, clear of its known differences.
//!
//! Each seed draws a profile first (which operations it favours, how hostile its texts are, how many of its teardowns
//! take time), so that seeds differ more from each other than steps of one seed do. Every step is drawn freely and then
//! tried on the [`Model`]; one that would break a restriction of the format is drawn anew.

mod parts;
mod profile;
mod rng;
mod steps;
mod words;

use std::collections::BTreeMap;

use crate::model::Model;
use crate::scenario::{Config, Scenario, Step};

use profile::{Op, Profile};
use rng::Rng;

/// How often a step is drawn anew before another kind of step is tried.
const TRIES: usize = 12;

/// The scenario of a seed: the same seed makes the same scenario on every machine.
///
/// ```
/// use dsh_conformance::{generate, predict};
///
/// let scenario = generate(7);
/// assert_eq!(scenario, generate(7));
/// assert!(predict(&scenario).is_ok());
/// ```
pub fn generate(seed: u64) -> Scenario {
    let mut rng = Rng::new(seed);
    let profile = Profile::draw(&mut rng);
    let config = words::config(&mut rng, &profile);
    let Ok(model) = Model::new(&config) else {
        // Nothing runs after a refused configuration; a step shows that nothing does.
        return Scenario { config, steps: vec![Step::Assemble { scope: None }] };
    };
    let mut draft = Draft {
        rng,
        profile,
        model,
        scenario: Scenario { config, steps: Vec::new() },
        next: None,
        made: BTreeMap::new(),
    };
    draft.fill();
    draft.scenario
}

/// A scenario that is being drawn.
struct Draft {
    rng: Rng,
    profile: Profile,
    model: Model,
    scenario: Scenario,
    /// What the last step asks for.
    next: Option<Op>,
    /// How many ids were drawn, used or not, by their prefix.
    made: BTreeMap<&'static str, usize>,
}

impl Draft {
    fn fill(&mut self) {
        let wanted = self.rng.between(5, 25);
        let mut misses = 0;
        while self.scenario.steps.len() < wanted && misses < 20 {
            if self.take_one() {
                misses = 0;
            } else {
                misses += 1;
            }
        }
        if self.rng.chance(60) {
            self.tear_down();
        }
        if self.model.rollback.is_some() && !self.take_one() {
            return;
        }
        self.look_round();
    }

    /// Ends some of what is there: the order of a teardown shows only where there is much to undo.
    fn tear_down(&mut self) {
        for _ in 0..self.rng.between(1, 2) {
            let op = self.rng.one_of([Op::Unload, Op::Unload, Op::Dispose]);
            self.take(op);
        }
    }

    /// Ends with a look at what is left, or nobody would see what the last steps did.
    fn look_round(&mut self) {
        self.push(Step::Log);
        let scopes: Vec<Option<String>> =
            std::iter::once(None).chain(self.model.scopes.iter().cloned().map(Some)).collect();
        for scope in scopes {
            if self.rng.chance(60) {
                let _made = self.push(Step::Assemble { scope: scope.clone() });
            }
            if self.rng.chance(40) {
                let _made = self.push(Step::Render { scope });
            }
        }
        let plugins: Vec<String> = self.model.plugins.keys().cloned().collect();
        for id in plugins {
            if self.rng.chance(25) {
                let _made = self.push(Step::State { id });
            }
        }
        self.push(Step::Log);
    }

    /// Draws one step until the model accepts it.
    fn take_one(&mut self) -> bool {
        let op = match self.next.take() {
            Some(op) => op,
            None => self.profile.draw_op(&mut self.rng),
        };
        let taken = self.take(op);
        if taken {
            self.next = self.draw_next();
        }
        taken
    }

    fn take(&mut self, op: Op) -> bool {
        (0..TRIES).any(|_| match self.draw(op) {
            Some(step) => self.push(step),
            None => false,
        })
    }

    /// Adds a step, unless it would break a restriction.
    fn push(&mut self, step: Step) -> bool {
        let mut tried = self.model.clone();
        if crate::model::check_step(&step).is_err() || tried.apply(&step).is_err() || tried.check_waits().is_err() {
            return false;
        }
        self.model = tried;
        self.scenario.steps.push(step);
        true
    }

    fn config(&self) -> &Config {
        &self.scenario.config
    }

    /// An id that nothing has. Scopes are counted by themselves, so that their ids are also names of variables.
    fn fresh_id(&mut self, prefix: &'static str) -> String {
        let count = self.made.entry(prefix).or_default();
        *count += 1;
        format!("{prefix}{count}")
    }
}
