//! The folder of a store: everything goes through its open handle, and no link is followed in it.

use std::fs::{DirBuilder, File, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, Mode as Rights, OFlags, linkat, open, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::error::{Error, ErrorKind};
use crate::file::lock;
use crate::id::SessionId;
use crate::memory::not_found;

/// What the name of a session's file ends with.
const ENDING: &str = ".jsonl";

/// The name of a session's file.
pub(super) fn file_name(id: &SessionId) -> String {
    format!("{id}{ENDING}")
}

/// Where a session is written before it is there. No session's name begins with a dot.
fn new_name(id: &SessionId) -> String {
    format!(".{id}.new")
}

/// What a file is opened for.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Read,
    Write,
}

/// The open folder.
pub(super) struct Folder(Arc<File>);

impl Folder {
    /// The folder, where there is one.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Error> {
        match open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Rights::empty()) {
            Ok(handle) => Ok(Some(Self(Arc::new(handle.into())))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => {
                Err(Error::of_io(&format!("the folder of the sessions `{}` cannot be opened", path.display()), errno))
            }
        }
    }

    /// The folder, made where there was none, and for its owner alone.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let doing = format!("the folder of the sessions `{}` cannot be made", path.display());
        let failed = |error: std::io::Error| Error::of_io(&doing, error);
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let gone = || failed(Errno::NOENT.into());
        let folder = Self::open(path)?.ok_or_else(gone)?;
        let metadata = folder.0.metadata().map_err(failed)?;
        if metadata.uid() == geteuid().as_raw() && metadata.mode() & 0o077 != 0 {
            folder.0.set_permissions(Permissions::from_mode(0o700)).map_err(failed)?;
        }
        Ok(folder)
    }

    /// The handle, for what brings the folder itself to the disk.
    pub(super) fn handle(&self) -> Arc<File> {
        Arc::clone(&self.0)
    }

    /// Opens the file of a session. Opening never waits, and what is no file is refused.
    pub(super) fn open_file(&self, id: &SessionId, mode: Mode) -> Result<File, Error> {
        let access = match mode {
            Mode::Read => OFlags::RDONLY,
            Mode::Write => OFlags::RDWR | OFlags::APPEND,
        };
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&*self.0, file_name(id), flags, Rights::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Err(not_found(id)),
            // FreeBSD has a number of its own for a link; a folder cannot be written, a pipe or device may have nobody there.
            Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => return Err(not_a_file(id)),
            Err(errno) => return Err(Error::of_io("its file cannot be opened", errno).about(id)),
        };
        let metadata =
            file.metadata().map_err(|error| Error::of_io("its file cannot be looked at", error).about(id))?;
        if metadata.is_file() { Ok(file) } else { Err(not_a_file(id)) }
    }

    /// Whether this very file is what stands at the session's place now.
    pub(super) fn is_at(&self, id: &SessionId, file: &File) -> Result<bool, Error> {
        self.is_named(&file_name(id), id, file)
    }

    /// Whether this very file bears this name now.
    fn is_named(&self, name: &str, id: &SessionId, file: &File) -> Result<bool, Error> {
        let metadata =
            file.metadata().map_err(|error| Error::of_io("its file cannot be looked at", error).about(id))?;
        match statat(&*self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(now) => Ok(now.st_ino == metadata.ino() && now.st_dev == metadata.dev()),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(Error::of_io("its file cannot be looked at", errno).about(id)),
        }
    }

    /// A new and empty file beside the session's place, locked; `None` where somebody else is making a session of that name.
    ///
    /// Whoever has the lock of the file that bears this name, and nobody else, may take the name away. So one that a killed process left
    /// loses its name here, and never its bytes: it may be the session itself, which had its place already.
    pub(super) fn begin(&self, id: &SessionId) -> Result<Option<File>, Error> {
        let failed = |errno: Errno| Error::of_io("its file cannot be made", errno).about(id);
        loop {
            let (file, is_new) = match self.open_new(id, OFlags::CREATE | OFlags::EXCL) {
                Ok(file) => (file, true),
                Err(Errno::EXIST) => match self.open_new(id, OFlags::empty()) {
                    Ok(file) => (file, false),
                    Err(Errno::NOENT) => continue,
                    Err(errno) => return Err(failed(errno)),
                },
                Err(errno) => return Err(failed(errno)),
            };
            if !lock::take(&file)? {
                return Ok(None);
            }
            // Between opening and locking somebody may have taken the name away, or finished.
            if !self.is_named(&new_name(id), id, &file)? {
                continue;
            }
            if is_new {
                return Ok(Some(file));
            }
            self.unlink_new(id)?;
        }
    }

    fn open_new(&self, id: &SessionId, how: OFlags) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | how;
        openat(&*self.0, new_name(id), flags, Rights::RUSR | Rights::WUSR).map(File::from)
    }

    fn unlink_new(&self, id: &SessionId) -> Result<(), Error> {
        match unlinkat(&*self.0, new_name(id), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(Error::of_io("its file cannot be made", errno).about(id)),
        }
    }

    /// Puts the new file, whose lock the caller has, in the session's place, and takes its first name away; `false` where something
    /// stands in that place.
    pub(super) fn settle(&self, id: &SessionId) -> Result<bool, Error> {
        let (new, place) = (new_name(id), file_name(id));
        match linkat(&*self.0, &new, &*self.0, &place, AtFlags::empty()) {
            Ok(()) => {
                self.abandon(id);
                return Ok(true);
            }
            Err(Errno::EXIST) => return Ok(false),
            // A file system without hard links. Two that make a session of one name do not meet here: one of them has the lock.
            Err(_) => {}
        }
        match statat(&*self.0, &place, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => return Ok(false),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(Error::of_io("its file cannot be made", errno).about(id)),
        }
        let renamed = renameat(&*self.0, &new, &*self.0, &place);
        renamed.map(|()| true).map_err(|errno| Error::of_io("its file cannot be made", errno).about(id))
    }

    /// Takes the first name of a new file away, whose lock the caller has.
    pub(super) fn abandon(&self, id: &SessionId) {
        // Where it stays, the next that makes a session of that name takes it away.
        let _left = self.unlink_new(id);
    }

    /// Takes the session's file away, whose lock the caller has, and what a killed process left beside it.
    pub(super) fn remove(&self, id: &SessionId, file: &File) -> Result<(), Error> {
        if self.is_named(&new_name(id), id, file)? {
            self.unlink_new(id)?;
        } else if let Ok(left) = self.open_new(id, OFlags::empty())
            && lock::take(&left)?
            && self.is_named(&new_name(id), id, &left)?
        {
            self.unlink_new(id)?;
        }
        let removed = unlinkat(&*self.0, file_name(id), AtFlags::empty());
        removed.map_err(|errno| Error::of_io("its file cannot be removed", errno).about(id))
    }

    /// The names of the sessions, in the order of the folder.
    pub(super) fn sessions(&self) -> Result<Vec<SessionId>, Error> {
        let failed = |errno: Errno| Error::of_io("the folder of the sessions cannot be read", errno);
        let mut ids = Vec::new();
        for entry in Dir::read_from(&*self.0).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_str().ok().and_then(|name| name.strip_suffix(ENDING));
            ids.extend(name.and_then(|name| name.parse().ok()));
        }
        Ok(ids)
    }
}

fn not_a_file(id: &SessionId) -> Error {
    let error = Error::new(ErrorKind::NotAFile, "a link, a folder or something else stands in its place");
    error.with_help("look at what is there; a session is a file, and links are not followed").about(id)
}
