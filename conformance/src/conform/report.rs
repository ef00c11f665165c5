//! Showing a difference, shrunk first.

use std::io::Write;

use serde_json::Value;

use crate::scenario::Scenario;

use super::ConformError;
use super::compare::{Difference, Side, compare};
use super::npm::{Npm, NpmError};
use super::shrink::shrink;

/// Shrinks a scenario that differs and prints what is left, with both traces.
pub(super) fn difference(
    out: &mut dyn Write,
    npm: &Npm,
    seed: u64,
    scenario: &Scenario,
    found: Difference,
) -> Result<(), ConformError> {
    writeln!(out, "seed {seed}, step {}: {}", found.step, headline(found.side))?;
    both(out, &found)?;
    writeln!(out, "shrinking {} steps ...", scenario.steps.len())?;
    out.flush()?;
    let (scenario, found) = shrink(scenario.clone(), found, |some| {
        let traces = npm.traces(some)?;
        Ok::<_, NpmError>(some.iter().zip(&traces).map(|(one, theirs)| compare(one, theirs)).collect())
    })?;
    writeln!(out, "\nshrunk to {} steps, first difference at step {}:", scenario.steps.len(), found.step)?;
    both(out, &found)?;
    writeln!(out, "\n{}", scenario.to_text())?;
    trace(out, "npm package", &found.theirs)?;
    if found.side != Side::Runner {
        trace(out, name(found.side), &found.other)?;
    }
    Ok(())
}

fn headline(side: Side) -> &'static str {
    match side {
        Side::Ours => "the traces differ",
        Side::Model => "the generator's model predicts something else than the npm package gives",
        Side::Runner => "the npm package's runner refuses a generated scenario",
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Ours => "ours",
        Side::Model => "model",
        Side::Runner => "runner",
    }
}

fn both(out: &mut dyn Write, found: &Difference) -> Result<(), ConformError> {
    let entry = |trace: &[Value]| trace.get(found.step).map_or_else(|| "(no entry)".to_owned(), Value::to_string);
    writeln!(out, "  npm package: {}", entry(&found.theirs))?;
    writeln!(out, "  {:>11}: {}", name(found.side), entry(&found.other))?;
    Ok(())
}

fn trace(out: &mut dyn Write, name: &str, trace: &[Value]) -> Result<(), ConformError> {
    writeln!(out, "{name}:")?;
    for (step, entry) in trace.iter().enumerate() {
        writeln!(out, "  {step:>2} {entry}")?;
    }
    Ok(())
}
