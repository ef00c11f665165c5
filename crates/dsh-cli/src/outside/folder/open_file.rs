//! A regular file that is open: how large it is, which file it is, what it says.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{ReadError, of_io};

/// A regular file that is open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    identity: FileIdentity,
    size: u64,
}

/// Which file it is, whatever path led to it: the system's own number for it, or where there is none its real path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileIdentity(Number);

/// The device, and the file's number on it.
#[cfg(unix)]
type Number = (u64, u64);

#[cfg(not(unix))]
type Number = std::path::PathBuf;

impl OpenFile {
    /// Takes an open file, which was opened at `path`; anything but a regular one is refused, and what tells of processes, however the
    /// path led there: it is the open file that is looked at.
    pub(super) fn new(file: File, path: &Path) -> Result<Self, ReadError> {
        let metadata = file.metadata().map_err(of_io)?;
        if !metadata.is_file() {
            return Err(ReadError::NotAFile(kind_of(metadata.file_type())));
        }
        if tells_of_processes(&file)? {
            return Err(ReadError::OfProcesses);
        }
        let identity = FileIdentity(number(&metadata, path)?);
        Ok(Self { file, identity, size: metadata.len() })
    }

    /// Which file it is.
    pub(crate) fn identity(&self) -> &FileIdentity {
        &self.identity
    }

    /// How many bytes it had when it was opened.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Reads it, at most `limit` bytes.
    pub(crate) fn read(self, limit: u64) -> Result<Vec<u8>, ReadError> {
        if self.size > limit {
            return Err(ReadError::TooLarge { limit, size: self.size });
        }
        let mut bytes = Vec::new();
        // A file may grow while it is read; one byte more than allowed tells.
        self.file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(of_io)?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size <= limit { Ok(bytes) } else { Err(ReadError::TooLarge { limit, size }) }
    }
}

/// Whether a file is one of `/proc`, wherever that is mounted: there is the whole environment of each process, and its arguments.
#[cfg(target_os = "linux")]
fn tells_of_processes(file: &File) -> Result<bool, ReadError> {
    let system = rustix::fs::fstatfs(file).map_err(|errno| of_io(errno.into()))?;
    Ok(system.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, it has to be asked for")]
fn tells_of_processes(_: &File) -> Result<bool, ReadError> {
    Ok(false)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, the real path has to be asked for")]
fn number(metadata: &std::fs::Metadata, _path: &Path) -> Result<Number, ReadError> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_metadata: &std::fs::Metadata, path: &Path) -> Result<Number, ReadError> {
    path.canonicalize().map_err(of_io)
}

#[cfg(unix)]
fn kind_of(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_of(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "not a regular file" }
}
