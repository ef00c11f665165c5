//! Reading a project folder whole.

use std::sync::Arc;

use dsh_template::Text;

use super::files::{Files, TEXT_LIMIT};
use super::tools::{self, Tools};
use super::{Agent, Layer, Loaded, Origin, Section};
use crate::config::{self, At, Config, FILE_NAME, Format, OffsetMap, Topic, Wording, Words};
use crate::diagnostic::{Concern, Diagnostic, Report, SourceId, Sources};
use crate::outside::Folder;
use crate::trust::{ReadEnvironment, Trust, TrustContext, TrustSet, asks, comes_from_project, resolve};

/// Everything that was read; what is wrong in it was reported and left out.
#[derive(Debug)]
pub(crate) struct Project {
    /// The path of its `dsh.toml`, as a person may type it.
    pub(crate) config: String,
    /// What the file speaks of, in its order.
    pub(crate) topics: Vec<Topic>,
    /// Whether the harness says what it is.
    pub(crate) identity: bool,
    /// The order of tools.
    pub(crate) tool_order: Option<At<Vec<At<String>>>>,
    /// What all agents share.
    pub(crate) layer: Layer,
    /// The agents, in the order of the file.
    pub(crate) agents: Vec<Agent>,
    /// The tools.
    pub(crate) tools: Tools,
    /// What the files ask for beyond being text.
    pub(crate) asks: TrustSet,
    /// Whether that is done.
    pub(crate) trust: Trust,
}

/// The configuration cannot be read as TOML, or not at all; why has been reported.
#[derive(Debug)]
pub(crate) struct NoProject;

impl Project {
    /// Reads the project of this folder. Without a `dsh.toml` the defaults hold, and a note says so (C2).
    pub(crate) fn read(
        folder: &Folder,
        context: &TrustContext,
        environment: ReadEnvironment<'_>,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<Self, NoProject> {
        let mut files = Files::new(folder, sources);
        let path = folder.display(FILE_NAME);
        match files.unnamed(FILE_NAME) {
            Ok(source) => {
                let text = files.sources.text(source).to_owned();
                let config = config::read(source, &text, report).map_err(|config::NotToml| NoProject)?;
                let asks = asks(&config, files.sources);
                let trust = Trust::decide(&asks, folder.path(), context, report);
                let project = Self::of(config, source, &Reading { trust, environment }, &mut files, report);
                return Ok(Self { config: path, asks, trust, ..project });
            }
            Err(problem) if problem.is_missing() => {}
            Err(problem) => {
                let help = problem.help_for_config().map(str::to_owned);
                report.push(problem.diagnostic(&path).with_help_if(help));
                return Err(NoProject);
            }
        }
        let help = match folder.nearest_above(FILE_NAME) {
            Some(above) => format!("the nearest one above belongs to the project of `--dir {above}`"),
            None => "to begin, write `persona = \"…\"` into a file dsh.toml there".to_owned(),
        };
        let folder = folder.path().display();
        report.push(
            Diagnostic::note("config::defaults", format!("there is no dsh.toml in `{folder}`, so the defaults hold"))
                .with_help(help),
        );
        Ok(Self {
            config: path,
            topics: Vec::new(),
            identity: true,
            tool_order: None,
            layer: Layer::default(),
            agents: Vec::new(),
            tools: Tools::default(),
            asks: TrustSet::default(),
            trust: Trust::Trusted,
        })
    }

    /// The agent of this name.
    pub(crate) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name.value == name)
    }

    fn of(config: Config, source: SourceId, reading: &Reading<'_>, files: &mut Files<'_>, report: &mut Report) -> Self {
        let tools = tools::read(&config.tool_schemas, files, report);
        let shared = layer(source, config.layer, reading, files, report);
        let mut agents = Vec::new();
        for agent in config.agents {
            let concern = Concern::Agent(agent.name.value.clone());
            agents.push(report.about(concern, |report| {
                let own = layer(source, agent.layer, reading, files, report);
                let filter = agent.tools.map(|rules| tools.filter(&rules, &agent.name.value, report));
                Agent { name: agent.name, layer: own, filter }
            }));
        }
        let identity = config.identity.is_none_or(|identity| identity.value);
        let (config, topics, tool_order) = (String::new(), config.concerns, config.tool_order);
        let (asks, trust) = (TrustSet::default(), reading.trust);
        Self { config, topics, identity, tool_order, layer: shared, agents, tools, asks, trust }
    }
}

/// How the values of variables are come by.
struct Reading<'e> {
    trust: Trust,
    environment: ReadEnvironment<'e>,
}

fn layer(
    source: SourceId,
    layer: config::Layer,
    reading: &Reading<'_>,
    files: &mut Files<'_>,
    report: &mut Report,
) -> Layer {
    let persona = layer.persona.as_ref().and_then(|wording| loaded(source, wording, files, report));
    let mut sections = Vec::new();
    for section in layer.sections {
        if let Some(words) = loaded(source, &section.wording, files, report) {
            sections.push(Section { name: section.name, order: section.order, words });
        }
    }
    let is_own = |span| !comes_from_project(files.sources, span);
    let variables = resolve(layer.variables, reading.trust, is_own, reading.environment);
    Layer { persona, sections, variables }
}

fn loaded(config: SourceId, wording: &Wording, files: &mut Files<'_>, report: &mut Report) -> Option<Loaded> {
    let (words, origin) = match &wording.words {
        Words::Inline(text) => {
            let file = files.sources.text(config);
            let map = OffsetMap::of_toml_string(file, text.span.range(), &text.value);
            // Quotes on a line of their own end the last line, as the end of a file does.
            let raw = file.get(text.span.range()).unwrap_or_default();
            let words = match text.value.strip_suffix('\n') {
                Some(words) if raw.ends_with("\n\"\"\"") || raw.ends_with("\n'''") => words,
                _ => text.value.as_str(),
            };
            (Arc::from(words), Origin { source: config, map, declared: text.span })
        }
        Words::File(file) => {
            let source = files.named(file, TEXT_LIMIT, report)?;
            (files.says(source), Origin { source, map: OffsetMap::Identity, declared: file.path.span })
        }
    };
    let text = match wording.format {
        Format::Raw => Text::raw(words),
        Format::Template => Text::template(words),
    };
    Some(Loaded { text, origin })
}
