//! What a store of sessions does.

use std::fmt;

use dsh_kernel::BoxFuture;

use crate::damage::Damage;
use crate::error::Error;
use crate::event::Opened;
use crate::id::SessionId;
use crate::record::Record;

/// Where sessions are kept. The shipped ones are [`FileStore`](crate::FileStore) and [`MemoryStore`](crate::MemoryStore).
///
/// A store keeps records and numbers nothing: that is the [`Session`](crate::Session)'s. Its methods may wait for a disk; none calls a
/// session.
pub trait SessionStore: Send + Sync + 'static {
    /// Makes a session of these records, the first of which is its [`Opened`], all or nothing, and keeps it open for writing.
    ///
    /// # Errors
    ///
    /// `session::exists` where there is one of that name; `session::out_of_place` where the first record is another one.
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, Error>;

    /// Opens a session for writing, and repairs its torn end. Nobody else can until the writer is dropped.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); `session::locked` where somebody else writes to it.
    fn open(&self, id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error>;

    /// Reads a session, which somebody may be writing to.
    ///
    /// # Errors
    ///
    /// `session::not_found`, `session::corrupt`, `session::newer_version`, `session::unknown_event`, `session::not_a_file`.
    fn read(&self, id: &SessionId) -> Result<Log, Error>;

    /// Reads a session as far as it can be read: what stands before its first line that is damaged beyond repair, and what is wrong with
    /// that line. A store that has no such lines need not have this.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), where not even the header can be read.
    fn read_sound(&self, id: &SessionId) -> Result<(Log, Option<Error>), Error> {
        self.read(id).map(|log| (log, None))
    }

    /// The sessions that there are, in the order of their names, with what their first and last records say.
    ///
    /// # Errors
    ///
    /// `session::io`; a session that cannot be read stands in the list with its error.
    fn list(&self) -> Result<Vec<Listed>, Error>;

    /// Removes a session.
    ///
    /// # Errors
    ///
    /// `session::not_found`; `session::locked` where somebody writes to it.
    fn remove(&self, id: &SessionId) -> Result<(), Error>;
}

/// The right to write to one session; dropping it gives that up.
pub trait SessionWriter: Send + 'static {
    /// Appends a record. When it returns, the record outlives the process; what a failed one has written is taken back.
    ///
    /// # Errors
    ///
    /// `session::io`, and from then on `session::broken` where it could not be taken back.
    fn append(&mut self, record: &Record) -> Result<(), Error>;

    /// Brings what was appended until now to where it outlives a loss of power. The work goes on when the future is dropped.
    fn flush(&mut self) -> BoxFuture<'static, Result<(), Error>>;
}

/// A log as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Log {
    /// Its records.
    pub records: Vec<Record>,
    /// What had to be repaired, in the order of the lines.
    pub damage: Vec<Damage>,
}

impl Log {
    /// Records without damage.
    pub fn new(records: Vec<Record>) -> Self {
        Self { records, damage: Vec::new() }
    }

    /// The log's header.
    pub fn opened(&self) -> Option<&Opened> {
        self.records.first().and_then(|record| {
            if let crate::SessionEvent::Opened(opened) = &record.event { Some(opened) } else { None }
        })
    }
}

/// A session as [`SessionStore::list`] shows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// Its name.
    pub id: SessionId,
    /// What could be read of it.
    pub summary: Result<Summary, Error>,
}

impl Listed {
    /// A session, and what could be read of it.
    pub fn new(id: SessionId, summary: Result<Summary, Error>) -> Self {
        Self { id, summary }
    }
}

/// What the first and the last record of a session say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The header.
    pub opened: Opened,
    /// When it was made; 0 where the host told no time.
    pub created_ms: u64,
    /// When the last record was written; 0 where the host told no time.
    pub last_ms: u64,
    /// How many turns have begun.
    pub turns: u32,
    /// How many records there are.
    pub records: u64,
}

impl fmt::Debug for dyn SessionWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionWriter")
    }
}

impl Summary {
    /// What the first and the last record say; `None` where the first is no header.
    pub fn of(first: &Record, last: &Record) -> Option<Self> {
        let crate::SessionEvent::Opened(opened) = &first.event else { return None };
        Some(Self {
            opened: opened.clone(),
            created_ms: first.at_ms,
            last_ms: last.at_ms,
            turns: last.turn,
            records: last.seq.saturating_add(1),
        })
    }
}
