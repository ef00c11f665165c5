//! The agents that work for others: `[subagents]` as it holds in this run, and the project's own as providers.

use std::sync::Arc;

use dsh_agent::{Agents, CurrentAgent};
use dsh_agent_loop::LoopOptions;
use dsh_kernel::{BoxFuture, Context, Error, Failure, Plugin};
use dsh_session::{MemoryStore, Sessions};
use dsh_subagent::{
    Capabilities, Capability, ChildOptions, SubagentJob, SubagentProvider, SubagentRegistry, SubagentResult,
    SubagentsConfig, SubagentsExt, TaskTool,
};

use super::{Agent, Project, Purpose};
use crate::config;
use crate::diagnostic::{Diagnostic, Report, Sources, Span, one_line};
use crate::names::{fits, list, quoted};
use crate::trust::{Trust, comes_from_project};

/// The tool that offers them to models.
pub(crate) const TASK: &str = "task";

/// Those that come with dsh.
const SHIPPED: [&str; 2] = ["spawn", "fork"];

/// Who may work for others, and within which bounds.
#[derive(Clone, Debug)]
pub(crate) struct Subagents {
    /// Whether they may be started: nothing of this is the project's, or the project is trusted (C4).
    pub(crate) may_run: bool,
    /// Those of the project, by their names.
    agents: Vec<String>,
    usual: String,
    bounds: SubagentsConfig,
}

impl Subagents {
    /// What holds of a configuration. `agents` are those of the project, and all of them where it `knows_all`; an entry that means none is
    /// reported, and so is one that means an agent with the name of one that comes with dsh.
    pub(super) fn read(
        written: &config::Subagents,
        trust: Trust,
        agents: &[Agent],
        knows_all: bool,
        sources: &Sources,
        report: &mut Report,
    ) -> Self {
        let names = || agents.iter().map(|agent| agent.name.value.as_str());
        let mut admitted: Vec<String> = Vec::new();
        for entry in &written.agents {
            let mut found = names().filter(|name| fits(&entry.value, name)).peekable();
            if found.peek().is_none() && knows_all {
                report.push(unknown(&entry.value, entry.span, names().collect(), report));
            }
            for name in found {
                if SHIPPED.contains(&name) {
                    let headline =
                        format!("agent {} cannot work for others: one that comes with dsh has its name", quoted(name));
                    report.push(
                        Diagnostic::error("config::invalid_value", headline)
                            .at(entry.span, "means it")
                            .with_help("give the agent another name"),
                    );
                } else if !admitted.iter().any(|known| known == name) {
                    admitted.push(name.to_owned());
                }
            }
        }
        let usual = written.usual.as_ref().filter(|usual| {
            let is_known = SHIPPED.contains(&usual.value.as_str()) || admitted.contains(&usual.value);
            if !is_known && knows_all {
                let known = admitted.iter().map(String::as_str).chain(SHIPPED).collect();
                report.push(unknown(&usual.value, usual.span, known, report));
            }
            is_known
        });
        let small = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX);
        let mut bounds = SubagentsConfig::new();
        if let Some(depth) = written.depth {
            bounds = bounds.depth(u32::try_from(depth).unwrap_or(u32::MAX));
        }
        if let Some(width) = written.width {
            bounds = bounds.width(small(width));
        }
        if let Some(total) = written.total {
            bounds = bounds.total(small(total));
        }
        let is_own = || !written.said.iter().any(|said| comes_from_project(sources, *said));
        let usual = usual.map_or(SHIPPED[0], |usual| usual.value.as_str()).to_owned();
        Self { may_run: trust.is_trusted() || is_own(), agents: admitted, usual, bounds }
    }
}

impl Subagents {
    /// The agents of the project that may work for others in this run.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(String::as_str).filter(|_| self.may_run)
    }
}

/// A name that is none of these agents'.
fn unknown(name: &str, place: Span, agents: Vec<&str>, report: &Report) -> Diagnostic {
    let help = match report.guesses.nearest(name.trim_end_matches('*'), agents.iter().copied()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None if agents.is_empty() => "a table `[agents.NAME]` or a file `agents/NAME.md` makes an agent".to_owned(),
        None => format!("the agents are {}", list(agents)),
    };
    Diagnostic::error("config::unknown_agent", format!("`subagents` means no agent by {}", quoted(name)))
        .at(place, "no agent of this name")
        .with_help(help)
}

/// The agent of the project that an agent is made as: a field of its options.
#[derive(Debug)]
pub(crate) struct MadeAs(pub(crate) String);

