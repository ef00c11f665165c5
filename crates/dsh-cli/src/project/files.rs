//! Reading the files that a configuration names: each once, within limits, with a diagnostic at the place that names it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path};
use std::sync::Arc;

use super::bases::{Base, Bases, Root};
use super::near_file;
use crate::config::{FILE_NAME, FileRef};
use crate::diagnostic::{Diagnostic, Report, SourceId, Sources, Span};
use crate::names::quoted;
use crate::outside::{
    CameTogether, Folder, FolderError, ListError, Lost, OpenFile, Reach, ReadError, TextError, came_together,
    decode_noting, in_words, may_read, real_path, straightened,
};

/// The most that is read of a text file.
pub(crate) const TEXT_LIMIT: u64 = 1 << 20;

/// The most that is read of a file of tool schemas.
pub(crate) const SCHEMA_LIMIT: u64 = 8 << 20;

/// The most that is read of all files together.
const TOTAL_LIMIT: u64 = 64 << 20;

/// The files of a project, while it is read.
#[derive(Debug)]
pub(super) struct Files<'p> {
    project: &'p Folder,
    user: Option<Folder>,
    /// Why the user's own folder, which is there, is none.
    not_a_user_folder: Option<Diagnostic>,
    /// The folder of all that came with the project, where there is a user's own.
    came_together: Option<CameTogether>,
    pub(super) sources: &'p mut Sources,
    /// Files that were taken in, by root, path, reach and limit. Two agents may share a guide of a megabyte.
    taken: BTreeMap<(Root, String, Reach, u64), SourceId>,
    /// What files say, where sections were made of them: many may share one text.
    texts: BTreeMap<SourceId, Arc<str>>,
    /// Where the paths in each document start.
    pub(super) bases: Bases,
    /// Bytes that were read.
    total: u64,
    /// The first file that was too much has been reported.
    full: bool,
}

impl<'p> Files<'p> {
    /// `user` is the folder of the user's own configuration, which need not be there.
    pub(super) fn new(project: &'p Folder, user: Option<&Path>, sources: &'p mut Sources) -> Self {
        let (user, not_a_user_folder) = own_folder(user);
        let came_together = user.as_ref().and_then(|_| came_together(project.path()).ok());
        let real = user.as_ref().map(|user| real_path(user.path()).unwrap_or_else(|_| user.path().to_path_buf()));
        Self {
            project,
            user,
            not_a_user_folder,
            came_together,
            sources,
            taken: BTreeMap::new(),
            texts: BTreeMap::new(),
            bases: Bases::new(real.unwrap_or_default()),
            total: 0,
            full: false,
        }
    }

    /// Why what should be the folder of the user's own configuration is none.
    pub(super) fn not_a_user_folder(&mut self) -> Option<Diagnostic> {
        self.not_a_user_folder.take()
    }

    /// Whether what starts at this root is the project's. So is what is called the user's own, if it came with the project, as where a
    /// container has its project, or the repository that this lies in, for a home: it speaks for the project alone (C4).
    fn is_of_project(&self, root: Root, path: &str) -> bool {
        let came_with = |user: &Folder| {
            let together = self.came_together.as_ref();
            together.is_none_or(|together| together.holds(&user.path().join(path)))
        };
        match root {
            Root::Project => true,
            Root::User => self.user.as_ref().is_none_or(came_with),
        }
    }

    /// How far a path leads: the links in the user's own folder are the user's own, too.
    fn reach(&self, root: Root, reach: Reach) -> Reach {
        if reach == Reach::Beneath && !self.is_of_project(root, "") { Reach::ByOwnLinks } else { reach }
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
        let source = self.named_with(file, TEXT_LIMIT, Problem::help_for_include, report)?;
        let (root, path) = self.way(file).ok()?;
        let folder = path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
        self.bases.insert(source, Base { root, folder });
        Some(source)
    }

    /// Takes in a file that is named in a configuration; what is wrong is reported there.
    pub(super) fn named(&mut self, file: &FileRef, limit: u64, report: &mut Report) -> Option<SourceId> {
        self.named_with(file, limit, Problem::help, report)
    }

