//! `dsh check`: what it looks at, and how it ends (C2).

use crate::support::{Project, command, read_by_nobody, reads};

/// A clean project with so many agents: each has a persona, a variable, a section and tools of its own.
fn clean(agents: usize) -> Project {
    let shared = r#"
persona = "You work on {{product}}."
tool_schemas = ["tools.json"]
tool_order = ["read", "<unlisted-tools>"]

[variables]
product = "Quayside"

[[sections]]
name = "guide"
order = 10
file = "guide.md"
"#;
    let agent = |number: usize| {
        format!(
            r#"
[agents.agent_{number}]
persona = "You are number {{{{number}}}}, working on {{{{product}}}}."
tools = {{ deny = ["tool_{number}"] }}
variables = {{ number = "{number}" }}

[[agents.agent_{number}.sections]]
name = "own"
order = 150
file = "own/{number}.md"
"#
        )
    };
    let config: Vec<String> = std::iter::once(shared.to_owned()).chain((0..agents).map(agent)).collect();
    let tools: Vec<String> = (0..40)
        .map(|number| {
            let name = if number == 39 { "read".to_owned() } else { format!("tool_{number}") };
            format!(r#"{{"name": "{name}", "description": "Does one thing.", "parameters": {{"type": "object", "properties": {{"path": {{"type": "string"}}}}}}}}"#)
        })
        .collect();
    let project = Project::new(&config.concat())
        .file("tools.json", format!("[{}]", tools.join(",\n")))
        .file("guide.md", "Keep to the guide.\n".repeat(200));
    (0..agents).fold(project, |project, number| {
        project.file(&format!("own/{number}.md"), format!("What number {number} does.\n").repeat(20))
    })
}

#[test]
fn a_clean_project_gets_one_line() {
    let run = clean(20).dsh(&["check"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert_eq!(run.stdout, "dsh: 20 agents checked, no findings\n");
    assert_eq!(clean(1).dsh(&["check"]).stdout, "dsh: 1 agent checked, no findings\n");
    assert_eq!(clean(0).dsh(&["check"]).stdout, "dsh: 1 prompt checked, no findings\n");
}

const THREE: &str = r#"
identity = false
[[sections]]
name = "guide"
order = 1
text = "By {{author}} for {{reader}}."
[agents.one]
variables = { author = "a", reader = "r" }
[agents.two]
variables = { author = "a" }
[agents.three]
variables = { author = "a" }
[agents.four]
tools = { deny = ["write"] }
"#;

#[test]
fn every_agent_is_checked_and_what_is_wrong_for_several_is_told_once_with_their_names() {
    let project = Project::new(THREE);
    reads!(project.dsh(&["check"]));
    let json = project.dsh(&["check", "--format", "json"]).json();
    assert_eq!(json["agents"], serde_json::json!(["one", "two", "three", "four"]));
    let agents: Vec<_> = json["diagnostics"].as_array().unwrap().iter().map(|one| &one["agents"]).collect();
    assert_eq!(agents, [&serde_json::json!(["two", "three"]), &serde_json::json!(["four"])]);
}

#[test]
fn with_agents_given_only_what_is_about_them_and_everyone_counts() {
    let project = Project::new(THREE);
    let clean = project.dsh(&["check", "--agent", "one"]);
    assert_eq!((clean.status, clean.stdout.as_str()), (Some(0), "dsh: 1 agent checked, no findings\n"), "{clean}");
    reads!(project.dsh(&["check", "--agent", "one", "--agent", "two", "--format", "concise"]));
    let everyones = Project::new(&format!("presona = \"\"\n{THREE}")).dsh(&["check", "--agent", "one"]);
    assert!(everyones.stdout.contains("presona"), "{everyones}");
}

#[test]
fn the_prompt_that_agents_share_stands_for_nobody_and_without_agents_it_is_the_one() {
    let config = "persona = \"{{reader}}\"\n";
    let alone = Project::new(config).dsh(&["check"]);
    assert_eq!(alone.status, Some(1), "{alone}");
    let shared = Project::new(&format!("{config}[agents.a.variables]\nreader = \"r\"\n")).dsh(&["check"]);
    assert_eq!((shared.status, shared.stdout.as_str()), (Some(0), "dsh: 1 agent checked, no findings\n"));
}

#[test]
fn one_mistake_hides_no_other_and_makes_none() {
    let config = r#"
presona = "x"
persona = "For {{reader}} and {{teem}}."
tool_schemas = ["tools.json"]
tool_order = ["raed", "<unlisted-tools>"]
[varaibles]
reader = "r"
[variables]
team = "t"
"#;
    let project = Project::new(config).file("tools.json", r#"[{"name": "read"}]"#);
    reads!(project.dsh(&["check", "--format", "concise"]));
    let twice =
        Project::new("tool_order = [\"a\", \"a\"]\npersona = \"{{nobody}}\"\n").dsh(&["check", "--format", "concise"]);
    assert!(twice.stdout.contains("tool_order_duplicate") && twice.stdout.contains("`nobody`"), "{twice}");
    // Without the file, `raed` may be right.
    std::fs::remove_file(project.path().join("tools.json")).unwrap();
    let run = project.dsh(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("file::missing") && !run.stdout.contains("raed"), "{run}");
}

#[test]
fn warnings_fail_where_that_is_asked_for() {
    let project = Project::new("persona = \"{{team\"\n");
    let run = project.dsh(&["check"]);
    assert_eq!(run.status, Some(0), "{run}");
    assert_eq!(project.dsh(&["check", "--fail-on", "error"]).status, Some(0));
    reads!(project.dsh(&["check", "--fail-on", "warning"]));
    assert_eq!(Project::empty().dsh(&["check", "--fail-on", "warning"]).status, Some(0), "a note is no warning");
}

#[test]
fn without_a_configuration_the_defaults_are_checked() {
    // C2
    reads!(Project::empty().dsh(&["check"]));
}

#[test]
fn wrong_use_is_told_on_standard_error_whatever_the_format() {
    // C2
    let project = Project::new("[agents.reviewer]\n");
    reads!(project.dsh(&["check", "--agent", "reviwer", "--agent", "reviewer", "--format", "json"]));
    for arguments in [&["--dir", "missing"][..], &["--format", "xml"], &["--fail-on", "note"]] {
        let run = project.dsh(&[&["check"], arguments].concat());
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
    }
}

#[test]
fn a_file_that_is_not_toml_is_found_in_every_format_and_ends_with_2() {
    // C2
    let project = Project::new("persona = \"a\nb\"\n");
    reads!(project.dsh(&["check"]));
    for format in ["concise", "json", "github", "sarif"] {
        let run = project.dsh(&["check", "--format", format]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(2), ""), "{run}");
        assert!(run.stdout.contains("not_toml"), "{run}");
    }
}

#[test]
fn of_very_many_findings_some_are_shown_and_the_other_formats_have_all() {
    let keys: Vec<String> = (0..500).map(|number| format!("key_{number} = 1\n")).collect();
    let project = Project::new(&keys.concat());
    let run = project.dsh(&["check"]);
    let end = "dsh: 1 prompt checked, 500 errors; 200 are shown, `--format concise` shows all\n\
               for more about a code: dsh rule CODE\n";
    assert!(run.stdout.ends_with(end), "{run}");
    assert_eq!(project.dsh(&["check", "--format", "concise"]).stdout.lines().count(), 500);
}

#[test]
fn a_closed_pipe_is_quiet() {
    // C2
    let keys: Vec<String> = (0..5_000).map(|number| format!("key_{number} = 1\n")).collect();
    let project = Project::new(&keys.concat());
    for format in ["human", "concise", "json", "github", "sarif"] {
        let output = read_by_nobody(command().current_dir(project.path()).args(["check", "--format", format]));
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), b"".as_slice()), "{format}");
    }
}

#[test]
fn what_is_not_a_terminal_gets_no_colours() {
    // C2
    let project = Project::new("presona = 1\n");
    let output = command().current_dir(project.path()).arg("check").env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}
