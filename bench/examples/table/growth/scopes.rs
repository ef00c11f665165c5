//! Over the scopes that are open, of which one is looked at.

use std::sync::Arc;

use dsh_kernel::{Failure, Scope};
use dsh_system_prompt::{PromptVariable, SystemPromptExt as _};

use super::world::in_and_out;
use super::{Curve, Growth, TO_10_000, World};
use crate::round::Sample;
use crate::timing::per_call;

pub(super) const CURVES: &[Curve] = &[
    Curve {
        id: "growth: step over scopes",
        what: "a step of one scope, a variable changed",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| steps(World::start()?.with_changing()?.with_sections(50)?, count),
        function: "scopes.rs: steps",
    },
    Curve {
        id: "growth: unchanged step over scopes",
        what: "a step of one scope in which nothing changed",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| steps(World::start()?.with_steady()?.with_sections(50)?, count),
        function: "scopes.rs: steps",
    },
    Curve {
        id: "growth: section in and out over scopes",
        what: "a section in and out in one scope",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| {
            let opened = Opened::scopes(World::start()?.with_steady()?.with_sections(50)?, count)?;
            Ok(Box::new(move |time| {
                // The whole of it is captured: its kernel ends with it.
                let opened = &opened;
                per_call(time, || in_and_out(&opened.one.ctx().system_prompt()))
            }))
        },
        function: "scopes.rs: Opened",
    },
    Curve {
        id: "growth: scope open and close over scopes",
        what: "a scope is opened and closed",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| {
            let opened = Opened::scopes(World::start()?, count)?;
            Ok(Box::new(move |time| per_call(time, || open_and_close(&opened))))
        },
        function: "scopes.rs: open_and_close",
    },
    Curve {
        id: "growth: global change over scopes",
        what: "a section of everybody's in and out, each seen by every scope",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| {
            let opened = Opened::scopes(World::start()?.with_steady()?, count)?;
            Ok(Box::new(move |time| per_call(time, || seen_by_all(&opened))))
        },
        function: "scopes.rs: seen_by_all",
    },
];

/// A world with its scopes, each with a variable of its own and an assembly behind it.
struct Opened {
    world: World,
    one: Scope,
    others: Vec<Scope>,
}

impl Opened {
    fn scopes(world: World, count: usize) -> Result<Self, Failure> {
        let open = || -> Result<Scope, Failure> {
            let scope = world.root.scope("agent")?;
            let value: Arc<str> = "own".into();
            let own = PromptVariable::computed("own", move |_| Arc::clone(&value));
            scope.ctx().system_prompt().variable(own)?;
            world.step(Some(scope.key()))?;
            Ok(scope)
        };
        let others = (1..count).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
        let one = open()?;
        Ok(Self { world, one, others })
    }
}

fn steps(world: World, count: usize) -> Result<Sample<'static>, Failure> {
    let opened = Opened::scopes(world, count)?;
    Ok(Box::new(move |time| per_call(time, || opened.world.step(Some(opened.one.key())))))
}

fn open_and_close(opened: &Opened) -> Result<(), Failure> {
    let scope = opened.world.root.scope("one more")?;
    Ok(scope.dispose().result().ok_or_else(|| Failure::msg("a scope's end is waited for"))??)
}

fn seen_by_all(opened: &Opened) -> Result<(), Failure> {
    in_and_out(&opened.world.prompt)?;
    for scope in opened.others.iter().chain([&opened.one]) {
        opened.world.step(Some(scope.key()))?;
    }
    Ok(())
}
