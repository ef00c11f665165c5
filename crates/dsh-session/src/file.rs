//! A store of files: one of JSON lines for each session.

mod flush;
mod folder;
mod listing;
mod lock;
mod rights;
mod writer;

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::damage::DamageKind;
use crate::error::{Error, ErrorKind};
use crate::id::SessionId;
use crate::lines::push_line;
use crate::memory::{exists, header_id, locked, not_found};
use crate::record::Record;
use crate::store::{Listed, Log, SessionStore, SessionWriter};

use flush::Flusher;
use folder::{Folder, Mode};
use writer::FileWriter;

/// A store of files in one folder, which is for sessions alone: `NAME.jsonl` is the session of that name.
///
/// The folder is made when it is first needed, for its owner alone (0700), and so are the files (0600). A record is appended as one line in
/// one write: when `append` returns, a process that is killed loses nothing of it. `flush` brings it to the disk, on a thread of the
/// store's own. Whoever writes to a session holds a lock on its file; everybody may read.
///
/// ```
/// use dsh_session::{FileStore, Opened, Session, SessionId, SessionStore};
///
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path();
/// let (store, id) = (FileStore::new(folder.join("sessions")), SessionId::new(1_760_000_000_000, 7));
/// let session = Session::create(&store, Opened::new(id.clone()).agent("main"))?;
/// let refused = Session::open(&store, &id).unwrap_err();
/// assert_eq!(refused.code(), "session::locked");
/// assert_eq!(refused.pid(), Some(std::process::id()));
///
/// drop(session); // gives the lock up
/// assert_eq!(Session::open(&store, &id)?.opened().agent, "main");
/// assert_eq!(store.list()?[0].id, id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileStore {
    folder: PathBuf,
    flusher: Arc<Flusher>,
}

impl FileStore {
    /// A store in this folder. Nothing is touched until a session is made.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), flusher: Arc::default() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a session.
    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.folder.join(folder::file_name(id))
    }

    /// When a session's file was written last, or whatever else stands in its place, in milliseconds since the Unix epoch: that can be told of
    /// a session too that cannot be read. `None` where nobody can tell.
    ///
    /// ```
    /// # use dsh_session::{FileStore, Opened, Session, SessionId};
    /// # let temporary = tempfile::tempdir()?;
    /// let (store, id) = (FileStore::new(temporary.path()), SessionId::new(0, 1));
    /// assert_eq!(store.written_ms(&id), None);
    /// Session::create(&store, Opened::new(id.clone()))?;
    /// assert!(store.written_ms(&id).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn written_ms(&self, id: &SessionId) -> Option<u64> {
        listing::written_ms(&self.path(id))
    }

    /// Takes away the rights that others have to the folder and to the files in it, which belong to their owner alone, and says of what. What
    /// belongs to somebody else is left as it is.
    ///
    /// ```
    /// # use std::os::unix::fs::PermissionsExt;
    /// # use dsh_session::{FileStore, Opened, Session, SessionId};
    /// # let temporary = tempfile::tempdir()?;
    /// let (store, id) = (FileStore::new(temporary.path()), SessionId::new(0, 1));
    /// Session::create(&store, Opened::new(id.clone()))?;
    /// assert!(store.close_to_others()?.is_empty());
    /// std::fs::set_permissions(store.path(&id), PermissionsExt::from_mode(0o644))?;
    /// assert_eq!(store.close_to_others()?, [store.path(&id)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `session::io`.
    pub fn close_to_others(&self) -> Result<Vec<PathBuf>, Error> {
        let Some(folder) = Folder::open(&self.folder)? else { return Ok(Vec::new()) };
        let mut closed = Vec::new();
        if rights::close(&folder.handle(), rights::OF_FOLDER)? {
            closed.push(self.folder.clone());
        }
        for id in folder.sessions()? {
            // What is no file is told by whoever lists or opens it.
            let Ok(file) = folder.open_file(&id, Mode::Read) else { continue };
            if rights::close(&file, rights::OF_FILE)? {
                closed.push(self.path(&id));
            }
        }
        Ok(closed)
    }

    /// The folder, for what needs a session to be there.
    fn existing(&self, id: &SessionId) -> Result<Folder, Error> {
        Folder::open(&self.folder)?.ok_or_else(|| not_found(id))
    }

    /// Opens the file of a session and takes its lock.
    fn lock(&self, id: &SessionId, mode: Mode) -> Result<(Folder, File), Error> {
        let folder = self.existing(id)?;
        loop {
            let file = folder.open_file(id, mode)?;
            if !lock::take(&file)? {
                return Err(locked(id, lock::holder(&file)));
            }
            // Between opening and locking it may have been removed; a lock on what is gone keeps nobody away.
            if folder.is_at(id, &file)? {
                return Ok((folder, file));
            }
        }
    }
}

