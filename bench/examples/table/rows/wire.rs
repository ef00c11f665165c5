//! P3: a step in which nothing changed, and a step down to the body of a request.

use std::sync::Arc;

use dsh_bench::{Changes, Ours, Providers, Workload};
use dsh_kernel::Failure;

use crate::options::Options;
use crate::rivals::Npm;
use crate::round::{Sample, interleave};
use crate::row::{Row, Target};
use crate::timing::per_call;

const UNCHANGED: &str = "wire.rs: unchanged";

pub(super) fn measure(options: &Options, workload: &Workload, _npm: &Result<Npm, String>) -> Result<Vec<Row>, Failure> {
    unchanged(options, workload)
}

/// Nothing changed: the same shared bytes are handed out.
fn unchanged(options: &Options, workload: &Workload) -> Result<Vec<Row>, Failure> {
    let start = |providers| Ours::start(workload, providers, Changes::Nothing);
    let (shared, cloning) = (start(Providers::Shared)?, start(Providers::Cloning)?);
    for ours in [&shared, &cloning] {
        if !Arc::ptr_eq(&ours.step(None)?, &ours.step(None)?) {
            return Err(Failure::msg("an unchanged step hands out other bytes"));
        }
    }
    let sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_call(time, || shared.step(None))),
        Box::new(|time| per_call(time, || cloning.step(None))),
    ];
    let figures = interleave(options, sides)?;
    let [shared, cloning] = figures.as_slice() else { return Err(Failure::msg("a side gave no figure")) };
    let row = |what, figure| Row::new("P3", what, UNCHANGED, figure);
    Ok(vec![
        row("unchanged step, providers with shared strings", *shared).target(Target::Limit(200.0)),
        row("unchanged step, providers that clone", *cloning).target(Target::Limit(500.0)),
    ])
}
