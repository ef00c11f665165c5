//! Making a differing scenario smaller, for as long as it differs in the same way.

use std::collections::BTreeSet;

use crate::model::predict;
use crate::scenario::{Content, Part, Plugin, Probe, Scenario, Section, Step, Tools};

use super::compare::Difference;

/// How many candidates one node process runs.
const CANDIDATES: usize = 24;

/// The smallest scenario that was found to differ like this one, and its difference. `compare` runs some scenarios on
/// both sides.
pub(super) fn shrink<E>(
    mut scenario: Scenario,
    mut found: Difference,
    mut compare: impl FnMut(&[Scenario]) -> Result<Vec<Option<Difference>>, E>,
) -> Result<(Scenario, Difference), E> {
    'smaller: loop {
        let candidates: Vec<Scenario> = smaller(&scenario).into_iter().filter(|one| predict(one).is_ok()).collect();
        for batch in candidates.chunks(CANDIDATES) {
            for (candidate, difference) in batch.iter().zip(compare(batch)?) {
                if let Some(difference) = difference.filter(|difference| difference.is_like(&found)) {
                    (scenario, found) = (candidate.clone(), difference);
                    continue 'smaller;
                }
            }
        }
        return Ok((scenario, found));
    }
}

/// Scenarios that are a little smaller, the boldest first.
fn smaller(scenario: &Scenario) -> Vec<Scenario> {
    let mut candidates = Vec::new();
    let count = scenario.steps.len();
    let mut width = count / 2;
    while width > 0 {
        for start in (0..count).step_by(width) {
            candidates.push(without_steps(scenario, start..(start + width).min(count)));
        }
        width /= 2;
    }
    for index in 0..count {
        for step in smaller_steps(&scenario.steps[index]) {
            let mut candidate = scenario.clone();
            candidate.steps[index] = step;
            candidates.push(candidate);
        }
    }
    if scenario.config.persona.is_some() {
        let mut candidate = scenario.clone();
        candidate.config.persona = None;
        candidates.push(candidate);
    }
    for index in 0..scenario.config.tool_order.as_ref().map_or(0, Vec::len) {
        let mut candidate = scenario.clone();
        candidate.config.tool_order.as_mut().map(|order| order.remove(index));
        candidates.push(candidate);
    }
    if scenario.config.tool_order.is_some() {
        let mut candidate = scenario.clone();
        candidate.config.tool_order = None;
        candidates.push(candidate);
    }
    candidates
}

/// The scenario without some steps, and without those that use what they made.
fn without_steps(scenario: &Scenario, range: std::ops::Range<usize>) -> Scenario {
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    let mut steps = Vec::new();
    for (index, step) in scenario.steps.iter().enumerate() {
        if range.contains(&index) || step.uses().is_some_and(|id| gone.contains(id)) {
            gone.extend(step.makes());
        } else {
            steps.push(step.clone());
        }
    }
    Scenario { config: scenario.config.clone(), steps }
}

/// The same step on the root, so that the context that it went through may go.
fn on_the_root(step: &Step) -> Option<Step> {
    let mut moved = step.clone();
    let at = match &mut moved {
        Step::Plugin(plugin) => &mut plugin.at,
        Step::Provide { at, .. }
        | Step::Scope { at, .. }
        | Step::Part { at, .. }
        | Step::Composite { at, .. }
        | Step::OnChange { at, .. }
        | Step::OnAssemble { at, .. } => at,
        Step::State { .. }
        | Step::Dispose { .. }
        | Step::Unload { .. }
        | Step::Assemble { .. }
        | Step::Render { .. }
        | Step::Log => return None,
    };
    "root".clone_into(at);
    Some(moved).filter(|moved| moved != step)
}

