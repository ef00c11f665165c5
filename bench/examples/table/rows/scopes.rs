//! P4: what is registered elsewhere costs nothing. The same with one scope open and with many.

use dsh_bench::{Changes, Ours, Owned, Providers, Workload};
use dsh_kernel::{Failure, Scope};
use dsh_system_prompt::{PromptSection, SystemPromptExt as _};

use crate::options::Options;
use crate::round::{Sample, interleave};
use crate::row::{Row, Target};
use crate::timing::per_call;

/// So many scopes are many.
const MANY: usize = 10_000;

const FUNCTION: &str = "scopes.rs: measure";

/// A kernel with its scopes, of which one is looked at.
struct Side {
    ours: Ours,
    agent: Scope,
}

impl Side {
    /// Opens so many scopes, each with a persona and variables of its own.
    fn open(workload: &Workload, count: usize) -> Result<Self, Failure> {
        let ours = Ours::start(workload, Providers::Shared, Changes::OneVariable)?;
        for at in 1..count {
            ours.agent(workload, &format!("agent-{at}"), Owned::Everything, Changes::OneVariable)?;
        }
        let agent = ours.agent(workload, "agent", Owned::Everything, Changes::OneVariable)?;
        Ok(Self { ours, agent })
    }

    fn step(&self) -> Result<std::sync::Arc<str>, Failure> {
        self.ours.step(Some(self.agent.key()))
    }

    /// Registers a section in the scope and disposes it.
    fn register(&self) -> Result<(), Failure> {
        let section = PromptSection::new("extra", 150, "One more rule.");
        let end = self.agent.ctx().system_prompt().section(section)?.dispose();
        Ok(end.result().ok_or_else(|| Failure::msg("a section's end is waited for"))??)
    }
}

pub(super) fn measure(options: &Options, workload: &Workload) -> Result<Vec<Row>, Failure> {
    let (one, many) = (Side::open(workload, 1)?, Side::open(workload, MANY)?);
    let sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_call(time, || many.step())),
        Box::new(|time| per_call(time, || one.step())),
        Box::new(|time| per_call(time, || many.register())),
        Box::new(|time| per_call(time, || one.register())),
    ];
    let figures = interleave(options, sides)?;
    let [many_step, one_step, many_register, one_register] = figures.as_slice() else {
        return Err(Failure::msg("a side gave no figure"));
    };
    let against = "one scope open";
    let step = Row::new("P4", "a step with 10,000 scopes open", FUNCTION, *many_step);
    let register = Row::new("P4", "a section in and out, in one of 10,000 scopes", FUNCTION, *many_register);
    Ok(vec![
        step.against(against, *one_step).target(Target::AtMost(1.2)),
        register.against(against, *one_register).target(Target::AtMost(1.5)),
    ])
}
