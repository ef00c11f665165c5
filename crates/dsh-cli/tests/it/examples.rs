//! The projects that ship with dsh, as their readers run them.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use crate::support::{Project, dsh_in, reads, repository};

#[test]
fn the_coding_agent_prints_what_all_share() {
    reads!(dsh_in(&repository(), &["prompt", "--dir", "examples/coding-agent"]));
}

#[test]
fn each_agent_of_it_has_a_prompt_of_its_own() {
    for agent in ["coder", "reviewer", "browser-tester"] {
        reads!(dsh_in(&repository(), &["prompt", "--dir", "examples/coding-agent", "--agent", agent]));
    }
}

#[test]
fn each_agent_of_it_sees_its_own_tools() {
    let seen = |agent: &str| {
        dsh_in(&repository(), &["prompt", "--dir", "examples/coding-agent", "--agent", agent, "--tools", "-q"]).tools()
    };
    assert_eq!(
        seen("reviewer"),
        [
            "read_text_file",
            "read_multiple_files",
            "search_files",
            "count_words",
            "directory_tree",
            "get_file_info",
            "list_allowed_directories",
            "list_directory",
            "list_directory_with_sizes",
        ]
    );
    assert!(seen("coder").iter().all(|tool| !tool.starts_with("browser_") && tool != "read_file"));
    assert!(seen("browser-tester").iter().all(|tool| tool != "write_file" && tool != "browser_run_code_unsafe"));
    assert_eq!((seen("coder").len(), seen("browser-tester").len()), (15, 25));
}

/// A copy of the coding agent's project that is trusted; none, with a reason on standard error, where this machine cannot run its tools.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "a test that is not tried says why")]
fn trusted_copy() -> Option<Project> {
    if std::process::Command::new("awk").arg("BEGIN { exit 0 }").status().is_err() {
        eprintln!("not tried: there is no awk on this machine, which the tools of examples/coding-agent run");
        return None;
    }
    let from = repository().join("examples/coding-agent");
    let mut project = Project::empty();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(from.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                folders.push(format!("{path}/"));
            } else {
                project = project.file(&path, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    assert_eq!(project.dsh(&["trust", "--trust", &hash]).status, Some(0));
    Some(project)
}

#[cfg(unix)]
#[test]
fn its_command_tools_change_a_file_and_count_its_words() {
    // T4
    let Some(project) = trusted_copy() else { return };
    let call = |tool: &str, arguments: serde_json::Value| {
        project.dsh(&["tools", "call", tool, "--agent", "coder", "--args", &arguments.to_string()])
    };
    let change =
        serde_json::json!({ "path": "notes.md", "old": "State: draft\n", "new": "State: \"final\" \u{e9}\u{1f600}\n" });
    let run = call("replace_text", change.clone());
    assert_eq!(
        (run.status, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), "replaced in notes.md\n", ""),
        "{run}"
    );
    assert!(project.text("notes.md").contains("\nState: \"final\" \u{e9}\u{1f600}\n\n"));
    assert_eq!(call("count_words", serde_json::json!({ "path": "notes.md" })).stdout, "23 words in notes.md\n");
    // What it cannot do, it says.
    let run = call("replace_text", change);
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stdout.contains("the text to be replaced is not in notes.md"), "{run}");
    let run = call("count_words", serde_json::json!({ "path": "../notes.md" }));
    assert!(run.status == Some(1) && run.stdout.contains("leaves the project's folder"), "{run}");
    // Who may not, does not.
    let reviewer = [
        "tools",
        "call",
        "replace_text",
        "--agent",
        "reviewer",
        "--args",
        "{\"path\":\"a\",\"old\":\"a\",\"new\":\"b\"}",
    ];
    assert!(project.dsh(&reviewer).stderr.starts_with("error[tools::unknown_tool]"));
}

#[cfg(unix)]
#[test]
fn its_task_is_done_in_a_run_as_the_readmes_show_it() {
    let Some(project) = trusted_copy() else { return };
    let run = project.dsh(&["run", "--agent", "coder", "Finish the release notes."]);
    let again = project.dsh(&["run", "-q", "--agent", "coder", "--continue", "And now?"]);
    assert_eq!((run.status, again.status, again.stderr.as_str()), (Some(0), Some(0), ""), "{run}\n{again}");
    assert!(project.text("notes.md").contains("State: final"));
    let readme = |file: &str| String::from_utf8(std::fs::read(repository().join(file)).unwrap()).unwrap();
    let (own, of_example) = (readme("crates/dsh-cli/README.md"), readme("examples/coding-agent/README.md"));
    for line in run.stdout.lines().chain(run.stderr.lines()) {
        assert!(own.lines().any(|shown| shown == line), "{line}");
    }
    let is_said = |line: &&str| !line.starts_with([' ', 'n']) && !line.is_empty();
    for line in run.stdout.lines().chain(run.stderr.lines().filter(is_said)).chain(again.stdout.lines()) {
        assert!(of_example.lines().any(|shown| shown == line), "{line}");
    }
    assert!(project.dsh(&["sessions"]).stdout.ends_with("    2 turns  coder\n"));
}

