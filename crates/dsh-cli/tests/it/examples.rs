//! The projects that ship with dsh, as their readers run them.

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
        dsh_in(&repository(), &["prompt", "--dir", "examples/coding-agent", "--agent", agent, "--tools"]).tools()
    };
    assert_eq!(
        seen("reviewer"),
        [
            "read_text_file",
            "read_multiple_files",
            "search_files",
            "directory_tree",
            "get_file_info",
            "list_allowed_directories",
            "list_directory",
            "list_directory_with_sizes",
        ]
    );
    assert!(seen("coder").iter().all(|tool| !tool.starts_with("browser_") && tool != "read_file"));
    assert!(seen("browser-tester").iter().all(|tool| tool != "write_file" && tool != "browser_run_code_unsafe"));
    assert_eq!((seen("coder").len(), seen("browser-tester").len()), (13, 25));
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
