//! The first difference between two traces, key order and the message of `runner` ignored.

use serde_json::Value;

use crate::entry::Entry;
use crate::model::{Predicted, predict};
use crate::scenario::Scenario;

/// Whose trace is not the npm package's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// This project's.
    Ours,
    /// The generator's model, on which it rests that scenarios keep clear of the known differences.
    Model,
    /// The npm package's runner, which cannot run the scenario at all.
    Runner,
}

/// A difference: the first step at which it shows, and both traces.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) side: Side,
    pub(super) step: usize,
    pub(super) theirs: Vec<Value>,
    pub(super) other: Vec<Value>,
}

impl Difference {
    /// Whether another scenario differs in the same way, so that it can stand for this one.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let refused = |one: &Self| one.other.first().is_some_and(is_runner);
        self.side == other.side && refused(self) == refused(other)
    }
}

/// Compares the npm package's trace with ours and with what the model predicts.
pub(super) fn compare(scenario: &Scenario, theirs: &Value) -> Option<Difference> {
    let theirs = theirs.as_array().cloned().unwrap_or_default();
    if let Some(step) = theirs.iter().position(is_runner) {
        return Some(Difference { side: Side::Runner, step, theirs, other: Vec::new() });
    }
    let ours: Vec<Option<Value>> = crate::run::trace(scenario).iter().map(|entry| Some(entry.to_json())).collect();
    if let Some(difference) = first_difference(Side::Ours, &theirs, &ours) {
        return Some(difference);
    }
    let model = match predict(scenario) {
        Ok(predicted) => predicted.into_iter().map(Some).collect(),
        Err(_) => Vec::new(),
    };
    let shown = |one: Option<Predicted>| match one {
        Some(Predicted::Entry(entry)) => Some(entry.to_json()),
        Some(Predicted::Log) | None => None,
    };
    let model: Vec<Option<Value>> = model.into_iter().map(shown).collect();
    first_difference(Side::Model, &theirs, &model)
}

fn first_difference(side: Side, theirs: &[Value], other: &[Option<Value>]) -> Option<Difference> {
    let equal = |step: usize| match (theirs.get(step), other.get(step)) {
        (Some(theirs), Some(Some(other))) => theirs == other,
        (Some(_), Some(None)) => true,
        _ => false,
    };
    let step = (0..theirs.len().max(other.len())).find(|step| !equal(*step))?;
    let other = other.iter().map(|entry| entry.clone().unwrap_or_else(|| Entry::DONE.to_json())).collect();
    Some(Difference { side, step, theirs: theirs.to_vec(), other })
}

fn is_runner(entry: &Value) -> bool {
    entry.get("err").and_then(Value::as_str) == Some("runner")
}
