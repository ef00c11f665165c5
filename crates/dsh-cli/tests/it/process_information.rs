//! What the system tells of processes comes into nothing that dsh prints, whichever way leads there (C3, C4).

#![cfg(target_os = "linux")]

use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::{Project, Run, reads};

const SECRET: &str = "s3cret-of-the-environment";

/// The project, with a secret in the environment.
fn project(config: &str) -> Project {
    Project::new(config).with_env("SOME_TOKEN", SECRET)
}

#[track_caller]
fn is_refused(run: &Run) {
    assert!(run.status == Some(1) || run.status == Some(2), "{run}");
    assert!(run.stderr.contains("error[file::process_information]"), "{run}");
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run}");
}

#[test]
fn the_environment_of_a_process_is_no_text() {
    let section =
        |file: &str| format!("[[sections]]\nname = \"a\"\norder = 1\nfile = \"{file}\"\nallow_outside = true\n");
    let run = project(&section("/proc/self/environ")).dsh(&["prompt"]);
    reads!(run);
    is_refused(&run);
    let parent = format!("/proc/{}/environ", std::process::id());
    let ways = [
        parent.as_str(),
        "/proc/self/cmdline",
        "/proc/thread-self/environ",
        "/proc/self/root/etc/passwd",
        "/proc/version",
    ];
    for way in ways {
        is_refused(&project(&section(way)).dsh(&["prompt"]));
    }
    // Links on the way change nothing.
    let project = project(&section("way/environ"));
    symlink("/proc/self", project.path().join("way")).unwrap();
    is_refused(&project.dsh(&["prompt"]));
}

#[test]
fn no_kind_of_file_leads_there() {
    let instructions = project("[instructions]\nallow_outside = true\n");
    symlink("/proc/self/environ", instructions.path().join("AGENTS.md")).unwrap();
    is_refused(&instructions.dsh(&["prompt"]));
    for named in ["include = ['FILE']", "tool_schemas = ['FILE']", "persona_file = 'FILE'"] {
        let config = format!("allow_outside = true\n{}\n", named.replace("FILE", "/proc/self/environ"));
        let project = project(&config);
        for command in [&["prompt"][..], &["check"], &["check", "--format", "json"], &["explain"], &["trust"]] {
            let run = project.dsh(command);
            assert!(run.status == Some(1) || run.status == Some(2), "{run}");
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains("file::process_information") && !said.contains(SECRET), "{run}");
        }
    }
}

#[test]
fn the_users_own_file_does_not_lead_there_either() {
    let project = project("").user_config("persona_file = \"/proc/self/environ\"\nallow_outside = true\n");
    is_refused(&project.dsh(&["prompt"]));
}

#[test]
fn a_git_file_that_names_a_process_makes_no_branch() {
    let project = project("persona = \"{{git_branch}}\"\n").file(".git", "gitdir: /proc/self\n");
    symlink("/proc/self/environ", project.path().join("link")).unwrap();
    let run = project.dsh(&["prompt"]);
    assert!(run.status == Some(1) && !run.stderr.contains(SECRET), "{run}");
}

#[test]
fn what_the_command_was_given_to_read_is_no_file_of_the_project() {
    for way in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        let config = format!("persona_file = \"{way}\"\nallow_outside = true\n");
        let project = project(&config).file("given", SECRET);
        let given = File::open(project.path().join("given")).unwrap();
        let mut command = project.command();
        is_refused(&Run::of("dsh prompt < given".to_owned(), command.arg("prompt").stdin(Stdio::from(given))));
    }
}
