//! What one seed favours.

use super::rng::Rng;

/// The kinds of steps that the generator draws from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Plugin,
    Scope,
    Provide,
    Section,
    Variable,
    Tools,
    Probe,
    Composite,
    OnChange,
    OnAssemble,
    Dispose,
    Unload,
    Assemble,
    Render,
    Log,
    State,
}

/// How likely each is in a seed that favours nothing; whether a seed may leave it out.
const OPS: [(Op, usize, bool); 16] = [
    (Op::Plugin, 10, false),
    (Op::Scope, 7, true),
    (Op::Provide, 5, true),
    (Op::Section, 13, true),
    (Op::Variable, 8, true),
    (Op::Tools, 8, true),
    (Op::Probe, 5, true),
    (Op::Composite, 9, true),
    (Op::OnChange, 4, true),
    (Op::OnAssemble, 6, true),
    (Op::Dispose, 11, false),
    (Op::Unload, 8, false),
    (Op::Assemble, 8, false),
    (Op::Render, 8, true),
    (Op::Log, 5, false),
    (Op::State, 4, true),
];

/// What one seed favours.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    ops: Vec<(usize, Op)>,
    /// Of a hundred plugins, how many wait for a service.
    pub(super) inject: usize,
    /// Of a hundred providers, how many throw.
    pub(super) throws: usize,
    /// Of a hundred texts, how many are made to be refused.
    pub(super) hostile: usize,
    /// Of a hundred registrations, how many go through a context that is disposed.
    pub(super) stale: usize,
    /// Of a hundred names, how many are drawn without a look at what is taken.
    pub(super) careless: usize,
    /// The waits that this seed's probes may have, in milliseconds; each is used once.
    pub(super) waits: Vec<u64>,
    /// Whether composites may fail with such waits behind them.
    pub(super) slow_rollbacks: bool,
    /// Whether there is a tool order.
    pub(super) tool_order: bool,
}

/// What a seed is mostly about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Theme {
    Plain,
    Services,
    Teardown,
    Prompt,
}

impl Theme {
    /// How much likelier the theme makes an operation.
    fn favours(self, op: Op) -> usize {
        let (often, favoured): (usize, &[Op]) = match self {
            Self::Plain => (1, &[]),
            Self::Services => (4, &[Op::Provide, Op::Plugin, Op::Dispose]),
            Self::Teardown => (3, &[Op::Composite, Op::Probe, Op::Unload, Op::Scope, Op::Plugin]),
            Self::Prompt => (3, &[Op::Section, Op::Variable, Op::Tools, Op::OnAssemble, Op::Assemble, Op::Render]),
        };
        if favoured.contains(&op) { often } else { 1 }
    }
}

impl Profile {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let theme = rng.one_of([
            Theme::Plain,
            Theme::Plain,
            Theme::Services,
            Theme::Services,
            Theme::Services,
            Theme::Teardown,
            Theme::Teardown,
            Theme::Teardown,
            Theme::Prompt,
            Theme::Prompt,
        ]);
        let ops = OPS.iter().map(|(op, weight, may_miss)| {
            let times = match theme.favours(*op) {
                1 if *may_miss => rng.one_of([0, 1, 2, 2, 3, 6]),
                1 => rng.one_of([1, 2, 2, 3]),
                favoured => 2 * favoured,
            };
            (weight * times, *op)
        });
        let ops = ops.collect();
        let slow_rollbacks = rng.chance(30);
        // Powers of two: every sum of some differs from every other by at least the first.
        let mut waits: Vec<u64> = if slow_rollbacks { vec![16, 32, 64] } else { vec![8, 16, 32, 64] };
        rng.shuffle(&mut waits);
        let kept = if theme == Theme::Teardown { rng.one_of([0, 2, 3, 4]) } else { rng.one_of([0, 0, 1, 2, 3]) };
        waits.truncate(kept);
        Self {
            ops,
            inject: if theme == Theme::Services { 70 } else { rng.one_of([0, 20, 40]) },
            throws: rng.one_of(if theme == Theme::Prompt { [0, 0, 0, 6, 12, 40] } else { [0, 0, 0, 0, 4, 10] }),
            hostile: rng.one_of([0, 0, 5, 10, 30]),
            stale: rng.one_of([0, 4, 10]),
            careless: rng.one_of([5, 15, 40]),
            waits,
            slow_rollbacks,
            tool_order: rng.chance(40),
        }
    }

    pub(super) fn draw_op(&self, rng: &mut Rng) -> Op {
        rng.weighted(&self.ops, Op::Log)
    }
}
