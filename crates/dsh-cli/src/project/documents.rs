//! The documents of a configuration, made one tree: the user's file, the project's with what it includes, the chosen profile, the
//! environment, the command line (C5).

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::NoProject;
use super::bases::Root;
use super::files::Files;
use super::left_texts::LeftTexts;
use crate::config::{self, Ask, At, Branch, FILE_NAME, FileRef, Profiles, Tier, asks, overlay};
use crate::diagnostic::{Diagnostic, Report, SourceId, Sources, Span};
use crate::names::{list, nearest, quoted};
use crate::trust::comes_from_project;

/// The user's own file, in the folder of dsh's configuration.
pub(super) const USER_FILE: &str = "config.toml";

/// So deep do includes nest.
const DEEPEST: usize = 16;

/// So many files are included at most, one that is included twice counting twice.
const MOST_INCLUDES: usize = 256;

/// What is said of a project from outside of its folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// The folder of the user's own configuration.
    pub(crate) user_folder: Option<PathBuf>,
    /// The profile that is asked for.
    pub(crate) profile: Option<String>,
    /// Whether the environment asks for it.
    pub(crate) profile_by_environment: bool,
    /// Variables of the environment that stand for keys of the configuration: their names, keys and values.
    pub(crate) environment: Vec<(&'static str, &'static str, String)>,
    /// `--config KEY=VALUE`
    pub(crate) config: Vec<String>,
    /// `--set NAME=VALUE`
    pub(crate) set: Vec<(String, String)>,
}

/// A configuration that is one tree.
#[derive(Debug)]
pub(super) struct Documents {
    /// The tree, the chosen profile laid over it.
    pub(super) tree: Branch,
    /// The profiles that were not chosen.
    pub(super) others: Profiles,
    /// The names of all profiles.
    pub(super) profiles: Vec<At<String>>,
    /// The texts that this run leaves out.
    pub(super) left_texts: LeftTexts,
    /// The project's own file; an empty text if there is none.
    pub(super) source: SourceId,
    /// What the project's documents ask for beyond being text, whatever is laid over them and whichever profile is chosen.
    pub(super) asks: Vec<Ask>,
}

/// Reads every document. What can be read is, whatever is wrong with another.
pub(super) fn read(overrides: &Overrides, files: &mut Files<'_>, report: &mut Report) -> Result<Documents, NoProject> {
    let mut reading = Reading { files, report, open: Vec::new(), included: 0, too_many: false, read: HashMap::new() };
    let user = reading.user();
    let project = reading.project();
    let said = reading.said(overrides);
    let (mut tree, (source, project), said) = (user?, project?, said?);
    let mut asks = [asks(&tree), asks(&project)].concat();
    asks.retain(|found| comes_from_project(files.sources, found.span));
    overlay(&mut tree, project);
    let mut others = Profiles::take(&mut tree, report);
    let named = others.others().map(|(name, profile)| At { value: name.to_owned(), span: profile.span });
    let profiles = named.collect();
    let beneath = LeftTexts::of(&tree);
    if let Some(name) = &overrides.profile {
        if !others.choose(name, &mut tree, report) {
            report.push(unknown_profile(name, overrides.profile_by_environment, &others));
            return Err(NoProject);
        }
        report.tell(format!("the profile {} holds", quoted(name)));
    }
    for said in said {
        overlay(&mut tree, said);
    }
    for (name, value) in &overrides.set {
        // Messages show a source's text, and never a variable's value (C3).
        let source = files.sources.add_said("--set", format!("{name}=…"));
        config::set(&mut tree, source, name, value);
    }
    let present = LeftTexts::of(&tree);
    let of_others = others.others().map(|(_, profile)| LeftTexts::of(profile.own));
    let left_texts =
        of_others.fold(beneath, |all, texts| all.with(texts, &present)).with(LeftTexts::default(), &present);
    Ok(Documents { tree, others, profiles, left_texts, source, asks })
}

/// The keys whose values messages show; any other may be meant for `variables`.
const SHOWN: [&str; 13] = [
    "agents",
    "allow_outside",
    "compaction",
    "identity",
    "instructions",
    "limits",
    "model",
    "permissions",
    "persona",
    "persona_file",
    "subagents",
    "tool_order",
    "tool_schemas",
];

