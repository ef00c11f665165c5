//! The repository's text files, read once, so that rules are functions of them.

use std::path::Path;

use crate::{Error, RustSource};

/// The text files of a repository, in order of their paths.
#[derive(Clone, Debug)]
pub struct Tree {
    files: Vec<File>,
}

/// One text file.
#[derive(Clone, Debug)]
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// How it reads as Rust, where it is a `.rs` file.
    pub rust: Option<RustSource>,
}

impl Tree {
    /// Reads all UTF-8 files under `root`, without those that its `.gitignore` names.
    ///
    /// Git itself is not asked: it may not be there, and a new file has to be tidy before it is added.
    pub fn read(root: &Path) -> Result<Self, Error> {
        let ignored = read_text(&root.join(".gitignore"))?.unwrap_or_default();
        let ignored: Vec<&str> =
            ignored.lines().map(|line| line.trim().trim_matches('/')).filter(|line| !line.is_empty()).collect();
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(root.join(&folder)).map_err(|error| unreadable(&folder, &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| unreadable(&folder, &error))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name == ".git" || ignored.contains(&name.as_str()) {
                    continue;
                }
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file()
                    && let Some(text) = read_text(&root.join(&path))?
                {
                    files.push(File::new(path, text));
                }
            }
        }
        Ok(Self::sorted(files))
    }

    /// A made-up repository, for tests: pairs of path and text.
    pub fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self::sorted(files.into_iter().map(|(path, text)| File::new(path.to_owned(), text.to_owned())).collect())
    }

    /// All files.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// All Rust files with how they read.
    pub fn rust(&self) -> impl Iterator<Item = (&File, &RustSource)> {
        self.files.iter().filter_map(|file| Some((file, file.rust.as_ref()?)))
    }

    /// The file at `path`, if there is one.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().and_then(|index| self.files.get(index))
    }

    fn sorted(mut files: Vec<File>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }
}

impl File {
    fn new(path: String, text: String) -> Self {
        let rust = has_extension(&path, "rs").then(|| RustSource::read(&path, &text));
        Self { path, text, rust }
    }

    /// Whether the file's name ends in `.EXTENSION`.
    pub fn has_extension(&self, extension: &str) -> bool {
        has_extension(&self.path, extension)
    }

    /// The folder of the crate that the file belongs to, such as `crates/dsh-kernel`; `None` for files of the root.
    pub fn crate_folder(&self) -> Option<&str> {
        ["crates/", "examples/"]
            .iter()
            .find_map(|parent| {
                let (name, _) = self.path.strip_prefix(parent)?.split_once('/')?;
                self.path.get(..parent.len() + name.len())
            })
            .or_else(|| {
                let (name, _) = self.path.split_once('/')?;
                ["bench", "conformance", "xtask"].into_iter().find(|known| *known == name)
            })
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|known| known == extension)
}

/// The text of a file; `None` where it is not there or not UTF-8.
fn read_text(path: &Path) -> Result<Option<String>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&path.display().to_string(), &error)),
    }
}

fn unreadable(path: &str, error: &std::io::Error) -> Error {
    Error::new(format!("cannot read `{path}`: {error}"))
}
