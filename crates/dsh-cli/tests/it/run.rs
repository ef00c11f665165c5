//! `dsh run` and `dsh sessions`: whole turns, without a network.

mod input;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod killed;
mod limits;
#[cfg(unix)]
mod sessions;
mod subagents;
#[cfg(unix)]
mod terminal;

use serde_json::Value;

use crate::support::{Project, Run};

const SCRIPT: &str = r#"
[[rules]]
equals = "ping"
answer = "pong"

[[rules]]
from = "user"
contains = "count"
answer = "I count."
calls = [{ tool = "count", arguments = { text = "one two three" } }]

[[rules]]
tool = "count"
error = true
answer = "It failed: {{last}}"

[[rules]]
tool = "count"
answer = "There are {{last}} words."

[[rules]]
from = "user"
contains = "fail"
fail = "overloaded"

[[rules]]
contains = "loop"
calls = [{ tool = "nothing" }]

[[rules]]
from = "tool"
calls = [{ tool = "nothing" }]

[[rules]]
contains = "who"
system = "You are the scribe."
answer = "The scribe."
"#;

const CONFIG: &str = r#"
model = { scripted = "script.toml" }

[[tools]]
name = "count"
description = "Counts words."
parameters = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
command = ["sh", "count.sh"]

[agents.scribe]
persona = "You are the scribe."
"#;

/// Reads the text out of JSON without a parser, and counts its words.
const COUNT: &str = "sed 's/.*:\"//; s/\".*//' | wc -w | tr -d ' \\n'\n";

fn project(config: &str) -> Project {
    Project::new(config).file("script.toml", SCRIPT).file("count.sh", COUNT)
}

/// The hash of what the folder asks for.
#[expect(clippy::unwrap_used, reason = "a folder without a hash has failed the test")]
fn trust_hash(project: &Project) -> String {
    project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned()
}

/// With everything trusted that the folder asks for.
fn run(project: &Project, arguments: &[&str]) -> Run {
    let hash = trust_hash(project);
    let with: Vec<&str> = ["run", "--trust", &hash].iter().copied().chain(arguments.iter().copied()).collect();
    project.dsh(&with)
}

#[expect(clippy::unwrap_used, reason = "a line that is no JSON has failed the test")]
fn events(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_message_is_answered_on_standard_output() {
    let run = run(&project(CONFIG), &["ping"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "pong\n", ""), "{run}");
}

#[test]
fn a_tool_is_run_where_permissions_allow_it_and_denied_where_nobody_can_be_asked() {
    let allowed = format!("{CONFIG}\n[permissions]\nallow = [\"count\"]\n");
    let ran = run(&project(&allowed), &["count these"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "I count.\nThere are 3 words.\n"), "{ran}");
    assert!(ran.stderr.contains("> count {\"text\":\"one two three\"}\n< count 3\n"), "{ran}");
    let denied = run(&project(CONFIG), &["count these"]);
    assert_eq!(denied.status, Some(4), "{denied}");
    assert!(denied.stdout.starts_with("I count.\nIt failed: "), "{denied}");
    assert!(denied.stderr.contains("tools::no_approver") && denied.stderr.contains("run::not_approved"), "{denied}");
}

#[test]
fn an_untrusted_folder_has_neither_model_nor_tools() {
    let project = project(CONFIG);
    let run = project.dsh(&["run", "ping"]);
    assert_eq!(run.status, Some(2), "{run}");
    assert!(run.stderr.contains("cli::no_model") && run.stderr.contains("not trusted"), "{run}");
    // A script that the person names is theirs.
    let named = project.dsh(&["run", "--scripted", "script.toml", "count these"]);
    assert_eq!((named.status, named.stdout.contains("there is no tool `count`")), (Some(0), true), "{named}");
}

#[test]
fn without_a_model_or_a_message_it_is_wrong_use() {
    let bare = Project::new("identity = true\n").file("script.toml", SCRIPT);
    for (arguments, code) in [
        (&["run", "ping"][..], "cli::no_model"),
        (&["run", "--scripted", "none.toml", "ping"], "cli::no_model"),
        (&["run", "--scripted", "script.toml"], "cli::no_message"),
        (&["run", "--scripted", "script.toml", "--continue", "ping"], "session::not_found"),
        (&["run", "--scripted", "script.toml", "--session", "x", "ping"], "session::not_found"),
        (&["run", "--scripted", "script.toml", "--agent", "x", "ping"], "cli::unknown_agent"),
    ] {
        let run = bare.dsh(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(run.stderr.contains(code), "{run}");
    }
}

#[test]
fn the_status_tells_how_the_turn_ended() {
    let project = project(CONFIG);
    let failed = run(&project, &["fail"]);
    assert_eq!((failed.status, failed.stderr.contains("model::overloaded")), (Some(1), true), "{failed}");
    let limit = run(&project, &["loop"]);
    assert_eq!((limit.status, limit.stderr.contains("run::limit")), (Some(3), true), "{limit}");
    let unknown = run(&project, &["what"]);
    assert_eq!((unknown.status, unknown.stderr.contains("model::no_rule")), (Some(1), true), "{unknown}");
}

#[test]
fn an_agent_is_told_what_is_its_own() {
    let project = project(CONFIG);
    let run = run(&project, &["--agent", "scribe", "who are you"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "The scribe.\n"), "{run}");
}

#[test]
fn events_are_lines_of_json() {
    let allowed = format!("{CONFIG}\n[permissions]\nallow = [\"count\"]\n");
    let run = run(&project(&allowed), &["--json", "count these"]);
    let events = events(&run);
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["session", "turn_start", "text", "tool_call", "tool_result", "text", "turn_end"], "{run}");
    let session = events[0]["session"].as_str().unwrap();
    assert!(events.iter().all(|event| event["session"] == session));
    assert_eq!(
        (&events[0]["version"], &events[6]["end"], &events[6]["steps"]),
        (&1.into(), &"completed".into(), &2.into())
    );
    assert_eq!(events[4]["content"][0]["text"], "3");
}

#[test]
fn a_session_goes_on_is_listed_shown_exported_forked_and_removed() {
    let project = project(CONFIG);
    assert_eq!(project.dsh(&["sessions"]).stdout, "There are no sessions.\n");
    run(&project, &["ping"]);
    let again = run(&project, &["--continue", "ping"]);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "pong\n"), "{again}");
    let listed = project.dsh(&["sessions", "list", "--json"]).json();
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!((sessions.len(), &sessions[0]["turns"]), (1, &2.into()));
    let id = sessions[0]["session"].as_str().unwrap();
    let shown = project.dsh(&["sessions", "show", "last", "--json"]).json();
    assert_eq!(shown["messages"].as_array().unwrap().len(), 4);
    let text = project.dsh(&["sessions", "show", id.get(..10).unwrap()]).stdout;
    assert!(text.contains("[user]\nping\n") && text.contains("[assistant]\npong\n"), "{text}");
    let exported = project.dsh(&["sessions", "export", id]).stdout;
    assert!(exported.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let fork = project.dsh(&["sessions", "fork", id, "--turn", "1"]).stdout.trim().to_owned();
    let forked = project.dsh(&["sessions", "show", &fork, "--json"]).json();
    assert_eq!(forked["messages"].as_array().unwrap().len(), 2);
    assert_eq!(project.dsh(&["sessions", "remove", id]).status, Some(0));
    let gone = project.dsh(&["sessions", "show", id]);
    assert_eq!((gone.status, gone.stderr.contains("session::not_found")), (Some(2), true), "{gone}");
}
