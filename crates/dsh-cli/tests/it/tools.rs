//! `dsh tools`: the tools of a project are listed, shown and called.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

#[cfg(unix)]
mod call;

use crate::support::{Project, reads};

/// Two tools that are commands, one that is a schema alone, and an agent from whom one of each is kept.
const CONFIG: &str = r#"
tool_schemas = ["tools.json"]

[[tools]]
name = "count"
description = "Counts the words of a file."
command = ["wc", "-w"]
timeout = 1.5

[tools.parameters]
type = "object"
properties = { path = { type = "string", description = "The file." }, allow_outside = { type = "boolean" } }
required = ["path"]

[[tools]]
name = "edit"
description = "Changes a file."
command = ["sh", "tools/edit.sh"]
exclusive = true

[agents.reader]
tools = { deny = ["edit", "write"] }
"#;

fn project() -> Project {
    Project::new(CONFIG).file("tools.json", r#"[{"name": "read"}, {"name": "write", "description": "Writes."}]"#)
}

#[test]
fn they_are_listed_with_what_runs_them_and_who_keeps_them_back() {
    reads!(project().dsh(&["tools"]));
    reads!(project().dsh(&["tools", "--agent", "reader"]));
    reads!(Project::new("").dsh(&["tools"]));
}

#[test]
fn one_is_shown_whole() {
    reads!(project().dsh(&["tools", "count"]));
    reads!(project().dsh(&["tools", "edit", "--agent", "reader"]));
    reads!(project().dsh(&["tools", "write", "--agent", "reader"]));
}

#[test]
fn as_json_they_have_everything() {
    let json = project().dsh(&["tools", "--agent", "reader", "--json"]).json();
    insta::assert_snapshot!(format!("{json:#}"));
    let one = project().dsh(&["tools", "count", "--json"]).json();
    assert_eq!(one["tools"].as_array().unwrap().len(), 1);
    assert_eq!(one["tools"][0]["command"]["timeout"], 1.5);
}

#[test]
fn a_name_that_no_tool_has_is_wrong_use() {
    reads!(project().dsh(&["tools", "cuont"]));
    reads!(project().dsh(&["tools", "call", "cuont"]));
    reads!(project().dsh(&["tools", "--agent", "redaer"]));
    reads!(Project::new("").dsh(&["tools", "x"]));
}

#[test]
fn other_words_are_wrong_use() {
    reads!(project().dsh(&["tools", "call"]));
    reads!(project().dsh(&["tools", "count", "edit"]));
    reads!(project().dsh(&["tools", "count", "--args", "{}"]));
}

#[test]
fn prompts_show_them_as_they_show_the_tools_of_schema_files() {
    // T3
    let project = project();
    let run = project.dsh(&["prompt", "--tools", "-q"]);
    let block = run.json();
    let names: Vec<&str> = block.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["count", "edit", "read", "write"]);
    let run = project.dsh(&["prompt", "--tools", "-q", "--agent", "reader"]);
    let block = run.json();
    let names: Vec<&str> = block.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["count", "read"]);
    reads!(project.dsh(&["explain", "count", "-q"]));
    reads!(project.dsh(&["explain", "edit", "-q", "--agent", "reader"]));
}

#[test]
fn parameters_keep_the_order_in_which_they_are_written() {
    // X5
    let config = "[[tools]]\nname = \"t\"\ndescription = \"d\"\ncommand = [\"x\"]\n[tools.parameters]\nproperties = { z = { type = \"integer\", minimum = 0x10, maximum = 1_000.5 }, a = {}, m = {} }\n";
    let run = Project::new(config).dsh(&["prompt", "--tools", "-q"]);
    assert_eq!(
        run.stdout,
        "[{\"description\":\"d\",\"name\":\"t\",\"parameters\":{\"properties\":{\"z\":{\"maximum\":1000.5,\"minimum\":16,\"type\":\"integer\"},\"a\":{},\"m\":{}}}}]\n"
    );
}
