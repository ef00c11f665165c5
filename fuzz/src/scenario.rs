//! Scenarios of the conformance suite: read, written, run.

use dsh_conformance::{Action, Entry, Part, Predicted, Scenario, Schema, Step, predict, trace};
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
    if !speaks_plainly(scenario) {
        return;
    }
    let Ok(predicted) = predict(scenario) else { return };
    let is_so = |(predicted, entry): (&Predicted, &Value)| match predicted {
        Predicted::Entry(predicted) => predicted.to_json() == *entry,
        Predicted::Log => entry.get("ok").is_some_and(Value::is_array),
    };
    let wrong = predicted.iter().zip(&first).position(|pair| !is_so(pair));
    assert!(wrong.is_none(), "step {wrong:?}: {predicted:#?}\n{first:#?}\n{}", scenario.to_text());
    assert_eq!(predicted.len(), first.len(), "{}", scenario.to_text());
}

/// Whether the scenario keeps to words that the generator could have chosen: of others the model says nothing.
fn speaks_plainly(scenario: &Scenario) -> bool {
    scenario.config.tool_order.iter().flatten().all(|name| is_plain(name)) && scenario.steps.iter().all(is_plain_step)
}

fn is_plain_step(step: &Step) -> bool {
    let names = [step.makes(), step.uses()];
    let own = match step {
        Step::Plugin(plugin) => plugin.inject.iter().all(|name| is_plain(name)),
        Step::Provide { name, .. } => is_plain(name),
        Step::OnChange { throws_on, .. } => throws_on.is_none_or(|call| call > 0),
        Step::OnAssemble { actions, .. } => actions.iter().all(is_plain_action),
        Step::State { .. }
        | Step::Scope { .. }
        | Step::Part { .. }
        | Step::Composite { .. }
        | Step::Dispose { .. }
        | Step::Unload { .. }
        | Step::Assemble { .. }
        | Step::Render { .. }
        | Step::Log => true,
    };
    own && names.into_iter().flatten().all(is_plain) && step.parts().iter().all(is_plain_part)
}

fn is_plain_part(part: &Part) -> bool {
    match part {
        Part::Probe(probe) => is_plain(&probe.name) && probe.ms < 100_000,
        Part::Section(section) => is_plain(&section.name) && section.order.abs() < 1e9,
        Part::Variable(variable) => is_plain(&variable.name),
        Part::Tools(tools) => tools.schemas.iter().all(is_plain_schema),
        Part::Provide(name) => is_plain(name),
        Part::Fail(_) => true,
    }
}

fn is_plain_action(action: &Action) -> bool {
    match action {
        Action::PushSection(section) => is_plain(&section.name),
        Action::PushTool(schema) => is_plain_schema(schema),
        Action::Replace(assembly) => assembly.tools.iter().all(is_plain_schema),
        Action::Log(_)
        | Action::DropSection(_)
        | Action::SetText { .. }
        | Action::SetVariable { .. }
        | Action::DropTool(_)
        | Action::Next
        | Action::Stop
        | Action::Throw(_) => true,
    }
}

/// JavaScript reads anything for a schema; canonical order and digits are ours (D6).
fn is_plain_schema(schema: &Schema) -> bool {
    is_plain(&schema.name) && schema.parameters.as_object().is_some_and(serde_json::Map::is_empty)
}

fn is_plain(name: &str) -> bool {
    let is_own = |name: &str| name.starts_with("system-prompt");
    !name.is_empty() && !is_own(name) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.<>".contains(c))
}