impl Project {
    /// What is offered of subagents to models, on a kernel that makes no agents: their prompts can be looked at.
    pub(super) fn subagents_to_look_at(&self) -> Option<(Sessions, Agents, dsh_subagent::Subagents, Kinds, TaskTool)> {
        let subagents = self.subagents.as_ref()?;
        let (service, kinds, tool) = subagents.plugins(self, |_| None);
        Some((Sessions::new(MemoryStore::new()), Agents::new(), service, kinds, tool))
    }

    /// Mounts what lets agents have others work for them, where agents are made.
    pub(crate) async fn mount_subagents(
        self: &Arc<Self>,
        root: &Context,
        sources: &Arc<Sources>,
    ) -> Result<(), Failure> {
        let Some(subagents) = self.subagents.as_ref().filter(|subagents| subagents.may_run) else { return Ok(()) };
        let home =
            |name: &str| Some(Home { project: Arc::clone(self), sources: Arc::clone(sources), agent: name.to_owned() });
        let (service, kinds, tool) = subagents.plugins(self, home);
        root.plugin(service)?.ready().await?;
        root.plugin(kinds)?.ready().await?;
        root.plugin(tool)?.ready().await?;
        Ok(())
    }
}

impl Subagents {
    fn plugins(
        &self,
        project: &Project,
        home: impl Fn(&str) -> Option<Home>,
    ) -> (dsh_subagent::Subagents, Kinds, TaskTool) {
        let kinds = self.agents.iter().map(|name| {
            let described = project.agent(name).and_then(|agent| agent.description.as_ref());
            let description = described.map(|text| one_line(&text.value)).unwrap_or_default();
            Kind { name: name.clone(), description, home: home(name) }
        });
        let tool = TaskTool::new().usual(self.usual.clone());
        (dsh_subagent::Subagents::new(self.bounds.clone()), Kinds(kinds.collect()), tool)
    }
}

/// The project's agents as providers.
#[derive(Debug)]
pub(super) struct Kinds(Vec<Kind>);

impl Plugin for Kinds {
    const NAME: &'static str = "project-agents";
    type Inject = (SubagentRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        for kind in &self.0 {
            ctx.subagents().register_provider(kind.clone())?;
        }
        Ok(())
    }
}

/// An agent of the project that works for others: a fresh one each time, furnished as in a run of its own.
#[derive(Clone, Debug)]
struct Kind {
    name: String,
    description: String,
    /// What it is furnished from; none, where it is only looked at.
    home: Option<Home>,
}

#[derive(Clone, Debug)]
struct Home {
    project: Arc<Project>,
    sources: Arc<Sources>,
    agent: String,
}

impl SubagentProvider for Kind {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    /// Its persona is its own.
    fn capabilities(&self) -> Capabilities {
        Capabilities::all().without(Capability::Context).without(Capability::Persona)
    }

    fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        let home = self.home.clone();
        Box::pin(async move {
            let Some(home) = home else { return Err(Failure::msg("nothing runs here")) };
            let limits = home.agent().and_then(|agent| home.project.own_limits(agent));
            let mut options = ChildOptions::new();
            if let Some(limits) = limits {
                options = options.looping(move |looping: LoopOptions| looping.limits(limits));
            }
            let options = options.setup(move |ctx| async move { Ok(home.furnish(&ctx).await?) });
            let child = job.agent(options).await?;
            job.converse(&child).await
        })
    }
}

impl Home {
    fn agent(&self) -> Option<&Agent> {
        self.project.agent(&self.agent)
    }

    async fn furnish(&self, ctx: &Context) -> Result<(), Error> {
        let Some(agent) = self.agent() else { return Ok(()) };
        self.project.furnish(ctx, agent, Purpose::Run, &self.sources).await
    }
}

/// The agent of the project that an agent was made as; of those that work for others it is the one with the name of who runs them.
pub(super) fn made_as<'a>(project: &'a Project, agent: &dsh_agent::Agent) -> Option<&'a Agent> {
    if let Some(MadeAs(name)) = agent.get::<MadeAs>() {
        return project.agent(name);
    }
    agent.get::<dsh_subagent::Lineage>()?;
    project.agent(agent.name()).filter(|agent| !SHIPPED.contains(&agent.name.value.as_str()))
}

/// The agents that an agent works for, the nearest first.
pub(super) fn above(ctx: &Context, current: &CurrentAgent) -> Vec<dsh_agent::Agent> {
    use dsh_agent::AgentsExt as _;
    use dsh_subagent::Lineage;

    let parent = |agent: &dsh_agent::Agent| {
        let id = agent.get::<Lineage>()?.parent.clone()?;
        ctx.agents().get(&id).ok().flatten()
    };
    std::iter::successors(parent(current.agent()), parent).collect()
}