impl SessionStore for FileStore {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, Error> {
        let id = header_id(log)?;
        let folder = Folder::create(&self.folder)?;
        let mut lines = Vec::new();
        for record in log {
            push_line(&mut lines, record);
        }
        // A session appears whole or not at all: it is written beside its place, and locked before it is seen.
        let Some(file) = folder.begin(id)? else { return Err(exists(id)) };
        let mut writer = FileWriter::new(file, 0, Arc::clone(&self.flusher), folder.handle());
        match writer.begin(&lines).and_then(|()| folder.settle(id)) {
            Ok(true) => Ok(Box::new(writer)),
            Ok(false) => {
                folder.abandon(id);
                Err(exists(id))
            }
            Err(error) => {
                folder.abandon(id);
                Err(error)
            }
        }
    }

    fn open(&self, id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error> {
        let (folder, file) = self.lock(id, Mode::Write)?;
        let (log, length) = read(&file, id)?;
        let mut writer = FileWriter::new(file, length, Arc::clone(&self.flusher), folder.handle());
        for damage in &log.damage {
            match damage.kind {
                DamageKind::TornEnd { bytes } => writer.cut(length.saturating_sub(bytes))?,
                DamageKind::NoLineEnd => writer.end_line()?,
                DamageKind::LoneSurrogates { .. } | DamageKind::InvalidUtf8 { .. } => {}
            }
        }
        Ok((log, Box::new(writer)))
    }

    fn read(&self, id: &SessionId) -> Result<Log, Error> {
        let file = self.existing(id)?.open_file(id, Mode::Read)?;
        Ok(read(&file, id)?.0)
    }

    fn read_sound(&self, id: &SessionId) -> Result<(Log, Option<Error>), Error> {
        let file = self.existing(id)?.open_file(id, Mode::Read)?;
        let (log, refused, _) = read_sound(&file, id)?;
        Ok((log, refused))
    }

    fn list(&self) -> Result<Vec<Listed>, Error> {
        let Some(folder) = Folder::open(&self.folder)? else { return Ok(Vec::new()) };
        let mut ids = folder.sessions()?;
        ids.sort();
        let listed = ids.into_iter().filter_map(|id| {
            let summary = folder.open_file(&id, Mode::Read).and_then(|file| listing::summary(&file, &id));
            match summary {
                // It was removed while we looked.
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                summary => Some(Listed::new(id, summary)),
            }
        });
        Ok(listed.collect())
    }

    fn remove(&self, id: &SessionId) -> Result<(), Error> {
        let (folder, file) = self.lock(id, Mode::Read)?;
        folder.remove(id, &file)
    }
}

/// Reads a whole file, and says how long it is.
fn read(file: &File, id: &SessionId) -> Result<(Log, u64), Error> {
    match read_sound(file, id)? {
        (log, None, length) => Ok((log, length)),
        (_, Some(error), _) => Err(error),
    }
}

/// Reads a file up to its first line that is refused, and says why that one is, and how long the file is.
fn read_sound(mut file: &File, id: &SessionId) -> Result<(Log, Option<Error>, u64), Error> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| Error::of_io("its file cannot be read", error).about(id))?;
    let (log, refused) = Log::sound_of(&bytes);
    let refused = match refused.map(|error| error.about(id)) {
        Some(error) if log.records.is_empty() => return Err(error),
        refused => refused,
    };
    if let Some(opened) = log.opened()
        && opened.id != *id
    {
        return Err(listing::another_name(&opened.id, id));
    }
    Ok((log, refused, u64::try_from(bytes.len()).unwrap_or(u64::MAX)))
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileStore({})", self.folder.display())
    }
}
