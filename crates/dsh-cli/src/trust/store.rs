//! What a person has trusted: a record for each folder, in the user's own state folder.
//!
//! The records lie in `dsh/trust/` of the state folder, one file a project, named by the BLAKE3 of the real path of the project's
//! folder; `record` tells what they say. A folder that is moved is another one, and untrusted.
//!
//! What came with a project cannot speak for it: where the state folder is beneath the project's own, or in the repository that this
//! lies in, as in a container whose home is the project, nothing is read or stored.

use std::path::{Path, PathBuf};

use super::{TrustHash, record};
use crate::diagnostic::Diagnostic;
use crate::outside::{PrivateError, PrivateFolder, UserFolders, came_together, real_path};

/// More than this is no record: the longest path of a system, each byte of it written as four.
const RECORD_LIMIT: u64 = 1 << 16;

/// The records of the user.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// Where they lie; nowhere, where the user has no state folder.
    folder: Option<PathBuf>,
}

/// What the records say of a folder that asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// This was trusted.
    Trusted,
    /// Nothing was trusted.
    Untrusted,
    /// Something else was trusted.
    Changed,
}

/// There is a record of a folder, and it cannot be used.
#[derive(Debug)]
pub(crate) struct Damage {
    file: PathBuf,
    why: String,
}

/// A folder's trust was not stored, or not taken back. What was stored before still holds.
#[derive(Debug)]
pub(crate) struct NotStored {
    why: Box<str>,
    /// Where the records lie, or would lie.
    place: Option<Box<Path>>,
    help: Option<&'static str>,
}

impl Store {
    /// The records in the user's state folder.
    pub(crate) fn new(folders: &UserFolders) -> Self {
        Self { folder: folders.state().map(|state| state.join("trust")) }
    }

    /// What was trusted of the project in this folder.
    pub(crate) fn status(&self, project: &Path, hash: &TrustHash) -> Result<Status, Damage> {
        let Some(folder) = &self.folder else { return Ok(Status::Untrusted) };
        let Ok(project) = real_path(project) else { return Ok(Status::Untrusted) };
        if came_with(folder, &project) {
            return Ok(Status::Untrusted);
        }
        let name = file_name(&project);
        let damage = |why: String| Damage { file: folder.join(&name), why };
        let read = PrivateFolder::open(folder).and_then(|folder| match folder {
            Some(folder) => folder.read(&name, RECORD_LIMIT),
            None => Ok(None),
        });
        let Some(bytes) = read.map_err(|error| damage(error.to_string()))? else { return Ok(Status::Untrusted) };
        let trusted = record::read(&bytes, &project).map_err(|why| damage(why.to_owned()))?;
        Ok(if trusted == *hash { Status::Trusted } else { Status::Changed })
    }

    /// Stores that this is trusted of the project in this folder, in place of what was.
    pub(crate) fn trust(&self, project: &Path, hash: &TrustHash) -> Result<(), NotStored> {
        let Some(folder) = &self.folder else {
            let why = "there is no place for it: neither XDG_STATE_HOME nor HOME is set";
            let help = "set HOME, or XDG_STATE_HOME to the absolute path of a folder of yours";
            return Err(NotStored { why: why.into(), place: None, help: Some(help) });
        };
        let project = real(project)?;
        if came_with(folder, &project) {
            let why = "its place is in the project's own folder or repository, whose files cannot speak for themselves";
            let help = "set XDG_STATE_HOME to the absolute path of a folder outside of it";
            return Err(NotStored { why: why.into(), place: Some(folder.as_path().into()), help: Some(help) });
        }
        let record = record::write(&project, hash);
        PrivateFolder::create(folder)
            .and_then(|open| open.write(&file_name(&project), record.as_bytes()))
            .map_err(NotStored::in_folder(folder))
    }

    /// Forgets what was trusted of the project in this folder, and says whether there was anything.
    pub(crate) fn revoke(&self, project: &Path) -> Result<bool, NotStored> {
        let Some(folder) = &self.folder else { return Ok(false) };
        let project = real(project)?;
        if came_with(folder, &project) {
            return Ok(false);
        }
        PrivateFolder::open(folder)
            .and_then(|open| open.map_or(Ok(false), |open| open.remove(&file_name(&project))))
            .map_err(NotStored::in_folder(folder))
    }
}

/// Whether the records would lie in what came with the project; also where nobody can tell.
fn came_with(records: &Path, project: &Path) -> bool {
    came_together(project).map_or(true, |together| together.holds(records))
}

fn real(project: &Path) -> Result<PathBuf, NotStored> {
    real_path(project).map_err(|error| NotStored { why: error.to_string().into(), place: None, help: None })
}

impl Damage {
    /// It is a warning: the folder counts as untrusted, and everything else goes on.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let headline = format!("the record of this folder's trust cannot be used: {}", self.why);
        Diagnostic::warning("trust::damaged_record", headline)
            .with_note(format!("the record is `{}`", self.file.display()))
            .with_help("`dsh trust` writes it anew, `dsh trust --revoke` takes it away")
    }
}

impl NotStored {
    fn in_folder(folder: &Path) -> impl FnOnce(PrivateError) -> Self {
        |error| Self { why: error.to_string().into(), place: Some(folder.into()), help: None }
    }

    /// The trust of `hash` was not stored; without one, it was not taken back.
    pub(crate) fn diagnostic(&self, hash: Option<&TrustHash>) -> Diagnostic {
        let what = if hash.is_some() { "the trust is not stored" } else { "the trust is not taken back" };
        let diagnostic = Diagnostic::error("trust::not_stored", format!("{what}: {}", self.why));
        let diagnostic = match &self.place {
            Some(place) => diagnostic.with_note(format!("its folder is `{}`", place.display())),
            None => diagnostic,
        };
        diagnostic
            .with_help_if(self.help.map(str::to_owned))
            .with_help_if(hash.map(|hash| format!("`--trust {hash}` trusts the folder for one run")))
    }
}

fn file_name(project: &Path) -> String {
    blake3::hash(project.as_os_str().as_encoded_bytes()).to_hex().to_string()
}
