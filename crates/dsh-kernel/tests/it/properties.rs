//! K2 to K12 together: random trees of plugins, scopes, effects, services and disposals, against a simple model.
//!
//! After each step the log, the state of every fiber, and what `inspect()` shows are those of the model.
//! `PROPTEST_CASES` sets how many runs there are.

mod driver;
mod model;

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

use crate::support::watchdog::Watchdog;

/// What a link of an effect does. A gate's number is taken modulo the number of gates made so far.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Line,
    Gate,
    Service(usize),
    Listener,
}

/// One step. Numbers choose among what is there, modulo how much of it there is.
#[derive(Clone, Debug)]
enum Step {
    Scope {
        owner: usize,
    },
    Plugin {
        owner: usize,
        inject: Vec<usize>,
        provides: Option<usize>,
        parts: usize,
    },
    Effect {
        owner: usize,
        pieces: Vec<Piece>,
        fails: bool,
    },
    /// Adopts what `adopts` chooses among the effects, scopes and plugins of the owner.
    Composite {
        owner: usize,
        adopts: Vec<usize>,
        piece: Piece,
        fails: bool,
    },
    DisposeEffect(usize),
    DisposeFiber(usize),
    OpenGate(usize),
    Emit {
        audience: Option<usize>,
    },
}

const SERVICES: usize = 3;

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        3 => Just(Piece::Line),
        3 => Just(Piece::Gate),
        2 => (0..SERVICES).prop_map(Piece::Service),
        1 => Just(Piece::Listener),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let any = 0..1_000_usize;
    prop_oneof![
        2 => any.clone().prop_map(|owner| Step::Scope { owner }),
        4 => (any.clone(), prop::collection::vec(0..SERVICES, 0..3), prop::option::of(0..SERVICES), 0..3_usize)
            .prop_map(|(owner, mut inject, provides, parts)| {
                inject.sort_unstable();
                inject.dedup();
                Step::Plugin { owner, inject, provides, parts }
            }),
        5 => (any.clone(), prop::collection::vec(piece(), 1..4), prop::bool::weighted(0.15))
            .prop_map(|(owner, pieces, fails)| Step::Effect { owner, pieces, fails }),
        4 => (any.clone(), prop::collection::vec(any.clone(), 1..4), piece(), prop::bool::weighted(0.15))
            .prop_map(|(owner, adopts, piece, fails)| Step::Composite { owner, adopts, piece, fails }),
        4 => any.clone().prop_map(Step::DisposeEffect),
        3 => any.clone().prop_map(Step::DisposeFiber),
        4 => any.clone().prop_map(Step::OpenGate),
        2 => prop::option::of(any).prop_map(|audience| Step::Emit { audience }),
    ]
}

fn config() -> Config {
    // The environment sets the number of cases; a failing case is printed whole, and kept in no file.
    Config { failure_persistence: Some(Box::new(FileFailurePersistence::Off)), ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    // K2, K3, K4, K5, K6, K7, K8, K10, K11, K12
    #[test]
    fn random_lives_are_those_of_the_model(steps in prop::collection::vec(step(), 1..60)) {
        let watchdog = Watchdog::start();
        driver::run(&steps);
        drop(watchdog);
    }
}
