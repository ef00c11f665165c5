//! `dsh tools call`: one call, the whole way.

use crate::support::{Project, Run, reads};

/// A tool that says its arguments back, and others that do other things; whoever runs it has trusted it.
const CONFIG: &str = r#"
tool_schemas = ["tools.json"]
[[tools]]
name = "say"
description = "Says its arguments."
command = ["cat"]
parameters = { type = "object", properties = { path = { type = "string" } }, required = ["path"], additionalProperties = false }
[[tools]]
name = "fail"
description = "Fails."
command = ["sh", "-c", "echo 'no such file: x' >&2; exit 3"]
[[tools]]
name = "edit"
description = "Writes a file."
command = ["sh", "-c", "echo edited > edited.txt"]
[[tools]]
name = "gone"
description = "Is not there."
command = ["./no-such-program"]
[[tools]]
name = "env"
description = "Shows its environment."
command = ["/usr/bin/env"]
[[tools]]
name = "slow"
description = "Takes too long."
command = ["sleep", "600"]
timeout = 0.1
[[tools]]
name = "kept"
description = "Is kept back."
command = ["echo", "ran"]
[permissions]
allow = ["say", "fail", "gone", "env", "slow"]
deny = ["kep*"]
[agents.editor]
permissions = { allow = ["edit", "kept"] }
[agents.reader]
tools = { allow = ["say", "read"] }
[agents.careful]
permissions = { deny = ["say"] }
"#;

fn project() -> Project {
    let project = Project::new(CONFIG).file("tools.json", r#"[{"name": "read"}]"#);
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    assert_eq!(project.dsh(&["trust", "--trust", &hash]).status, Some(0));
    project
}

fn call(arguments: &[&str]) -> Run {
    project().dsh(&[&["tools", "call"], arguments].concat())
}

#[test]
fn arguments_go_in_and_the_result_is_printed() {
    // T4
    let run = call(&["say", "--args", r#"{"path": "é"}"#]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "{\"path\": \"é\"}\n", ""), "{run}");
    reads!(call(&["say", "--args", r#"{"path": "a.md"}"#, "--json"]));
}

#[test]
fn arguments_that_the_schema_does_not_allow_are_told_all_at_once() {
    // T4
    reads!(call(&["say", "--args", r#"{"paht": 5, "path": 1}"#]));
    reads!(call(&["say", "--args", "{"]));
    reads!(call(&["say"]));
}

#[test]
fn a_tool_that_fails_is_told_with_what_it_said() {
    // T4
    reads!(call(&["fail"]));
    reads!(call(&["slow"]));
}

#[test]
fn a_command_that_is_not_there_is_told_at_its_place() {
    reads!(call(&["gone"]));
}

#[test]
fn what_is_not_allowed_beforehand_is_denied_without_a_terminal() {
    let project = project();
    reads!(project.dsh(&["tools", "call", "edit"]));
    assert!(!project.path().join("edited.txt").exists());
    let run = project.dsh(&["tools", "call", "edit", "--agent", "editor"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert_eq!(project.text("edited.txt"), "edited\n");
}

#[test]
fn what_permissions_keep_back_does_not_run_though_it_is_allowed() {
    reads!(call(&["say", "--args", r#"{"path": ""}"#, "--agent", "careful"]));
    // Nor where an agent's own permissions allow what everybody's deny.
    let run = call(&["kept", "--agent", "editor"]);
    assert!(run.status == Some(1) && run.stderr.starts_with("error[tools::denied]"), "{run}");
}

#[test]
fn case_12_a_tool_that_is_kept_from_an_agent_does_not_run_for_it() {
    // T3: prompt and call have one set.
    reads!(call(&["fail", "--agent", "reader"]));
    assert_eq!(call(&["say", "--args", r#"{"path": ""}"#, "--agent", "reader"]).status, Some(0));
}

#[test]
fn a_tool_that_is_a_schema_alone_does_not_run() {
    reads!(call(&["read"]));
}

#[test]
fn an_untrusted_folder_runs_nothing() {
    // C4
    let project = Project::new(CONFIG).file("tools.json", r#"[{"name": "read"}]"#);
    reads!(project.dsh(&["tools", "call", "edit", "--agent", "editor"]));
    assert!(!project.path().join("edited.txt").exists());
}

#[test]
fn what_a_command_sees_of_the_environment_is_a_list() {
    // C3
    let project = project().with_env("TOKEN", "s3cret-marker").with_env("LANG", "C.UTF-8");
    let run = project.dsh(&["tools", "call", "env"]);
    assert!(run.stdout.contains("LANG=C.UTF-8\n") && run.stdout.contains("PATH="), "{run}");
    assert!(!run.stdout.contains("s3cret-marker") && !run.stdout.contains("XDG_"), "{run}");
}

#[test]
fn arguments_may_come_on_standard_input() {
    use std::io::Write as _;
    let mut command = project().command();
    let project = project();
    command.current_dir(project.path()).args(["tools", "call", "say", "--args", "-", "--trust"]);
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let mut child =
        command.arg(hash).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(br#"{"path": "piped"}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"path\": \"piped\"}\n");
}

#[test]
fn a_call_that_is_interrupted_ends_what_it_has_started() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let config = "[[tools]]\nname = \"wait\"\ndescription = \"Waits.\"\ncommand = [\"sh\", \"-c\", \"exec 9>witness; echo ready >&9; exec sleep 600\"]\n[permissions]\nallow = [\"wait\"]\n";
    let project = Project::new(config);
    assert!(Command::new("mkfifo").arg(project.path().join("witness")).status().unwrap().success());
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let mut command = project.command();
    command.args(["tools", "call", "wait", "--trust", &hash]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut witness = BufReader::new(std::fs::File::open(project.path().join("witness")).unwrap());
    witness.read_line(&mut String::new()).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[tools::cancelled]: tool `wait` was interrupted"), "{said}");
    witness.read_to_string(&mut String::new()).unwrap();
}
