//! A store in memory, for tests and for programs that keep nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_kernel::BoxFuture;

use crate::error::{Error, ErrorKind};
use crate::id::SessionId;
use crate::record::Record;
use crate::store::{Listed, Log, SessionStore, SessionWriter, Summary};

/// A store in memory. A clone is the same store.
///
/// ```
/// use dsh_session::{MemoryStore, Opened, Session, SessionId, SessionStore};
///
/// let (store, id) = (MemoryStore::new(), SessionId::new(0, 1));
/// let session = Session::create(&store, Opened::new(id.clone()))?;
/// assert_eq!(Session::open(&store, &id).unwrap_err().code(), "session::locked");
/// drop(session);
/// assert!(Session::open(&store, &id).is_ok());
/// # Ok::<(), dsh_session::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore {
    sessions: Arc<Mutex<BTreeMap<SessionId, Kept>>>,
}

#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    locked: bool,
}

impl MemoryStore {
    /// A store with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, Kept>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self, id: &SessionId) -> Box<dyn SessionWriter> {
        Box::new(Writer { store: self.clone(), id: id.clone() })
    }
}

impl SessionStore for MemoryStore {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, Error> {
        let id = header_id(log)?;
        let mut sessions = self.sessions();
        if sessions.contains_key(id) {
            return Err(exists(id));
        }
        sessions.insert(id.clone(), Kept { records: log.to_vec(), locked: true });
        Ok(self.writer(id))
    }

    fn open(&self, id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error> {
        let mut sessions = self.sessions();
        let kept = sessions.get_mut(id).ok_or_else(|| not_found(id))?;
        if kept.locked {
            return Err(locked(id, None));
        }
        kept.locked = true;
        Ok((Log::new(kept.records.clone()), self.writer(id)))
    }

    fn read(&self, id: &SessionId) -> Result<Log, Error> {
        let sessions = self.sessions();
        let kept = sessions.get(id).ok_or_else(|| not_found(id))?;
        Ok(Log::new(kept.records.clone()))
    }

    fn list(&self) -> Result<Vec<Listed>, Error> {
        let sessions = self.sessions();
        let listed = sessions.iter().filter_map(|(id, kept)| {
            let summary = Summary::of(kept.records.first()?, kept.records.last()?)?;
            Some(Listed::new(id.clone(), Ok(summary)))
        });
        Ok(listed.collect())
    }

    fn remove(&self, id: &SessionId) -> Result<(), Error> {
        let mut sessions = self.sessions();
        match sessions.get(id) {
            None => Err(not_found(id)),
            Some(kept) if kept.locked => Err(locked(id, None)),
            Some(_) => {
                sessions.remove(id);
                Ok(())
            }
        }
    }
}

struct Writer {
    store: MemoryStore,
    id: SessionId,
}

impl SessionWriter for Writer {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        match self.store.sessions().get_mut(&self.id) {
            Some(kept) => kept.records.push(record.clone()),
            None => return Err(not_found(&self.id)),
        }
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(kept) = self.store.sessions().get_mut(&self.id) {
            kept.locked = false;
        }
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryStore({} sessions)", self.sessions().len())
    }
}

/// The name in the header of a log that is to be stored.
pub(crate) fn header_id(log: &[Record]) -> Result<&SessionId, Error> {
    match log.first().map(|record| &record.event) {
        Some(crate::SessionEvent::Opened(opened)) => Ok(&opened.id),
        _ => Err(Error::new(ErrorKind::OutOfPlace, "a log begins with its header").with_help("put an `opened` first")),
    }
}

pub(crate) fn not_found(id: &SessionId) -> Error {
    let error = Error::new(ErrorKind::NotFound, "there is no such session");
    error.with_help("list the sessions to see which there are").about(id)
}

pub(crate) fn exists(id: &SessionId) -> Error {
    Error::new(ErrorKind::Exists, "there is a session of that name")
        .with_help("take another name, or open it")
        .about(id)
}

pub(crate) fn locked(id: &SessionId, pid: Option<u32>) -> Error {
    let error = Error::new(ErrorKind::Locked, "somebody else writes to it").held_by(pid);
    error.with_help("end that first, or fork the session").about(id)
}
