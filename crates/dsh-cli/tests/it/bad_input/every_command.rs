//! Each row's project, run through every command that reads a project: none panics, all say the same, and nothing is left behind.

use std::collections::BTreeSet;
use std::path::Path;

use super::rows::{Row, rows};
use crate::support::Run;

/// A run that ended in one of the three ways there are, and did not panic.
#[track_caller]
fn ends_with(status: i32, run: &Run, row: &str) {
    let panics = run.stderr.contains("panicked") || run.stdout.contains("panicked");
    assert!(!panics && run.status == Some(status), "{row}: {status} was expected\n{run}");
}

/// Everything beneath a folder, by path and size.
fn listing(folder: &Path, into: &mut BTreeSet<(String, u64)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, metadata) = (entry.path(), entry.metadata());
        into.insert((path.display().to_string(), metadata.as_ref().map_or(0, std::fs::Metadata::len)));
        if metadata.is_ok_and(|metadata| metadata.is_dir()) {
            listing(&path, into);
        }
    }
}

/// The errors that were told: each headline with the place under it.
fn errors(text: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let headline = |index: &usize| lines.get(*index).is_some_and(|line| line.starts_with("error["));
    let with_place = |index: usize| {
        let place = lines.get(index + 1).map(|line| line.trim_start()).filter(|line| line.starts_with("--> "));
        format!("{} {}", lines.get(index).unwrap_or(&""), place.unwrap_or(""))
    };
    (0..lines.len()).filter(headline).map(with_place).collect()
}

fn every_command(Row { name, project, status, reading }: &Row) {
    let before = {
        let mut before = BTreeSet::new();
        listing(&project.path().join(".."), &mut before);
        before
    };
    let prompt = project.dsh(&["prompt"]);
    ends_with(*status, &prompt, name);
    assert!(*status != 2 || prompt.stdout.is_empty(), "{prompt}");

    // What is wrong is the same, whoever tells it; a prompt that nobody is sent for the agents there are is `prompt`'s alone.
    let check = project.dsh(&["check"]);
    ends_with(*status, &check, name);
    // It prints what it finds, and not what is wrong with its arguments.
    assert!(check.stderr.is_empty() || check.stdout.is_empty(), "{name}: {check}");
    let told = format!("{}{}", check.stdout, check.stderr);
    assert_eq!(errors(&told), errors(&prompt.stderr), "{name}\n{check}\n{prompt}");
    let explain = project.dsh(&["explain"]);
    ends_with(*status, &explain, name);
    assert_eq!(errors(&explain.stderr), errors(&prompt.stderr), "{name}\n{explain}\n{prompt}");
    for arguments in [&["config"][..], &["config", "--origins"], &["trust", "--json"]] {
        let run = project.dsh(arguments);
        ends_with(*reading, &run, name);
        let told = errors(&run.stderr);
        assert!(
            told.is_subset(&errors(&prompt.stderr)) && told.is_empty() == (*reading == 0),
            "{name}\n{run}\n{prompt}"
        );
    }

    // What is printed as JSON is whole, or nothing at all.
    for format in ["concise", "json", "github", "sarif"] {
        let run = project.dsh(&["check", "--format", format]);
        ends_with(*status, &run, name);
        let is_whole = !matches!(format, "json" | "sarif") || run.stdout.is_empty() || run.json().is_object();
        assert!(is_whole && run.stdout.is_empty() == check.stdout.is_empty() || run.status == Some(0), "{name}: {run}");
    }
    for arguments in
        [&["prompt", "--json"][..], &["explain", "--json"], &["config", "--json"], &["prompt", "--tools", "--json"]]
    {
        let run = project.dsh(arguments);
        let may_end = [Some(*status), Some(*reading)];
        assert!(may_end.contains(&run.status) && !run.stderr.contains("panicked"), "{name}: {run}");
        assert!(run.stdout.is_empty() || run.json()["version"] == 1, "{name}: {run}");
    }

    let mut after = BTreeSet::new();
    listing(&project.path().join(".."), &mut after);
    assert_eq!(before, after, "{name}: a command that only reads has written");
}

#[test]
fn nothing_panics_all_commands_agree_and_nothing_is_left_behind() {
    rows().iter().for_each(every_command);
}
