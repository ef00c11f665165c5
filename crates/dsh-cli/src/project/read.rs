//! Reading a project folder whole.

use dsh_template::Text;

use super::files::{Files, Problem, TEXT_LIMIT};
use super::tools::{self, Tools};
use super::{Agent, Layer, Loaded, Origin, Section};
use crate::config::{self, At, Config, FILE_NAME, Format, OffsetMap, Topic, Wording, Words};
use crate::diagnostic::{Concern, Diagnostic, Report, SourceId, Sources};
use crate::outside::{Folder, ReadError};

/// Everything that was read; what is wrong in it was reported and left out.
#[derive(Debug)]
pub(crate) struct Project {
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
}

/// The configuration cannot be read as TOML, or not at all; why has been reported.
#[derive(Debug)]
pub(crate) struct NoProject;

impl Project {
    /// Reads the project of this folder. Without a `dsh.toml` the defaults hold, and a note says so (C2).
    pub(crate) fn read(folder: &Folder, sources: &mut Sources, report: &mut Report) -> Result<Self, NoProject> {
        let mut files = Files::new(folder, sources);
        let config = match files.unnamed(FILE_NAME) {
            Ok(source) => {
                let text = files.sources.text(source).to_owned();
                let config = config::read(source, &text, report).map_err(|config::NotToml| NoProject)?;
                return Ok(Self::of(config, source, &mut files, report));
            }
            Err(Problem::Read(ReadError::Missing)) => Config::default(),
            Err(problem) => {
                report.push(problem.diagnostic(&folder.display(FILE_NAME)));
                return Err(NoProject);
            }
        };
        let folder = folder.path().display();
        report.push(
            Diagnostic::note("config::defaults", format!("there is no dsh.toml in `{folder}`, so the defaults hold"))
                .with_help("`persona = \"…\"` in a file dsh.toml there is a beginning"),
        );
        Ok(Self {
            topics: config.concerns,
            identity: true,
            tool_order: None,
            layer: Layer::default(),
            agents: Vec::new(),
            tools: Tools::default(),
        })
    }

    /// The agent of this name.
    pub(crate) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name.value == name)
    }

    fn of(config: Config, source: SourceId, files: &mut Files<'_>, report: &mut Report) -> Self {
        let tools = tools::read(&config.tool_schemas, files, report);
        let shared = layer(source, config.layer, files, report);
        let mut agents = Vec::new();
        for agent in config.agents {
            let concern = Concern::Agent(agent.name.value.clone());
            agents.push(report.about(concern, |report| {
                let own = layer(source, agent.layer, files, report);
                let filter = agent.tools.map(|rules| tools.filter(&rules, &agent.name.value, report));
                Agent { name: agent.name, layer: own, filter }
            }));
        }
        let identity = config.identity.is_none_or(|identity| identity.value);
        Self { topics: config.concerns, identity, tool_order: config.tool_order, layer: shared, agents, tools }
    }
}

fn layer(source: SourceId, layer: config::Layer, files: &mut Files<'_>, report: &mut Report) -> Layer {
    let persona = layer.persona.as_ref().and_then(|wording| loaded(source, wording, files, report));
    let mut sections = Vec::new();
    for section in layer.sections {
        if let Some(words) = loaded(source, &section.wording, files, report) {
            sections.push(Section { name: section.name, order: section.order, words });
        }
    }
    Layer { persona, sections, variables: layer.variables }
}

fn loaded(config: SourceId, wording: &Wording, files: &mut Files<'_>, report: &mut Report) -> Option<Loaded> {
    let (words, origin) = match &wording.words {
        Words::Inline(text) => {
            let map = OffsetMap::of_toml_string(files.sources.text(config), text.span.range(), &text.value);
            (text.value.as_str(), Origin { source: config, map, declared: text.span })
        }
        Words::File(file) => {
            let source = files.named(file, TEXT_LIMIT, report)?;
            let text = files.sources.text(source);
            // What ends the last line of a file is no part of what it says: sections are joined by one blank line.
            let text = text.strip_suffix('\n').unwrap_or(text);
            (text, Origin { source, map: OffsetMap::Identity, declared: file.path.span })
        }
    };
    let text = match wording.format {
        Format::Raw => Text::raw(words),
        Format::Template => Text::template(words),
    };
    Some(Loaded { text, origin })
}
