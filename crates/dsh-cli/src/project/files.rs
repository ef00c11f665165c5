//! Reading the files that a configuration names: each once, within limits, with a diagnostic at the place that names it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::near_file;
use crate::config::{FILE_NAME, FileRef};
use crate::diagnostic::{Diagnostic, Report, SourceId, Sources};
use crate::names::quoted;
use crate::outside::{
    Folder, ListError, OpenFile, Reach, ReadError, TextError, decode_noting, in_words, lies_beneath, may_read,
    real_path, straightened,
};

/// The most that is read of a text file.
pub(crate) const TEXT_LIMIT: u64 = 1 << 20;

/// The most that is read of a file of tool schemas.
pub(crate) const SCHEMA_LIMIT: u64 = 8 << 20;

/// The most that is read of all files together.
const TOTAL_LIMIT: u64 = 64 << 20;

/// Where relative paths start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Root {
    /// The project's folder.
    Project,
    /// The folder of the user's own configuration.
    User,
}

/// The folder of a document: its paths are relative to that.
#[derive(Clone, Debug)]
struct Base {
    root: Root,
    /// The way there from the root; empty, or with a `/` at its end.
    folder: String,
}

/// The files of a project, while it is read.
#[derive(Debug)]
pub(super) struct Files<'p> {
    project: &'p Folder,
    user: Option<Folder>,
    pub(super) sources: &'p mut Sources,
    /// Files that were taken in, by root, path, reach and limit. Two agents may share a guide of a megabyte.
    taken: BTreeMap<(Root, String, Reach, u64), SourceId>,
    /// What files say, where sections were made of them: many may share one text.
    texts: BTreeMap<SourceId, Arc<str>>,
    /// Where the paths in a document start; in the project's folder, if it is not here.
    bases: BTreeMap<SourceId, Base>,
    /// Bytes that were read.
    total: u64,
    /// The first file that was too much has been reported.
    full: bool,
}

impl<'p> Files<'p> {
    /// `user` is the folder of the user's own configuration, which need not be there.
    pub(super) fn new(project: &'p Folder, user: Option<&Path>, sources: &'p mut Sources) -> Self {
        Self {
            project,
            user: user.and_then(|path| Folder::open(path).ok()),
            sources,
            taken: BTreeMap::new(),
            texts: BTreeMap::new(),
            bases: BTreeMap::new(),
            total: 0,
            full: false,
        }
    }

    /// Whether what is called the user's own folder is beneath the project's, as where a container has its project for a home: what lies
    /// there speaks for the project alone (C4).
    fn user_is_in_project(&self) -> bool {
        let beneath =
            |user: &Folder| real_path(self.project.path()).is_ok_and(|project| lies_beneath(user.path(), &project));
        self.user.as_ref().is_some_and(beneath)
    }

    /// A path as a person may type it.
    pub(super) fn display(&self, root: Root, path: &str) -> String {
        self.folder(root).map_or_else(|| path.to_owned(), |folder| folder.display(path))
    }

    /// Takes in the configuration at `path`, which is named nowhere.
    pub(super) fn unnamed(&mut self, root: Root, path: &str) -> Result<SourceId, Problem> {
        let source = self.take(root, path, Reach::Beneath, TEXT_LIMIT)?;
        self.bases.insert(source, Base { root, folder: String::new() });
        Ok(source)
    }

    /// Takes in a configuration that another one includes; what is wrong is reported there.
    pub(super) fn configuration(&mut self, file: &FileRef, report: &mut Report) -> Option<SourceId> {
        let source = self.named(file, TEXT_LIMIT, report)?;
        let (root, path) = self.way(file).ok()?;
        let folder = path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
        self.bases.insert(source, Base { root, folder });
        Some(source)
    }

    /// Takes in a file that is named in a configuration; what is wrong is reported there.
    pub(super) fn named(&mut self, file: &FileRef, limit: u64, report: &mut Report) -> Option<SourceId> {
        if self.full {
            return None;
        }
        let taken = self.way(file).and_then(|(root, path)| self.take(root, &path, file.reach, limit));
        match taken {
            Ok(source) => Some(source),
            Err(problem) => {
                self.full |= matches!(problem, Problem::TooMuch { .. });
                let help = self.near(file, &problem, report).or_else(|| problem.help());
                let path = file.path.value.as_str();
                report.push(problem.diagnostic(path).at(file.path.span, "named here").with_help_if(help));
                None
            }
        }
    }

    /// What a file that is not there was most likely meant to be.
    fn near(&self, file: &FileRef, problem: &Problem, report: &Report) -> Option<String> {
        if !problem.is_missing() {
            return None;
        }
        let written = file.path.value.as_str();
        near_file::remedy(written).or_else(|| {
            let (root, path) = self.way(file).ok()?;
            let near = near_file::nearest(self.folder(root)?, &path, &report.guesses)?;
            let document = self.sources.get(file.path.span.source).map(|document| document.path.as_str());
            if document == Some(self.display(root, &near).as_str()) {
                return None;
            }
            // As it would be written in its document.
            let base = self.bases.get(&file.path.span.source).map_or("", |base| base.folder.as_str());
            Some(format!("did you mean {}?", quoted(near.strip_prefix(base)?)))
        })
    }

