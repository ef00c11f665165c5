//! A project on a kernel: each concern a plugin, mounted in the order of the file, each settled before the next (X5).

use std::collections::BTreeSet;

use dsh_kernel::{Context, Error, Fiber, FiberState, Kernel, Plugin, ScopeKey};
use dsh_llm::ToolSchema;
use dsh_system_prompt::{
    AssembleContext, ErrorKind, Identity, PromptAssembly, PromptConfig, RunFacts, Source, SystemPrompt, SystemPromptExt,
};
use dsh_tools::ToolsConfig;

use super::blame;
use super::lacking::Given;
use super::permissions::Rules;
use super::plugins::{
    CommandFilter, CommandTools, Instructions, Persona, Piece, Sections, ToolSchemas, Tools, Variables,
};
use super::subagents::{Subagents, TASK};
use super::{Agent, Command, Layer, Loaded, Project, Section, texts};
use crate::config::{At, PERSONA, Topic};
use crate::diagnostic::{Concern, Known, Report, Sources};

/// A project that runs.
#[derive(Debug)]
pub(crate) struct Mounted<'p> {
    project: &'p Project,
    sources: &'p Sources,
    kernel: Kernel,
    /// The scope of each agent, in the order of the project's.
    scopes: Vec<(&'p Agent, ScopeKey)>,
    /// The paths of these scopes.
    owners: Vec<String>,
}

/// Whether the prompt that all agents share is looked at as it is, without the part of any agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// It is.
    Checked,
    /// It is not.
    LeftOut,
}

/// What a project is mounted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To look at its prompts: they have every tool of the project, whether it can be run or not.
    Look,
    /// To run its tools: those that nothing runs are known by name, and not shown. Permissions hold.
    Run,
}

/// One prompt that was looked at.
#[derive(Debug)]
pub(crate) struct Checked<'p> {
    /// Whose it is; of no agent, the one that all share.
    pub(crate) agent: Option<&'p Agent>,
    /// What it is made of, unless it has a finding.
    pub(crate) assembly: Option<PromptAssembly>,
}

/// A plugin of the project, and the agent whose scope it is in.
type MountedPlugin<'p> = (Option<&'p Agent>, Fiber);

