//! The handle: what it keeps, and what becomes of a store that fails.

use std::sync::{Arc, Mutex};

use dsh_kernel::BoxFuture;
use dsh_session::{
    Error, ErrorKind, Listed, Log, MemoryStore, Opened, Record, Session, SessionId, SessionStore, SessionWriter,
    Sessions, SessionsExt, TurnStarted,
};
use dsh_testkit::{assert_send_sync, block_on};

use crate::support::{id, lively};

/// A store that refuses while it is told to.
#[derive(Clone, Default)]
struct Moody {
    inner: MemoryStore,
    refuses: Arc<Mutex<bool>>,
}

struct MoodyWriter(Box<dyn SessionWriter>, Arc<Mutex<bool>>);

impl SessionWriter for MoodyWriter {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        let refuses = *self.1.lock().unwrap();
        if refuses { Err(Error::new(ErrorKind::Io, "not today")) } else { self.0.append(record) }
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Error>> {
        self.0.flush()
    }
}

impl SessionStore for Moody {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, Error> {
        Ok(Box::new(MoodyWriter(self.inner.create(log)?, Arc::clone(&self.refuses))))
    }

    fn open(&self, id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error> {
        self.inner.open(id)
    }

    fn read(&self, id: &SessionId) -> Result<Log, Error> {
        self.inner.read(id)
    }

    fn list(&self) -> Result<Vec<Listed>, Error> {
        self.inner.list()
    }

    fn remove(&self, id: &SessionId) -> Result<(), Error> {
        self.inner.remove(id)
    }
}

#[test]
fn what_the_store_refuses_has_not_happened() {
    let store = Moody::default();
    let session = Session::create(&store, Opened::new(id(1))).unwrap();
    *store.refuses.lock().unwrap() = true;
    let error = session.append(TurnStarted::new()).unwrap_err();
    assert_eq!((error.code(), error.session()), ("session::io", Some(&id(1))));
    assert_eq!((session.len(), session.turn(), session.is_turn_open()), (1, 0, false));
    *store.refuses.lock().unwrap() = false;
    lively(&session);
    let records: Vec<Record> = session.records().iter().map(|record| Record::clone(record)).collect();
    assert_eq!(store.read(&id(1)).unwrap().records, records);
}

#[test]
fn a_handle_is_shared_and_a_session_has_one_writer() {
    let store = MemoryStore::new();
    let session = Session::create(&store, Opened::new(id(1))).unwrap();
    let same = session.clone();
    drop(session);
    assert_eq!(Session::open(&store, &id(1)).unwrap_err().code(), "session::locked");
    assert_eq!(store.remove(&id(1)).unwrap_err().code(), "session::locked");
    lively(&same);
    let messages = same.messages();
    block_on(same.flush()).unwrap();
    drop(same);
    assert_eq!(Session::open(&store, &id(1)).unwrap().messages(), messages);
    store.remove(&id(1)).unwrap();
    assert_eq!(store.read(&id(1)).unwrap_err().code(), "session::not_found");
    assert_send_sync::<Session>();
}

#[tokio::test]
async fn records_are_dated_by_the_clock_of_the_host() {
    let kernel = dsh_kernel::Kernel::new();
    let root = kernel.root();
    root.plugin(Sessions::new(MemoryStore::new()).clock(|| 1_760_000_000_123)).unwrap().ready().await.unwrap();
    let sessions = root.sessions();
    let session = sessions.create(Opened::new(id(1)).agent("main").cwd("/srv")).unwrap();
    let record = session.append(TurnStarted::new()).unwrap();
    assert_eq!(record.at_ms, 1_760_000_000_123);
    let listed = sessions.list().unwrap();
    let summary = listed[0].summary.as_ref().unwrap();
    assert_eq!((summary.turns, summary.records, summary.last_ms), (1, 2, 1_760_000_000_123));
    assert_eq!(summary.opened, *session.opened());
    assert_eq!(sessions.create(Opened::new(id(1))).unwrap_err().code(), "session::exists");
    drop(session);
    assert_eq!(sessions.open(&id(1)).unwrap().turn(), 1);
    sessions.remove(&id(1)).unwrap();
    assert!(sessions.list().unwrap().is_empty());
}

#[test]
fn the_name_of_a_session_never_leaves_a_folder() {
    for bad in ["", ".", "..", "a/b", "/a", "a.b", "-a", "_a", "A", "é", "a\0", "a b", &"a".repeat(65)] {
        assert_eq!(bad.parse::<SessionId>().unwrap_err().code(), "session::invalid_id", "{bad:?}");
        let json = serde_json::to_string(bad).unwrap();
        assert!(serde_json::from_str::<SessionId>(&json).is_err());
    }
    for good in ["a", "0", "a-b_c", &"a".repeat(64)] {
        assert_eq!(good.parse::<SessionId>().unwrap().as_str(), good);
    }
    let far = SessionId::new(u64::MAX, u128::MAX);
    assert_eq!(far.as_str().parse::<SessionId>().unwrap(), far);
    assert!(id(1) < id(2) && SessionId::new(1, u128::MAX) < SessionId::new(2, 0));
}
