//! Two writers are kept apart (A3).

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use dsh_session::{FileStore, Opened, Session, SessionStore, TurnStarted};

use crate::files::folder;
use crate::support::{id, lively};

/// Where a child finds its folder; no test has this name.
const CHILD: &str = "hold-the-lock-of=";

#[test]
fn a_second_writer_is_refused_and_told_who_writes() {
    let folder = folder();
    let session = Session::create(&folder.store, Opened::new(id(1))).unwrap();
    let another = FileStore::new(folder.store.folder());
    for store in [&folder.store, &another] {
        let error = Session::open(store, &id(1)).unwrap_err();
        assert_eq!((error.code(), error.session()), ("session::locked", Some(&id(1))));
        assert_eq!(store.remove(&id(1)).unwrap_err().code(), "session::locked");
        if cfg!(target_os = "linux") {
            assert_eq!(error.pid(), Some(std::process::id()));
            assert!(error.to_string().contains(&format!("process {}", std::process::id())));
        }
    }
    // Readers are not kept away, and a reader keeps no writer away.
    lively(&session);
    assert_eq!(another.read(&id(1)).unwrap().records.len(), session.len());
    drop(session);
    Session::open(&another, &id(1)).unwrap().append(TurnStarted::new()).unwrap_err();
    folder.store.remove(&id(1)).unwrap();
}

/// The child that holds a lock: started by the test below, and nothing to do otherwise.
#[test]
fn a_process_that_holds_a_lock() {
    let Some(path) = std::env::args().find_map(|argument| argument.strip_prefix(CHILD).map(str::to_owned)) else {
        return;
    };
    let session = Session::open(&FileStore::new(path), &id(1)).unwrap();
    session.append(TurnStarted::new()).unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "\nlocked").unwrap();
    out.flush().unwrap();
    // Until the parent closes the pipe, or kills.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn another_process_keeps_writers_away_until_it_is_killed() {
    let folder = folder();
    drop(Session::create(&folder.store, Opened::new(id(1))).unwrap());
    let arguments = ["locks::a_process_that_holds_a_lock", "--exact", "--nocapture", "--test-threads=1"];
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(arguments)
        .arg(format!("{CHILD}{}", folder.store.folder().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "locked"));
    let error = Session::open(&folder.store, &id(1)).unwrap_err();
    assert_eq!(error.code(), "session::locked");
    if cfg!(target_os = "linux") {
        assert_eq!(error.pid(), Some(child.id()));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The system gave the lock up, and nothing that was appended is lost.
    let session = Session::open(&folder.store, &id(1)).unwrap();
    assert!(session.damage().is_empty());
    assert_eq!((session.turn(), session.is_turn_open()), (1, true));
}