    /// Takes in a text file that was found beneath the folder, and is named nowhere.
    pub(super) fn found(&mut self, path: &str) -> Result<SourceId, Problem> {
        self.take(Root::Project, path, Reach::Beneath, TEXT_LIMIT)
    }

    /// The names in a folder beneath this one, at most so many.
    pub(super) fn list(&self, path: &str, most: usize) -> Result<Vec<OsString>, ListError> {
        self.project.list(path, most)
    }

    /// A source without text, for what is known of a file that cannot be taken in.
    pub(super) fn blank(&mut self, path: &str) -> SourceId {
        self.sources.add(self.project.display(path), String::new())
    }

    /// Opens a file that is named in a configuration, to see which it is.
    pub(super) fn open(&self, file: &FileRef) -> Option<OpenFile> {
        let (root, path) = self.way(file).ok()?;
        self.folder(root)?.open_file(path, file.reach).ok()
    }

    /// What is said where the project has no configuration.
    pub(super) fn no_configuration(&self) -> Diagnostic {
        let folder = self.project.path().display().to_string();
        let (place, help) = match self.project.nearest_above(FILE_NAME) {
            Some(above) => ("", format!("the nearest one above belongs to the project of `--dir {above}`")),
            None if folder == "." => (" or above it", "`dsh init` writes one to begin with".to_owned()),
            None => (" or above it", format!("`dsh init --dir {folder}` writes one to begin with")),
        };
        let headline = format!("there is no dsh.toml in `{folder}`{place}, so the defaults hold");
        Diagnostic::note("config::defaults", headline).with_help(help)
    }

    /// Takes a file in, if it was not yet.
    fn take(&mut self, root: Root, path: &str, reach: Reach, limit: u64) -> Result<SourceId, Problem> {
        let key = (root, path.to_owned(), reach, limit);
        if let Some(id) = self.taken.get(&key) {
            return Ok(*id);
        }
        let left = TOTAL_LIMIT - self.total;
        let folder = self.folder(root).ok_or(Problem::Read(ReadError::Missing))?;
        let bytes = folder.read(path, reach, limit.min(left)).map_err(|error| {
            let too_much = matches!(error, ReadError::TooLarge { limit: least, .. } if least < limit);
            if too_much { Problem::TooMuch { read: self.total } } else { Problem::Read(error) }
        })?;
        let name = folder.display(path);
        self.total += u64::try_from(bytes.len()).unwrap_or(left);
        let (text, lost) = decode_noting(bytes).map_err(Problem::Text)?;
        let id = match root {
            Root::User if !self.user_is_in_project() => self.sources.add_own(name, text),
            Root::Project | Root::User => self.sources.add(name, text),
        };
        self.sources.note_lost(id, lost);
        self.taken.insert(key, id);
        Ok(id)
    }

    /// The root that a path starts from, and the way from there: paths are relative to the document that they stand in.
    fn way(&self, file: &FileRef) -> Result<(Root, String), Problem> {
        let path = file.path.value.as_str();
        let Some(base) = self.bases.get(&file.path.span.source) else { return Ok((Root::Project, path.to_owned())) };
        if base.folder.is_empty() || Path::new(path).has_root() {
            return Ok((base.root, path.to_owned()));
        }
        let way = format!("{}{path}", base.folder);
        if file.reach == Reach::Anywhere {
            return Ok((base.root, way));
        }
        match straightened(Path::new(&way)) {
            Some(straight) => Ok((base.root, straight.display().to_string())),
            None => Err(Problem::Read(ReadError::Outside("the path has a `..` in it"))),
        }
    }

    fn folder(&self, root: Root) -> Option<&Folder> {
        match root {
            Root::Project => Some(self.project),
            Root::User => self.user.as_ref(),
        }
    }

    /// What a file says. What ends its last line is no part of it: sections are joined by one blank line.
    pub(super) fn says(&mut self, id: SourceId) -> Arc<str> {
        let sources = &self.sources;
        let says = self.texts.entry(id).or_insert_with(|| {
            let text = sources.text(id);
            Arc::from(text.strip_suffix('\n').unwrap_or(text))
        });
        Arc::clone(says)
    }
}

/// Why a file was not taken in.
#[derive(Debug)]
pub(super) enum Problem {
    Read(ReadError),
    Text(TextError),
    /// With it, all files together would be more than is read.
    TooMuch {
        /// Bytes that were read before.
        read: u64,
    },
}

