//! Reading a project folder whole.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dsh_system_prompt::RunContext;
use dsh_template::Text;

use super::agent_files;
use super::bases::Bases;
use super::built_ins::BuiltIns;
use super::documents::{self, Documents, Overrides};
use super::files::{Files, TEXT_LIMIT};
use super::instructions::{self, Ground, KeptFile};
use super::left_texts::LeftTexts;
use super::misplaced;
use super::model::ModelSource;
use super::permissions::Permissions;
use super::subagents::{Subagents, TASK};
use super::tool_order;
use super::tools::{self, Tools};
use super::{Agent, Layer, Loaded, Origin, Section};
use crate::config::{
    self, At, Branch, Compaction, Config, FILE_NAME, Format, Limits, OffsetMap, Topic, Wording, Words,
};
use crate::diagnostic::{Concern, Diagnostic, Report, Sources, Span};
use crate::names::quoted;
use crate::outside::{Environment, Folder, Repository, real_path};
use crate::trust::{Trust, TrustContext, TrustSet, comes_from_project, resolve};

/// Everything that was read; what is wrong in it was reported and left out.
#[derive(Debug)]
pub(crate) struct Project {
    /// The path of its `dsh.toml`, as a person may type it.
    pub(crate) config: String,
    /// What the file speaks of, in its order.
    pub(crate) topics: Vec<Topic>,
    /// Whether the harness says what it is.
    pub(crate) identity: bool,
    /// The profile that was chosen.
    pub(crate) profile: Option<String>,
    /// The names of all profiles.
    pub(crate) profiles: Vec<At<String>>,
    /// The texts of the configuration that hold in another run.
    pub(crate) left_texts: LeftTexts,
    /// The whole configuration, as it was merged.
    pub(crate) tree: Branch,
    /// Where the paths in each document of it start.
    pub(crate) bases: Bases,
    /// The model that is spoken to, and the project's folder.
    pub(crate) run: RunContext,
    /// The order of tools; none, where it is wrong.
    pub(crate) tool_order: Option<At<Vec<At<String>>>>,
    /// What all agents share.
    pub(crate) layer: Layer,
    /// The sections of instruction files that were found.
    pub(crate) instructions: Vec<Section>,
    /// Instruction files that shared sections have for their texts.
    pub(crate) kept_files: Vec<KeptFile>,
    /// The variables that are always there.
    pub(crate) built_ins: BuiltIns,
    /// The agents, in the order of the file, and those that have files of their own, by the names of these.
    pub(crate) agents: Vec<Agent>,
    /// Whether these are all: the folder of their files could be read.
    pub(crate) knows_all_agents: bool,
    /// The tools.
    pub(crate) tools: Tools,
    /// The model that a run speaks to.
    pub(crate) model: ModelSource,
    /// What everybody's calls may do.
    pub(crate) permissions: Permissions,
    /// What a turn may not have more of, where that is said.
    pub(crate) limits: Limits,
    /// When sessions are compacted, if they are.
    pub(crate) compaction: Option<Compaction>,
    /// Which agents may work for others, if any may.
    pub(crate) subagents: Option<Subagents>,
    /// The project's folder: commands run in it.
    pub(crate) folder: PathBuf,
    /// What commands see of the environment.
    pub(crate) command_environment: Vec<(OsString, OsString)>,
    /// What the files ask for beyond being text.
    pub(crate) asks: TrustSet,
    /// Whether that is done.
    pub(crate) trust: Trust,
}

/// What is said of a project from outside of its folder.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// What stands in the configuration's place.
    pub(crate) overrides: Overrides,
    /// The environment that variables are read from.
    pub(crate) environment: Environment,
    /// What decides whether they are.
    pub(crate) trust: TrustContext,
}

/// The configuration cannot be read as TOML, or not at all; why has been reported.
#[derive(Debug)]
pub(crate) struct NoProject;

