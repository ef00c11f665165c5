//! What Unix does for a private folder: everything through the folder's open handle.

use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, open as open_at_path, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::PrivateError;

/// An open folder.
pub(super) type Handle = File;

/// Rights that others may not have to a file.
const OF_OTHERS: u32 = 0o077;

/// Rights that others may not have to a folder: to put something else in the place of a file.
const TO_WRITE: u32 = 0o022;

pub(super) fn open(path: &Path) -> io::Result<Handle> {
    Ok(open_at_path(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?.into())
}

pub(super) fn create(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Takes the rights of others to a folder of one's own away.
pub(super) fn make_private(folder: &Handle) -> io::Result<()> {
    let metadata = folder.metadata()?;
    if is_own(&metadata) && metadata.mode() & OF_OTHERS != 0 {
        folder.set_permissions(Permissions::from_mode(0o700))?;
    }
    Ok(())
}

pub(super) fn check_folder(folder: &Handle) -> Result<(), PrivateError> {
    let metadata = folder.metadata().map_err(PrivateError::system("its folder cannot be looked at"))?;
    if !is_own(&metadata) {
        return Err(PrivateError::Unsafe("its folder belongs to another user"));
    }
    if metadata.mode() & TO_WRITE != 0 {
        return Err(PrivateError::Unsafe("others may write into its folder"));
    }
    Ok(())
}

pub(super) fn check_file(file: &File) -> Result<(), PrivateError> {
    let metadata = file.metadata().map_err(PrivateError::system("it cannot be looked at"))?;
    if !metadata.is_file() {
        return Err(PrivateError::Unsafe("it is not a regular file"));
    }
    if !is_own(&metadata) {
        return Err(PrivateError::Unsafe("it belongs to another user"));
    }
    if metadata.mode() & OF_OTHERS != 0 {
        return Err(PrivateError::Unsafe("others have rights to it"));
    }
    Ok(())
}

fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == geteuid().as_raw()
}

/// Opens a file for reading. Opening never waits: a pipe without a writer opens at once, and is refused for what it is.
pub(super) fn open_file(folder: &Handle, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}

/// Whether a file was not opened because it is a link.
pub(super) fn is_link(error: &io::Error) -> bool {
    // FreeBSD has a number of its own for it. Where another one is told, the file is not opened all the same.
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::MLINK))
}

/// Makes a file that was not there.
pub(super) fn create_file(folder: &Handle, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

pub(super) fn rename(folder: &Handle, from: &str, to: &str) -> io::Result<()> {
    Ok(renameat(folder, from, folder, to)?)
}

/// Takes a file away; of a link, the link.
pub(super) fn remove(folder: &Handle, name: &str) -> io::Result<()> {
    Ok(unlinkat(folder, name, AtFlags::empty())?)
}

pub(super) fn synchronize(folder: &Handle) -> io::Result<()> {
    folder.sync_all()
}
