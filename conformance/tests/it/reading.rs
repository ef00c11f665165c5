//! Reading scenarios: what is one, and what is the one `runner` entry.

use dsh_conformance::{Scenario, generate, run};
use serde_json::{Value, json};

#[track_caller]
fn refused(scenario: &Value, message: &str) {
    assert_eq!(run(scenario), json!([{"err": "runner", "message": message}]));
}

#[test]
fn nonsense_gives_the_one_runner_entry() {
    refused(&json!(3), "the scenario is not an object");
    refused(&json!({}), "the scenario has no \"steps\"");
    refused(&json!({"steps": 1}), "steps is not an array");
    refused(&json!({"steps": [1]}), "step 0 is not an object");
    refused(&json!({"steps": [{"op": "log"}, {}]}), "step 1 has no \"op\"");
    refused(&json!({"steps": [{"op": "dance"}]}), "step 0: no op \"dance\"");
    refused(&json!({"config": 1, "steps": []}), "config is not an object");
    refused(&json!({"config": {"persona": 1}, "steps": []}), "config.persona is not a string");
    refused(&json!({"config": {"tool_order": "a"}, "steps": []}), "config.tool_order is not an array");
}

#[test]
fn a_malformed_step_gives_the_one_runner_entry_whatever_stands_before_it() {
    let after_log = |step: Value| json!({"steps": [{"op": "log"}, step]});
    refused(&after_log(json!({"op": "scope", "in": "root"})), "step 1 has no \"id\"");
    refused(&after_log(json!({"op": "scope", "id": "s"})), "step 1 has no \"in\"");
    refused(
        &after_log(json!({"op": "probe", "id": "x", "in": "root", "name": "x", "ms": -1})),
        "step 1.ms is not a whole number",
    );
    refused(
        &after_log(json!({"op": "section", "id": "x", "in": "root", "name": "x", "order": "1", "text": ""})),
        "step 1.order is not a number",
    );
    refused(
        &after_log(json!({"op": "section", "id": "x", "in": "root", "name": "x", "order": 1, "text": {}})),
        "step 1.text has no \"dynamic\"",
    );
    refused(
        &after_log(json!({"op": "composite", "id": "x", "in": "root", "parts": [{"dance": 1}]})),
        "step 1.parts: no part {\"dance\":1}",
    );
    refused(
        &after_log(json!({"op": "on_assemble", "id": "x", "in": "root", "do": [{"dance": 1}]})),
        "step 1.do: no action {\"dance\":1}",
    );
    refused(&after_log(json!({"op": "tools", "id": "x", "in": "root"})), "step 1 has no \"schemas\"");
}

#[test]
fn an_unknown_context_handle_or_plugin_gives_the_one_runner_entry() {
    refused(&json!({"steps": [{"op": "scope", "id": "s", "in": "nowhere"}]}), "no context \"nowhere\"");
    refused(&json!({"steps": [{"op": "dispose", "id": "x"}]}), "no handle \"x\"");
    refused(&json!({"steps": [{"op": "unload", "id": "root"}]}), "no handle \"root\"");
    let scope = json!({"op": "scope", "id": "s", "in": "root"});
    refused(&json!({"steps": [scope, {"op": "state", "id": "s"}]}), "no plugin \"s\"");
}

#[test]
fn a_file_that_is_missing_gives_the_one_runner_entry() {
    let traces = dsh_conformance::trace_files(["no/such/file.json"]);
    assert_eq!(traces["file"][0]["err"], "runner");
}

#[test]
fn a_refused_configuration_is_the_one_entry_whatever_the_steps_are() {
    let scenario = json!({"config": {"tool_order": []}, "steps": [{"op": "dance"}]});
    assert_eq!(run(&scenario), json!([{"err": "tool_order_missing_rest"}]));
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..300 {
        let scenario = generate(seed);
        assert_eq!(Scenario::read(&scenario.to_json()), Ok(scenario.clone()), "seed {seed}");
        assert_eq!(Scenario::parse(&scenario.to_text()), Ok(scenario), "seed {seed}");
    }
}
