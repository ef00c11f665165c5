//! A run that is killed at any moment leaves a session that goes on (A3, A5).

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::{project, trust_hash};

/// So many runs are killed.
const KILLS: usize = 100;

/// Says a little, and calls a tool that does not matter, slowly, so that there are many moments to be killed at.
const SLOW: &str = r#"
[[rules]]
contains = "are you whole"
answer = "whole"

[[rules]]
step = 1
answer = "One moment, please."
chunk = 4
delay_ms = 1
calls = [{ tool = "count", arguments = { text = "a b" } }]

[[rules]]
step = 2
answer = "And another one."
chunk = 2
delay_ms = 1
calls = [{ tool = "count", arguments = { text = "a b c" } }]

[[rules]]
answer = "Done, after {{last}}."
chunk = 2
delay_ms = 1
"#;

#[test]
fn a_hundred_kills_at_any_moment_leave_sessions_that_go_on() {
    let config = format!("{}\n[permissions]\nallow = [\"count\"]\n", super::CONFIG);
    let project = project(&config).file("script.toml", SLOW);
    let hash = trust_hash(&project);
    let begin = |arguments: &[&str]| {
        let mut command = project.command();
        command.args(["run", "--trust", &hash, "--json"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    // A whole run tells how many lines one prints.
    let whole = begin(&["go"]).wait_with_output().unwrap();
    assert!(whole.status.success());
    let lines = whole.stdout.lines().count();
    assert!(lines > 20, "{lines}");
    for kill in 0..KILLS {
        let mut run = begin(&["--continue", "go"]);
        // It is killed while it goes on behind a line, before the last: spread over all of them.
        let seen = kill * 37 % (lines - 1);
        let mut output = BufReader::new(run.stdout.take().unwrap()).lines();
        assert_eq!(output.by_ref().take(seen).map(Result::unwrap).count(), seen);
        run.kill().unwrap();
        run.wait().unwrap();
        if kill % 10 == 9 {
            let whole = project.dsh(&["run", "--trust", &hash, "--continue", "are you whole?"]);
            assert_eq!((whole.status, whole.stdout.as_str()), (Some(0), "whole\n"), "after {kill}: {whole}");
        }
    }
    // What the model is sent has exactly one result for each call.
    let shown = project.dsh(&["sessions", "show", "last", "--json"]).json();
    let blocks = |kind: &str| {
        let messages = shown["messages"].as_array().unwrap().iter();
        let blocks = messages.flat_map(|message| message["content"].as_array().unwrap());
        blocks.filter(|block| block["type"] == kind).count()
    };
    assert_eq!(blocks("tool_call"), blocks("tool_result"));
    assert!(blocks("tool_call") > 0);
}