    fn named_with(
        &mut self,
        file: &FileRef,
        limit: u64,
        help: fn(&Problem) -> Option<String>,
        report: &mut Report,
    ) -> Option<SourceId> {
        if self.full {
            return None;
        }
        let taken = self.way(file).and_then(|(root, path)| self.take(root, &path, file.reach, limit));
        match taken {
            Ok(source) => Some(source),
            Err(problem) => {
                self.full |= matches!(problem, Problem::TooMuch { .. });
                let help = self.near(file, &problem, report).or_else(|| help(&problem));
                let mut diagnostic = problem.diagnostic(file.path.value.as_str());
                // What is wrong is the file's, and nothing else: that it can be shown comes first.
                if matches!(problem, Problem::Text { error: TextError::NotUtf8 { .. }, .. })
                    && let Ok((root, path)) = self.way(file)
                {
                    diagnostic = diagnostic.at(problem.place(self.display(root, &path), self.sources), "");
                }
                report.push(diagnostic.at(file.path.span, "named here").with_help_if(help));
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
            let base = self.bases.get(file.path.span.source).map_or("", |base| base.folder.as_str());
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

    /// A place in a file that cannot be taken in.
    pub(super) fn blank(&mut self, path: &str) -> Span {
        self.sources.blank(self.project.display(path))
    }

    /// What is said of a file beneath the folder that was found, and cannot be taken in.
    pub(super) fn refused(&mut self, problem: &Problem, path: &str) -> Diagnostic {
        let place = problem.place(self.project.display(path), self.sources);
        problem.diagnostic(path).at(place, "")
    }

    /// Opens a file that is named in a configuration, to see which it is.
    pub(super) fn open(&self, file: &FileRef) -> Option<OpenFile> {
        let (root, path) = self.way(file).ok()?;
        self.folder(root)?.open_file(path, self.reach(root, file.reach)).ok()
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
        let bytes = folder.read(path, self.reach(root, reach), limit.min(left)).map_err(|error| {
            let too_much = matches!(error, ReadError::TooLarge { limit: least, .. } if least < limit);
            if too_much { Problem::TooMuch { read: self.total } } else { Problem::Read(error) }
        })?;
        let name = folder.display(path);
        self.total += u64::try_from(bytes.len()).unwrap_or(left);
        let (text, lost) = decoded(bytes)?;
        let id = if self.is_of_project(root, path) {
            self.sources.add(name, text)
        } else {
            self.sources.add_own(name, text)
        };
        self.sources.note_lost(id, lost);
        self.taken.insert(key, id);
        Ok(id)
    }

    /// The root that a path starts from, and the way from there: paths are relative to the document that they stand in.
    fn way(&self, file: &FileRef) -> Result<(Root, String), Problem> {
        let path = file.path.value.as_str();
        let Some(base) = self.bases.get(file.path.span.source) else { return Ok((Root::Project, path.to_owned())) };
        if base.folder.is_empty() || Path::new(path).has_root() {
            return Ok((base.root, path.to_owned()));
        }
        let way = format!("{}{path}", base.folder);
        if file.reach == Reach::Anywhere {
            return Ok((base.root, way));
        }
        match straightened(Path::new(&way)) {
            Some(straight) => Ok((base.root, straight.display().to_string())),
            None if Path::new(path).components().any(|part| part == Component::ParentDir) => {
                Err(Problem::Read(ReadError::Outside("the path has a `..` in it")))
            }
            None => Err(Problem::Read(ReadError::Outside("it lies beside the file that names it, which is outside"))),
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

/// The text of a file, with what was lost in decoding it.
pub(crate) fn decoded(bytes: Vec<u8>) -> Result<(String, Lost), Problem> {
    let lossy = std::str::from_utf8(&bytes).is_err().then(|| String::from_utf8_lossy(&bytes).into_owned());
    decode_noting(bytes).map_err(|error| {
        let shown = decode_noting(lossy.unwrap_or_default().into_bytes()).unwrap_or_default();
        Problem::Text { error, shown: Box::new(shown) }
    })
}

/// The folder of the user's own configuration, if there is one; or what is wrong with what is there in its place. Where not even its
/// place can be, as in a home that is no folder, there is nothing to say.
fn own_folder(path: Option<&Path>) -> (Option<Folder>, Option<Diagnostic>) {
    let Some(path) = path else { return (None, None) };
    let is_there = path.symlink_metadata().is_ok();
    let (what, help) = match Folder::open(path) {
        Ok(folder) => return (Some(folder), None),
        Err(FolderError::Missing) if is_there => ("is a link that leads to nothing".to_owned(), None),
        Err(FolderError::NotAFolder) if is_there => ("is not a folder".to_owned(), None),
        Err(FolderError::Missing | FolderError::NotAFolder) => return (None, None),
        Err(FolderError::Unreadable(error)) => (format!("cannot be opened: {}", in_words(&error)), may_read(&error)),
    };
    let headline = format!("your own configuration is not read: {} {what}", quoted(&path.display().to_string()));
    let help = help.unwrap_or("make it a folder with a `config.toml` in it, or take it away");
    (None, Some(Diagnostic::warning("config::own_folder", headline).with_help(help)))
}

/// Why a file was not taken in.
#[derive(Debug)]
pub(crate) enum Problem {
    Read(ReadError),
    /// It is no text.
    Text {
        /// Why.
        error: TextError,
        /// What can be shown of it, and what the file has besides that, up to the first wrong byte.
        shown: Box<(String, Lost)>,
    },
    /// With it, all files together would be more than is read.
    TooMuch {
        /// Bytes that were read before.
        read: u64,
    },
}

impl Problem {
    /// Without the place that names the file.
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
            Self::Read(ReadError::OfProcesses) => (
                "file::process_information",
                "is where the system tells of its processes, and is never read".to_owned(),
            ),
            Self::Read(ReadError::TooLarge { limit, size }) => {
                ("file::too_large", format!("has {size} bytes, and the limit for such a file is {} MiB", limit >> 20))
            }
            Self::Read(ReadError::Unreadable(error)) => {
                ("file::unreadable", format!("cannot be read: {}", in_words(error)))
            }
            Self::Text { error: problem @ TextError::NotUtf8 { .. }, .. } => {
                ("file::not_utf8", format!("is {problem}"))
            }
            Self::Text { error: problem @ TextError::Utf16, .. } => ("file::utf16", format!("is {problem}")),
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
            Self::Text { .. } => diagnostic.with_help("save the file as UTF-8"),
            Self::Read(_) | Self::TooMuch { .. } => diagnostic,
        }
    }

    /// As [`Problem::diagnostic`], of a file that nothing names: its place is in the file itself.
    pub(crate) fn found(&self, path: &str, sources: &mut Sources) -> Diagnostic {
        self.diagnostic(path).at(self.place(path.to_owned(), sources), "")
    }

    /// The place of the problem in its file: the first wrong byte, or the beginning.
    fn place(&self, path: String, sources: &mut Sources) -> Span {
        let Self::Text { error: TextError::NotUtf8 { line, column, .. }, shown } = self else {
            return sources.blank(path);
        };
        let (shown, lost) = shown.as_ref();
        let start: usize = shown.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let before = shown.get(start..).unwrap_or_default().char_indices().nth(column - 1);
        let at = start + before.map_or(0, |(offset, _)| offset);
        let source = sources.add(path, shown.clone());
        sources.note_lost(source, lost.clone());
        Span::new(source, at..at + 1)
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
            Self::Read(ReadError::OfProcesses) => {
                "name a file of your own; one variable of the environment comes in as `name = { env = \"NAME\" }`"
            }
            Self::Read(ReadError::TooLarge { limit: SCHEMA_LIMIT, .. }) => {
                "split it: `tool_schemas` takes several files"
            }
            Self::Read(ReadError::TooLarge { .. }) => {
                "split it into sections, and leave out what a model need not read"
            }
            Self::Read(ReadError::Unreadable(error)) => return may_read(error).map(str::to_owned),
            Self::Text { .. } => return None,
            Self::TooMuch { .. } => "a prompt is made of less: leave files out, or parts of them",
        };
        Some(help.to_owned())
    }

    /// What to do where a configuration includes the file.
    fn help_for_include(&self) -> Option<String> {
        match self {
            Self::Read(ReadError::NotAFile("a folder")) => {
                Some("`include` takes the files themselves: name each one in the folder that is meant".to_owned())
            }
            Self::Read(_) | Self::Text { .. } | Self::TooMuch { .. } => self.help(),
        }
    }

    /// What to do where the file is `dsh.toml` itself.
    pub(super) fn help_for_config(&self) -> Option<&'static str> {
        match self {
            Self::Read(ReadError::Outside(_)) => {
                Some("put the file itself there, or give `--dir` the folder in which it lies")
            }
            Self::Read(ReadError::Dangling | ReadError::Circle | ReadError::OfProcesses) => {
                Some("make the link anew, or take it away")
            }
            Self::Read(ReadError::TooLarge { .. }) => Some("move long texts into files: `file = \"…\"`"),
            Self::Read(ReadError::NotAFile(_)) => Some("a configuration is a file of this name"),
            Self::Read(ReadError::Unreadable(error)) => may_read(error),
            Self::Read(_) | Self::Text { .. } | Self::TooMuch { .. } => None,
        }
    }

    /// What to do where the file was found in a folder.
    pub(super) fn help_for_found(&self) -> Option<&'static str> {
        match self {
            Self::Read(ReadError::Outside(_)) => Some("put the file itself there"),
            Self::Read(ReadError::NotAFile(_)) => Some("give it another name, without `.md`"),
            Self::Read(ReadError::Unreadable(error)) => may_read(error),
            Self::Read(ReadError::Dangling | ReadError::Circle | ReadError::OfProcesses) => {
                Some("make the link anew, or take it away")
            }
            Self::Read(ReadError::TooLarge { .. }) | Self::TooMuch { .. } => {
                Some("leave out what a model need not read")
            }
            Self::Read(_) | Self::Text { .. } => None,
        }
    }

    /// Whether there is no configuration at all.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Read(ReadError::Missing))
    }
}