/// A `--config KEY=VALUE` as messages show it. A variable's value never stands in one (C3), and where the whole is not readable, nobody
/// knows what the value was to be.
fn without_secret(flag: &str) -> String {
    let key = flag.split('=').next().unwrap_or_default();
    // An escape in a key may stand for any of its letters.
    let is_known = SHOWN.contains(&key.split('.').next().unwrap_or_default().trim());
    let may_be_variable = || !is_known || flag.contains("variables") || key.contains('\\');
    let nowhere = || Sources::new().add_said("", String::new());
    let is_readable = || config::flag(nowhere(), flag, &mut Report::new()).is_ok();
    if may_be_variable() || !is_readable() { format!("{key}=…") } else { flag.to_owned() }
}

fn unknown_profile(name: &str, by_environment: bool, profiles: &Profiles) -> Diagnostic {
    let names: Vec<&str> = profiles.names().collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "no profiles are configured: a table `[profiles.NAME]` makes one".to_owned(),
        None => format!("the profiles are {}", list(names)),
    };
    let source = by_environment.then(|| "the environment variable DSH_PROFILE names it".to_owned());
    let diagnostic = Diagnostic::error("cli::unknown_profile", format!("there is no profile {}", quoted(name)));
    Diagnostic { notes: source.into_iter().collect(), ..diagnostic }.with_help(help)
}

/// The documents, while they are read.
struct Reading<'r, 'p> {
    files: &'r mut Files<'p>,
    report: &'r mut Report,
    /// The documents that include one another down to the present one, each with the place that names the next.
    open: Vec<(SourceId, Option<Span>)>,
    included: usize,
    /// That there are too many has been reported.
    too_many: bool,
    /// The documents that were read whole: one may be included many times.
    read: HashMap<(SourceId, Tier), Included>,
}

/// A document with what it includes under it.
#[derive(Clone)]
struct Included {
    /// None, where it cannot be read; why has been reported.
    tree: Option<Rc<Branch>>,
    /// So many includes did it take.
    includes: usize,
}

impl Reading<'_, '_> {
    /// The user's own file, if there is one.
    fn user(&mut self) -> Result<Branch, NoProject> {
        if let Some(problem) = self.files.not_a_user_folder() {
            self.report.push(problem);
        }
        match self.files.unnamed(Root::User, USER_FILE) {
            Ok(source) => self.parse(source, Tier::User),
            Err(problem) if problem.is_missing() => Ok(Branch::default()),
            Err(problem) => {
                let path = self.files.display(Root::User, USER_FILE);
                let help = problem.help_for_config().map(str::to_owned);
                self.report.push(problem.found(&path, self.files.sources).with_help_if(help));
                Err(NoProject)
            }
        }
    }

    /// The project's file. Without one the defaults hold, and a note says so (C2).
    fn project(&mut self) -> Result<(SourceId, Branch), NoProject> {
        let path = self.files.display(Root::Project, FILE_NAME);
        match self.files.unnamed(Root::Project, FILE_NAME) {
            Ok(source) => Ok((source, self.parse(source, Tier::Project)?)),
            Err(problem) if problem.is_missing() => {
                self.report.push(self.files.no_configuration());
                Ok((self.files.sources.add(path, String::new()), Branch::default()))
            }
            Err(problem) => {
                let help = problem.help_for_config().map(str::to_owned);
                self.report.push(problem.found(&path, self.files.sources).with_help_if(help));
                Err(NoProject)
            }
        }
    }

    /// A document with what it includes under it; read once, and counted each time.
    fn document(&mut self, source: SourceId, tier: Tier) -> Result<Rc<Branch>, NoProject> {
        if let Some(Included { tree, includes }) = self.read.get(&(source, tier)).cloned() {
            self.included += includes;
            return tree.ok_or(NoProject);
        }
        let before = self.included;
        let tree = self.parse(source, tier).map(Rc::new);
        let included = Included { tree: tree.as_ref().ok().cloned(), includes: self.included - before };
        self.read.insert((source, tier), included);
        tree
    }

