//! Agents that work for others in a run (G1 to G3).

use serde_json::Value;

use super::{COUNT, SCRIPT, events, run, trust_hash};
use crate::support::{Project, reads};

/// Has an agent count, says what it answers, and knows the counter by what it is told.
const DELEGATE: &str = r#"
[[rules]]
from = "user"
contains = "three words"
system = "You count for others."
reasoning = "I only count."
calls = [{ tool = "count", arguments = { text = "one two three" } }]

[[rules]]
from = "user"
contains = "delegate to spawn"
calls = [{ tool = "task", arguments = { description = "words", prompt = "three words: count", agent = "spawn" } }]

[[rules]]
from = "user"
contains = "delegate to fork"
calls = [{ tool = "task", arguments = { description = "ask", prompt = "ping", agent = "fork" } }]

[[rules]]
from = "user"
contains = "delegate to nobody"
calls = [{ tool = "task", arguments = { description = "ask", prompt = "ping", agent = "nobody" } }]

[[rules]]
from = "user"
contains = "delegate"
calls = [{ tool = "task", arguments = { description = "words", prompt = "three words", agent = "counter" } }]

[[rules]]
tool = "task"
answer = "I was told: {{last}}"
"#;

const CONFIG: &str = r#"
model = { scripted = "script.toml" }

[[tools]]
name = "count"
description = "Counts words."
parameters = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
command = ["sh", "count.sh"]

[subagents]
agents = ["counter"]
depth = 1

[agents.counter]
description = "Counts what it is given."
persona = "You count for others."
permissions = { allow = ["count"] }

[agents.strict]
permissions = { deny = ["count"] }

[agents.bound]
tools = { deny = ["count"] }

[agents.alone]
tools = { allow = ["count"] }
"#;

fn project(config: &str) -> Project {
    Project::new(config).file("script.toml", format!("{DELEGATE}{SCRIPT}")).file("count.sh", COUNT)
}

#[test]
fn an_agent_of_the_project_works_for_another_as_it_is_configured() {
    // G2, T4
    let project = project(CONFIG);
    let ran = run(&project, &["delegate"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "I was told: There are 3 words.\n"), "{ran}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            r#"> task {"description":"words","prompt":"three words","agent":"counter"}"#,
            r#"  counter > count {"text":"one two three"}"#,
            "  counter < count 3",
            "< task There are 3 words.",
        ],
        "{ran}"
    );
    // It has a session of its own, and nobody goes on with that by chance.
    let sessions = project.dsh(&["sessions", "--json"]).json();
    let agents: Vec<&str> =
        sessions["sessions"].as_array().unwrap().iter().map(|one| one["agent"].as_str().unwrap()).collect();
    assert_eq!(agents.len(), 2);
    assert!(agents.contains(&"(main)") && agents.contains(&"counter"), "{agents:?}");
    let again = run(&project, &["--continue", "--json", "ping"]);
    assert_eq!((&events(&again)[1]["agent"], &events(&again)[1]["turn"]), (&"(main)".into(), &2.into()), "{again}");
}

