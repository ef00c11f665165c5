//! Files that are no files, or no text.

use crate::support::{Project, reads};

#[cfg(unix)]
fn pipe(project: &Project, path: &str) {
    let made = std::process::Command::new("mkfifo").arg(project.path().join(path)).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe cannot be made");
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_while_dsh_runs_never_leads_out() {
    // C1
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    let config = "identity = false\npersona_file = \"swapped\"\n";
    let project = Project::new(config).file("good", "inside").file("../secret", "SECRET");
    let path = |name: &str| project.path().join(name);
    symlink("good", path("swapped")).unwrap();
    let stop = AtomicBool::new(false);
    let mut runs = Vec::new();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for target in ["../secret", "good"] {
                    symlink(target, path("next")).unwrap();
                    std::fs::rename(path("next"), path("swapped")).unwrap();
                }
            }
        });
        runs.extend((0..200).map(|_| project.dsh(&["prompt"])));
        stop.store(true, Ordering::Relaxed);
    });
    let leads_out = {
        std::fs::remove_file(path("swapped")).unwrap();
        symlink("../secret", path("swapped")).unwrap();
        project.dsh(&["prompt"])
    };
    let refused = "error[file::outside]: `swapped` leaves the project's folder: ";
    for run in runs {
        assert!(!format!("{run}").contains("SECRET"), "{run}");
        match run.status {
            Some(0) => assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("inside\n", "")),
            _ => assert!(run.status == Some(1) && run.stdout.is_empty() && run.stderr.starts_with(refused), "{run}"),
        }
    }
    reads!(leads_out);
}

