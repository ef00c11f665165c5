//! Files of instructions to agents, found where people put them: one in each folder from the repository's root down to the project's.
//!
//! Nobody names these files, so they alone may lie outside the project's folder. Each becomes a raw section that says which file it is:
//! what people wrote for people never fails a prompt (X1).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use dsh_system_prompt::show_path;
use dsh_template::Text;

use super::files::{Problem, TEXT_LIMIT, decoded};
use super::{Loaded, Origin, Section};
use crate::config::{self, At, FileRef, INSTRUCTION_FILES, Instructions, OffsetMap, PERSONA, Words};
use crate::diagnostic::{Diagnostic, Report, Sources, Span};
use crate::names::quoted;
use crate::outside::{FileIdentity, Folder, OpenFile, ReadError, Repository, straight};

/// At most so many sizes are listed where all together are too much.
const MOST_SIZES: usize = 12;

/// Where files are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'g> {
    /// The project's folder.
    pub(super) folder: &'g Folder,
    /// The repository that it lies in.
    pub(super) repository: Option<&'g Repository>,
}

/// Instruction files that the configuration puts into the prompt itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedFiles(BTreeMap<FileIdentity, String>);

/// An instruction file that is the text of a shared section, and so makes no section of its own.
#[derive(Clone, Debug)]
pub(crate) struct KeptFile {
    /// Its path, as a person may type it.
    pub(crate) path: String,
    /// The section that has it.
    pub(crate) section: String,
}

/// Reads the instruction files of a project: a section of each, the one of the repository's root first. What is wrong is reported.
///
/// `named` are files that the configuration puts into the prompt itself; these, and a file that two paths lead to, count once.
pub(super) fn read(
    settings: &Instructions,
    ground: Ground<'_>,
    named: &NamedFiles,
    sources: &mut Sources,
    report: &mut Report,
) -> (Vec<Section>, Vec<KeptFile>) {
    let mut kept = Vec::new();
    if !settings.enabled {
        return (Vec::new(), kept);
    }
    let mut taken = BTreeSet::new();
    let mut gathered = Gathered { settings, total: 0, sizes: Vec::new(), crossing: None, sections: Vec::new() };
    for depth in 0..=ground.depth() {
        let Some(found) = ground.first(depth, settings, sources, report) else { continue };
        let identity = found.file.identity().clone();
        if let Some(section) = named.0.get(&identity) {
            kept.push(KeptFile { path: found.path, section: section.clone() });
        } else if taken.insert(identity) {
            gathered.take(found, sources, report);
        }
    }
    (gathered.end(report), kept)
}

/// The instruction files that a project in this folder has if it says nothing of them, the one of the repository's root first: their paths
/// from the folder.
pub(crate) fn without_configuration(folder: &Folder) -> Vec<String> {
    let repository = Repository::around(folder);
    let ground = Ground { folder, repository: repository.as_ref() };
    let (settings, mut taken) = (Instructions::default(), BTreeSet::new());
    let mut paths = Vec::new();
    for depth in 0..=ground.depth() {
        // What is wrong with one is told where it is read.
        let Some(found) = ground.first(depth, &settings, &mut Sources::new(), &mut Report::new()) else { continue };
        if found.file.size() > 0 && taken.insert(found.file.identity().clone()) {
            let name = Path::new(&found.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
            paths.push("../".repeat(ground.depth() - depth) + &name);
        }
    }
    paths
}

/// The files that a layer of the configuration names for its texts, as far as they are there.
pub(super) fn named_in(layer: &config::Layer, open: impl Fn(&FileRef) -> Option<OpenFile>) -> NamedFiles {
    let persona = layer.persona.iter().map(|wording| (PERSONA, wording));
    let sections = layer.sections.iter().map(|section| (section.name.value.as_str(), &section.wording));
    let mut named = BTreeMap::new();
    for (section, wording) in persona.chain(sections) {
        let Words::File(file) = &wording.words else { continue };
        if let Some(file) = open(file) {
            named.entry(file.identity().clone()).or_insert_with(|| section.to_owned());
        }
    }
    NamedFiles(named)
}

/// A file that was found, open.
#[derive(Debug)]
struct Found {
    /// Its path as a person may type it.
    path: String,
    /// Its path from the repository's root, as a model is told it.
    name: String,
    file: OpenFile,
}

impl Ground<'_> {
    /// How many folders below the repository's root the project's folder is.
    fn depth(&self) -> usize {
        self.repository.map_or(0, |repository| repository.steps().len())
    }

    /// The first file there is in the folder that is `depth` below the root; what is there and cannot be taken is reported.
    fn first(
        &self,
        depth: usize,
        settings: &Instructions,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Option<Found> {
        let root = self.repository.map_or(self.folder, Repository::root);
        let steps = self.repository.and_then(|repository| repository.steps().get(..depth)).unwrap_or_default();
        let folder: PathBuf = steps.iter().collect();
        for name in INSTRUCTION_FILES.0.iter().copied().chain(settings.names.iter().map(String::as_str)) {
            match root.open_file(folder.join(name), settings.reach) {
                Ok(file) => {
                    let steps = steps.iter().map(Path::new).chain([Path::new(name)]);
                    let shown: Vec<Cow<'_, str>> = steps.map(show_path).collect();
                    return Some(Found { path: self.path(depth, name), name: shown.join("/"), file });
                }
                Err(ReadError::Missing) => {}
                Err(ReadError::Outside(_)) => {
                    let path = self.path(depth, name);
                    report.push(self.leads_out(&path).at(sources.blank(path), ""));
                    return None;
                }
                Err(error) => {
                    report.push(refused(&Problem::Read(error), &self.path(depth, name), sources));
                    return None;
                }
            }
        }
        None
    }

    fn leads_out(&self, path: &str) -> Diagnostic {
        let whole = if self.repository.is_some() { "the repository" } else { "the project's folder" };
        Diagnostic::error("file::outside", format!("{} is a link that leads out of {whole}", quoted(path)))
            .with_help("put the file itself there, or write `allow_outside = true` under `[instructions]` in dsh.toml")
    }

    /// The path of a file in the folder that is `depth` below the root, as a person may type it.
    fn path(&self, depth: usize, name: &str) -> String {
        let own = self.folder.path();
        let mut path = if own == Path::new(".") { PathBuf::new() } else { own.to_path_buf() };
        path.extend(std::iter::repeat_n("..", self.depth() - depth));
        straight(&path.join(name)).display().to_string()
    }
}

/// What can be done with what is too long.
const SHORTEN: &str = "what only some tasks need can stand in files that agents read when they need them";

/// What was taken so far.
#[derive(Debug)]
struct Gathered<'s> {
    settings: &'s Instructions,
    /// The bytes of all files.
    total: u64,
    /// Each file and its bytes.
    sizes: Vec<(String, u64)>,
    /// The start of the file with which they are too much, if that could be read.
    crossing: Option<Span>,
    sections: Vec<Section>,
}