    fn parse(&mut self, source: SourceId, tier: Tier) -> Result<Branch, NoProject> {
        let text = self.files.sources.text(source).to_owned();
        let mut own = config::parse(source, tier, &text, self.report).map_err(|config::NotToml| NoProject)?;
        let includes = config::includes(&mut own, Span::new(source, 0..0), self.report);
        let mut whole = Ok(Branch::default());
        let mut last = None;
        for include in includes {
            self.open.push((source, Some(include.path.span)));
            let included = self.include(&include, tier);
            self.open.pop();
            match (&mut whole, included) {
                // Laid twice on one spot, it says nothing new.
                (Ok(_), Ok(included)) if last.as_ref().is_some_and(|last| Rc::ptr_eq(last, &included)) => {}
                (Ok(whole), Ok(included)) => {
                    overlay(whole, Branch::clone(&included));
                    last = Some(included);
                }
                (whole, _) => *whole = Err(NoProject),
            }
        }
        let mut whole = whole?;
        overlay(&mut whole, own);
        Ok(whole)
    }

    fn include(&mut self, file: &FileRef, tier: Tier) -> Result<Rc<Branch>, NoProject> {
        self.included += 1;
        if self.too_many {
            return Err(NoProject);
        }
        if self.open.len() > DEEPEST || self.included > MOST_INCLUDES {
            self.too_many = true;
            let headline = format!("includes nest more than {DEEPEST} deep, or are more than {MOST_INCLUDES}");
            self.report.push(
                Diagnostic::error("config::too_many_includes", headline)
                    .at(file.path.span, "is not read any more")
                    .with_help("a configuration is made of few files: put what belongs together into one"),
            );
            return Err(NoProject);
        }
        let source = self.files.configuration(file, self.report).ok_or(NoProject)?;
        if let Some(first) = self.open.iter().position(|(open, _)| *open == source) {
            self.report.push(self.cycle(first));
            return Err(NoProject);
        }
        self.document(source, tier)
    }

    /// The documents from the `first` open one on include each other.
    fn cycle(&self, first: usize) -> Diagnostic {
        let ring = self.open.get(first..).unwrap_or_default();
        let name = |source: &SourceId| quoted(self.files.sources.get(*source).map_or("", |source| &source.path));
        let mut names: Vec<String> = ring.iter().map(|(source, _)| name(source)).collect();
        names.extend(names.first().cloned());
        let mut diagnostic =
            Diagnostic::error("config::include_cycle", format!("files include each other: {}", names.join(" → ")));
        let places = ring.iter().rev().filter_map(|(_, place)| *place);
        for (index, place) in places.enumerate() {
            diagnostic = diagnostic.at(place, if index == 0 { "closes the circle" } else { "leads here" });
        }
        diagnostic.with_help("take one of these includes out")
    }

    /// What the environment and the command line say, in this order.
    fn said(&mut self, overrides: &Overrides) -> Result<Vec<Branch>, NoProject> {
        let mut said = Vec::new();
        let mut environment = Vec::new();
        for (variable, key, value) in &overrides.environment {
            let source = self.files.sources.add_said(variable, value.clone());
            environment.push((*variable, *key, Span::new(source, 0..value.len())));
            said.push(config::environment(key, source, value));
        }
        let place = |key: &str| environment.iter().find(|(_, of, _)| *of == key);
        if let (Some((inline, _, first)), Some((file, _, second))) = (place("persona"), place("persona_file")) {
            let headline = format!("the environment has both `{inline}` and `{file}`");
            self.report.push(
                Diagnostic::error("config::conflicting_keys", headline)
                    .at(*second, format!("`{file}`"))
                    .at(*first, format!("`{inline}`"))
                    .with_help("set one of the two"),
            );
        }
        let mut fine = true;
        for flag in &overrides.config {
            let source = self.files.sources.add_said("--config", without_secret(flag));
            match config::flag(source, flag, self.report) {
                Ok(tree) => said.push(tree),
                Err(config::NotToml) => fine = false,
            }
        }
        if fine { Ok(said) } else { Err(NoProject) }
    }
}
