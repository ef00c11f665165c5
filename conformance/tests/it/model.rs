//! The generator's model: it predicts what the npm package did, and names each restriction that a scenario breaks.

use dsh_conformance::{Predicted, Rule, Scenario, generate, predict, predict_recorded, trace};
use serde_json::Value;

use crate::support::{recorded, steps};

/// The first step where a trace is not what the model predicts.
fn mismatch(predicted: &[Predicted], trace: &[Value]) -> Option<usize> {
    let equal = |step: usize| match (predicted.get(step), trace.get(step)) {
        (Some(Predicted::Entry(entry)), Some(given)) => entry.to_json() == *given,
        (Some(Predicted::Log), Some(given)) => given.get("ok").is_some_and(Value::is_array),
        _ => false,
    };
    (0..predicted.len().max(trace.len())).find(|step| !equal(*step))
}

#[test]
fn the_model_predicts_every_recorded_trace() {
    for one in recorded() {
        let predicted = predict_recorded(&one.scenario);
        let predicted =
            predicted.unwrap_or_else(|(step, rule)| panic!("{} breaks a rule at step {step}: {rule}", one.name));
        assert_eq!(mismatch(&predicted, one.trace.as_array().unwrap()), None, "{}", one.name);
    }
}

#[test]
fn the_model_predicts_our_traces_of_random_scenarios() {
    for seed in 0..600 {
        let scenario = generate(seed);
        let ours: Vec<Value> = trace(&scenario).iter().map(dsh_conformance::Entry::to_json).collect();
        let predicted = predict(&scenario).unwrap();
        assert_eq!(mismatch(&predicted, &ours), None, "seed {seed}:\n{}\n{ours:#?}", scenario.to_text());
    }
}

#[track_caller]
fn refused(scenario: &Scenario, step: usize, rule: Rule) {
    assert_eq!(predict(scenario), Err((step, rule)));
}

const P: &str = r#"{"op": "plugin", "id": "p", "in": "root"}, {"op": "scope", "id": "s", "in": "p"}"#;

#[test]
fn an_id_is_used_only_if_its_step_succeeded() {
    refused(&steps(r#"{"op": "dispose", "id": "x"}"#), 0, Rule::UnknownId);
    let failed = r#"{"op": "section", "id": "x", "in": "root", "name": "harness:identity", "order": 1, "text": ""}, {"op": "dispose", "id": "x"}"#;
    refused(&steps(failed), 1, Rule::UnknownId);
    refused(
        &steps(r#"{"op": "scope", "id": "a", "in": "root"}, {"op": "scope", "id": "a", "in": "root"}"#),
        1,
        Rule::IdTaken,
    );
}

#[test]
fn a_throwing_provider_under_a_shadow_is_d1() {
    let scenario = steps(&format!(
        r#"{P}, {{"op": "variable", "id": "g", "in": "p", "name": "v", "value": {{"throws": "x"}}}},
        {{"op": "variable", "id": "l", "in": "s", "name": "v", "value": "v"}},
        {{"op": "assemble"}}, {{"op": "assemble", "scope": "s"}}"#
    ));
    refused(&scenario, 5, Rule::ThrowsUnderShadow);
}

#[test]
fn a_listener_that_throws_before_others_is_d2() {
    let scenario = steps(
        r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 1},
        {"op": "on_change", "id": "d", "in": "root", "name": "d"},
        {"op": "variable", "id": "v", "in": "root", "name": "v", "value": "v"}"#,
    );
    refused(&scenario, 2, Rule::ThrowsBeforeOthers);
}

#[test]
fn a_listener_that_throws_in_an_unload_or_a_rollback_is_d3() {
    let unload = steps(&format!(
        r#"{P}, {{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 2}},
        {{"op": "variable", "id": "v", "in": "p", "name": "v", "value": "v"}}, {{"op": "unload", "id": "p"}}"#
    ));
    refused(&unload, 4, Rule::ThrowsInTeardown);
    let rollback = steps(
        r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 2},
        {"op": "composite", "id": "k", "in": "root", "parts": [{"variable": {"name": "v", "value": "v"}}, {"fail": "x"}]}"#,
    );
    refused(&rollback, 1, Rule::ThrowsInTeardown);
    let removal = steps(
        r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 2},
        {"op": "variable", "id": "v", "in": "root", "name": "v", "value": "v"}, {"op": "dispose", "id": "v"}"#,
    );
    assert!(predict(&removal).is_ok(), "a plain removal may fail");
}

#[test]
fn two_visible_tools_of_one_name_are_d4() {
    let tool = r#"{"name": "t", "description": "", "parameters": {}}"#;
    let twice = steps(&format!(
        r#"{{"op": "tools", "id": "a", "in": "root", "schemas": [{tool}, {tool}]}}, {{"op": "render"}}"#
    ));
    refused(&twice, 1, Rule::ToolTwice);
    let pushed = steps(&format!(
        r#"{{"op": "tools", "id": "a", "in": "root", "schemas": [{tool}]}},
        {{"op": "on_assemble", "id": "l", "in": "root", "do": [{{"push_tool": {tool}}}]}}, {{"op": "assemble"}}"#
    ));
    refused(&pushed, 2, Rule::ToolTwice);
}