impl Project {
    /// Mounts everything. What a plugin's start is refused for is reported; the others run.
    pub(crate) async fn mount<'p>(
        &'p self,
        purpose: Purpose,
        sources: &'p Sources,
        report: &mut Report,
    ) -> Result<Mounted<'p>, Error> {
        self.mount_with(purpose, self.tool_order.as_ref(), &self.topics, sources, report).await
    }

    /// Mounts what all agents share, so that they can be made there and their tools run; subagents come where agents are made
    /// ([`Project::mount_subagents`]).
    pub(crate) async fn mount_shared<'p>(
        &'p self,
        sources: &'p Sources,
        report: &mut Report,
    ) -> Result<Mounted<'p>, Error> {
        let is_shared = |topic: &Topic| !matches!(topic, Topic::Agents | Topic::Subagents);
        let topics: Vec<Topic> = self.topics.iter().copied().filter(is_shared).collect();
        self.mount_with(Purpose::Run, self.tool_order.as_ref(), &topics, sources, report).await
    }

    /// Mounts what is not about tools.
    async fn mount_without_tools<'p>(&'p self, sources: &'p Sources) -> Result<Mounted<'p>, Error> {
        let is_other = |topic: &Topic| !matches!(topic, Topic::Tools | Topic::Commands | Topic::Subagents);
        let topics: Vec<Topic> = self.topics.iter().copied().filter(is_other).collect();
        // What is wrong in starting has been reported.
        self.mount_with(Purpose::Look, None, &topics, sources, &mut Report::new()).await
    }

    async fn mount_with<'p>(
        &'p self,
        purpose: Purpose,
        tool_order: Option<&At<Vec<At<String>>>>,
        topics: &[Topic],
        sources: &'p Sources,
        report: &mut Report,
    ) -> Result<Mounted<'p>, Error> {
        let offer = self.offer(purpose, topics);
        let mut mounting = Mounting { kernel: Kernel::new(), plugins: Vec::new(), sources };
        let root = mounting.kernel.root();
        let mut scopes = Vec::new();
        let mut owners = Vec::new();
        mounting.plugin(&root, None, SystemPrompt::new(self.prompt_config(tool_order, sources))).await?;
        mounting.plugin(&root, None, self.built_ins.beside(&self.layer.variables)).await?;
        mounting.plugin(&root, None, self.run_facts()).await?;
        if offer.has_registry {
            mounting.plugin(&root, None, dsh_tools::Tools::new(ToolsConfig::new())).await?;
        }
        if purpose == Purpose::Run {
            let asked = self.tools.commands.iter().map(|command| command.schema.name().to_owned()).collect();
            mounting.plugin(&root, None, Rules { permissions: self.permissions.clone(), asked }).await?;
        }
        if !self.instructions.is_empty() {
            let pieces = pieces(&self.instructions, sources);
            mounting.plugin(&root, None, Instructions(pieces)).await?;
        }
        // What an agent has for itself is said of what all have, wherever that stands in the file.
        let (agents, others): (Vec<Topic>, Vec<Topic>) = topics.iter().partition(|topic| **topic == Topic::Agents);
        for topic in others.iter().chain(&agents) {
            match topic {
                Topic::Tools => {
                    let ToolOffer { shown, left_out, .. } = &offer;
                    let (shown, left_out) = (shown.to_vec(), left_out.clone());
                    mounting.plugin(&root, None, ToolSchemas { shown, left_out }).await?;
                }
                Topic::Commands => {
                    let commands = offer.commands.iter().copied().cloned().collect();
                    let (folder, environment) = (self.folder.clone(), self.command_environment.clone());
                    mounting.plugin(&root, None, CommandTools { commands, folder, environment }).await?;
                }
                Topic::Subagents => {
                    let looked_at = self.subagents_to_look_at().filter(|_| offer.has_task);
                    if let Some((sessions, agents, subagents, kinds, tool)) = looked_at {
                        mounting.plugin(&root, None, sessions).await?;
                        mounting.plugin(&root, None, agents).await?;
                        mounting.plugin(&root, None, subagents).await?;
                        mounting.plugin(&root, None, kinds).await?;
                        mounting.plugin(&root, None, tool).await?;
                    }
                }
                Topic::Variables => mounting.variables(&root, None, &self.layer).await?,
                Topic::Sections => mounting.sections(&root, None, &self.layer).await?,
                Topic::Agents => {
                    for agent in &self.agents {
                        let scope = root.scope(agent.name.value.clone())?;
                        let fibers = self.furnish_with(scope.ctx(), agent, purpose, &offer, sources).await?;
                        mounting.plugins.extend(fibers.into_iter().map(|fiber| (Some(agent), fiber)));
                        owners.push(scope.ctx().owner().to_string());
                        scopes.push((agent, scope.key()));
                    }
                }
            }
        }
        if !topics.contains(&Topic::Tools) && !offer.left_out.is_empty() {
            // Nothing else knows their names.
            let left_out = offer.left_out.clone();
            mounting.plugin(&root, None, ToolSchemas { shown: Vec::new(), left_out }).await?;
        }
        let Mounting { kernel, plugins, .. } = mounting;
        self.report_failed(&plugins, report).await;
        Ok(Mounted { project: self, sources, kernel, scopes, owners })
    }

    /// Mounts what an agent has for itself in its scope: persona, variables, sections, what is kept from it, and its permissions. Whoever
    /// makes agents opens the scope; where something does not start, it fails.
    pub(crate) async fn furnish(
        &self,
        ctx: &Context,
        agent: &Agent,
        purpose: Purpose,
        sources: &Sources,
    ) -> Result<(), Error> {
        let fibers = self.furnish_with(ctx, agent, purpose, &self.offer(purpose, &self.topics), sources).await?;
        // An agent that lacks what bounds it must not be there.
        fibers.iter().find_map(Fiber::error).map_or(Ok(()), Err)
    }

    async fn furnish_with(
        &self,
        ctx: &Context,
        agent: &Agent,
        purpose: Purpose,
        offer: &ToolOffer<'_>,
        sources: &Sources,
    ) -> Result<Vec<Fiber>, Error> {
        let mut furnished = Furnishing { ctx, fibers: Vec::new() };
        if let Some(persona) = &agent.layer.persona {
            furnished.plugin(Persona(piece(PERSONA, 0.0, persona, &[], sources))).await?;
        }
        if !agent.layer.variables.is_empty() {
            furnished.plugin(Variables(agent.layer.variables.clone())).await?;
        }
        if !agent.layer.sections.is_empty() {
            furnished.plugin(Sections(pieces(&agent.layer.sections, sources))).await?;
        }
        if let Some(filter) = &agent.filter {
            // Without schema files there is nothing to keep from anybody.
            if offer.has_schemas {
                furnished.plugin(Tools(filter.clone())).await?;
            }
            let mut registered = offer.registered().peekable();
            if registered.peek().is_some()
                && let Some(filter) = filter.of_registry(registered)
            {
                furnished.plugin(CommandFilter(filter)).await?;
            }
        }
        if purpose == Purpose::Run && !agent.permissions.is_empty() {
            furnished.plugin(Rules { permissions: agent.permissions.clone(), asked: Vec::new() }).await?;
        }
        Ok(furnished.fibers)
    }

    /// The tools of the project, for this purpose.
    fn offer(&self, purpose: Purpose, topics: &[Topic]) -> ToolOffer<'_> {
        let (has_schemas, has_commands) = (topics.contains(&Topic::Tools), topics.contains(&Topic::Commands));
        let commands = self.tools.commands.iter().filter(|_| has_commands);
        let is_offered = |command: &&Command| purpose == Purpose::Look || command.may_run;
        let left_out = |command: &&Command| !is_offered(command);
        let names = |schema: &ToolSchema| schema.name().to_owned();
        let (shown, not_shown) = match purpose {
            Purpose::Look => (self.tools.schemas.as_slice(), [].as_slice()),
            Purpose::Run => ([].as_slice(), self.tools.schemas.as_slice()),
        };
        let left_commands = commands.clone().filter(left_out).map(|command| names(&command.schema));
        let subagents = self.subagents.as_ref().filter(|_| topics.contains(&Topic::Subagents));
        let has_task = subagents.is_some_and(|subagents| purpose == Purpose::Look || subagents.may_run);
        let is_left = |subagents: &&Subagents| purpose == Purpose::Run && !subagents.may_run;
        let left_task = self.subagents.as_ref().filter(is_left).map(|_| TASK.to_owned());
        ToolOffer {
            shown,
            left_out: not_shown.iter().map(names).chain(left_commands).chain(left_task).collect(),
            commands: commands.filter(is_offered).collect(),
            has_schemas,
            has_task,
            has_registry: has_commands || subagents.is_some() || purpose == Purpose::Run,
        }
    }

    /// The facts of the run whose names the project leaves to them.
    fn run_facts(&self) -> RunFacts {
        let is_own = |name: &str| self.layer.variables.iter().any(|variable| variable.name.value == name);
        let model = if is_own("model") { RunFacts::new().without_model() } else { RunFacts::new() };
        if is_own("cwd") { model.without_cwd() } else { model }
    }

    fn prompt_config(&self, tool_order: Option<&At<Vec<At<String>>>>, sources: &Sources) -> PromptConfig {
        let mut config = PromptConfig::new();
        if !self.identity {
            config = config.identity(Identity::Omitted);
        }
        if let Some(persona) = &self.layer.persona {
            config = config.persona(persona.text.clone()).persona_source(source(persona, sources));
        }
        if let Some(order) = tool_order {
            config = config.tool_order(order.value.iter().map(|name| name.value.clone()));
        }
        config
    }

    /// Reports what failed to start. Where something did, whoever waits for what it provides is not to blame.
    async fn report_failed(&self, plugins: &[MountedPlugin<'_>], report: &mut Report) {
        let mut failed = false;
        for (agent, fiber) in plugins {
            if let Some(error) = fiber.error() {
                failed = true;
                report.about(concern(*agent), |report| report.push(blame::start(self, *agent, &error)));
            }
        }
        let waiting = plugins.iter().filter(|(_, fiber)| !failed && fiber.state() != FiberState::Active);
        for (agent, fiber) in waiting {
            if let Err(error) = fiber.ready().await {
                report.about(concern(*agent), |report| report.push(blame::start(self, *agent, &error)));
            }
        }
    }
}