impl Gathered<'_> {
    fn is_full(&self) -> bool {
        self.total > self.settings.max_bytes
    }

    /// Takes a file. Once all together are too much, only the sizes of more are noted.
    fn take(&mut self, found: Found, sources: &mut Sources, report: &mut Report) {
        let (was_full, size) = (self.is_full(), found.file.size());
        let read = if was_full { None } else { Some(found.file.read(TEXT_LIMIT)) };
        let size = match &read {
            Some(Ok(bytes)) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Some(Err(_)) | None => size,
        };
        self.total = self.total.saturating_add(size);
        self.sizes.push((found.path.clone(), size));
        let Some(read) = read else { return };
        match read.map_err(Problem::Read).and_then(decoded) {
            Ok((text, lost)) => {
                let source = sources.add(found.path, text);
                sources.note_lost(source, lost);
                let start = Span::new(source, 0..0);
                if self.is_full() {
                    self.crossing = Some(start);
                } else {
                    self.sections.extend(section(&found.name, start, self.settings.order, sources.text(source)));
                }
            }
            // What all together are too much for is told first.
            Err(_) if self.is_full() => {}
            Err(problem) => report.push(refused(&problem, &found.path, sources)),
        }
    }

    /// The sections; none where the files are too much.
    fn end(self, report: &mut Report) -> Vec<Section> {
        if !self.is_full() {
            return self.sections;
        }
        report.push(self.too_large());
        Vec::new()
    }

    fn too_large(&self) -> Diagnostic {
        let (total, limit) = (self.total, self.settings.max_bytes);
        let headline = match self.sizes.as_slice() {
            [(path, _)] => format!("the instruction file {} has {total} bytes, and the limit is {limit}", quoted(path)),
            _ => format!("the instruction files have {total} bytes together, and the limit is {limit}"),
        };
        let mut diagnostic = Diagnostic::error("instructions::too_large", headline);
        if let Some(place) = self.crossing {
            diagnostic =
                diagnostic.at(place, if self.sizes.len() == 1 { "" } else { "with this file they are too much" });
        }
        if let Some(place) = self.settings.max_bytes_place {
            diagnostic = diagnostic.at(place, "the limit");
        }
        if self.sizes.len() > 1 {
            let shown = self.sizes.iter().take(MOST_SIZES);
            let mut sizes: Vec<String> = shown.map(|(path, size)| format!("{} {size}", quoted(path))).collect();
            if let Some(more) = self.sizes.len().checked_sub(MOST_SIZES + 1) {
                sizes.push(format!("and {} more", more + 1));
            }
            diagnostic = diagnostic.with_note(format!("in bytes: {}", sizes.join(", ")));
        }
        let raise = "or raise `max_bytes` under `[instructions]` in dsh.toml";
        let files = if self.sizes.len() == 1 { "it" } else { "them" };
        diagnostic.with_help(format!("shorten {files}: {SHORTEN}")).with_help(raise)
    }
}

/// The section that a file makes; a file without a word makes none.
pub(crate) fn section(name: &str, start: Span, order: f64, says: &str) -> Option<Section> {
    if says.trim().is_empty() {
        return None;
    }
    let mut text = format!("Instructions from {name}:\n\n");
    let map = OffsetMap::Behind(text.len());
    text.push_str(says.strip_suffix('\n').unwrap_or(says));
    Some(Section {
        name: At { value: format!("instructions:{name}"), span: start },
        order: At { value: order, span: start },
        words: Loaded { text: Text::raw(text), origin: Origin { source: start.source, map, declared: start } },
        requires_tools: Vec::new(),
    })
}

/// What is said of a file that is there and cannot be taken.
fn refused(problem: &Problem, path: &str, sources: &mut Sources) -> Diagnostic {
    let help = match problem {
        Problem::Read(ReadError::TooLarge { .. }) => Some(format!("shorten it: {SHORTEN}")),
        Problem::Read(_) => Some(
            "what has this name is taken for instructions to agents; `instructions = false` in dsh.toml leaves all out"
                .to_owned(),
        ),
        Problem::Text { .. } | Problem::TooMuch { .. } => None,
    };
    problem.found(path, sources).with_help_if(help)
}
