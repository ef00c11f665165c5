//! What is said to the agent by standard input, and what is shown of a turn that no terminal shows.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::process::Stdio;

use super::{CONFIG, SCRIPT, events, project, run};
use crate::support::{Project, Run};

/// With this on standard input.
fn piped(project: &Project, input: &[u8], arguments: &[&str]) -> Run {
    let path = project.path().join("../input");
    std::fs::write(&path, input).unwrap();
    let mut command = project.command();
    command.args(["run", "--scripted", "script.toml"]).args(arguments);
    command.stdin(Stdio::from(std::fs::File::open(path).unwrap()));
    Run::of(format!("dsh run {} < input", arguments.join(" ")), &mut command)
}

/// Says what it was told.
const ECHO: &str = "[[rules]]\nanswer = \"<{{last}}>\"\n";

#[test]
fn standard_input_is_put_behind_the_message() {
    let project = Project::new("identity = true\n").file("script.toml", ECHO);
    for (input, arguments, said) in [
        ("", &["Hello"][..], "<Hello>\n"),
        ("a\nb\n", &["Hello"], "<Hello\n\na\nb>\n"),
        ("a\nb\n", &["-"], "<a\nb>\n"),
        ("a\n", &[], "<a>\n"),
        (" \n", &["Hello"], "<Hello>\n"),
    ] {
        let run = piped(&project, input.as_bytes(), arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), said), "{run}");
    }
}

#[test]
fn input_that_is_no_message_is_wrong_use() {
    let project = Project::new("identity = true\n").file("script.toml", ECHO);
    let long = vec![b'a'; (16 << 20) + 1];
    for (input, why) in [
        (&b"ab\xff"[..], "standard input is not UTF-8, from byte 2 on"),
        (&long, "standard input is longer than 16 MB"),
        (b"\n", "there is no message"),
    ] {
        let run = piped(&project, input, &["-"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(run.stderr.contains("cli::no_message") && run.stderr.contains(why), "{run}");
    }
    assert!(project.dsh(&["sessions"]).stdout.contains("There are no sessions"), "nothing is kept of them");
}

#[test]
fn what_a_model_thinks_is_a_short_line_beside_the_answer_and_an_event() {
    let script = "[[rules]]\nreasoning = \"Is it two?\\nOr three.\\n\"\nanswer = \"Two.\"\nchunk = 4\n";
    let project = project(CONFIG).file("script.toml", format!("{script}{SCRIPT}"));
    let shown = run(&project, &["how many"]);
    assert_eq!(
        (shown.stdout.as_str(), shown.stderr.as_str()),
        ("Two.\n", "~ Is it two? (and 1 line more)\n"),
        "{shown}"
    );
    let quiet = run(&project, &["-q", "how many"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("Two.\n", ""), "{quiet}");
    let coloured = run(&project, &["--color", "always", "how many"]);
    assert!(coloured.stderr.starts_with("\u{1b}[2m~ Is it two?"), "{coloured}");
    let events = events(&run(&project, &["--json", "how many"]));
    let thought: String = events
        .iter()
        .filter(|event| event["event"] == "reasoning")
        .map(|event| event["text"].as_str().unwrap())
        .collect();
    assert_eq!(thought, "Is it two?\nOr three.\n");
}

#[test]
fn no_terminal_sees_a_spinner_or_a_question() {
    let run = run(&project(CONFIG), &["count these"]);
    assert!(!run.stderr.contains(['\u{1b}', '\r', '⠋']) && !run.stderr.contains("[y/N]"), "{run}");
}

#[test]
fn tools_that_are_known_by_their_schemas_alone_are_left_out_and_named() {
    let one = project(&format!(
        "tool_schemas = [\"tools.json\"]\n{CONFIG}[agents.none]\ntools = {{ allow = [\"count\"] }}\n"
    ))
    .file("tools.json", r#"[{"name": "read"}]"#);
    let told = run(&one, &["ping"]);
    assert_eq!((told.status, told.stdout.as_str()), (Some(0), "pong\n"), "{told}");
    assert!(told.stderr.contains("note[run::left_out]: the tool `read` is left out: nothing runs it"), "{told}");
    assert_eq!(run(&one, &["--agent", "none", "ping"]).stderr, "");
    assert_eq!(run(&one, &["-q", "ping"]).stderr, "");
    let many: Vec<String> = (0..9).map(|number| format!("{{\"name\": \"t{number}\"}}")).collect();
    let many = one.file("tools.json", format!("[{}]", many.join(", ")));
    let told = run(&many, &["ping"]);
    assert!(
        told.stderr.contains("9 tools are left out, since nothing runs them: `t0`, `t1`, `t2`, `t3`, `t4` and 4 more"),
        "{told}"
    );
    // The model is not told of them.
    let exported = many.dsh(&["sessions", "export", "last"]).stdout;
    assert!(exported.contains("Counts words.") && !exported.contains("\"t0\""), "{exported}");
}