impl<'p> Mounted<'p> {
    /// Assembles the prompt of each agent, and reports what is wrong with it; the one that was asked for comes back, unless it has a
    /// finding. The one that all share need not be right by itself, and is looked at only where it is asked for. What the texts say is
    /// looked at where `texts` says so.
    pub(crate) async fn check(
        &self,
        asked: Option<&'p Agent>,
        texts: bool,
        report: &mut Report,
    ) -> Option<PromptAssembly> {
        let name = |agent: Option<&'p Agent>| agent.map(|agent| agent.name.value.as_str());
        let shared = if asked.is_none() { Shared::Checked } else { Shared::LeftOut };
        let checked = self.check_all(shared, texts, report).await;
        checked.into_iter().find(|one| name(one.agent) == name(asked))?.assembly
    }

    /// Assembles each agent's prompt, in their order, and reports what is wrong with it; where `shared` says so, first the one that all share.
    pub(crate) async fn check_all(&self, shared: Shared, texts: bool, report: &mut Report) -> Vec<Checked<'p>> {
        // What was left out of a layer as wrong may be what is missing in a prompt. A malformed reference leaves nothing out.
        let all = || std::iter::once(None).chain(self.scopes.iter().map(|(agent, _)| Some(agent.name.value.as_str())));
        let stopped: BTreeSet<Option<&str>> = all().filter(|name| report.stops(*name)).collect();
        let lacking: BTreeSet<Option<&str>> = all().filter(|name| report.leaves_out(*name)).collect();
        let given = if lacking.is_empty() { Given::default() } else { Given::of(self.sources) };
        texts::malformed(&self.project.layer, None, report);
        for ((agent, _), owner) in self.scopes.iter().zip(&self.owners) {
            report.about(concern(Some(agent)), |report| texts::malformed(&agent.layer, Some(owner), report));
        }
        let shared = (shared == Shared::Checked).then_some(None);
        let mut without_tools = None;
        let mut refusals = Refusals::default();
        let mut looks = texts::Texts::new(self.project);
        let mut checked = Vec::new();
        let agents = self.scopes.iter().enumerate().map(|(place, (agent, _))| Some((place, *agent)));
        for scope in shared.into_iter().chain(agents) {
            let (place, agent) = (scope.map(|(place, _)| place), scope.map(|(_, agent)| agent));
            let name = agent.map(|agent| agent.name.value.as_str());
            let (stopped, is_lacking) = (stopped.contains(&name), lacking.contains(&name));
            let (assembly, refused) = match self.assemble_at(place).await {
                Ok(assembly) => (Some(assembly), None),
                Err(error) => (self.texts_of(place, texts, &mut without_tools).await, Some(error)),
            };
            let given = is_lacking.then_some(&given);
            let whose = agent.map_or(Concern::Shared, |_| concern(agent));
            let fine = report.about(whose, |report| {
                if let Some(error) = &refused
                    && (!stopped || self.project.is_refused_all_the_same(error))
                {
                    refusals.report(self.project, agent, error, report);
                }
                let of_texts = assembly.as_ref().filter(|_| texts);
                of_texts.is_none_or(|assembly| looks.check(agent, assembly, given, report))
            });
            let assembly = assembly.filter(|_| fine && refused.is_none() && !stopped);
            checked.push(Checked { agent, assembly });
        }
        if let Some(mounted) = without_tools {
            mounted.close(report).await;
        }
        checked
    }

    /// What the texts of a refused assembly are: nearly always it is refused for the tools or their order.
    async fn texts_of(
        &self,
        place: Option<usize>,
        wanted: bool,
        without_tools: &mut Option<Self>,
    ) -> Option<PromptAssembly> {
        if wanted && without_tools.is_none() {
            *without_tools = self.project.mount_without_tools(self.sources).await.ok();
        }
        without_tools.as_ref().filter(|_| wanted)?.assemble_at(place).await.ok()
    }

    /// The root of its kernel.
    pub(crate) fn root(&self) -> Context {
        self.kernel.root()
    }

    /// The scope of an agent, and the path of its owner.
    pub(crate) fn scope_of(&self, agent: &Agent) -> Option<(ScopeKey, &str)> {
        let place = self.scopes.iter().position(|(own, _)| std::ptr::eq(*own, agent))?;
        Some((self.scopes.get(place)?.1, self.owners.get(place)?))
    }

    /// What is assembled for the agent, whatever is wrong with it.
    pub(crate) async fn assemble(&self, agent: Option<&Agent>) -> Result<PromptAssembly, dsh_system_prompt::Error> {
        let place = agent.and_then(|agent| self.scopes.iter().position(|(own, _)| std::ptr::eq(*own, agent)));
        self.assemble_at(place).await
    }

    /// What is assembled for the agent at this place of the project's.
    async fn assemble_at(&self, place: Option<usize>) -> Result<PromptAssembly, dsh_system_prompt::Error> {
        let scope = place.and_then(|place| self.scopes.get(place));
        let cx = scope.map_or_else(AssembleContext::new, |(_, key)| AssembleContext::for_scope(*key));
        let cx = cx.with(self.project.run.clone());
        self.kernel.root().system_prompt().assemble(cx).await
    }

    /// Ends it; what fails in ending is reported.
    pub(crate) async fn close(self, report: &mut Report) {
        if let Err(error) = self.kernel.shutdown().await {
            report.push(blame::kernel(&error));
        }
    }
}

