//! What the compared scenarios were made of.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::scenario::Scenario;

/// Counts over the scenarios of a run.
#[derive(Debug, Default)]
pub(super) struct Mix {
    scenarios: usize,
    steps: usize,
    ops: BTreeMap<&'static str, usize>,
    results: BTreeMap<String, usize>,
    /// Scenarios whose traces differed and then did not.
    pub(super) unsteady: usize,
}

impl Mix {
    pub(super) fn count(&mut self, scenario: &Scenario, theirs: &Value) {
        self.scenarios += 1;
        self.steps += scenario.steps.len();
        for step in &scenario.steps {
            *self.ops.entry(step.op()).or_default() += 1;
        }
        for entry in theirs.as_array().into_iter().flatten() {
            let result = entry.get("err").and_then(Value::as_str).unwrap_or("ok");
            *self.results.entry(result.to_owned()).or_default() += 1;
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |counts: Vec<String>| counts.join(", ");
        let ops = list(self.ops.iter().map(|(op, count)| format!("{op} {count}")).collect());
        let results = list(self.results.iter().map(|(code, count)| format!("{code} {count}")).collect());
        writeln!(f, "steps: {ops}")?;
        writeln!(f, "results: {results}")?;
        if self.unsteady > 0 {
            writeln!(f, "{} differed once and not again: the npm package waits on a real clock", self.unsteady)?;
        }
        writeln!(f, "{} scenarios, {} steps: no difference", self.scenarios, self.steps)
    }
}
