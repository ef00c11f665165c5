//! The user's own configuration, as people keep it: behind links, or not there in ways that are worth a word (C5). And whose configuration
//! is found upwards.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::PathBuf;

use crate::support::{Project, reads};

const CONFIG: &str = "identity = false\npersona_file = 'persona.md'\n";

/// A project without a word, and a folder beside it and the user's own.
fn scene() -> (Project, PathBuf) {
    let project = Project::new("").file("../dotfiles/config.toml", CONFIG).file("../dotfiles/persona.md", "own\n");
    let dotfiles = project.path().parent().unwrap().join("dotfiles");
    fs::create_dir_all(project.user_folder().parent().unwrap()).unwrap();
    (project, dotfiles)
}

#[test]
fn each_file_may_be_a_link() {
    let (project, dotfiles) = scene();
    fs::create_dir(project.user_folder()).unwrap();
    symlink(dotfiles.join("config.toml"), project.user_folder().join("config.toml")).unwrap();
    // Paths are relative to the folder that the link is in, and links there are followed as well.
    symlink("../../dotfiles/persona.md", project.user_folder().join("persona.md")).unwrap();
    assert_eq!(project.prompt(&[]), "own");
    // A path that leads out is none the less for that.
    fs::write(dotfiles.join("config.toml"), "persona_file = '../../dotfiles/persona.md'\n").unwrap();
    assert!(project.dsh(&["prompt"]).stderr.contains("error[file::outside]"));
}

#[test]
fn the_folder_may_be_a_link() {
    let (project, dotfiles) = scene();
    symlink(dotfiles, project.user_folder()).unwrap();
    assert_eq!(project.prompt(&[]), "own");
}

#[test]
fn a_folder_that_is_none_is_told() {
    let (project, dotfiles) = scene();
    let outside = project.path().parent().unwrap().to_path_buf();
    let prompt = || project.dsh(&["prompt"]).without(&outside);
    fs::write(project.user_folder(), "").unwrap();
    reads!(prompt());
    fs::remove_file(project.user_folder()).unwrap();
    symlink("nowhere", project.user_folder()).unwrap();
    reads!(prompt());
    fs::remove_file(project.user_folder()).unwrap();
    // A home that is none, as builds have it, has nothing in it.
    assert_eq!(project.dsh_with(&[("XDG_CONFIG_HOME", "/dev/null")], &["prompt"]).stderr, "");
    assert_eq!(prompt().stderr, "");
    symlink(dotfiles.join("nothing.toml"), project.user_folder()).unwrap();
    fs::remove_file(project.user_folder()).unwrap();
    fs::create_dir(project.user_folder()).unwrap();
    symlink("nowhere", project.user_folder().join("config.toml")).unwrap();
    assert!(prompt().stderr.contains("is a link that leads to nothing"));
}

#[test]
fn what_a_third_user_has_put_above_is_not_taken_unless_it_is_named() {
    let project = Project::empty().file("../dsh.toml", "identity = false\npersona = 'not ours'\n");
    let above = project.path().parent().unwrap().join("dsh.toml");
    assert_eq!(project.prompt(&[]), "not ours");
    // Only root can give files away.
    if chown(&above, Some(12_345), None).is_ok() {
        reads!(project.dsh(&["prompt"]));
        assert_eq!(project.prompt(&["--dir", ".."]), "not ours");
    }
}