fn concern(agent: Option<&Agent>) -> Concern {
    agent.map_or(Concern::Everyone, |agent| Concern::Agent(agent.name.value.clone()))
}

/// What assemblies were refused for. An order of thousands of tools that are not there is one mistake, not one of each agent.
#[derive(Debug, Default)]
struct Refusals(Option<(Vec<usize>, Known)>);

impl Refusals {
    fn report(
        &mut self,
        project: &Project,
        agent: Option<&Agent>,
        error: &dsh_system_prompt::Error,
        report: &mut Report,
    ) {
        let unknown = || error.unknown_tools().map(|tool| tool.position);
        let is_same = |told: &&(Vec<usize>, Known)| told.0.iter().copied().eq(unknown());
        if error.kind() != ErrorKind::ToolOrderUnknown {
            report.push(blame::prompt(project, agent, error));
        } else if let Some((_, known)) = self.0.as_ref().filter(is_same) {
            report.push_again(*known);
        } else {
            let known = report.push_known(blame::prompt(project, agent, error));
            self.0 = Some((unknown().collect(), known));
        }
    }
}

/// The tools that a project has for a purpose.
#[derive(Debug)]
struct ToolOffer<'p> {
    /// Of the tools of schema files, those that are shown.
    shown: &'p [ToolSchema],
    /// The names of those that are known, and not shown.
    left_out: Vec<String>,
    /// The commands that are shown.
    commands: Vec<&'p Command>,
    /// Whether the tool `task` is there.
    has_task: bool,
    /// Whether there are schema files.
    has_schemas: bool,
    /// Whether the registry of tools is there.
    has_registry: bool,
}

