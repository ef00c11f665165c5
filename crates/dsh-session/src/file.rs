//! A store of files: one of JSON lines for each session.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::id::SessionId;
use crate::record::Record;
use crate::store::{Listed, Log, SessionStore, SessionWriter};

/// A store of files in one folder.
#[derive(Clone, Debug)]
pub struct FileStore {
    folder: PathBuf,
}

impl FileStore {
    /// A store in this folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

fn not_yet<T>() -> Result<T, Error> {
    Err(Error::new(ErrorKind::Io, "the store of files is not built yet"))
}

impl SessionStore for FileStore {
    fn create(&self, _log: &[Record]) -> Result<Box<dyn SessionWriter>, Error> {
        not_yet()
    }

    fn open(&self, _id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error> {
        not_yet()
    }

    fn read(&self, _id: &SessionId) -> Result<Log, Error> {
        not_yet()
    }

    fn list(&self) -> Result<Vec<Listed>, Error> {
        not_yet()
    }

    fn remove(&self, _id: &SessionId) -> Result<(), Error> {
        not_yet()
    }
}
