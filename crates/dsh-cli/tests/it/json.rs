//! The shape of `--json` (docs/json.md).

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use serde_json::{Value, json};

use crate::support::{Project, platform};

fn project() -> Project {
    let config = r#"
identity = false
persona = "Für {{team}}."
tool_schemas = ["tools.json"]
[variables]
team = "everyone"
[[sections]]
name = "empty"
order = 5
text = ""
[[sections]]
name = "guide"
order = 100.5
file = "guide.md"
[agents.coder]
description = "Writes code."
persona = "You code."
[agents.coder.variables]
lang = "Rust"
"#;
    Project::new(config)
        .file("guide.md", "Guide.\n")
        .file("tools.json", r#"{"tools": [{"name": "read", "title": "Read", "inputSchema": {"type": "object"}}]}"#)
}

#[track_caller]
fn parsed(arguments: &[&str]) -> Value {
    let project = project();
    let mut value = project.dsh(&[&["prompt"], arguments].concat()).json();
    // The project's folder is another one in each run.
    if let Some(cwd) = value["variables"].get_mut("cwd") {
        assert_eq!(cwd.as_str(), project.path().canonicalize().unwrap().to_str());
        *cwd = json!("FOLDER");
    }
    value
}

#[test]
fn it_says_what_the_prompt_is_made_of() {
    let tool = json!({"name": "read", "description": "", "parameters": {"type": "object"}});
    assert_eq!(
        parsed(&["--json"]),
        json!({
            "version": 1,
            "agent": null,
            "description": null,
            "prompt": "Für everyone.\n\nGuide.",
            "sections": [
                {"name": "deployment:persona", "order": 0, "owner": "system-prompt", "layer": "global", "start": 0, "end": 14},
                {"name": "guide", "order": 100.5, "owner": "sections", "layer": "global", "start": 16, "end": 22},
            ],
            "tools": [tool],
            "variables": {
                "cwd": "FOLDER", "date": "2025-01-01", "git_branch": null, "model": null, "platform": platform(), "team": "everyone"
            },
            "dropped_tool_fields": {"title": 1},
        })
    );
}

#[test]
fn an_agents_own_parts_say_so() {
    let value = parsed(&["--json", "--agent", "coder"]);
    assert_eq!(value["agent"], "coder");
    assert_eq!(value["description"], "Writes code.");
    assert_eq!(
        value["sections"][0],
        json!({"name": "deployment:persona", "order": 0, "owner": "coder/persona", "layer": "agent", "start": 0, "end": 9})
    );
    assert_eq!(value["sections"][1]["layer"], "global");
    assert_eq!(
        value["variables"],
        json!({
            "cwd": "FOLDER", "date": "2025-01-01", "git_branch": null, "lang": "Rust", "model": null, "platform": platform(),
            "team": "everyone"
        })
    );
}

#[test]
fn the_fields_stand_in_the_documented_order() {
    let text = project().prompt(&["--json"]);
    let places: Vec<usize> =
        ["version", "agent", "description", "prompt", "sections", "tools", "variables", "dropped_tool_fields"]
            .iter()
            .map(|field| text.find(&format!("\"{field}\":")).unwrap())
            .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains('\n'));
}

#[test]
fn the_tools_are_the_bytes_of_the_tool_block() {
    // X5
    let block = project().prompt(&["--tools"]);
    assert!(project().prompt(&["--json"]).contains(&format!("\"tools\":{block},")));
    assert_eq!(project().prompt(&["--json", "--tools"]), format!("{{\"version\":1,\"agent\":null,\"tools\":{block}}}"));
}

#[test]
fn a_failure_prints_nothing_on_standard_output() {
    assert_eq!(Project::new("presona = \"\"").dsh(&["prompt", "--json"]).stdout, "");
    assert_eq!(Project::new("persona = \"{{x}}\"").dsh(&["prompt", "--json"]).stdout, "");
}