impl ToolOffer<'_> {
    /// The names of those that the registry has.
    fn registered(&self) -> impl Iterator<Item = &str> {
        let commands = self.commands.iter().map(|command| command.schema.name());
        commands.chain(self.has_task.then_some(TASK))
    }
}

/// A scope that is being filled.
#[derive(Debug)]
struct Furnishing<'c> {
    ctx: &'c Context,
    fibers: Vec<Fiber>,
}

impl Furnishing<'_> {
    /// Mounts a plugin, and waits until it has started or failed: why it failed, the fiber knows.
    async fn plugin(&mut self, plugin: impl Plugin) -> Result<(), Error> {
        let fiber = self.ctx.plugin(plugin)?;
        drop(fiber.ready().await);
        self.fibers.push(fiber);
        Ok(())
    }
}

/// A kernel that is being filled.
#[derive(Debug)]
struct Mounting<'p, 's> {
    kernel: Kernel,
    plugins: Vec<MountedPlugin<'p>>,
    sources: &'s Sources,
}

impl<'p> Mounting<'p, '_> {
    /// Mounts a plugin, and waits until nothing starts any more.
    async fn plugin(&mut self, ctx: &Context, agent: Option<&'p Agent>, plugin: impl Plugin) -> Result<(), Error> {
        let fiber = ctx.plugin(plugin)?;
        self.kernel.settled().await?;
        self.plugins.push((agent, fiber));
        Ok(())
    }

    async fn variables(&mut self, ctx: &Context, agent: Option<&'p Agent>, layer: &Layer) -> Result<(), Error> {
        self.plugin(ctx, agent, Variables(layer.variables.clone())).await
    }

    async fn sections(&mut self, ctx: &Context, agent: Option<&'p Agent>, layer: &Layer) -> Result<(), Error> {
        self.plugin(ctx, agent, Sections(pieces(&layer.sections, self.sources))).await
    }
}

fn pieces(sections: &[Section], sources: &Sources) -> Vec<Piece> {
    let piece = |own: &Section| piece(&own.name.value, own.order.value, &own.words, &own.requires_tools, sources);
    sections.iter().map(piece).collect()
}

fn piece(name: &str, order: f64, words: &Loaded, requires_tools: &[String], sources: &Sources) -> Piece {
    let (text, source) = (words.text.clone(), source(words, sources));
    Piece { name: name.to_owned(), order, text, source, requires_tools: requires_tools.to_vec() }
}

/// The place that a text was read from, as reports of the registry name it.
fn source(words: &Loaded, sources: &Sources) -> Source {
    let span = words.origin.locate(0..words.text.as_str().len());
    let path = sources.get(span.source).map_or("", |source| source.path.as_str());
    Source::file(path).bytes(span.range())
}
