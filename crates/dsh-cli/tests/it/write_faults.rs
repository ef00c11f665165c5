//! Writing that fails in the midst: on a full disk, and where the right to write has gone. What was there stands, nothing half written
//! lies beside it, and the error names the place and the cause. For `dsh init`, see `init`; for a disk that is full from the beginning,
//! see `bad_input::pipes`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Project, Run, with_little_room};

/// Somebody who owns nothing, and whom rights bind.
const NOBODY: u32 = 65534;

/// A project that asks for a variable of the environment, and a user who trusts it.
fn trusted() -> Project {
    let project = Project::new("[variables]\ntoken = { env = \"TOKEN\" }\n");
    let run = project.dsh(&["trust", "--trust", &hash(&project)]);
    assert_eq!(run.status, Some(0), "{run}");
    project
}

/// The same project, which asks for more than was trusted.
fn changed(project: Project) -> (Project, String) {
    let project = project.file("dsh.toml", "[variables]\ntoken = { env = \"TOKEN\" }\nother = { env = \"OTHER\" }\n");
    let hash = hash(&project);
    (project, hash)
}

fn hash(project: &Project) -> String {
    project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned()
}

fn status(project: &Project) -> String {
    project.dsh(&["trust", "--json"]).json()["status"].as_str().unwrap().to_owned()
}

/// The folder of the records of what is trusted.
fn records(project: &Project) -> PathBuf {
    project.path().join("../state/dsh/trust")
}

/// Each file of a folder, and what it holds.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Runs `dsh` as a user whom rights bind: whoever runs the tests, or nobody where that is root.
fn bound(project: &Project, arguments: &[&str]) -> Run {
    let told = format!("dsh {}", arguments.join(" "));
    let mut command = project.command();
    if project.path().metadata().unwrap().uid() != 0 {
        return Run::of(told, command.args(arguments));
    }
    // From where that one can get at it.
    let around = project.path().join("..");
    let copy = around.join("dsh");
    fs::copy(command.get_program(), &copy).unwrap();
    set_mode(&copy, 0o755);
    set_mode(&around, 0o755);
    let mut as_nobody = Command::new(copy);
    as_nobody.current_dir(project.path()).env_clear().uid(NOBODY).gid(NOBODY);
    let named = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    Run::of(told, as_nobody.envs(named).args(arguments))
}

/// Gives the user of [`bound`] what is his.
fn hand_over(project: &Project, paths: &[&Path]) {
    if project.path().metadata().unwrap().uid() != 0 {
        return;
    }
    for path in paths {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

// C4
#[test]
fn a_trust_that_finds_no_room_leaves_the_one_of_before() {
    let project = trusted();
    let before = files(&records(&project));
    assert_eq!(before.len(), 1);
    let (project, hash) = changed(project);
    let run = with_little_room(&project, 0, &format!("trust --trust {hash}"));
    assert_eq!(run.status, Some(1), "{run}");
    let told = "error[trust::not_stored]: the trust is not stored: it cannot be written: File too large";
    assert!(run.stderr.contains(told) && run.stderr.contains("/state/dsh/trust`"), "{run}");
    assert_eq!(files(&records(&project)), before, "the record of before, and nothing beside it");
    assert_eq!(status(&project), "changed");
}

// C4: the first record is written into a folder that is made for it
#[test]
fn a_first_trust_that_finds_no_room_leaves_no_record() {
    let project = Project::new("[variables]\ntoken = { env = \"TOKEN\" }\n");
    let run = with_little_room(&project, 0, &format!("trust --trust {}", hash(&project)));
    assert_eq!(run.status, Some(1), "{run}");
    assert_eq!(files(&records(&project)), BTreeMap::new());
    assert_eq!(status(&project), "untrusted");
}

// C4
#[test]
fn a_trust_that_may_not_be_stored_or_taken_back_leaves_the_one_of_before() {
    let project = trusted();
    let before = files(&records(&project));
    let (project, hash) = changed(project);
    let folder = records(&project);
    let record = folder.join(before.keys().next().unwrap());
    hand_over(&project, &[&folder.join("../.."), &folder.join(".."), &folder, &record]);
    set_mode(&folder, 0o500);
    let stored = bound(&project, &["trust", "--trust", &hash]);
    let revoked = bound(&project, &["trust", "--revoke"]);
    assert_eq!(files(&folder), before);

    // The folder is the user's own, and the rights of others to it are all that is taken away: its own are not given back.
    assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o500);
    let told =
        "error[trust::not_stored]: the trust is not stored: no file can be made in its folder: Permission denied";
    assert!(stored.status == Some(1) && stored.stderr.contains(told), "{stored}");
    let told = "error[trust::not_stored]: the trust is not taken back: it cannot be taken away: Permission denied";
    assert!(revoked.status == Some(1) && revoked.stderr.contains(told), "{revoked}");
    for run in [stored, revoked] {
        assert!(run.stderr.contains("/state/dsh/trust`"), "{run}");
    }
    // With the right to it, both go as they should.
    set_mode(&folder, 0o700);
    assert_eq!(bound(&project, &["trust", "--trust", &hash]).status, Some(0));
    assert_eq!(bound(&project, &["trust", "--revoke"]).status, Some(0));
    assert_eq!(files(&folder), BTreeMap::new());
}

#[test]
fn pages_that_may_not_be_written_leave_those_of_before() {
    let project = Project::empty().file("pages/readme", "mine");
    assert_eq!(project.dsh(&["man", "--all", "pages"]).status, Some(0));
    let folder = project.path().join("pages");
    let before = files(&folder);
    assert!(before.len() > 2);
    hand_over(&project, &[&folder]);
    set_mode(&folder, 0o555);
    let run = bound(&project, &["man", "--all", "pages"]);
    set_mode(&folder, 0o755);
    assert_eq!(run.status, Some(1), "{run}");
    let told = "error[man::not_written]: `pages/dsh.1` cannot be written: Permission denied";
    assert!(run.stderr.contains(told) && run.stdout.is_empty(), "{run}");
    assert_eq!(files(&folder), before);
}

#[test]
fn of_pages_that_find_room_for_some_each_is_whole_or_as_it_was() {
    let project = Project::empty().file("pages/readme", "mine");
    let folder = project.path().join("pages");
    assert_eq!(project.dsh(&["man", "--all", "pages"]).status, Some(0));
    let whole = files(&folder);
    let mark = String::from_utf8(whole["dsh.1"].clone()).unwrap().lines().next().unwrap().to_owned();
    let of_before = format!("{mark}\nof before\n").into_bytes();
    for name in whole.keys().filter(|name| *name != "readme") {
        fs::write(folder.join(name), &of_before).unwrap();
    }
    let run = with_little_room(&project, 4, "man --all pages");
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stderr.contains("cannot be written: File too large"), "{run}");
    let now = files(&folder);
    assert_eq!(now.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>(), "nothing beside them");
    for (name, text) in &now {
        assert!(*text == whole[name] || *text == of_before, "`{name}` is a half of one");
    }
    assert!(now.values().any(|text| *text == of_before), "{run}");
}
