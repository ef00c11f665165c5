//! The store of files: who may read them, what is no session, what a list shows (A3).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use dsh_session::{FileStore, Opened, Record, Session, SessionStore, TurnStarted};
use tempfile::TempDir;

use crate::support::{id, lively, owned};

pub(crate) struct Folder {
    pub(crate) temporary: TempDir,
    pub(crate) store: FileStore,
}

pub(crate) fn folder() -> Folder {
    let temporary = tempfile::tempdir().unwrap();
    let store = FileStore::new(temporary.path().join("state/sessions"));
    Folder { temporary, store }
}

impl Folder {
    /// A session with a lively log, closed again; its records.
    pub(crate) fn lively(&self, number: u128) -> Vec<Record> {
        let session = Session::create(&self.store, Opened::new(id(number)).agent("main").cwd("/srv")).unwrap();
        lively(&session);
        owned(&session.records())
    }

    pub(crate) fn bytes(&self, number: u128) -> Vec<u8> {
        fs::read(self.store.path(&id(number))).unwrap()
    }

    pub(crate) fn put(&self, number: u128, bytes: &[u8]) {
        fs::write(self.store.path(&id(number)), bytes).unwrap();
    }
}

#[test]
fn a_session_comes_back_as_it_was() {
    let folder = folder();
    let records = folder.lively(1);
    assert_eq!(folder.store.read(&id(1)).unwrap().records, records);
    let session = Session::open(&folder.store, &id(1)).unwrap();
    assert!(session.damage().is_empty());
    assert_eq!(owned(&session.records()), records);
    session.interrupt(dsh_session::TurnEnd::Interrupted).unwrap();
    session.append(TurnStarted::new()).unwrap();
    let more = owned(&session.records());
    assert_eq!(more[..records.len()], records);
    drop(session);
    assert_eq!(folder.store.read(&id(1)).unwrap().records, more);
}

#[test]
fn only_the_owner_reads_folder_and_files() {
    let folder = folder();
    folder.lively(1);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(folder.store.folder()), 0o700);
    assert_eq!(mode(folder.store.folder().parent().unwrap()), 0o700);
    assert_eq!(mode(&folder.store.path(&id(1))), 0o600);
    // A folder that others could read is closed to them.
    fs::set_permissions(folder.store.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    folder.lively(2);
    assert_eq!(mode(folder.store.folder()), 0o700);
}

#[test]
fn rights_of_others_are_taken_away_and_told() {
    let folder = folder();
    assert!(folder.store.close_to_others().unwrap().is_empty());
    folder.lively(1);
    folder.lively(2);
    assert!(folder.store.close_to_others().unwrap().is_empty());
    let (place, file) = (folder.store.folder(), folder.store.path(&id(2)));
    fs::set_permissions(place, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(folder.store.close_to_others().unwrap(), [place, &file]);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(place), mode(&file)), (0o700, 0o600));
    assert!(folder.store.close_to_others().unwrap().is_empty());
}

#[test]
fn a_folder_that_is_a_link_is_where_it_leads() {
    let folder = folder();
    let elsewhere = folder.temporary.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir(folder.temporary.path().join("state")).unwrap();
    symlink(&elsewhere, folder.store.folder()).unwrap();
    folder.lively(1);
    assert!(elsewhere.join(format!("{}.jsonl", id(1))).is_file());
    assert_eq!(folder.store.list().unwrap().len(), 1);
}

#[test]
fn nothing_is_left_beside_the_sessions() {
    let folder = folder();
    folder.lively(1);
    assert_eq!(Session::create(&folder.store, Opened::new(id(1))).unwrap_err().code(), "session::exists");
    // What a killed process left where a session was to be made is in nobody's way.
    fs::write(folder.store.folder().join(format!(".{}.new", id(2))), "half a li").unwrap();
    let records = folder.lively(2);
    assert_eq!(folder.store.read(&id(2)).unwrap().records, records);
    let mut names: Vec<_> =
        fs::read_dir(folder.store.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let names: Vec<_> = names.iter().map(|name| name.to_str().unwrap()).collect();
    assert_eq!(names, [format!("{}.jsonl", id(1)), format!("{}.jsonl", id(2))]);
}

/// A3: killed between the two names of a new session, which are one file then.
#[test]
fn a_session_that_has_both_of_its_names_is_not_written_over() {
    let folder = folder();
    let records = folder.lively(1);
    let bytes = folder.bytes(1);
    let new = folder.store.folder().join(format!(".{}.new", id(1)));
    fs::hard_link(folder.store.path(&id(1)), &new).unwrap();
    assert_eq!(Session::create(&folder.store, Opened::new(id(1))).unwrap_err().code(), "session::exists");
    assert_eq!(folder.bytes(1), bytes);
    assert!(!new.exists());
    // So too while somebody writes to it.
    fs::hard_link(folder.store.path(&id(1)), &new).unwrap();
    let session = Session::open(&folder.store, &id(1)).unwrap();
    assert_eq!(Session::create(&folder.store, Opened::new(id(1))).unwrap_err().code(), "session::exists");
    assert_eq!(owned(&session.records()), records);
    assert_eq!(folder.bytes(1), bytes);
}

#[test]
fn what_a_killed_process_left_of_a_session_goes_with_it() {
    let folder = folder();
    let left = || fs::read_dir(folder.store.folder()).unwrap().count();
    let new = folder.store.folder().join(format!(".{}.new", id(1)));
    folder.lively(1);
    fs::hard_link(folder.store.path(&id(1)), &new).unwrap();
    folder.store.remove(&id(1)).unwrap();
    assert_eq!(left(), 0, "both names of one file");
    folder.lively(1);
    fs::write(&new, "half a li").unwrap();
    folder.store.remove(&id(1)).unwrap();
    assert_eq!(left(), 0, "another file");
}

#[test]
fn of_many_that_make_a_session_of_one_name_one_has_it() {
    let folder = folder();
    for number in 0..50 {
        let start = std::sync::Barrier::new(4);
        let made: Vec<_> = std::thread::scope(|scope| {
            let (store, start) = (&folder.store, &start);
            let make = |agent: usize| {
                move || {
                    start.wait();
                    Session::create(store, Opened::new(id(number)).agent(agent.to_string()))
                }
            };
            let threads: Vec<_> = (0..4).map(|agent| scope.spawn(make(agent))).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap().ok()).collect()
        });
        assert_eq!(made.len(), 1);
        for session in made {
            let records = owned(&session.records());
            assert_eq!(folder.store.read(&id(number)).unwrap().records, records);
        }
    }
    // One file each, and nothing beside them.
    assert_eq!(fs::read_dir(folder.store.folder()).unwrap().count(), 50);
}

