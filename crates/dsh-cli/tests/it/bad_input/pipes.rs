//! Output that nobody reads, that has no room, and files that come half.

use std::process::Command;

use crate::support::{Project, Run, ran, read_by_nobody, reads, with_little_room};

/// A project in which every command has something to print, and something to find.
fn project() -> Project {
    let config = r#"
tool_schemas = ["tools.json"]
[variables]
token = { env = "TOKEN", default = "none" }
[agents.one]
persona = "You work with {{token}}."
[agents.two]
personna = "x"
"#;
    Project::new(config)
        .file("tools.json", r#"[{"name": "read"}]"#)
        .file("script.toml", "[[rules]]\nanswer = \"Hello.\"\n")
}

/// Every way to have something printed. The last two also write files.
const COMMANDS: &[&str] = &[
    "prompt --agent one",
    "prompt --agent one --json",
    "prompt --agent one --tools",
    "run --scripted script.toml hello",
    "sessions",
    "check",
    "check --format concise",
    "check --format json",
    "check --format github",
    "check --format sarif",
    "explain --agent one",
    "explain --agent one --json",
    "explain --agent one token",
    "config",
    "config --origins",
    "config --json",
    "config --schema",
    "tools",
    "tools --json",
    "trust",
    "trust --json",
    "rule",
    "rule config::unknown_key",
    "help",
    "help env",
    "help exit-status",
    "help prompt",
    "--help",
    "prompt --help",
    "--version",
    "completions bash",
    "completions zsh",
    "completions fish",
    "completions elvish",
    "completions powershell",
    "man",
    "man check",
    "man --all pages",
    "init --dir new",
];

/// The run of a command as one of these words says.
fn told(project: &Project, words: &str) -> Command {
    let mut command = project.command();
    command.args(words.split(' '));
    command
}

#[test]
fn a_closed_pipe_is_quiet_for_every_command() {
    // C2
    for words in COMMANDS {
        let project = project().file("pages/readme", "").file("new/readme", "");
        let expected = ran(&mut told(&project, words));
        assert!(!expected.stdout.is_empty(), "{expected}");
        let project = self::project().file("pages/readme", "").file("new/readme", "");
        let output = read_by_nobody(&mut told(&project, words));
        // `dsh check | head` must not pass what `dsh check` finds.
        assert_eq!(output.status.code(), expected.status, "{words}");
        // What is wrong is told all the same, and not a word about the pipe.
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(expected.stderr.starts_with(&stderr), "{words}: {stderr}\n{expected}");
        assert!(!stderr.contains("pipe"), "{words}: {stderr}");
    }
}

#[test]
fn every_command_is_among_them() {
    let help = Project::empty().dsh(&["--help"]).stdout;
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    for name in names.filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()) {
        assert!(COMMANDS.iter().any(|words| words.split(' ').next() == Some(name)), "{name}");
    }
}

#[test]
fn standard_error_that_nobody_reads_changes_nothing() {
    // C2
    for words in ["prompt --agent one", "check", "explain", "config", "trust", "prompt --agent nobody", "promt"] {
        let project = project();
        let expected = ran(&mut told(&project, words));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = told(&project, words).stderr(writer).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), &stdout), (expected.status, &expected.stdout), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_has_no_room_is_told_by_every_command() {
    // C2
    for words in COMMANDS {
        let project = project().file("pages/readme", "").file("new/readme", "");
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = told(&project, words).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{words}: {stderr}");
        assert!(stderr.contains("error[cli::output_lost]: standard output cannot be written"), "{words}: {stderr}");
    }
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let project = Project::new("identity = false\n");
    reads!(Run::of("dsh prompt > /dev/full".to_owned(), project.command().arg("prompt").stdout(full)));
}

#[cfg(unix)]
#[test]
fn init_on_a_full_disk_leaves_nothing_half_written() {
    // A block has 512 bytes or 1024, as the shell counts: `dsh.toml` is written whole, and its schema is not.
    for blocks in [0, 1, 4] {
        let project = Project::empty();
        let run = with_little_room(&project, blocks, "init");
        assert_eq!((run.status, project.names(".")), (Some(1), Vec::new()), "{run}");
    }
    reads!(with_little_room(&Project::empty(), 4, "init"));
}

#[cfg(unix)]
#[test]
fn man_on_a_full_disk_leaves_the_pages_that_are_whole() {
    let project = Project::empty().file("pages/readme", "");
    let whole = project.dsh(&["man"]).stdout;
    let run = with_little_room(&project, 1, "man --all pages");
    assert_eq!((run.status, project.names("pages")), (Some(1), vec!["readme".to_owned()]), "{run}");
    reads!(run);
    assert_eq!(project.dsh(&["man", "--all", "pages"]).status, Some(0));
    with_little_room(&project, 1, "man --all pages");
    assert_eq!(project.text("pages/dsh.1"), whole, "the page of before stands");
}