/// One thing less in a step.
fn smaller_steps(step: &Step) -> Vec<Step> {
    let mut found: Vec<Step> = on_the_root(step).into_iter().collect();
    match step {
        Step::Plugin(plugin) => {
            for parts in smaller_parts(&plugin.parts) {
                found.push(Step::Plugin(Plugin { parts, ..plugin.clone() }));
            }
            for index in 0..plugin.inject.len() {
                let mut plugin = plugin.clone();
                plugin.inject.remove(index);
                found.push(Step::Plugin(plugin));
            }
            if plugin.trace {
                found.push(Step::Plugin(Plugin { trace: false, ..plugin.clone() }));
            }
        }
        Step::Composite { id, at, parts } => {
            let less = smaller_parts(parts).into_iter();
            found.extend(less.map(|parts| Step::Composite { id: id.clone(), at: at.clone(), parts }));
        }
        Step::Part { id, at, part } => {
            let less = smaller_part(part).into_iter();
            found.extend(less.map(|part| Step::Part { id: id.clone(), at: at.clone(), part }));
        }
        Step::OnAssemble { id, at, actions } => {
            for index in 0..actions.len() {
                let mut actions = actions.clone();
                actions.remove(index);
                found.push(Step::OnAssemble { id: id.clone(), at: at.clone(), actions });
            }
        }
        Step::OnChange { id, at, name, throws_on: Some(_) } => {
            found.push(Step::OnChange { id: id.clone(), at: at.clone(), name: name.clone(), throws_on: None });
        }
        Step::Render { scope } => found.push(Step::Assemble { scope: scope.clone() }),
        Step::OnChange { .. }
        | Step::Provide { .. }
        | Step::State { .. }
        | Step::Scope { .. }
        | Step::Dispose { .. }
        | Step::Unload { .. }
        | Step::Assemble { .. }
        | Step::Log => {}
    }
    found
}

fn smaller_parts(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut found = Vec::new();
    for index in 0..parts.len() {
        let mut fewer = parts.to_vec();
        fewer.remove(index);
        found.push(fewer);
        for part in smaller_part(&parts[index]) {
            let mut parts = parts.to_vec();
            parts[index] = part;
            found.push(parts);
        }
    }
    found
}

fn smaller_part(part: &Part) -> Vec<Part> {
    match part {
        Part::Probe(probe) if probe.ms > 0 => {
            vec![Part::Probe(Probe { ms: 0, ..probe.clone() })]
        }
        Part::Section(section) if section.text != Content::Fixed(String::new()) => {
            let text = Content::Fixed(String::new());
            vec![Part::Section(Section { text, ..section.clone() })]
        }
        Part::Tools(tools) => {
            let fewer = (0..tools.schemas.len()).map(|index| {
                let mut tools = tools.clone();
                tools.schemas.remove(index);
                Part::Tools(tools)
            });
            let mut found: Vec<Part> = fewer.collect();
            if tools.known_names.is_some() {
                found.push(Part::Tools(Tools { known_names: None, ..tools.clone() }));
            }
            found
        }
        Part::Probe(_) | Part::Section(_) | Part::Variable(_) | Part::Provide(_) | Part::Fail(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;
    use crate::conform::compare::Side;
    use crate::generate::generate;

    /// Stands for a bug that shows whenever a plugin provides `db`.
    fn differs(scenario: &Scenario) -> Option<Difference> {
        let shows = |step: &Step| matches!(step, Step::Plugin(plugin) if plugin.parts.contains(&Part::Provide("db".to_owned())));
        let step = scenario.steps.iter().position(shows)?;
        Some(Difference { side: Side::Ours, step, theirs: vec![json!({"ok": null})], other: vec![json!({"ok": 1})] })
    }

    #[test]
    fn a_difference_is_shrunk_to_the_step_that_shows_it() {
        let (scenario, found) = (0..)
            .map(generate)
            .find_map(|one| differs(&one).filter(|_| one.steps.len() > 10).map(|found| (one, found)))
            .unwrap();
        let shrunk = shrink(scenario, found, |some| Ok::<_, Infallible>(some.iter().map(differs).collect()));
        let (scenario, found) = shrunk.unwrap_or_else(|never| match never {});
        assert_eq!(scenario.steps.len(), 1, "{}", scenario.to_text());
        assert_eq!(scenario.steps[0].parts(), [Part::Provide("db".to_owned())]);
        assert_eq!(found.step, 0);
    }

    #[test]
    fn what_uses_a_step_goes_with_it() {
        let text = r#"{"steps": [
            {"op": "plugin", "id": "p", "in": "root"}, {"op": "scope", "id": "s", "in": "p"},
            {"op": "assemble", "scope": "s"}, {"op": "log"}]}"#;
        let scenario = Scenario::parse(text).unwrap();
        assert_eq!(without_steps(&scenario, 0..1).steps, [Step::Log]);
    }
}
