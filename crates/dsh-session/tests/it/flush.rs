//! Flushing: on a thread of its own, and the writer may be gone by then.

use dsh_session::{FileStore, Opened, Session, SessionStore, TurnStarted};
use dsh_testkit::block_on;

use crate::files::folder;
use crate::support::{id, lively};

#[test]
fn flushes_of_many_sessions_end() {
    let folder = folder();
    let sessions: Vec<Session> =
        (0..20).map(|number| Session::create(&folder.store, Opened::new(id(number))).unwrap()).collect();
    for session in &sessions {
        lively(session);
    }
    let flushes: Vec<_> = sessions.iter().map(Session::flush).collect();
    for flush in flushes {
        block_on(flush).unwrap();
    }
    // Nothing was appended since: there is nothing to do, and it is done at once.
    for session in &sessions {
        assert!(dsh_testkit::poll_once(&mut Box::pin(session.flush())).is_ready());
        session.interrupt(dsh_session::TurnEnd::Cancelled).unwrap();
        block_on(session.flush()).unwrap();
    }
}

#[test]
fn the_lock_is_given_up_when_a_flush_that_outlives_its_session_ends() {
    let folder = folder();
    let session = Session::create(&folder.store, Opened::new(id(1))).unwrap();
    lively(&session);
    let flush = session.flush();
    drop(session);
    block_on(flush).unwrap();
    // When the end is told, nobody has the file open any more.
    Session::open(&folder.store, &id(1)).unwrap();
}

#[test]
fn a_flush_that_nobody_awaits_goes_on() {
    let folder = folder();
    let session = Session::create(&folder.store, Opened::new(id(1))).unwrap();
    session.append(TurnStarted::new()).unwrap();
    drop(session.flush());
    block_on(session.flush()).unwrap();
    drop(session);
    // The thread ends with the store; a clone of it works on.
    let clone = folder.store.clone();
    let path = folder.store.folder().to_owned();
    drop(folder.store);
    block_on(Session::open(&clone, &id(1)).unwrap().flush()).unwrap();
    assert_eq!(FileStore::new(path).read(&id(1)).unwrap().records.len(), 2);
}
