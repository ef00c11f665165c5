//! `dsh help`, `dsh completions` and `dsh man`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Project, Run, reads, repository};

/// The names of the commands, as `dsh --help` lists them.
fn commands() -> Vec<String> {
    let help = Project::empty().dsh(&["--help"]).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    lines.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// What a program on the path says of this text on its standard input: nothing, where there is no such program.
fn fed_to(program: &[&str], text: &str) -> Option<(bool, String)> {
    let (name, arguments) = program.split_first()?;
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn the_topics_are_told() {
    reads!(Project::empty().dsh(&["help", "env"]));
    reads!(Project::empty().dsh(&["help", "exit-status"]));
}

#[test]
fn the_help_of_a_command_is_what_its_own_option_prints() {
    assert!(commands().contains(&"prompt".to_owned()));
    for command in commands() {
        let run = Project::empty().dsh(&["help", &command]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        assert_eq!(run.stdout, Project::empty().dsh(&[&command, "--help"]).stdout);
    }
    assert_eq!(Project::empty().dsh(&["help"]).stdout, Project::empty().dsh(&["--help"]).stdout);
}

#[test]
fn no_line_of_help_is_longer_than_a_hundred_characters() {
    let topics = ["env", "exit-status"].map(str::to_owned);
    for topic in commands().iter().chain(&topics) {
        let help = Project::empty().dsh(&["help", topic]).stdout;
        let long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{topic}: {long:?}");
    }
}

#[test]
fn a_topic_that_there_is_not_is_wrong_use_and_gets_the_nearest() {
    reads!(Project::empty().dsh(&["help", "promt"]));
    reads!(Project::empty().dsh(&["man", "promt"]));
    for command in ["help", "man"] {
        let run = Project::empty().dsh(&[command, "weather"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(commands().iter().all(|name| run.stderr.contains(&format!("`{name}`"))), "{run}");
    }
}

/// The sources of this crate, but for the list of variables itself, and without their tests.
fn sources(folder: &Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, code);
        } else if !path.ends_with("help/environment.rs") {
            let source = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
            code.push_str(source.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}

#[test]
fn the_help_names_each_variable_of_the_environment_that_is_read_and_no_other() {
    let mut code = String::new();
    sources(&repository().join("crates/dsh-cli/src"), &mut code);
    let help = Project::empty().dsh(&["help", "env"]).stdout;
    let told: BTreeSet<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    let unread: Vec<&&str> = told.iter().filter(|name| !code.contains(&format!("\"{name}\""))).collect();
    assert!(unread.is_empty(), "told and not read: {unread:?}");
    let capitals = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    for (before, rest) in code.match_indices('"').map(|(at, _)| code.split_at(at)) {
        let Some((name, _)) = rest.trim_start_matches('"').split_once('"') else { continue };
        let is_name = name.chars().all(capitals) && !name.is_empty() && !name.ends_with('_');
        if is_name && (before.ends_with("variable(") || name.starts_with("DSH_") || name.starts_with("XDG_")) {
            assert!(told.contains(name), "{name} is read and not told: commands/help/environment.rs has the list");
        }
    }
}

#[test]
fn the_readme_says_of_the_exit_status_what_the_help_says() {
    let readme = std::fs::read(repository().join("crates/dsh-cli/README.md")).unwrap_or_default();
    let readme = String::from_utf8_lossy(&readme).into_owned();
    let help = Project::empty().dsh(&["help", "exit-status"]).stdout;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = [0, 1, 2]
        .iter()
        .filter_map(|status| readme.lines().find(|line| line.starts_with(&format!("| {status} |"))))
        .map(|row| words(row.trim_matches('|')).replacen(" | ", " ", 1))
        .collect();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(words(&help).contains(&row), "{row}\n{help}");
    }
}

#[test]
fn each_shell_gets_completions_for_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = Project::empty().dsh(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        for command in commands() {
            assert!(run.stdout.contains(&command), "{shell}: {command}");
        }
    }
    assert_eq!(Project::empty().dsh(&["completions", "csh"]).status, Some(2));
}

#[test]
fn the_completions_are_what_their_shells_can_read() {
    for (shell, program) in
        [("bash", &["bash", "-n"][..]), ("zsh", &["zsh", "-n"]), ("fish", &["fish", "--no-execute"])]
    {
        let script = Project::empty().dsh(&["completions", shell]).stdout;
        if let Some(answer) = fed_to(program, &script) {
            assert_eq!(answer, (true, String::new()), "{shell}");
        }
    }
}

/// Standard output of a command that is fine.
#[track_caller]
fn printed(run: Run) -> String {
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    run.stdout
}

#[test]
fn each_command_has_a_page_that_can_be_set() {
    let page = printed(Project::empty().dsh(&["man"]));
    for heading in ["NAME", "SYNOPSIS", "OPTIONS", "SUBCOMMANDS", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES"] {
        assert!(page.contains(&format!("\n.SH {heading}\n")), "{heading}");
    }
    for command in commands() {
        assert!(page.contains(&format!("\ndsh\\-{command}(1)\n")), "{command}");
    }
    let pages = commands().into_iter().map(|command| printed(Project::empty().dsh(&["man", &command])));
    for page in pages.chain([page]) {
        assert!(page.contains("\n.TH dsh"), "{page}");
        for program in [&["mandoc", "-T", "lint", "-W", "warning"][..], &["groff", "-man", "-Tutf8", "-k", "-ww", "-z"]]
        {
            if let Some(answer) = fed_to(program, &page) {
                assert_eq!(answer, (true, String::new()), "{program:?}\n{page}");
            }
        }
    }
}

#[test]
fn all_pages_are_written_into_a_folder_and_over_themselves() {
    let project = Project::empty().file("pages/other.1", "a page");
    let first = printed(project.dsh(&["man", "--all", "pages"]));
    assert_eq!(printed(project.dsh(&["man", "--all", "pages"])), first);
    let mut expected: Vec<String> = commands().iter().map(|command| format!("dsh-{command}.1")).collect();
    expected.extend(["dsh.1", "other.1"].map(str::to_owned));
    expected.sort();
    assert_eq!(project.names("pages"), expected);
    for (page, command) in [("dsh.1", None), ("dsh-prompt.1", Some("prompt"))] {
        let arguments: Vec<&str> = ["man"].into_iter().chain(command).collect();
        assert_eq!(project.text(&format!("pages/{page}")), printed(project.dsh(&arguments)));
    }
}

#[test]
fn a_page_of_somebody_else_is_not_written_over() {
    let project = Project::empty().file("pages/dsh-prompt.1", "mine");
    reads!(project.dsh(&["man", "--all", "pages"]));
    assert_eq!(project.names("pages"), ["dsh-prompt.1"]);
    reads!(project.dsh(&["man", "--all", "missing"]));
    assert_eq!(project.dsh(&["man", "--all", "pages", "prompt"]).status, Some(2));
}
