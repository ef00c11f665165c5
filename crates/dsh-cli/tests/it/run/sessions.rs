//! Sessions that are damaged, of another folder, or open to others: nothing goes on in silence.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;

use super::{CONFIG, project, run};
use crate::support::{Project, Run};

/// The folder of sessions.
fn folder(project: &Project) -> PathBuf {
    project.path().parent().unwrap().join("state/dsh/sessions")
}

fn file(project: &Project, id: &str) -> PathBuf {
    folder(project).join(format!("{id}.jsonl"))
}

/// The sessions of the folder, the last used first.
fn ids(project: &Project) -> Vec<String> {
    let listed = project.dsh(&["sessions", "--json"]).json();
    let sessions = listed["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["session"].as_str().unwrap().to_owned()).collect()
}

/// Says `ping` so often in one session, and returns its name.
fn pinged(project: &Project, times: usize) -> String {
    run(project, &["ping"]);
    for _ in 1..times {
        assert_eq!(run(project, &["--continue", "ping"]).status, Some(0));
    }
    ids(project).remove(0)
}

#[track_caller]
fn tells(run: &Run, status: i32, parts: &[&str]) {
    assert_eq!(run.status, Some(status), "{run}");
    for part in parts {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}

#[test]
fn an_older_session_never_takes_the_place_of_one_that_cannot_be_read() {
    let project = project(CONFIG);
    let (older, newest) = (pinged(&project, 1), pinged(&project, 1));
    let (path, elsewhere) = (file(&project, &newest), project.path().join("elsewhere"));
    fs::copy(&path, &elsewhere).unwrap();
    let told = path.display().to_string();
    let newer = "{\"type\":\"opened\",\"version\":2}\n";
    let damages: [(&str, &dyn Fn()); 5] = [
        ("session::corrupt", &|| fs::write(&path, "garbage\n").unwrap()),
        ("session::newer_version", &|| fs::write(&path, newer).unwrap()),
        ("session::corrupt", &|| fs::write(&path, "").unwrap()),
        ("session::not_a_file", &|| symlink(&elsewhere, &path).unwrap()),
        ("session::not_a_file", &|| fs::create_dir(&path).unwrap()),
    ];
    for (code, damage) in damages {
        let _is_a_file = fs::remove_file(&path);
        damage();
        for last in [&["--continue", "ping"][..], &["--session", "last", "ping"]] {
            let went_on = run(&project, last);
            tells(&went_on, 1, &[code, &newest, &told, "an older one is not taken", "name the session that is meant"]);
            assert_eq!(went_on.stdout, "", "{went_on}");
        }
        let listed = project.dsh(&["sessions"]);
        tells(&listed, 1, &[code, &told]);
        assert!(listed.stdout.starts_with(&older) && listed.stdout.lines().count() == 1, "{listed}");
    }
    // What is named goes on; it is the one that was used last then.
    assert_eq!(run(&project, &["--session", &older, "ping"]).status, Some(0));
    assert_eq!(run(&project, &["--continue", "ping"]).status, Some(0));
}

#[test]
fn a_folder_whose_only_session_cannot_be_read_is_not_said_to_have_none() {
    let project = project(CONFIG);
    let path = file(&project, &pinged(&project, 1));
    fs::write(&path, "garbage\n").unwrap();
    let went_on = run(&project, &["--continue", "ping"]);
    tells(&went_on, 1, &["session::corrupt", "line 1", &path.display().to_string()]);
    assert!(!went_on.stderr.contains("there is no session"), "{went_on}");
    let listed = project.dsh(&["sessions"]);
    tells(&listed, 1, &["session::corrupt"]);
    assert_eq!(listed.stdout, "", "{listed}");
}

#[test]
fn what_stands_before_a_damaged_line_is_shown_exported_and_forked() {
    let project = project(CONFIG);
    let id = pinged(&project, 3);
    let path = file(&project, &id);
    let text = String::from_utf8(fs::read(&path).unwrap()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let damaged = lines.iter().position(|line| line.contains("\"turn\":2,")).unwrap() + 1;
    lines[damaged] = "garbage";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let place = format!("session {id}, line {}: it is no record", damaged + 1);
    let advice = format!("`dsh sessions fork {id} --turn 1`");
    let told = [place.as_str(), &advice];

    let shown = project.dsh(&["sessions", "show", &id]);
    tells(&shown, 1, &told);
    assert!(shown.stdout.contains("# Turn 1") && shown.stdout.contains("[assistant]\npong\n"), "{shown}");
    let json = project.dsh(&["sessions", "show", &id, "--json"]);
    tells(&json, 1, &told);
    assert_eq!(json.json()["messages"].as_array().unwrap().len(), 2);
    let exported = project.dsh(&["sessions", "export", &id]);
    tells(&exported, 1, &told);
    assert_eq!(exported.stdout.lines().count(), damaged);

    // Nobody said that the rest may be left out.
    tells(&project.dsh(&["sessions", "fork", &id]), 1, &told);
    tells(&project.dsh(&["sessions", "fork", &id, "--turn", "2"]), 1, &told);
    tells(&run(&project, &["--continue", "ping"]), 1, &told);
    let fork = project.dsh(&["sessions", "fork", &id, "--turn", "1"]);
    assert_eq!((fork.status, fork.stderr.as_str()), (Some(0), ""), "{fork}");
    let went_on = run(&project, &["--session", fork.stdout.trim(), "ping"]);
    assert_eq!((went_on.status, went_on.stderr.as_str()), (Some(0), ""), "{went_on}");
}

#[test]
fn a_fork_tells_of_damage_as_every_reader_does() {
    let project = project(CONFIG);
    let id = pinged(&project, 1);
    let path = file(&project, &id);
    let whole = fs::read(&path).unwrap();
    let half = String::from_utf8(whole.clone()).unwrap().replacen("pong", r"pong\ud83d", 1).into_bytes();
    let mut bytes = whole.clone();
    let pong = bytes.windows(4).position(|window| window == b"pong").unwrap();
    bytes[pong] = 0xff;
    for (damaged, code) in [
        ([&whole[..], b"{\"seq\":9"].concat(), "session::torn_end"),
        (whole[..whole.len() - 1].to_vec(), "session::no_line_end"),
        (half, "session::lone_surrogates"),
        (bytes, "session::invalid_utf8"),
    ] {
        fs::write(&path, damaged).unwrap();
        tells(&project.dsh(&["sessions", "fork", &id]), 0, &[code]);
        tells(&project.dsh(&["sessions", "show", &id]), 0, &[code]);
    }
}

#[test]
fn an_option_that_an_action_has_no_use_for_is_wrong_use() {
    let project = project(CONFIG);
    for (arguments, told) in [
        (&["show", "x", "--turn", "1"][..], "`--turn` is for `fork`"),
        (&["export", "x", "--json"], "`--json` is for `list` and `show`"),
        (&["remove", "x", "--all"], "`--all` is for `list`"),
        (&["fork", "x", "--json"], "`--json` is for `list` and `show`"),
        (&["list", "x"], "`dsh sessions show` shows one"),
    ] {
        let run = project.dsh(&[&["sessions"], arguments].concat());
        tells(&run, 2, &["session::stray_option", told]);
        assert_eq!(run.stdout, "", "{run}");
    }
}

#[test]
fn a_session_of_another_folder_or_agent_goes_on_with_a_warning() {
    let project = project(CONFIG).file("other/notes.txt", "");
    let id = pinged(&project, 1);
    let there = ["run", "--dir", "other", "--scripted", "script.toml"];
    let here = project.path().canonicalize().unwrap();
    let (own, other) = (here.display().to_string(), here.join("other").display().to_string());
    let advice = format!("`dsh sessions fork {id}` makes one of this folder");
    let went_on = project.dsh(&[&there[..], &["--session", &id, "ping"]].concat());
    tells(&went_on, 0, &["warning[session::of_another]", &own, &other, &advice, "`--continue` finds it there"]);
    // It stays where it is.
    tells(&project.dsh(&[&there[..], &["--continue", "ping"]].concat()), 2, &["session::not_found"]);
    assert_eq!(ids(&project), [id.as_str()]);
    // A fork is of the folder that it is made in.
    let fork = project.dsh(&["sessions", "fork", &id, "--dir", "other"]).stdout.trim().to_owned();
    let went_on = project.dsh(&[&there[..], &["--json", "--continue", "ping"]].concat());
    assert!(went_on.status == Some(0) && !went_on.stderr.contains("session::of_another"), "{went_on}");
    assert!(went_on.stdout.starts_with(&format!("{{\"event\":\"session\",\"session\":\"{fork}\"")), "{went_on}");

    let scribe = run(&project, &["--agent", "scribe", "--session", &id, "who are you"]);
    tells(
        &scribe,
        0,
        &[
            "warning[session::of_another]",
            "is of no agent",
            "with agent `scribe`",
            "without `--agent` it goes on as before",
        ],
    );
}

#[test]
fn a_state_folder_that_takes_nothing_is_named_with_what_decides_it() {
    let project = project(CONFIG).file("state", "no folder");
    let state = project.path().join("state").display().to_string();
    let place = format!("`{state}/dsh/sessions`");
    let environment = [("XDG_STATE_HOME", state.as_str())];
    for arguments in [&["run", "--scripted", "script.toml", "ping"][..], &["sessions"], &["sessions", "show", "x"]] {
        let run = project.dsh_with(&environment, arguments);
        tells(&run, 1, &["session::io", &place, "XDG_STATE_HOME"]);
        assert!(!run.stderr.contains("os error"), "{run}");
    }
}

#[test]
fn rights_of_others_to_sessions_are_taken_away_with_a_warning() {
    let project = project(CONFIG);
    let id = pinged(&project, 1);
    let (folder, file) = (folder(&project), file(&project, &id));
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().mode() & 0o777;
    for arguments in [&["sessions"][..], &["run", "--scripted", "script.toml", "--continue", "ping"]] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let run = project.dsh(arguments);
        let told = format!("others had rights to `{}` and one more", folder.display());
        tells(&run, 0, &["warning[session::open_to_others]", &told]);
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        assert!(!project.dsh(arguments).stderr.contains("session::open_to_others"));
    }
}

#[test]
fn a_script_that_is_no_regular_file_is_refused_and_nobody_waits_for_it() {
    let project = project(CONFIG).file("folder/a", "");
    let made = std::process::Command::new("mkfifo").arg(project.path().join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe cannot be made");
    for script in ["pipe", "folder"] {
        let run = project.dsh(&["run", "--scripted", script, "ping"]);
        tells(&run, 2, &["cli::no_model", "it is not a regular file"]);
    }
}
