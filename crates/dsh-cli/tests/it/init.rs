//! `dsh init`: a small project to begin with, over nothing that is there.

use crate::support::{Project, dsh_in, reads};

/// A folder with all that is looked for.
fn furnished() -> Project {
    Project::empty()
        .file("AGENTS.md", "Run the tests.\n")
        .file("CLAUDE.md", "Run the tests.\n")
        .file("Cargo.toml", "[package]\nname = \"harbour\"\n")
        .file(
            ".mcp.json",
            r#"{"mcpServers": {"github": {"command": "x", "env": {"TOKEN": "s3cret"}}, "my files": {"url": ""}}}"#,
        )
        .file("agents/reviewer.md", "---\ndescription: Reviews.\n---\nYou review.\n")
        .file(".claude/agents/tester.md", "You test.\n")
}

/// Runs `init`, which must be fine, and the commands that read what it wrote, which must find nothing.
#[track_caller]
fn is_fine_after(project: &Project) {
    let run = project.dsh(&["init"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    for command in ["prompt", "check", "explain", "config"] {
        let run = project.dsh(&[command]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    }
    let check = project.dsh(&["check", "--fail-on", "warning", "--format", "concise"]);
    assert_eq!((check.status, check.stdout.as_str()), (Some(0), ""), "{check}");
}

#[test]
fn an_empty_folder_gets_a_project_that_is_fine() {
    let project = Project::empty();
    reads!(project.dsh(&["init"]));
    insta::assert_snapshot!(project.text("dsh.toml"));
    assert_eq!(project.names("."), ["dsh.schema.json", "dsh.toml"]);
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn what_is_there_is_found_and_named() {
    let project = furnished();
    let run = project.dsh(&["init"]);
    // C3
    assert!(!format!("{run}{}", project.text("dsh.toml")).contains("s3cret"));
    reads!(run);
    insta::assert_snapshot!(project.text("dsh.toml"));
}

#[test]
fn the_project_is_fine_with_and_without_what_is_looked_for() {
    is_fine_after(&Project::empty());
    is_fine_after(&Project::empty().file("AGENTS.md", "Use `read`. {{braces}}\n"));
    is_fine_after(&Project::empty().file("AGENTS.override.md", "a\n").file("CLAUDE.md", "b\n"));
    is_fine_after(&Project::empty().file(".claude/agents/a.md", "You test.\n"));
    is_fine_after(&furnished());
}

#[test]
fn nothing_that_is_there_is_changed() {
    for (file, there) in [("dsh.toml", "`dsh.toml` is"), ("dsh.schema.json", "`dsh.schema.json` is")] {
        let project = Project::empty().file(file, "mine");
        let run = project.dsh(&["init"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run}");
        assert!(run.stderr.contains("error[init::exists]") && run.stderr.contains(there), "{run}");
        assert_eq!(project.names("."), [file]);
        assert_eq!(project.text(file), "mine");
    }
    let project = Project::empty();
    project.dsh(&["init"]);
    let before = project.text("dsh.toml");
    reads!(project.dsh(&["init"]));
    assert_eq!(project.text("dsh.toml"), before);
    let folder = Project::empty().file("dsh.toml/a", "");
    assert_eq!((folder.dsh(&["init"]).status, folder.names(".")), (Some(1), vec!["dsh.toml".to_owned()]));
}

#[cfg(unix)]
#[test]
fn a_link_counts_as_there_even_where_it_leads_nowhere() {
    for name in ["dsh.toml", "dsh.schema.json"] {
        let project = Project::empty();
        std::os::unix::fs::symlink("../elsewhere", project.path().join(name)).unwrap();
        let run = project.dsh(&["init"]);
        assert_eq!(run.status, Some(1), "{run}");
        assert_eq!(project.names("."), [name]);
        assert_eq!(project.names(".."), ["project"]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_gets_nothing() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    use crate::support::{Run, command};

    let project = Project::empty();
    let may =
        |path: &std::path::Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let mut command = command();
    if project.path().metadata().unwrap().uid() == 0 {
        // Nothing is forbidden to root: the command runs as somebody else, from where that one can get at it.
        let copy = project.path().join("../dsh");
        std::fs::copy(command.get_program(), &copy).unwrap();
        may(&project.path().join(".."), 0o755);
        may(&copy, 0o755);
        command = std::process::Command::new(copy);
        command.uid(65534).gid(65534);
    }
    may(&project.path(), 0o555);
    let run = Run::of("dsh init".to_owned(), command.current_dir(project.path()).arg("init"));
    may(&project.path(), 0o755);
    assert_eq!(project.names("."), Vec::<String>::new());
    reads!(run);
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let project = Project::empty();
    reads!(project.dsh(&["init", "--dir", "missing"]));
    assert_eq!(project.names("."), Vec::<String>::new());
}

#[test]
fn it_begins_in_the_working_folder_and_says_where_a_project_is_above() {
    let project = Project::new("persona = \"above\"\n").file("my parts/a.md", "");
    reads!(dsh_in(&project.path().join("my parts"), &["init"]));
    assert_eq!(project.names("my parts"), ["a.md", "dsh.schema.json", "dsh.toml"]);
    let project = Project::empty().file("my parts/a.md", "");
    reads!(project.dsh(&["init", "--dir", "my parts"]));
    assert_eq!(project.dsh(&["prompt", "--dir", "my parts"]).status, Some(0));
}

#[test]
fn the_name_of_the_project_is_guessed() {
    let guessed = |project: Project| {
        is_fine_after(&project);
        let config: toml::Table = project.text("dsh.toml").parse().unwrap();
        config["variables"]["project"].as_str().unwrap().to_owned()
    };
    assert_eq!(guessed(Project::empty()), "project");
    assert_eq!(guessed(Project::empty().file("Cargo.toml", "[package]\nname = \"a\"\n")), "a");
    assert_eq!(
        guessed(Project::empty().file("Cargo.toml", "[workspace]\n").file("package.json", r#"{"name": "@b/c"}"#)),
        "@b/c"
    );
    assert_eq!(guessed(Project::empty().file("pyproject.toml", "[project]\nname = \"d\"\n")), "d");
    assert_eq!(guessed(Project::empty().file("pyproject.toml", "[tool.poetry]\nname = \"e\"\n")), "e");
    for wrong in ["[package", "[package]\nname = 1\n", "[package]\nname = \"\"\n", "package = \"x\"\n", "\u{0}"] {
        assert_eq!(guessed(Project::empty().file("Cargo.toml", wrong)), "project", "{wrong:?}");
    }
    let long = format!("[package]\nname = \"{}\"\n", "x".repeat(81));
    assert_eq!(guessed(Project::empty().file("Cargo.toml", long)), "project");
}

#[test]
fn names_that_others_chose_stay_names() {
    // X12
    let names = ["a\"b", "'''", "{{nobody}}", "}}\n[variables]\nx = 1", "\u{202e}txt", "\\", "# \u{7f}", "a\u{0}b"];
    for name in names {
        let named = serde_json::json!({ "name": name }).to_string();
        let servers = serde_json::json!({ "mcpServers": { name: {}, "b": {} } }).to_string();
        let project = Project::empty().file("package.json", named).file(".mcp.json", servers);
        is_fine_after(&project);
        let config = project.text("dsh.toml");
        assert!(
            !config.contains('\u{202e}') && config.lines().all(|line| !line.starts_with("[variables]x")),
            "{config}"
        );
        let document: toml::Table = config.parse().unwrap();
        assert_eq!(document.keys().map(String::as_str).collect::<Vec<_>>(), ["persona", "variables", "sections"]);
    }
}

#[test]
fn a_list_of_servers_that_cannot_be_read_stands_in_nobodys_way() {
    let run = Project::empty().file(".mcp.json", "{\"mcpServers\": [").dsh(&["init"]);
    reads!(run);
    for wrong in
        [b"\xff\xfe{\0".as_slice(), b"[]", b"{\"mcpServers\": []}", b"{\"mcpServers\": {}}", &b"[".repeat(100_000)]
    {
        let run = Project::empty().file(".mcp.json", wrong).dsh(&["init"]);
        assert_eq!(run.status, Some(0), "{run}");
    }
    let large = [br#"{"mcpServers": {"a": {}}}"#.as_slice(), &b" ".repeat(1 << 20)].concat();
    let run = Project::empty().file(".mcp.json", large).dsh(&["init"]);
    assert!(run.status == Some(0) && run.stderr.contains("warning[init::unread]"), "{run}");
}

#[test]
fn what_is_commented_out_is_right_where_it_is_let_in() {
    let project = furnished().file("tools/github.json", r#"[{"name": "write_file"}, {"name": "read_file"}]"#);
    let project = project.file("tools/my-files.json", "[]");
    project.dsh(&["init"]);
    let let_in: Vec<String> = project
        .text("dsh.toml")
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if LET_IN.iter().any(|key| rest.starts_with(key)) => rest.to_owned(),
            _ => line.to_owned(),
        })
        .collect();
    let project = project.file("dsh.toml", let_in.join("\n"));
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let project = project.with_env("DSH_TRUST", &hash);
    assert!(project.prompt(&["--profile", "ci"]).contains("nobody is there to ask"));
    assert!(project.prompt(&["--agent", "tester"]).contains("You try out what changes in harbour"));
    assert_eq!(project.dsh(&["prompt", "--agent", "tester", "--tools"]).tools(), ["read_file"]);
}

/// What the lines begin with that are commented out.
const LET_IN: [&str; 7] =
    ["team =", "tool_schemas =", "instructions =", "[agents.", "[profiles.", "persona =", "tools ="];

#[test]
fn what_a_run_that_was_killed_has_left_is_taken_up() {
    let project = Project::empty();
    assert_eq!(project.dsh(&["init"]).status, Some(0));
    std::fs::remove_file(project.path().join("dsh.toml")).unwrap();
    reads!(project.dsh(&["init"]));
    assert_eq!(project.names("."), ["dsh.schema.json", "dsh.toml"]);
    // A schema that is another one is somebody else's.
    std::fs::remove_file(project.path().join("dsh.toml")).unwrap();
    let project = project.file("dsh.schema.json", "{}\n");
    assert!(project.dsh(&["init"]).stderr.contains("error[init::exists]"));
    assert_eq!(project.names("."), ["dsh.schema.json"]);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_a_whole_project_or_none() {
    for round in 0..40 {
        let project = Project::empty();
        let mut child = project.command().arg("init").stdout(std::process::Stdio::null()).spawn().unwrap();
        // Each round is killed somewhere else on the way.
        for _ in 0..round * 20_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let names = project.names(".");
        assert!(!names.contains(&"dsh.toml".to_owned()) || names.contains(&"dsh.schema.json".to_owned()), "{names:?}");
        if !names.contains(&"dsh.toml".to_owned()) {
            assert_eq!(project.dsh(&["init"]).status, Some(0));
        }
        assert_eq!(project.dsh(&["check"]).status, Some(0));
    }
}

#[test]
fn a_folder_of_hidden_characters_is_named_with_escapes() {
    let project = Project::empty().file("a\u{202e}b\u{1b}c'\u{9b}/x", "");
    let run = project.dsh(&["init", "--dir", "a\u{202e}b\u{1b}c'\u{9b}"]);
    assert!(!run.stdout.contains(['\u{202e}', '\u{1b}', '\u{9b}']), "{run}");
    let named = r"$'a\342\200\256b\033c\'\302\233'";
    assert!(run.stdout.contains(&format!("`dsh prompt --dir {named}`")), "{run}");
}

#[test]
fn instruction_files_above_the_folder_are_named_too() {
    // C6
    let project = Project::empty()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("AGENTS.md", "Run the tests.\n")
        .file("CLAUDE.md", "Not read.\n")
        .file("parts/CLAUDE.md", "")
        .file("parts/one/AGENTS.md", "One.\n")
        .file("parts/one/CLAUDE.md", "Not read.\n")
        .file("parts/two/a.md", "");
    reads!(dsh_in(&project.path().join("parts/one"), &["init"]));
    assert!(
        project
            .text("parts/one/dsh.toml")
            .contains("Here, these are `../../AGENTS.md`, `AGENTS.md`, and not `CLAUDE.md`.\n")
    );
    let two = dsh_in(&project.path().join("parts/two"), &["init"]);
    assert!(two.stdout.contains("found `../../AGENTS.md`: a part of the prompt"), "{two}");
    assert!(!two.stdout.contains("CLAUDE.md"), "{two}");
    let prompt = dsh_in(&project.path().join("parts/one"), &["prompt"]);
    assert_eq!(prompt.stdout.matches("Instructions from").count(), 2, "{prompt}");
}

#[test]
fn the_agent_to_begin_with_does_what_it_is_called() {
    let mut project = Project::empty();
    for (name, does) in
        [("reviewer", "Reviews"), ("tester", "Tries"), ("guide", "Answers"), ("another", "What it is for")]
    {
        project.dsh(&["init"]);
        let said = format!("# [agents.{name}]\n# description = \"{does}");
        assert!(project.text("dsh.toml").contains(&said), "{}", project.text("dsh.toml"));
        for file in ["dsh.toml", "dsh.schema.json"] {
            std::fs::remove_file(project.path().join(file)).unwrap();
        }
        project = project.file(&format!("agents/{name}.md"), "---\n---\n");
    }
}
