//! A project's folder, and the files beneath it (C1).
//!
//! A path that leaves the folder is refused where it is opened, not before, so that nothing can be swapped between a check and the
//! opening. What is opened must be a regular file: opening never waits for the other end of a pipe. Nor may it be one in which the
//! system tells of a process: the environment is read by name, and nothing asks for all of it at once (C4).

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

#[cfg(unix)]
mod beneath;
mod open_file;
mod upwards;

#[cfg(unix)]
pub(super) use self::beneath::reading;
pub(crate) use self::open_file::{FileIdentity, OpenFile};
pub(crate) use self::upwards::nearest_with;
use self::upwards::upwards;
use super::owner::may_speak_for;

/// How far a path may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// To files beneath the folder.
    Beneath,
    /// As [`Reach::Beneath`], but for links, which may lead anywhere: the folder is the user's own, and so are the links in it.
    ByOwnLinks,
    /// Anywhere: `allow_outside = true` stands beside the path.
    Anywhere,
}

/// Why a folder cannot be a project's folder.
#[derive(Debug)]
pub(crate) enum FolderError {
    /// Nothing is there.
    Missing,
    /// Something else than a folder is there.
    NotAFolder,
    /// It is there and cannot be opened.
    Unreadable(io::Error),
}

/// Why a file cannot be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// Nothing is there.
    Missing,
    /// A link is there, and nothing where it leads.
    Dangling,
    /// A link on the way leads back to itself.
    Circle,
    /// The path goes on behind a file, as if that were a folder.
    ThroughAFile,
    /// The path leads out of the folder; the text says by what.
    Outside(&'static str),
    /// The path does not leave the folder, but is absolute or has a `..` in it; here as it should be written.
    Roundabout(String),
    /// Something else than a file is there; the text says what.
    NotAFile(&'static str),
    /// The system tells of its processes there: their environment, their arguments, what they have open.
    OfProcesses,
    /// The file is larger than the limit, in bytes.
    TooLarge {
        /// The most that would be read.
        limit: u64,
        /// How large it is, or has become while it was read.
        size: u64,
    },
    /// It is there and cannot be read.
    Unreadable(io::Error),
}

/// Why a folder's names cannot be read.
#[derive(Debug)]
pub(crate) enum ListError {
    /// Something else than a folder is there.
    NotAFolder,
    /// There are more names than would be read.
    TooMany,
    /// As for a file.
    Read(ReadError),
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: rustix::fd::OwnedFd,
}

impl Folder {
    /// Opens the folder at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(FolderError::NotAFolder),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(FolderError::Missing),
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(FolderError::NotAFolder),
            Err(error) => return Err(FolderError::Unreadable(error)),
        }
        Ok(Self {
            path: path.to_path_buf(),
            #[cfg(unix)]
            handle: beneath::open_folder(path).map_err(|errno| FolderError::Unreadable(errno.into()))?,
        })
    }

    /// The path of `name` beneath this folder, as a person may type it.
    pub(crate) fn display(&self, name: &str) -> String {
        let path = if self.path.as_os_str() == "." { PathBuf::from(name) } else { self.path.join(name) };
        straight(&path).display().to_string()
    }

    /// The folder's own path, as it was given.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the regular file at `path`, at most `limit` bytes of it.
    pub(crate) fn read(&self, path: &str, reach: Reach, limit: u64) -> Result<Vec<u8>, ReadError> {
        self.open_file(path, reach)?.read(limit)
    }

    /// Opens the regular file at `path`.
    pub(crate) fn open_file(&self, path: impl AsRef<Path>, reach: Reach) -> Result<OpenFile, ReadError> {
        let path = path.as_ref();
        let whole = self.path.join(path);
        let file = match reach {
            Reach::Beneath => self.refuse_leaving(path).and_then(|()| self.open_beneath(path)),
            Reach::ByOwnLinks => self.refuse_leaving(path).and_then(|()| self.open_anywhere(path)),
            Reach::Anywhere => self.open_anywhere(path),
        };
        OpenFile::new(file.map_err(|error| self.or_dangling(path, error))?, &whole)
    }

    /// The names in the folder at `path`, which is beneath this one, in the order of their bytes; none, if there is no such folder.
    pub(crate) fn list(&self, path: &str, most: usize) -> Result<Vec<OsString>, ListError> {
        let listed = self.refuse_leaving(Path::new(path)).and_then(|()| self.list_beneath(Path::new(path), most));
        let mut names = match listed.map_err(|error| self.or_dangling(Path::new(path), error)) {
            Ok(names) => names,
            Err(ReadError::Missing) => return Ok(Vec::new()),
            Err(ReadError::ThroughAFile) => return Err(ListError::NotAFolder),
            Err(error) => return Err(ListError::Read(error)),
        };
        if names.len() > most {
            return Err(ListError::TooMany);
        }
        names.sort_unstable();
        Ok(names)
    }

    /// What is missing, if a link is there all the same.
    fn or_dangling(&self, path: &Path, error: ReadError) -> ReadError {
        let is_link = || self.path.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if matches!(error, ReadError::Missing) && is_link() { ReadError::Dangling } else { error }
    }

    /// The way up to the nearest folder above this one that has a file of this name, as `--dir` takes it; those of third users are
    /// passed over.
    pub(crate) fn nearest_above(&self, name: &str) -> Option<String> {
        let real = self.path.canonicalize().ok()?;
        let is_there = |path: &Path| path.is_file() && may_speak_for(path, &real);
        let steps = real.ancestors().skip(1).position(|above| is_there(&above.join(name)))?;
        Some(upwards(&self.path, steps + 1).display().to_string())
    }

    /// Refuses what can be seen to leave without looking at the file.
    fn refuse_leaving(&self, path: &Path) -> Result<(), ReadError> {
        if path.components().all(|component| matches!(component, Component::CurDir | Component::Normal(_))) {
            return Ok(());
        }
        if !path.has_root() {
            return Err(match straightened(path) {
                Some(straight) => ReadError::Roundabout(straight.display().to_string()),
                None => ReadError::Outside("the path has a `..` in it"),
            });
        }
        let real = self.path.canonicalize().map_err(of_io)?;
        Err(match path.strip_prefix(&real).ok().and_then(straightened) {
            Some(straight) => ReadError::Roundabout(straight.display().to_string()),
            None => ReadError::Outside("the path is absolute"),
        })
    }

    #[cfg(unix)]
    fn open_beneath(&self, path: &Path) -> Result<File, ReadError> {
        beneath::open_file(&self.handle, &self.path, path)
    }

    #[cfg(unix)]
    fn open_anywhere(&self, path: &Path) -> Result<File, ReadError> {
        beneath::open_anywhere(&self.handle, path)
    }

    #[cfg(not(unix))]
    fn open_anywhere(&self, path: &Path) -> Result<File, ReadError> {
        open_anywhere(&self.path.join(path))
    }

    #[cfg(unix)]
    fn list_beneath(&self, path: &Path, most: usize) -> Result<Vec<OsString>, ReadError> {
        beneath::list(&self.handle, &self.path, path, most)
    }

    #[cfg(not(unix))]
    fn open_beneath(&self, path: &Path) -> Result<File, ReadError> {
        open_anywhere(&self.real_beneath(path)?)
    }

    #[cfg(not(unix))]
    fn list_beneath(&self, path: &Path, most: usize) -> Result<Vec<OsString>, ReadError> {
        let folder = self.real_beneath(path)?;
        if folder.is_file() {
            return Err(ReadError::ThroughAFile);
        }
        let entries = std::fs::read_dir(folder).map_err(of_io)?.take(most.saturating_add(1));
        entries.map(|entry| Ok(entry.map_err(of_io)?.file_name())).collect()
    }

    /// Where the system cannot open beneath a folder: the real path is looked at first, and then opened.
    #[cfg(not(unix))]
    fn real_beneath(&self, path: &Path) -> Result<PathBuf, ReadError> {
        let folder = self.path.canonicalize().map_err(of_io)?;
        let real = folder.join(path).canonicalize().map_err(of_io)?;
        if real.starts_with(&folder) { Ok(real) } else { Err(ReadError::Outside(BY_LINK)) }
    }
}