#[test]
fn links_are_not_followed() {
    let folder = folder();
    folder.lively(1);
    let outside = folder.temporary.path().join("outside");
    fs::copy(folder.store.path(&id(1)), &outside).unwrap();
    symlink(&outside, folder.store.path(&id(2))).unwrap();
    symlink(folder.temporary.path().join("nothing"), folder.store.path(&id(3))).unwrap();
    fs::create_dir(folder.store.path(&id(4))).unwrap();
    for number in 2..5 {
        let name = id(number);
        assert_eq!(folder.store.read(&name).unwrap_err().code(), "session::not_a_file");
        assert_eq!(folder.store.open(&name).unwrap_err().code(), "session::not_a_file");
        assert_eq!(folder.store.remove(&name).unwrap_err().code(), "session::not_a_file");
        assert_eq!(Session::create(&folder.store, Opened::new(name)).unwrap_err().code(), "session::exists");
    }
    // Nor is one at the name under which a session is begun.
    symlink(&outside, folder.store.folder().join(format!(".{}.new", id(5)))).unwrap();
    assert_eq!(Session::create(&folder.store, Opened::new(id(5))).unwrap_err().code(), "session::io");
    assert_eq!(fs::read(&outside).unwrap(), folder.bytes(1));
}

#[test]
fn a_pipe_keeps_nobody_waiting() {
    let folder = folder();
    folder.lively(1);
    let path = folder.store.path(&id(2));
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert_eq!(folder.store.read(&id(2)).unwrap_err().code(), "session::not_a_file");
    assert_eq!(folder.store.open(&id(2)).unwrap_err().code(), "session::not_a_file");
}

#[test]
fn what_is_not_there_is_told() {
    let folder = folder();
    for error in [
        folder.store.read(&id(1)).unwrap_err(),
        folder.store.open(&id(1)).map(drop).unwrap_err(),
        folder.store.remove(&id(1)).unwrap_err(),
    ] {
        assert_eq!((error.code(), error.session()), ("session::not_found", Some(&id(1))));
    }
    assert!(folder.store.list().unwrap().is_empty());
    assert!(!folder.store.folder().exists(), "looking makes nothing");
    folder.lively(1);
    assert_eq!(folder.store.read(&id(2)).unwrap_err().code(), "session::not_found");
}

#[test]
fn a_list_shows_the_first_and_the_last_record_of_each_in_order() {
    let folder = folder();
    for number in [3, 1, 2] {
        folder.lively(number);
    }
    // One whose last line is torn, one whose header is damaged, one that has another's name, one with a long last line.
    let whole = folder.bytes(1);
    folder.put(4, &whole);
    folder.put(2, &[folder.bytes(2), b"{\"seq\":17,\"tu".to_vec()].concat());
    folder.put(5, b"{}\n");
    let long = Session::create(&folder.store, Opened::new(id(6))).unwrap();
    long.append(TurnStarted::new()).unwrap();
    long.append(crate::support::prompt_of(&"long ".repeat(100_000))).unwrap();
    fs::write(folder.store.folder().join("notes.txt"), "not a session").unwrap();
    fs::write(folder.store.folder().join("No Session.jsonl"), "not a session").unwrap();
    let listed = folder.store.list().unwrap();
    let shown: Vec<_> = listed
        .iter()
        .map(|listed| match &listed.summary {
            Ok(summary) => format!("{} turns, {} records", summary.turns, summary.records),
            Err(error) => error.code().to_owned(),
        })
        .collect();
    let lively = "2 turns, 16 records";
    assert_eq!(shown, [lively, lively, lively, "session::corrupt", "session::corrupt", "1 turns, 3 records"]);
    assert!(listed.is_sorted_by_key(|listed| listed.id.clone()));
    assert_eq!(listed[0].summary.as_ref().unwrap().opened.agent, "main");
    assert_eq!(folder.store.read(&id(4)).unwrap_err().line(), Some(1));
}

#[test]
fn what_is_damaged_can_be_removed() {
    let folder = folder();
    folder.lively(1);
    folder.put(1, b"nothing of ours");
    folder.store.remove(&id(1)).unwrap();
    assert_eq!(folder.store.read(&id(1)).unwrap_err().code(), "session::not_found");
}
