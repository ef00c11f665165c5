//! Every recorded trace, on this project.

use dsh_conformance::trace_files;
use serde_json::Value;

use crate::support::recorded;

#[test]
fn every_recorded_trace_is_ours_too() {
    let recorded = recorded();
    assert_eq!(recorded.len(), 62, "a scenario was added or lost: say so here");
    let files: Vec<String> = recorded.iter().map(|one| one.file.to_string_lossy().into_owned()).collect();
    let traces = trace_files(files.iter().map(String::as_str));
    let differ: Vec<String> = recorded
        .iter()
        .filter(|one| traces.get(&one.name) != Some(&one.trace))
        .map(|one| {
            format!("{}:\n  theirs {}\n    ours {}", one.name, one.trace, traces.get(&one.name).unwrap_or(&Value::Null))
        })
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn recorded_traces_are_passed_over_as_input() {
    assert_eq!(trace_files(["scenarios/log.trace.json"]), serde_json::json!({}));
}