#[test]
fn a_quoted_group_is_d5() {
    let scenario = steps(r#"{"op": "section", "id": "a", "in": "root", "name": "a", "order": 1, "text": "{{\"q\"}}"}"#);
    refused(&scenario, 0, Rule::QuotedGroup);
}

#[test]
fn next_after_replace_and_a_second_next_are_d7() {
    let listener =
        |actions: &str| steps(&format!(r#"{{"op": "on_assemble", "id": "l", "in": "root", "do": [{actions}]}}"#));
    let replace = r#"{"replace": {"sections": [], "tools": [], "variables": {}}}"#;
    refused(&listener(r#"{"next": true}, {"next": true}"#), 0, Rule::NextTwice);
    refused(&listener(&format!(r#"{replace}, {{"next": true}}"#)), 0, Rule::NextTwice);
    assert!(predict(&listener(&format!(r#"{{"next": true}}, {replace}, {{"stop": true}}, {{"next": true}}"#))).is_ok());
}

#[test]
fn a_registration_on_a_plugin_that_is_pending_or_failed_is_d8() {
    let pending =
        r#"{"op": "plugin", "id": "p", "in": "root", "inject": ["db"]}, {"op": "scope", "id": "s", "in": "p"}"#;
    refused(&steps(pending), 1, Rule::NotActive);
    let failed =
        r#"{"op": "plugin", "id": "p", "in": "root", "parts": [{"fail": "x"}]}, {"op": "scope", "id": "s", "in": "p"}"#;
    refused(&steps(failed), 1, Rule::NotActive);
}

#[test]
fn a_name_that_nobody_could_register_is_d13_once_a_listener_leaves_it() {
    let listener = |actions: &str| {
        let listens = format!(r#"{{"op": "on_assemble", "id": "l", "in": "root", "do": [{actions}]}}"#);
        steps(&format!(r#"{listens}, {{"op": "render"}}"#))
    };
    let variable = r#"{"set_variable": {"name": "Team", "value": "x"}}"#;
    let tool = r#"{"push_tool": {"name": "<unlisted-tools>", "description": "", "parameters": {}}}"#;
    refused(&listener(variable), 1, Rule::LeavesWrongName);
    refused(&listener(tool), 1, Rule::LeavesWrongName);
    assert!(predict(&listener(&format!(r#"{tool}, {{"drop_tool": "<unlisted-tools>"}}"#))).is_ok());
}

#[test]
fn waits_whose_sums_meet_cannot_be_ordered() {
    let probe =
        |id: &str, ms: u64| format!(r#"{{"op": "probe", "id": "{id}", "in": "root", "name": "{id}", "ms": {ms}}}"#);
    let meeting = steps(&[probe("a", 8), probe("b", 16), probe("c", 24)].join(","));
    refused(&meeting, 2, Rule::WaitsTooNear);
    assert!(predict(&steps(&[probe("a", 8), probe("b", 16), probe("c", 32)].join(","))).is_ok());
}

#[test]
fn nothing_looks_at_a_rollback_that_goes_on() {
    let failing =
        r#"{"op": "composite", "id": "k", "in": "p", "parts": [{"probe": {"name": "a", "ms": 16}}, {"fail": "x"}]}"#;
    refused(&steps(&format!(r#"{P}, {failing}, {{"op": "log"}}"#)), 3, Rule::LooksAtRollback);
    refused(&steps(&format!(r#"{P}, {failing}, {{"op": "unload", "id": "s"}}"#)), 3, Rule::LooksAtRollback);
    assert!(predict(&steps(&format!(r#"{P}, {failing}, {{"op": "unload", "id": "p"}}, {{"op": "log"}}"#))).is_ok());
}

#[test]
fn the_identity_is_hidden_at_the_start_of_a_render_only() {
    let scenario = steps(
        r#"{"op": "section", "id": "a", "in": "root", "name": "a", "order": -101, "text": "first"}, {"op": "render"}"#,
    );
    refused(&scenario, 1, Rule::IdentityNotFirst);
}

/// What a rollback meets when a service of it wakes a plugin.
#[test]
fn a_plugin_that_a_rollback_wakes_does_no_more_than_probe() {
    let waits = |parts: &str| {
        format!(r#"{{"op": "plugin", "id": "p", "in": "root", "inject": ["net"], "trace": true, "parts": [{parts}]}}"#)
    };
    let fails = r#"{"op": "composite", "id": "k", "in": "root", "parts": [
        {"provide": {"name": "net"}}, {"provide": {"name": "db"}}, {"fail": "x"}]}"#;
    let section = r#"{"section": {"name": "s", "order": 1, "text": "s"}}"#;
    refused(&steps(&format!("{}, {fails}", waits(section))), 1, Rule::WakesInRollback);
    assert!(predict(&steps(&format!("{}, {fails}", waits("")))).is_ok());
}