impl Project {
    /// Reads the project of this folder, with what is said of it from outside.
    pub(crate) fn read(
        folder: &Folder,
        surroundings: &Surroundings,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<Self, NoProject> {
        let Surroundings { overrides, environment, trust } = surroundings;
        let mut files = Files::new(folder, overrides.user_folder.as_deref(), sources);
        let Documents { tree, others, profiles, left_texts, source, asks } =
            documents::read(overrides, &mut files, report)?;
        let place = Span::new(source, 0..0);
        let asks = TrustSet::of(asks);
        let trust = Trust::decide(&asks, folder.path(), trust, report);
        let config = config::read(&tree, place, &others, report);
        let repository = Repository::around(folder);
        let ground = Ground { folder, repository: repository.as_ref() };
        let built_ins = BuiltIns::read(environment, ground.repository, report);
        let taken = instructions::named_in(&config.layer, |file| files.open(file));
        let settings = config.instructions.clone();
        let read = Self::of(config, tree, &Reading { asks: &asks, trust, environment }, &mut files, report);
        let (instructions, kept_files) = instructions::read(&settings, ground, &taken, files.sources, report);
        let (config, profile) = (folder.display(FILE_NAME), overrides.profile.clone());
        let folder = real_path(folder.path()).unwrap_or_else(|_| folder.path().to_path_buf());
        let run = run_context(&folder, read.model.name.as_deref());
        let may_run = read.tools.commands.iter().any(|command| command.may_run);
        let command_environment = if may_run { environment.for_commands() } else { Vec::new() };
        Ok(Self {
            config,
            profile,
            bases: files.bases,
            profiles,
            left_texts,
            run,
            folder,
            command_environment,
            instructions,
            kept_files,
            built_ins,
            asks,
            trust,
            ..read
        })
    }

    /// The agent of this name.
    pub(crate) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name.value == name)
    }

    fn of(mut config: Config, tree: Branch, reading: &Reading<'_>, files: &mut Files<'_>, report: &mut Report) -> Self {
        let mut tools = tools::read(&config.tool_schemas, files, report);
        tools.take_commands(&config.tools, reading.trust, reading.asks, files, report);
        config.subagents = config.subagents.filter(|written| tools.take_built_in(TASK, written.span, report));
        let model = ModelSource::read(&config.model, reading.trust, reading.asks, files, report);
        let permissions = Permissions::read(config.permissions, reading.trust, &tools, files.sources, report);
        let tool_order = tool_order::checked(config.tool_order.take(), &tools, report);
        let shared = layer(config.layer, &tools, reading, files, report);
        let knows_all_agents = agent_files::read(&mut config.agents, files, report);
        if !config.agents.is_empty() && !config.concerns.contains(&Topic::Agents) {
            config.concerns.push(Topic::Agents);
        }
        let mut agents = Vec::new();
        for agent in config.agents {
            let concern = Concern::Agent(agent.name.value.clone());
            agents.push(report.about(concern, |report| {
                let own = layer(agent.layer, &tools, reading, files, report);
                let filter = agent.tools.map(|rules| tools.filter(&rules, &agent.name.value, report));
                let permissions = Permissions::read(agent.permissions, reading.trust, &tools, files.sources, report);
                let config::Agent { name, home, description, limits, .. } = agent;
                Agent { name, home, description, layer: own, filter, permissions, limits }
            }));
        }
        let subagents = config
            .subagents
            .as_ref()
            .map(|written| Subagents::read(written, reading.trust, &agents, knows_all_agents, files.sources, report));
        misplaced::report(&shared, &agents, files.sources, report);
        Self {
            config: String::new(),
            profile: None,
            profiles: Vec::new(),
            left_texts: LeftTexts::default(),
            tree,
            bases: Bases::default(),
            topics: config.concerns,
            identity: config.identity.is_none_or(|identity| identity.value),
            run: RunContext::new(),
            tool_order,
            layer: shared,
            instructions: Vec::new(),
            kept_files: Vec::new(),
            built_ins: BuiltIns::default(),
            agents,
            knows_all_agents,
            tools,
            model,
            permissions,
            limits: config.limits,
            compaction: config.compaction,
            subagents,
            folder: PathBuf::new(),
            command_environment: Vec::new(),
            asks: TrustSet::default(),
            trust: reading.trust,
        }
    }
}

/// What is known of a run before there is one.
fn run_context(folder: &Path, model: Option<&str>) -> RunContext {
    let run = RunContext::new().cwd(folder);
    match model {
        Some(model) => run.model(model),
        None => run,
    }
}

/// How the values of variables are come by.
struct Reading<'e> {
    asks: &'e TrustSet,
    trust: Trust,
    environment: &'e Environment,
}

fn layer(
    layer: config::Layer,
    tools: &Tools,
    reading: &Reading<'_>,
    files: &mut Files<'_>,
    report: &mut Report,
) -> Layer {
    let persona = layer.persona.as_ref().and_then(|wording| loaded(wording, files, report));
    let mut sections = Vec::new();
    for section in layer.sections {
        if let Some(words) = loaded(&section.wording, files, report) {
            let requires_tools = required(section.requires_tools, tools, files.sources, report);
            sections.push(Section { name: section.name, order: section.order, words, requires_tools });
        }
    }
    let is_own = |span| !comes_from_project(files.sources, span);
    let Reading { asks, trust, environment } = *reading;
    let variables = resolve(layer.variables, trust, asks, is_own, &|name| environment.var(name));
    Layer { persona, sections, variables }
}

/// The tools that a section requires (X11). One that the project does not have is told of, but where the user's own file, which is for
/// all projects, requires it.
fn required(names: Vec<At<String>>, tools: &Tools, sources: &Sources, report: &mut Report) -> Vec<String> {
    for name in &names {
        if tools.is_complete() && tools.place(&name.value).is_none() && comes_from_project(sources, name.span) {
            let guess = tools.guess(&name.value, report);
            report.push(
                Diagnostic::warning(
                    "config::unmet_requirement",
                    format!("this project has no tool {}: the section is left out", quoted(&name.value)),
                )
                .at(name.span, "required here")
                .with_help_if(guess),
            );
        }
    }
    names.into_iter().map(|name| name.value).collect()
}

fn loaded(wording: &Wording, files: &mut Files<'_>, report: &mut Report) -> Option<Loaded> {
    let (words, origin) = match &wording.words {
        Words::Inline(text) => {
            let source = text.span.source;
            let file = files.sources.text(source);
            let map = OffsetMap::of_toml_string(file, text.span.range(), &text.value);
            (Arc::from(text.value.as_str()), Origin { source, map, declared: text.span })
        }
        Words::File(file) => {
            let source = files.named(file, TEXT_LIMIT, report)?;
            (files.says(source), Origin { source, map: OffsetMap::Identity, declared: file.path.span })
        }
        Words::Body(body) => {
            let words = files.sources.text(body.source).get(body.range()).unwrap_or_default();
            // The whole is too long to be pointed at.
            let line = words.find('\n').unwrap_or(words.len());
            let declared = Span { end: body.start + line, ..*body };
            (Arc::from(words), Origin { source: body.source, map: OffsetMap::From(body.start), declared })
        }
    };
    let text = match wording.format {
        Format::Raw => Text::raw(words),
        Format::Template => Text::template(words),
    };
    Some(Loaded { text, origin })
}