impl Problem {
    /// Without a place.
    pub(super) fn diagnostic(&self, path: &str) -> Diagnostic {
        let (code, what) = match self {
            Self::Read(ReadError::Missing) => ("file::missing", "is not there".to_owned()),
            Self::Read(ReadError::Dangling) => ("file::missing", "is a link that leads to nothing".to_owned()),
            Self::Read(ReadError::Circle) => {
                ("file::unreadable", "cannot be opened: the link leads to itself".to_owned())
            }
            Self::Read(ReadError::ThroughAFile) => {
                ("file::missing", "is not there: a part of the path is a file, and a folder is meant".to_owned())
            }
            Self::Read(ReadError::Outside(how)) => ("file::outside", format!("leaves the project's folder: {how}")),
            Self::Read(ReadError::Roundabout(_)) => {
                ("file::roundabout_path", "is not written as a plain path into the project's folder".to_owned())
            }
            Self::Read(ReadError::NotAFile(what)) => ("file::not_a_file", format!("is {what}, and a file is meant")),
            Self::Read(ReadError::TooLarge { limit, size }) => {
                ("file::too_large", format!("has {size} bytes, and the limit for such a file is {} MiB", limit >> 20))
            }
            Self::Read(ReadError::Unreadable(error)) => {
                ("file::unreadable", format!("cannot be read: {}", in_words(error)))
            }
            Self::Text(problem @ TextError::NotUtf8 { .. }) => ("file::not_utf8", format!("is {problem}")),
            Self::Text(problem @ TextError::Utf16) => ("file::utf16", format!("is {problem}")),
            Self::TooMuch { read } => (
                "file::too_much",
                format!(
                    "is too much: the files before it have {read} bytes, and the limit for all together is {} MiB",
                    TOTAL_LIMIT >> 20
                ),
            ),
        };
        let diagnostic = Diagnostic::error(code, format!("{} {what}", quoted(path)));
        match self {
            Self::Text(_) => diagnostic.with_help("save the file as UTF-8"),
            Self::Read(_) | Self::TooMuch { .. } => diagnostic,
        }
    }

    /// What to do where the configuration names the file.
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Read(ReadError::Missing | ReadError::ThroughAFile) => {
                "a path is relative to the file that it stands in"
            }
            Self::Read(ReadError::Dangling | ReadError::Circle) => {
                "make the link anew, or name the file that it is for"
            }
            Self::Read(ReadError::Outside(_)) => {
                "move the file into the folder, or write `allow_outside = true` beside the path"
            }
            Self::Read(ReadError::Roundabout(straight)) => {
                return Some(format!("write it relative and without `..`: {}", quoted(straight)));
            }
            Self::Read(ReadError::NotAFile("a folder")) => "name a file in it",
            Self::Read(ReadError::NotAFile("a named pipe")) => "put what comes out of it into a file, and name that",
            Self::Read(ReadError::NotAFile(_)) => "name a file",
            Self::Read(ReadError::TooLarge { limit: SCHEMA_LIMIT, .. }) => {
                "split it: `tool_schemas` takes several files"
            }
            Self::Read(ReadError::TooLarge { .. }) => {
                "split it into sections, and leave out what a model need not read"
            }
            Self::Read(ReadError::Unreadable(error)) => return may_read(error).map(str::to_owned),
            Self::Text(_) => return None,
            Self::TooMuch { .. } => "a prompt is made of less: leave files out, or parts of them",
        };
        Some(help.to_owned())
    }

    /// What to do where the file is `dsh.toml` itself.
    pub(super) fn help_for_config(&self) -> Option<&'static str> {
        match self {
            Self::Read(ReadError::Outside(_)) => {
                Some("put the file itself there, or give `--dir` the folder in which it lies")
            }
            Self::Read(ReadError::Dangling | ReadError::Circle) => Some("make the link anew, or take it away"),
            Self::Read(ReadError::TooLarge { .. }) => Some("move long texts into files: `file = \"…\"`"),
            Self::Read(ReadError::NotAFile(_)) => Some("a configuration is a file of this name"),
            Self::Read(ReadError::Unreadable(error)) => may_read(error),
            Self::Read(_) | Self::Text(_) | Self::TooMuch { .. } => None,
        }
    }

    /// What to do where the file was found in a folder.
    pub(super) fn help_for_found(&self) -> Option<&'static str> {
        match self {
            Self::Read(ReadError::Outside(_)) => Some("put the file itself there"),
            Self::Read(ReadError::NotAFile(_)) => Some("give it another name, without `.md`"),
            Self::Read(ReadError::Unreadable(error)) => may_read(error),
            Self::Read(ReadError::Dangling | ReadError::Circle) => Some("make the link anew, or take it away"),
            Self::Read(ReadError::TooLarge { .. }) | Self::TooMuch { .. } => {
                Some("leave out what a model need not read")
            }
            Self::Read(_) | Self::Text(_) => None,
        }
    }

    /// Whether there is no configuration at all.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Read(ReadError::Missing))
    }
}
