//! Streams and exit status (C2).

use crate::support::{Project, command, dsh_in, read_by_nobody, reads};

#[test]
fn without_a_configuration_the_defaults_hold_and_a_note_says_so() {
    // C2
    reads!(Project::empty().dsh(&["prompt"]));
}

#[test]
fn an_empty_configuration_is_fine() {
    let run = Project::new("").dsh(&["prompt"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(run.stdout, Project::empty().dsh(&["prompt"]).stdout);
}

#[test]
fn a_dir_that_is_no_folder_is_wrong_use() {
    // C2
    reads!(Project::new("").dsh(&["prompt", "--dir", "missing"]));
    reads!(Project::new("").dsh(&["prompt", "--dir", "dsh.toml"]));
}

#[test]
fn an_unknown_command_or_flag_is_wrong_use() {
    // C2
    assert_eq!(Project::new("").dsh(&["promt"]).status, Some(2));
    assert_eq!(Project::new("").dsh(&["prompt", "--agnet", "a"]).status, Some(2));
    let help = Project::new("").dsh(&["--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_folder_may_be_named_from_anywhere_and_paths_say_so() {
    let project = Project::new("presona = \"\"");
    let parent = project.path().join("..");
    let run = dsh_in(&parent, &["prompt", "--dir", "project"]);
    assert!(run.stderr.contains("--> project/dsh.toml:1:1"), "{run}");
    let run = dsh_in(&parent, &["--dir", "project/", "prompt"]);
    assert!(run.stderr.contains("--> project/dsh.toml:1:1"), "{run}");
}

#[test]
fn a_closed_pipe_is_quiet() {
    // C2
    let project = Project::new(&format!("persona = \"{}\"", "word ".repeat(100_000)));
    let output = read_by_nobody(command().current_dir(project.path()).arg("prompt"));
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn what_is_not_a_terminal_gets_no_colours_whatever_the_environment_asks_for() {
    // C2
    let project = Project::new("presona = \"\"");
    for arguments in [&["prompt"][..], &["promt"], &["--help"]] {
        let run = command().current_dir(project.path()).args(arguments).env("CLICOLOR_FORCE", "1").output().unwrap();
        assert!(!run.stderr.contains(&0x1b) && !run.stdout.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn a_folder_without_a_configuration_names_the_nearest_above() {
    let project = Project::new("persona = \"p\"").file("src/deep/a.md", "");
    reads!(project.dsh(&["prompt", "--dir", "src"]));
}
