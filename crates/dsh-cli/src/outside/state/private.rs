//! A folder that belongs to the user alone, and small files in it that are whole or not there.
//!
//! On Unix the folder is opened once and everything else goes through that handle: what is checked is what is used. A file must be a
//! regular one of the user's own that nobody else may read or write, and is no link; the folder must be the user's own, and writable by
//! nobody else. Elsewhere the system's own rights of the user's profile have to do.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

#[cfg(unix)]
#[path = "private/unix.rs"]
mod system;

#[cfg(not(unix))]
#[path = "private/elsewhere.rs"]
mod system;

/// So many names of temporary files are tried: those of runs that were killed may lie there.
const ATTEMPTS: u32 = 1_000;

/// An open folder of the user's own.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    handle: system::Handle,
}

/// Why a file of the user's own cannot be read or written.
#[derive(Debug)]
pub(crate) enum PrivateError {
    /// Others may have had their hands on it; the text says how.
    Unsafe(&'static str),
    /// It is larger than it can be.
    TooLarge,
    /// The system refuses it.
    System {
        /// What it refuses.
        what: &'static str,
        /// Why.
        error: io::Error,
    },
}

impl PrivateFolder {
    /// Opens the folder, if it is there. Whether it is the user's alone is looked at where that matters.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, PrivateError> {
        match system::open(path) {
            Ok(handle) => Ok(Some(Self { handle })),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(PrivateError::system("its folder cannot be opened")(error)),
        }
    }

    /// Opens the folder, and makes it and those above it where they are not there. Rights of others to it are taken away.
    pub(crate) fn create(path: &Path) -> Result<Self, PrivateError> {
        system::create(path).map_err(PrivateError::system("its folder cannot be made"))?;
        let handle = system::open(path).map_err(PrivateError::system("its folder cannot be opened"))?;
        system::make_private(&handle).map_err(PrivateError::system("its folder cannot be kept from others"))?;
        Ok(Self { handle })
    }

    /// What the file of this name holds, if it is there.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, PrivateError> {
        system::check_folder(&self.handle)?;
        let file = match system::open_file(&self.handle, name) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) if system::is_link(&error) => return Err(PrivateError::Unsafe("it is a link")),
            Err(error) => return Err(PrivateError::system("it cannot be opened")(error)),
        };
        system::check_file(&file)?;
        let mut bytes = Vec::new();
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(PrivateError::system("it cannot be read"))?;
        let fits = u64::try_from(bytes.len()).is_ok_and(|size| size <= limit);
        if fits { Ok(Some(bytes)) } else { Err(PrivateError::TooLarge) }
    }

    /// Writes the file of this name whole, in place of one that was there: readers see the one or the other, also after a crash. Where
    /// that fails, the one that was there still is.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), PrivateError> {
        system::check_folder(&self.handle)?;
        let (mut file, temporary) = self.temporary(name)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| system::rename(&self.handle, &temporary, name));
        if let Err(error) = written {
            // What is left of it, if it cannot be taken away either, is never read.
            drop(system::remove(&self.handle, &temporary));
            return Err(PrivateError::system("it cannot be written")(error));
        }
        // The file is there for all to see; where the folder cannot be synchronized, only a crash could still undo it.
        drop(system::synchronize(&self.handle));
        Ok(())
    }

    /// Takes the file of this name away, and says whether there was one.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, PrivateError> {
        match system::remove(&self.handle, name) {
            Ok(()) => {
                drop(system::synchronize(&self.handle));
                Ok(true)
            }
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(PrivateError::system("it cannot be taken away")(error)),
        }
    }

    /// A new file beside the one of this name.
    fn temporary(&self, name: &str) -> Result<(File, String), PrivateError> {
        let process = std::process::id();
        let mut attempt = 0;
        loop {
            let temporary = format!(".{name}.{process}-{attempt}");
            match system::create_file(&self.handle, &temporary) {
                Ok(file) => return Ok((file, temporary)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(PrivateError::system("no file can be made in its folder")(error)),
            }
        }
    }
}

impl PrivateError {
    fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what, error }
    }
}

impl fmt::Display for PrivateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsafe(how) => f.write_str(how),
            Self::TooLarge => f.write_str("it is too large"),
            Self::System { what, error } => {
                let error = error.to_string();
                // In words, without the system's number.
                write!(f, "{what}: {}", error.split_once(" (os error").map_or(error.as_str(), |(words, _)| words))
            }
        }
    }
}

/// Whether nothing is there; a file where a folder is meant is not nothing.
fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
