//! Writing files that come whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// So many names for a file that is being written are tried.
const ATTEMPTS: u32 = 1_000;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct NewFile {
    /// Its name in the folder.
    pub(crate) name: String,
    /// What it is to hold.
    pub(crate) content: String,
}

/// Which file could not be written, and why.
#[derive(Debug)]
pub(crate) struct NotWritten {
    /// Its name in the folder.
    pub(crate) name: String,
    /// Why.
    pub(crate) problem: WriteProblem,
}

/// Why a file could not be written.
#[derive(Debug)]
pub(crate) enum WriteProblem {
    /// There is no such folder, or something else than a folder.
    NoFolder,
    /// Something of this name is there: a file, a folder, or a link, be it one that leads nowhere.
    Exists,
    /// It cannot be written.
    Failed(io::Error),
}

/// Files that go again unless all of them come to be.
#[derive(Debug, Default)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for path in &self.0 {
            // What cannot be taken away cannot be told here either; the failure that led here is told.
            drop(fs::remove_file(path));
        }
    }
}

impl Made {
    /// Makes a file where nothing is.
    fn file(&mut self, path: PathBuf, content: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        self.0.push(path);
        file.write_all(content.as_bytes())
    }

    /// Writes a file, whole and on the disk, under another name in its folder.
    fn beside(&mut self, folder: &Path, file: &NewFile) -> io::Result<PathBuf> {
        let process = std::process::id();
        let mut attempt = 0;
        loop {
            let path = folder.join(&file.name).with_file_name(format!(".dsh-init.{process}-{attempt}"));
            match self.file(path.clone(), &file.content) {
                Ok(()) => {
                    File::open(&path)?.sync_all()?;
                    return Ok(path);
                }
                // Names of runs that were killed may lie there.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives a file that was written its own name, where nothing is; the other one goes with who wrote it.
    fn publish(&mut self, written: &Path, path: PathBuf, content: &str) -> io::Result<()> {
        match fs::hard_link(written, &path) {
            Ok(()) => {
                self.0.push(path);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Not every disk has a second name for a file.
            Err(_) => self.file(path, content),
        }
    }

    /// Keeps them.
    fn keep(mut self) {
        self.0.clear();
    }
}

/// Whether something of this name is there: a file, a folder, or a link, be it one that leads nowhere.
pub(crate) fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

/// Makes these files, all or none, and nothing that is there is touched.
///
/// Each is written whole under another name, and then given its own, in this order: whoever is killed meanwhile leaves no half of a
/// file, and the last one only together with all others.
pub(crate) fn create_all(folder: &Path, files: &[NewFile]) -> Result<(), NotWritten> {
    let mut beside = Made::default();
    let mut written = Vec::new();
    for file in files {
        let path = beside.beside(folder, file).map_err(|error| NotWritten::of(folder, file, error))?;
        written.push((file, path));
    }
    let mut made = Made::default();
    for (file, path) in written {
        made.publish(&path, folder.join(&file.name), &file.content)
            .map_err(|error| NotWritten::of(folder, file, error))?;
    }
    made.keep();
    Ok(())
}

/// Writes these files, each whole or not at all. A file that is there is written over if it begins with `mark`; nothing is written if one
/// does not.
pub(crate) fn replace_all(folder: &Path, files: &[NewFile], mark: &str) -> Result<(), NotWritten> {
    for file in files {
        let exists = !may_replace(&folder.join(&file.name), mark);
        if exists {
            return Err(NotWritten { name: file.name.clone(), problem: WriteProblem::Exists });
        }
    }
    for file in files {
        let replace = || {
            let mut made = Made::default();
            let beside = folder.join(format!(".{}.{}", file.name, std::process::id()));
            made.file(beside.clone(), &file.content)?;
            fs::rename(&beside, folder.join(&file.name))?;
            made.keep();
            Ok(())
        };
        replace().map_err(|error| NotWritten::of(folder, file, error))?;
    }
    Ok(())
}

/// Whether nothing is there, or a file that begins so.
fn may_replace(path: &Path, mark: &str) -> bool {
    let Ok(metadata) = path.symlink_metadata() else { return true };
    let mut beginning = vec![0; mark.len()];
    metadata.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut beginning)).is_ok()
        && beginning == mark.as_bytes()
}

impl NotWritten {
    fn of(folder: &Path, file: &NewFile, error: io::Error) -> Self {
        let problem = if error.kind() == ErrorKind::AlreadyExists {
            WriteProblem::Exists
        } else if folder.is_dir() {
            WriteProblem::Failed(error)
        } else {
            WriteProblem::NoFolder
        };
        Self { name: file.name.clone(), problem }
    }
}

#[cfg(test)]
mod tests {
    use super::{NewFile, WriteProblem, create_all, replace_all};

    fn files(names: [&str; 2]) -> Vec<NewFile> {
        names.map(|name| NewFile { name: name.to_owned(), content: format!("mark {name}") }).into()
    }

    fn names(folder: &std::path::Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_come_to_be_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let failed = create_all(folder.path(), &files(["a", "no/b"])).unwrap_err();
        assert!(matches!(failed.problem, WriteProblem::Failed(_)) && failed.name == "no/b");
        assert!(names(folder.path()).is_empty());

        create_all(folder.path(), &files(["a", "b"])).unwrap();
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), b"mark b");

        let failed = create_all(folder.path(), &files(["c", "a"])).unwrap_err();
        assert!(matches!(failed.problem, WriteProblem::Exists) && failed.name == "a");
        assert_eq!(names(folder.path()), ["a", "b"]);

        let failed = create_all(&folder.path().join("missing"), &files(["a", "b"])).unwrap_err();
        assert!(matches!(failed.problem, WriteProblem::NoFolder));
    }

    #[test]
    fn what_has_not_the_mark_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "mark of before").unwrap();
        std::fs::write(path("b"), "mar").unwrap();
        let failed = replace_all(folder.path(), &files(["a", "b"]), "mark ").unwrap_err();
        assert!(matches!(failed.problem, WriteProblem::Exists) && failed.name == "b");
        assert_eq!(std::fs::read(path("a")).unwrap(), b"mark of before");

        replace_all(folder.path(), &files(["a", "c"]), "mark ").unwrap();
        assert_eq!(std::fs::read(path("a")).unwrap(), b"mark a");
        assert_eq!(names(folder.path()), ["a", "b", "c"]);

        let failed = replace_all(&path("missing"), &files(["a", "b"]), "mark ").unwrap_err();
        assert!(matches!(failed.problem, WriteProblem::NoFolder));
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_to_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("far"), "mark far").unwrap();
        std::os::unix::fs::symlink("far", path("a")).unwrap();
        std::os::unix::fs::symlink("nowhere", path("b")).unwrap();
        assert!(replace_all(folder.path(), &files(["a", "c"]), "mark ").is_err());
        assert!(create_all(folder.path(), &files(["c", "b"])).is_err());
        assert_eq!(names(folder.path()), ["a", "b", "far"]);
        assert_eq!(std::fs::read(path("far")).unwrap(), b"mark far");
    }
}