#[cfg(unix)]
#[test]
fn its_requests_are_rebuilt_from_the_log_to_the_byte() {
    // A3; that no example is left out is looked at in `dsh-harness`
    let Some(project) = trusted_copy() else { return };
    for (agent, words, count) in [("coder", "Finish the release notes.", 3), ("reviewer", "Look at this.", 1)] {
        let run = project.dsh(&["run", "--agent", agent, words]);
        assert_eq!(run.status, Some(0), "{run}");
        let run = project.dsh(&["sessions", "export", "last"]);
        let log = dsh_session::Log::from_lines(run.stdout.as_bytes()).unwrap();
        // Each is held against the hash of what the model was sent.
        let rebuilt = dsh_session::requests(&log.records).unwrap();
        assert_eq!(rebuilt.len(), count, "{run}");
        for rebuilt in rebuilt {
            assert!(!rebuilt.request.system.is_empty() && !rebuilt.request.messages.is_empty());
        }
    }
}

#[test]
fn nothing_is_found_in_what_ships_with_dsh() {
    for folder in [".", "examples/coding-agent"] {
        let run = dsh_in(&repository(), &["check", "--dir", folder, "--fail-on", "warning"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        assert!(run.stdout.ends_with("agents checked, no findings\n"), "{run}");
    }
}

#[test]
fn the_prompt_for_working_on_dsh_is_fine() {
    for arguments in [&["prompt"][..], &["prompt", "--agent", "implementer"], &["prompt", "--agent", "reviewer"]] {
        let run = dsh_in(&repository(), arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        assert!(run.stdout.contains("# Building and testing"));
    }
}

/// The first block of this language in a file of this crate.
#[track_caller]
fn block(file: &str, language: &str) -> String {
    block_after(file, "", language)
}

/// The first block of this language behind this heading.
fn block_after(file: &str, heading: &str, language: &str) -> String {
    let text = std::fs::read(repository().join("crates/dsh-cli").join(file)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let text = text.split_once(heading).map_or("", |(_, rest)| rest);
    let block = text.split_once(&format!("```{language}\n")).and_then(|(_, rest)| rest.split_once("```"));
    block.map(|(block, _)| block.to_owned()).unwrap_or_default()
}

#[test]
fn the_configuration_in_the_readme_is_right() {
    let project = Project::new(&block("README.md", "toml")).file("docs/conventions.md", "{{not ours}}\n").file(
        "tools.json",
        r#"[{"name": "read"}, {"name": "search_files"}, {"name": "search_all"}, {"name": "write"}]"#,
    );
    assert!(project.prompt(&["--agent", "reviewer"]).contains("You review for the reviewers."));
    assert_eq!(project.dsh(&["prompt", "--agent", "reviewer", "--tools"]).tools(), ["read", "search_files"]);
}

#[test]
fn the_json_in_its_description_has_the_fields_that_are_printed() {
    let documented: serde_json::Value = serde_json::from_str(&block("docs/json.md", "json")).unwrap();
    let printed =
        dsh_in(&repository(), &["prompt", "--dir", "examples/coding-agent", "--agent", "reviewer", "--json"]).json();
    let fields = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
    };
    assert_eq!(fields(&documented), fields(&printed));
    assert_eq!(fields(&documented["sections"][0]), fields(&printed["sections"][0]));
    assert_eq!(fields(&documented["tools"][0]), fields(&printed["tools"][0]));
    let persona = &printed["sections"][1];
    assert_eq!(
        (&persona["owner"], &persona["layer"]),
        (&documented["sections"][0]["owner"], &documented["sections"][0]["layer"])
    );
}

#[test]
fn the_json_of_check_has_the_fields_that_are_documented() {
    let guide = block_after("docs/json.md", "## `dsh check --format json`", "json");
    let documented: serde_json::Value = serde_json::from_str(&guide).unwrap();
    let printed = Project::new("presona = 1\n").dsh(&["check", "--format", "json"]).json();
    let fields = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
    };
    for pointer in ["", "/diagnostics/0", "/diagnostics/0/places/0", "/counts"] {
        let of = |value: &serde_json::Value| fields(value.pointer(pointer).unwrap());
        assert_eq!(of(&documented), of(&printed), "{pointer}");
    }
}
