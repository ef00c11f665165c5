//! P1: one step. All variable providers run again; one answers otherwise each time, so that rendering really happens.

use dsh_bench::{Changes, Ours, Providers, Workload};
use dsh_kernel::Failure;

use crate::options::Options;
use crate::rivals::{Measure, Npm};
use crate::round::{Sample, interleave};
use crate::row::{Row, Target};
use crate::timing::per_call;

const FUNCTION: &str = "step.rs: measure";
const NPM: &str = "npm package";

pub(super) fn measure(options: &Options, workload: &Workload, npm: &Result<Npm, String>) -> Result<Vec<Row>, Failure> {
    let shared = Ours::start(workload, Providers::Shared, Changes::OneVariable)?;
    let cloning = Ours::start(workload, Providers::Cloning, Changes::OneVariable)?;
    let mut sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_call(time, || shared.step(None))),
        Box::new(|time| per_call(time, || cloning.step(None))),
    ];
    if let Ok(npm) = npm {
        same_prompt(workload, npm)?;
        sides.insert(1, Box::new(|time| npm.measure(Measure::Step, time)));
    }
    let figures = interleave(options, sides)?;
    let step = |figure| Row::new("P1", "one step, one variable changed", FUNCTION, figure);
    let (ours, cloning, beside) = match (npm, figures.as_slice()) {
        (Ok(_), [ours, theirs, cloning]) => (*ours, *cloning, step(*ours).against(NPM, *theirs)),
        (Err(why), [ours, cloning]) => (*ours, *cloning, step(*ours).skipped(Some(NPM), why)),
        _ => return Err(Failure::msg("a side gave no figure")),
    };
    Ok(vec![
        beside.target(Target::AtMost(0.01)),
        step(ours).target(Target::Limit(6_000.0)),
        Row::new("P1", "one step, providers that clone", FUNCTION, cloning),
    ])
}

/// Both sides make the same prompt, but for the harness's own sentence at its head.
fn same_prompt(workload: &Workload, npm: &Npm) -> Result<(), Failure> {
    let ours = Ours::start(workload, Providers::Shared, Changes::Nothing)?.step(None)?;
    let body = |text: &str| text.split_once("\n\n").map(|(_, body)| body.to_owned());
    if body(&ours) == body(&npm.prompt) {
        Ok(())
    } else {
        Err(Failure::msg("ours and the npm package differ in the prompt"))
    }
}
