//! Reading the files that a configuration names: each once, within limits, with a diagnostic at the place that names it.

use std::collections::BTreeMap;

use crate::config::FileRef;
use crate::diagnostic::{Diagnostic, Report, SourceId, Sources};
use crate::outside::{Folder, Reach, ReadError, TextError, decode};

/// The most that is read of a text file.
pub(crate) const TEXT_LIMIT: u64 = 1 << 20;

/// The most that is read of a file of tool schemas.
pub(crate) const SCHEMA_LIMIT: u64 = 8 << 20;

/// The files of a folder, while it is read.
#[derive(Debug)]
pub(super) struct Files<'p> {
    folder: &'p Folder,
    pub(super) sources: &'p mut Sources,
    /// Files that were taken in, by path and limit. Two agents may share a guide of a megabyte.
    taken: BTreeMap<(String, u64), SourceId>,
}

impl<'p> Files<'p> {
    pub(super) fn new(folder: &'p Folder, sources: &'p mut Sources) -> Self {
        Self { folder, sources, taken: BTreeMap::new() }
    }

    /// Takes in the file at `path`, which is named nowhere.
    pub(super) fn unnamed(&mut self, path: &str) -> Result<SourceId, Problem> {
        let bytes = self.folder.read(path, Reach::Beneath, TEXT_LIMIT).map_err(Problem::Read)?;
        let text = decode(bytes).map_err(Problem::Text)?;
        Ok(self.sources.add(self.folder.display(path), text))
    }

    /// Takes in a file that is named in the configuration; what is wrong is reported there.
    pub(super) fn named(&mut self, file: &FileRef, limit: u64, report: &mut Report) -> Option<SourceId> {
        let path = file.path.value.as_str();
        // A path that one place may use and another may not is asked for at each.
        let key = (file.reach == Reach::Beneath).then(|| (path.to_owned(), limit));
        if let Some(id) = key.as_ref().and_then(|key| self.taken.get(key)) {
            return Some(*id);
        }
        let read = self.folder.read(path, file.reach, limit).map_err(Problem::Read);
        match read.and_then(|bytes| decode(bytes).map_err(Problem::Text)) {
            Ok(text) => {
                let id = self.sources.add(self.folder.display(path), text);
                if let Some(key) = key {
                    self.taken.insert(key, id);
                }
                Some(id)
            }
            Err(problem) => {
                let help = problem.help().map(str::to_owned);
                report.push(problem.diagnostic(path).at(file.path.span, "named here").with_help_if(help));
                None
            }
        }
    }
}

/// Why a file was not taken in.
#[derive(Debug)]
pub(super) enum Problem {
    Read(ReadError),
    Text(TextError),
}

impl Problem {
    /// Without a place.
    pub(super) fn diagnostic(&self, path: &str) -> Diagnostic {
        let (code, what) = match self {
            Self::Read(ReadError::Missing) => ("file::missing", "is not there".to_owned()),
            Self::Read(ReadError::Outside(how)) => ("file::outside", format!("leaves the project's folder: {how}")),
            Self::Read(ReadError::NotAFile(what)) => ("file::not_a_file", format!("is {what}, and a file is meant")),
            Self::Read(ReadError::TooLarge { limit }) => {
                ("file::too_large", format!("is larger than {} MiB, the limit for such a file", limit >> 20))
            }
            Self::Read(ReadError::Unreadable(error)) => ("file::unreadable", format!("cannot be read: {error}")),
            Self::Text(problem @ TextError::NotUtf8 { .. }) => ("file::not_utf8", format!("is {problem}")),
            Self::Text(problem @ TextError::Utf16) => ("file::utf16", format!("is {problem}")),
        };
        let diagnostic = Diagnostic::error(code, format!("`{path}` {what}"));
        match self {
            Self::Text(_) => diagnostic.with_help("save the file as UTF-8"),
            Self::Read(_) => diagnostic,
        }
    }

    /// What to do where the configuration names the file.
    fn help(&self) -> Option<&'static str> {
        match self {
            Self::Read(ReadError::Missing) => Some("paths are relative to the folder of dsh.toml"),
            Self::Read(ReadError::Outside(_)) => {
                Some("move the file into the folder, or write `allow_outside = true` beside the path")
            }
            Self::Read(ReadError::NotAFile(_) | ReadError::TooLarge { .. } | ReadError::Unreadable(_))
            | Self::Text(_) => None,
        }
    }
}