/// What is said of a link that leads out.
const BY_LINK: &str = "a link on the way leads out of the folder";

/// The path without the detours of a `..` behind a name, as tools that look a file up by its path want it: from the working folder, or
/// absolute as it was. Links are heeded: where a folder on the way cannot be looked at, the path stays.
pub(crate) fn straight(path: &Path) -> PathBuf {
    let names = path.components().skip_while(|component| *component == Component::ParentDir);
    if !names.into_iter().any(|component| component == Component::ParentDir) {
        return path.to_path_buf();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(folder), Some(name)) = (folder.canonicalize(), path.file_name()) else { return path.to_path_buf() };
    let real = folder.join(name);
    let here = Path::new(".").canonicalize();
    match here.ok().filter(|_| path.is_relative()) {
        Some(here) => way(&here, &real),
        None => real,
    }
}

/// The way from one real folder to a real path.
fn way(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// The path without `..`, if it never climbs above where it begins.
pub(crate) fn straightened(path: &Path) -> Option<PathBuf> {
    let mut straight = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => straight.push(name),
            Component::CurDir => {}
            Component::ParentDir if straight.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(straight)
}

#[cfg(not(unix))]
fn open_anywhere(path: &Path) -> Result<File, ReadError> {
    if path.is_dir() {
        return Err(ReadError::NotAFile("a folder"));
    }
    File::open(path).map_err(of_io)
}

fn of_io(error: io::Error) -> ReadError {
    if error.kind() == ErrorKind::NotFound {
        ReadError::Missing
    } else if error.kind() == ErrorKind::IsADirectory {
        ReadError::NotAFile("a folder")
    } else {
        ReadError::Unreadable(error)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{straight, way};

    #[test]
    fn a_way_goes_up_as_far_as_it_must() {
        let way = |from: &str, to: &str| way(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/r", "/r/AGENTS.md"), "AGENTS.md");
        assert_eq!(way("/r/a/b", "/r/AGENTS.md"), "../../AGENTS.md");
        assert_eq!(way("/r/a", "/s/b.md"), "../../s/b.md");
    }

    #[test]
    fn only_a_detour_is_made_straight() {
        for path in ["a/b.md", "../../a.md", "/a/b.md", "a.md", "no/such/../folder/a.md"] {
            assert_eq!(straight(Path::new(path)), Path::new(path));
        }
        assert_eq!(straight(Path::new("src/outside/../../README.md")), Path::new("README.md"));
        assert_eq!(straight(Path::new("../dsh-cli/src/../README.md")), Path::new("README.md"));
    }
}