#[cfg(unix)]
#[test]
fn a_folder_and_a_pipe_are_told_wherever_a_file_can_be_named() {
    let config = r#"
persona_file = "folder"
tool_schemas = ["pipe", "folder"]
[[sections]]
name = "a"
order = 1
file = "pipe"
[agents.one]
persona_file = "pipe"
"#;
    let project = Project::new(config).file("folder/a", "");
    pipe(&project, "pipe");
    reads!(project.dsh(&["prompt"]));
    let project = project.file("dsh.toml", "include = [\"pipe\", \"folder\"]\n");
    reads!(project.dsh(&["prompt"]));
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_pipe_is_wrong_use_for_every_command() {
    // C2
    let project = Project::empty();
    pipe(&project, "dsh.toml");
    let prompt = project.dsh(&["prompt"]);
    for arguments in [&["explain"][..], &["config"], &["trust"], &["trust", "--json"]] {
        let run = project.dsh(arguments);
        assert_eq!((run.status, &run.stderr), (Some(2), &prompt.stderr), "{run}");
    }
    reads!(prompt);
    reads!(project.dsh(&["check"]));
    let init = project.dsh(&["init"]);
    assert!(init.status == Some(1) && init.stderr.contains("error[init::exists]"), "{init}");
}

#[cfg(unix)]
#[test]
fn what_init_looks_at_may_be_a_pipe_and_nobody_waits_for_it() {
    let names = [".mcp.json", "Cargo.toml", "package.json", "pyproject.toml", "AGENTS.md", "CLAUDE.md", "agents"];
    let project = Project::empty();
    for name in names {
        pipe(&project, name);
    }
    reads!(project.dsh(&["init"]));
}

#[test]
fn files_of_every_kind_that_are_no_text_are_told_by_their_first_wrong_byte() {
    // X12
    let config = r#"
include = ["base.toml"]
persona_file = "persona.md"
tool_schemas = ["latin.json", "wide.json"]
"#;
    let project = Project::new(config)
        .file("base.toml", "# included\n")
        .file("persona.md", b"One line,\nand 5\xa0metres.\n")
        .file("latin.json", b"[{\"name\": \"caf\xe9\"}]")
        .file("wide.json", b"[\0]\0")
        .file("agents/late.md", b"\xef\xbb\xbf---\r\nname: late\r\n---\r\nSurrogate: \xed\xa0\x80\r\n")
        .file("AGENTS.md", b"# Cut off \xf0\x9f\x91");
    reads!(project.dsh(&["prompt"]));
    let project = project.file("base.toml", b"persona = \"\xff\"\n");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn a_configuration_in_utf_16_is_wrong_use() {
    // C2, X12
    let little: Vec<u8> = "\u{feff}persona = \"x\"\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "persona = \"x\"\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let run = Project::empty().file("dsh.toml", little).dsh(&["prompt"]);
    let other = Project::empty().file("dsh.toml", big).dsh(&["prompt"]);
    assert_eq!((other.status, &other.stderr), (Some(2), &run.stderr));
    reads!(run);
}

#[test]
fn a_schema_file_beyond_its_own_limit_is_not_read() {
    let project = |size: usize| {
        let text = format!("[{{\"name\": \"read\"}}{}]", " ".repeat(size - 18));
        Project::new("tool_schemas = [\"tools.json\"]\n").file("tools.json", text)
    };
    reads!(project((8 << 20) + 1).dsh(&["prompt", "--tools"]));
    assert_eq!(project(8 << 20).dsh(&["prompt", "--tools"]).tools(), ["read"]);
}

#[test]
fn a_mark_and_crlf_change_no_place_that_is_told() {
    // X12
    let config = r#"
presona = "x"
persona = """
One.
{{nobody}}"""
tool_schemas = ["tools.json"]
[[sections]]
name = "a"
order = 1
file = "a.md"
format = "template"
[agents.one]
tools = { deny = ["nothing"] }
"#;
    let files = [
        ("dsh.toml", config),
        ("tools.json", "[\n  {\"name\": \"read\"},\n  {\"name\": \"read\"}\n]\n"),
        ("a.md", "Two.\n\n  {{ x }} and {{somebody}}\n"),
        ("agents/two.md", "---\nname: two\ntool: read\ndeny_tools: wirte\n---\n\nThree.\n"),
        ("AGENTS.md", "# Four\n"),
    ];
    let written = |with: fn(&str) -> String| {
        files.iter().fold(Project::empty(), |project, (name, text)| project.file(name, with(text)))
    };
    let plain = written(str::to_owned);
    let other = written(|text| format!("\u{feff}{}", text.replace('\n', "\r\n")));
    for arguments in
        [&["check"][..], &["prompt"], &["prompt", "--agent", "two"], &["config", "--origins"], &["explain"]]
    {
        let (plain, other) = (plain.dsh(arguments), other.dsh(arguments));
        assert_eq!(plain.to_string(), other.to_string());
    }
    reads!(other.dsh(&["check", "--format", "concise"]));
}

#[test]
fn a_file_that_is_not_there_gets_the_nearest_that_is() {
    let config = r#"persona_file = "AGENT.md"
tool_schemas = ["Tools.json", "https://example.com/tools.json", "~/tools.json", "tools/*.json", "other.json"]
"#;
    let project = Project::new(config)
        .file("AGENTS.md", "")
        .file("tools.json", "[]")
        .file("parts/base.toml", "persona_file = \"persona.nd\"\n");
    reads!(project.dsh(&["prompt"]));
    let include = |path: &str| {
        let run = Project::new(&format!("include = [\"{path}\"]\n")).file("parts/base.toml", "").dsh(&["prompt"]);
        run.stderr
    };
    assert!(include("parts/bse.toml").contains("did you mean `parts/base.toml`?"));
    assert!(!include("dhs.toml").contains("did you mean"), "{}", include("dhs.toml"));
    // A path is told as it is written in its document.
    let project = project.file("parts/persona.md", "x");
    let project = project.file("dsh.toml", "include = [\"parts/base.toml\"]\n");
    let run = project.dsh(&["prompt"]);
    assert!(run.stderr.contains("did you mean `persona.md`?"), "{run}");
}
