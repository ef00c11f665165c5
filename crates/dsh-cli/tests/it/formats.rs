//! The forms in which `dsh check` prints what it found.

use crate::support::{Project, reads};

/// A project with mistakes of many kinds: with and without an agent, in several files, with characters of several bytes before them.
fn project() -> Project {
    let config = r#"
identity = false
persona = "Für {{ team }}, 100%."
tool_schemas = ["tools, all.json", "more.json"]
allow_outsid = true

[[sections]]
name = "guide: a, 100%"
order = 10
file = "guide.md"
format = "template"

[agents.one]
persona_file = "missing.md"

[agents.two]
tools = { deny = ["wirte"] }
persona = "Two for {{team"
"#;
    Project::new(config)
        .file("guide.md", "One\nZwei ä {{{x}}} and\n{{\nnobody}}\n")
        .file("tools, all.json", "[{\"name\": \"read\"},\n {\"name\": \"write\"}]")
        .file("more.json", "[{\"name\": \"read\", \"anotations\": 1}]")
}

#[test]
fn for_people() {
    reads!(project().dsh(&["check"]));
}

#[test]
fn a_line_each() {
    reads!(project().dsh(&["check", "--format", "concise"]));
}

#[test]
fn json() {
    let run = project().dsh(&["check", "--format", "json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    assert!(run.stdout.ends_with("}\n") && run.stdout.lines().count() == 1);
    insta::assert_snapshot!(format!("{:#}", run.json()));
}

#[test]
fn commands_for_github() {
    reads!(project().dsh(&["check", "--format", "github"]));
}

#[test]
fn sarif() {
    let run = project().dsh(&["check", "--format", "sarif"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let mut log = run.json();
    *log.pointer_mut("/runs/0/tool/driver/version").unwrap() = "VERSION".into();
    for rule in log.pointer_mut("/runs/0/tool/driver/rules").unwrap().as_array_mut().unwrap() {
        // What they say is looked at where the rules are.
        rule.as_object_mut().unwrap().retain(|key, _| key == "id");
    }
    insta::assert_snapshot!(format!("{log:#}"));
}

#[test]
fn what_a_flag_says_is_in_no_file() {
    let project = Project::new("");
    let check = |format| project.dsh(&["check", "--config", "presona=1", "--format", format]);
    assert_eq!(
        check("concise").stdout,
        "--config:1:1: error[config::unknown_key]: unknown key `presona` in the configuration\n"
    );
    reads!(check("github"));
    let place = &check("json").json()["diagnostics"][0]["places"][0];
    assert_eq!((&place["file"], &place["said_by"]), (&serde_json::Value::Null, &"--config".into()));
    let run = &check("sarif").json()["runs"][0];
    assert_eq!(run["results"], serde_json::json!([]));
    let told = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!((&told["descriptor"]["id"], &told["level"]), (&"config::unknown_key".into(), &"error".into()));
}

#[test]
fn nothing_found_is_an_empty_list_in_each_of_them() {
    let project = Project::new("[agents.a]\n");
    let printed = |format| project.dsh(&["check", "--format", format]).stdout;
    assert_eq!((printed("concise"), printed("github")), (String::new(), String::new()));
    insta::assert_snapshot!(printed("json"));
}

#[test]
fn thousands_of_findings_in_one_long_line_are_told_at_once() {
    let tools: Vec<String> = (0..20_000).map(|number| format!("{{\"name\": \"tool_{}\"}}", number % 10_000)).collect();
    let project =
        Project::new("tool_schemas = [\"tools.json\"]\n").file("tools.json", format!("[{}]", tools.join(",")));
    for format in ["human", "concise", "json", "github", "sarif"] {
        let run = project.dsh(&["check", "--format", format]);
        assert!(run.stdout.len() < 10_000_000, "{format}: {} bytes", run.stdout.len());
    }
}
