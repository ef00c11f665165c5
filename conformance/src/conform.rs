//! Comparing with the npm package: random scenarios on both sides, the first difference shown, shrunk.

mod compare;
mod mix;
mod npm;
mod options;
mod report;
mod shrink;

use std::io::{self, Write};

use serde_json::Value;

use crate::generate::generate;
use crate::scenario::Scenario;

pub use npm::NpmError;
pub use options::ConformOptions;

use compare::Difference;
use mix::Mix;
use npm::Npm;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conformity {
    /// No difference.
    Equal,
    /// A difference, which was printed.
    Differs,
}

/// Why there was nothing to compare with.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConformError {
    /// The npm package cannot be run.
    Npm(NpmError),
    /// The report cannot be written.
    Report(io::Error),
}

impl std::fmt::Display for ConformError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Npm(error) => error.fmt(f),
            Self::Report(error) => write!(f, "the report cannot be written: {error}"),
        }
    }
}

impl std::error::Error for ConformError {}

impl From<NpmError> for ConformError {
    fn from(error: NpmError) -> Self {
        Self::Npm(error)
    }
}

impl From<io::Error> for ConformError {
    fn from(error: io::Error) -> Self {
        Self::Report(error)
    }
}

/// How often a scenario that differs is run again before it counts: the npm package waits on a real clock, and a busy
/// machine can put two ends in another order.
const AGAIN: usize = 3;

/// Runs scenarios on both sides and reports to `out`.
///
/// # Errors
///
/// The npm package cannot be run, or `out` cannot be written.
pub fn conform(options: &ConformOptions, out: &mut dyn Write) -> Result<Conformity, ConformError> {
    let npm = Npm::find(options.upstream.clone())?;
    let seeds: Vec<u64> = (options.start..options.start.saturating_add(options.seeds)).collect();
    let mut mix = Mix::default();
    let batch = options.batch.max(1);
    for round in seeds.chunks(batch.saturating_mul(options.jobs.max(1))) {
        let scenarios: Vec<Scenario> = round.iter().map(|seed| generate(*seed)).collect();
        let traces = npm.side_by_side(&scenarios, batch)?;
        for ((seed, scenario), theirs) in round.iter().zip(&scenarios).zip(&traces) {
            mix.count(scenario, theirs);
            let Some(difference) = compare::compare(scenario, theirs) else { continue };
            match steady(&npm, scenario, difference)? {
                None => mix.unsteady += 1,
                Some(difference) => {
                    report::difference(out, &npm, *seed, scenario, difference)?;
                    return Ok(Conformity::Differs);
                }
            }
        }
        if let (Some(first), Some(last)) = (round.first(), round.last()) {
            writeln!(out, "seeds {first} to {last}: no difference")?;
            out.flush()?;
        }
    }
    write!(out, "{mix}")?;
    Ok(Conformity::Equal)
}

/// The difference, where it is there each time.
fn steady(npm: &Npm, scenario: &Scenario, mut difference: Difference) -> Result<Option<Difference>, NpmError> {
    for _ in 0..AGAIN {
        let theirs: Vec<Value> = npm.traces(std::slice::from_ref(scenario))?;
        match theirs.first().and_then(|theirs| compare::compare(scenario, theirs)) {
            Some(again) => difference = again,
            None => return Ok(None),
        }
    }
    Ok(Some(difference))
}
