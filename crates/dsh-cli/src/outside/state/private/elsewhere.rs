//! A private folder where the system is no Unix: by paths, within the rights that the system gives to a user's profile.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::PrivateError;

/// The path of a folder.
pub(super) type Handle = PathBuf;

pub(super) fn open(path: &Path) -> io::Result<Handle> {
    if path.metadata()?.is_dir() { Ok(path.to_path_buf()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub(super) fn create(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[expect(clippy::unnecessary_wraps, reason = "the form that Unix needs")]
pub(super) fn make_private(_folder: &Handle) -> io::Result<()> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "the form that Unix needs")]
pub(super) fn check_folder(_folder: &Handle) -> Result<(), PrivateError> {
    Ok(())
}

pub(super) fn check_file(file: &File) -> Result<(), PrivateError> {
    let metadata = file.metadata().map_err(PrivateError::system("it cannot be looked at"))?;
    if metadata.is_file() { Ok(()) } else { Err(PrivateError::Unsafe("it is not a regular file")) }
}

pub(super) fn open_file(folder: &Handle, name: &str) -> io::Result<File> {
    let path = folder.join(name);
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

/// Whether a file was not opened because it is a link.
pub(super) fn is_link(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

pub(super) fn create_file(folder: &Handle, name: &str) -> io::Result<File> {
    File::create_new(folder.join(name))
}

pub(super) fn rename(folder: &Handle, from: &str, to: &str) -> io::Result<()> {
    std::fs::rename(folder.join(from), folder.join(to))
}

pub(super) fn remove(folder: &Handle, name: &str) -> io::Result<()> {
    std::fs::remove_file(folder.join(name))
}

#[expect(clippy::unnecessary_wraps, reason = "the form that Unix needs")]
pub(super) fn synchronize(_folder: &Handle) -> io::Result<()> {
    Ok(())
}
