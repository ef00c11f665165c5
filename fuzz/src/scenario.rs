//! Scenarios of the conformance suite: read, written, run.

use dsh_conformance::{Entry, Predicted, Scenario, Step, predict, trace};
use serde_json::Value;

use crate::text::lossy;

/// At most so many steps are run, and parts registered.
const MOST: usize = 60;

/// Checks a text as a scenario, and what our side makes of it.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn scenario(bytes: &[u8]) {
    let source = &*lossy(bytes);
    let scenario = match Scenario::parse(source) {
        Ok(scenario) => scenario,
        Err(malformed) => {
            assert!(!malformed.to_string().is_empty());
            return;
        }
    };
    assert_eq!(Scenario::read(&scenario.to_json()).as_ref(), Ok(&scenario), "written and read: {source:?}");
    let text = scenario.to_text();
    let again = Scenario::parse(&text);
    assert_eq!(again.as_ref(), Ok(&scenario), "printed and read: {text}");
    assert_eq!(again.map(|again| again.to_text()), Ok(text), "printed twice");
    if is_small(&scenario) {
        runs(&scenario);
    }
}

fn is_small(scenario: &Scenario) -> bool {
    let parts = |step: &Step| 1 + step.parts().len();
    scenario.steps.iter().map(parts).sum::<usize>() <= MOST
}

/// It runs to an end, the same way each time, with an entry for each step; where the model says what the npm package gives, ours
/// is that.
fn runs(scenario: &Scenario) {
    let json = |entries: Vec<Entry>| entries.iter().map(Entry::to_json).collect::<Vec<Value>>();
    let first = json(trace(scenario));
    assert_eq!(json(trace(scenario)), first, "run twice: {}", scenario.to_text());
    assert!(first.len() == scenario.steps.len() || first.len() == 1, "{first:?} of {}", scenario.to_text());
    let Ok(predicted) = predict(scenario) else { return };
    let is_so = |(predicted, entry): (&Predicted, &Value)| match predicted {
        Predicted::Entry(predicted) => predicted.to_json() == *entry,
        Predicted::Log => entry.get("ok").is_some_and(Value::is_array),
    };
    let wrong = predicted.iter().zip(&first).position(|pair| !is_so(pair));
    assert!(wrong.is_none(), "step {wrong:?}: {predicted:#?}\n{first:#?}\n{}", scenario.to_text());
    assert_eq!(predicted.len(), first.len(), "{}", scenario.to_text());
}
