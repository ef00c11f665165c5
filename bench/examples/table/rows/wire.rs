//! P3: a step in which nothing changed, and a step down to the body of a request.

use std::hint::black_box;
use std::ops::Deref;
use std::sync::Arc;

use dsh_bench::{Changes, Ours, Providers, Workload};
use dsh_kernel::Failure;
use dsh_system_prompt::{render, wire_body};

use crate::options::Options;
use crate::rivals::{Measure, Npm};
use crate::round::{Sample, interleave};
use crate::row::{Row, Target};
use crate::timing::per_call;

const UNCHANGED: &str = "wire.rs: unchanged";
const WIRE: &str = "wire.rs: wire";
const NPM: &str = "npm package";

pub(super) fn measure(options: &Options, workload: &Workload, npm: &Result<Npm, String>) -> Result<Vec<Row>, Failure> {
    let mut rows = unchanged(options, workload)?;
    rows.extend(wire(options, workload, npm)?);
    Ok(rows)
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
    let answers = answers(workload);
    let sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_call(time, || shared.step(None))),
        Box::new(|time| per_call(time, || cloning.step(None))),
        Box::new(|time| {
            per_call(time, || {
                ask(&answers);
                Ok(())
            })
        }),
    ];
    let figures = interleave(options, sides)?;
    let [shared, cloning, answers] = figures.as_slice() else { return Err(Failure::msg("a side gave no figure")) };
    let row = |what, figure| Row::new("P3", what, UNCHANGED, figure);
    Ok(vec![
        row("unchanged step, providers with shared strings", *shared).target(Target::Limit(200.0)),
        row("unchanged step, providers with shared strings", *shared)
            .against("the eight answers alone: a shared string cloned by a boxed closure, and dropped", *answers),
        row("unchanged step, providers that clone", *cloning).target(Target::Limit(500.0)),
    ])
}

/// The code of a provider, without a registry round it.
type Answer = Box<dyn Fn(usize) -> Arc<str>>;

/// What the workload's providers do themselves.
fn answers(workload: &Workload) -> Vec<Answer> {
    let answer = |value: &String| -> Answer {
        let shared: Arc<str> = value.as_str().into();
        Box::new(move |_| Arc::clone(&shared))
    };
    workload.variables.iter().map(|(_, value)| answer(value)).collect()
}

/// No step that asks its providers can be quicker on the machine at hand: two locked instructions an answer.
fn ask(answers: &[Answer]) {
    for (which, answer) in answers.iter().enumerate() {
        drop(black_box(answer(which)));
    }
}

/// One variable changed each time, down to the bytes that go out.
fn wire(options: &Options, workload: &Workload, npm: &Result<Npm, String>) -> Result<Vec<Row>, Failure> {
    let ours = Ours::start(workload, Providers::Shared, Changes::OneVariable)?;
    let step = || body(&ours);
    let made = step()?;
    let mut sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_call(time, step)),
        Box::new(|time| per_call(time, || Ok(black_box(&made).as_bytes().to_vec()))),
    ];
    if let Ok(npm) = npm {
        sides.push(Box::new(|time| npm.measure(Measure::StepJson, time)));
    }
    let figures = interleave(options, sides)?;
    let [ours, copy, theirs @ ..] = figures.as_slice() else { return Err(Failure::msg("a side gave no figure")) };
    let row = || Row::new("P3", "a step to the wire body, one variable changed", WIRE, *ours);
    let beside = match (npm, theirs) {
        (Err(why), _) => row().skipped(Some(NPM), why),
        (Ok(_), [theirs]) => row().against(NPM, *theirs),
        _ => return Err(Failure::msg("the npm package gave no figure")),
    };
    Ok(vec![
        beside.target(Target::AtMost(1.0 / 80.0)),
        row().against("a memcpy of the body into a fresh buffer", *copy).target(Target::AtMost(6.0)),
    ])
}

/// A step, down to the body of a request.
fn body(ours: &Ours) -> Result<impl Deref<Target = str>, Failure> {
    let assembly = ours.assemble(None)?;
    Ok(wire_body(&render(&assembly)?, &assembly))
}