#[test]
fn its_events_name_its_session_and_whom_it_works_for() {
    let run = run(&project(CONFIG), &["--json", "delegate"]);
    let events = events(&run);
    let main = &events[0]["session"];
    let told: Vec<String> = events
        .iter()
        .map(|event| {
            let whose = if event["session"] == *main { "main" } else { "child" };
            format!("{whose} {}", event["event"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            "main session",
            "main turn_start",
            "main tool_call",
            "main subagent_start",
            "child turn_start",
            "child reasoning",
            "child tool_call",
            "child tool_result",
            "child text",
            "child turn_end",
            "main subagent_end",
            "main tool_result",
            "main text",
            "main turn_end",
        ],
        "{run}"
    );
    assert_eq!((&events[1]["parent"], &events[4]["parent"]), (&Value::Null, main));
    assert_eq!((&events[3]["agent"], &events[3]["description"]), (&"counter".into(), &"words".into()));
    assert_eq!((&events[10]["child"], &events[10]["stop"]), (&events[4]["session"], &"completed".into()));
    assert_eq!(events[10]["run"], events[3]["run"]);
}

#[test]
fn permissions_hold_for_those_who_work_for_others() {
    // C4, I110: what is allowed to one is allowed to no other, what is denied to one is denied to those below it.
    let project = project(&CONFIG.replace("agents = [\"counter\"]", "agents = [\"c*\"]"));
    let asked = run(&project, &["delegate to spawn"]);
    assert_eq!(asked.status, Some(4), "{asked}");
    assert!(asked.stderr.contains("tools::no_approver") && asked.stderr.contains("run::not_approved"), "{asked}");
    let strict = run(&project, &["--agent", "strict", "delegate"]);
    assert_eq!(strict.status, Some(0), "{strict}");
    assert!(strict.stderr.contains("counter < count failed") && strict.stderr.contains("tools::denied"), "{strict}");
    let bound = run(&project, &["--agent", "bound", "delegate"]);
    assert!(bound.stderr.contains("counter < count failed") && bound.stderr.contains("tools::unknown_tool"), "{bound}");
    let alone = run(&project, &["--agent", "alone", "delegate"]);
    assert!(alone.stderr.contains("< task failed") && alone.stderr.contains("tools::unknown_tool"), "{alone}");
}

#[test]
fn those_that_come_with_dsh_are_there_and_others_are_not() {
    // G1, G2
    let project = project(CONFIG);
    let forked = run(&project, &["delegate to fork"]);
    assert_eq!((forked.status, forked.stdout.as_str()), (Some(0), "I was told: pong\n"), "{forked}");
    let nobody = run(&project, &["delegate to nobody"]);
    assert!(nobody.stdout.contains("there is no provider") || nobody.stdout.contains("nobody"), "{nobody}");
}

#[test]
fn the_tool_is_shown_as_it_is_run_and_needs_trust_to_run() {
    // C4
    let project = project(CONFIG);
    let prompt = |arguments: &[&str]| project.dsh(&[&["prompt", "-q"], arguments].concat()).stdout;
    assert!(prompt(&[]).contains("- counter: Counts what it is given."), "{}", prompt(&[]));
    assert!(prompt(&["--tools"]).contains("\"name\":\"task\""));
    assert!(!prompt(&["--agent", "alone"]).contains("- counter"), "who has no `task` is not told of it");
    reads!(project.dsh(&["tools", "-q"]));
    reads!(project.dsh(&["tools", "task", "--agent", "alone", "-q"]));
    reads!(project.dsh(&["trust"]));
    // What the model is told in a run is what is shown.
    let hash = trust_hash(&project);
    let shown = project.dsh(&["prompt", "--trust", &hash]).stdout;
    run(&project, &["ping"]);
    let exported = project.dsh(&["sessions", "export", "last"]).stdout;
    let mut records = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = records.find_map(|record| record["system"].as_str().map(str::to_owned)).unwrap();
    assert_eq!(told, shown.strip_suffix('\n').unwrap());
    // Without trust it is not there, whoever gives the model.
    let untrusted = project.dsh(&["run", "--scripted", "script.toml", "delegate"]);
    assert!(untrusted.stdout.contains("there is no tool `task`"), "{untrusted}");
    let called = project.dsh(&["tools", "call", "task", "--args", "{}"]);
    assert_eq!((called.status, called.stderr.contains("trust::needed")), (Some(1), true), "{called}");
    let args = r#"{"description":"d","prompt":"p"}"#;
    let called = project.dsh(&["tools", "call", "task", "--trust", &hash, "--args", args]);
    assert!(called.stdout.contains("only an agent can have another one work for it"), "{called}");
}

#[test]
fn the_users_own_configuration_needs_no_trust_for_it() {
    // C4
    let project = Project::new("persona = \"p\"\n")
        .file("script.toml", format!("{DELEGATE}{SCRIPT}"))
        .user_config("subagents = true\n");
    let ran = project.dsh(&["run", "--scripted", "script.toml", "delegate to fork"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "I was told: pong\n"), "{ran}");
}

#[test]
fn a_tool_of_the_same_name_is_a_mistake_of_two_places() {
    let config = "subagents = true\n[[tools]]\nname = \"task\"\ndescription = \"d\"\ncommand = [\"true\"]\n";
    reads!(Project::new(config).dsh(&["check"]));
}

#[test]
fn tools_and_orders_may_name_what_comes_with_dsh() {
    let config = "tool_order = [\"task\", \"<unlisted-tools>\"]\nsubagents = true\n[permissions]\ndeny = [\"task\"]\n[agents.a]\ntools = { deny = [\"task\"] }\npersona = \"Your task is this.\"\n";
    let project = Project::new(config);
    let run = project.dsh(&["check"]);
    assert!(run.status == Some(0) && !run.stdout.contains("warning["), "{run}");
    assert_eq!(project.dsh(&["prompt", "--agent", "a", "--tools", "-q"]).stdout, "[]\n");
}

#[test]
fn what_an_agent_may_not_do_stands_before_the_tools_that_it_may_not_use() {
    // X5: the order of the file is none of layers.
    let config = "[agents.a]\ntools = { allow = [\"count\"] }\n[[tools]]\nname = \"count\"\ndescription = \"d\"\ncommand = [\"true\"]\n";
    let run = Project::new(config).dsh(&["tools", "--agent", "a", "-q"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
}
