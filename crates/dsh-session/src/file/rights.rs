//! Rights that others have to what belongs to one user alone.

use std::fs::{File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use rustix::process::geteuid;

use crate::error::Error;

/// The rights to a folder of sessions.
pub(super) const OF_FOLDER: u32 = 0o700;

/// The rights to a session.
pub(super) const OF_FILE: u32 = 0o600;

/// Any right of others.
const OF_OTHERS: u32 = 0o077;

/// Leaves these rights alone, where the user's own file or folder has others for others; says whether it had.
pub(super) fn close(file: &File, rights: u32) -> Result<bool, Error> {
    let failed = |error: std::io::Error| Error::of_io("the rights of others cannot be taken away", error);
    let metadata = file.metadata().map_err(failed)?;
    if metadata.uid() != geteuid().as_raw() || metadata.mode() & OF_OTHERS == 0 {
        return Ok(false);
    }
    file.set_permissions(Permissions::from_mode(rights)).map_err(failed)?;
    Ok(true)
}
