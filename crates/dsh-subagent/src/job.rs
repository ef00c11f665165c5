//! What a provider gets: a request, and the one way to make a child that is bounded as it has to be.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dsh_agent::{Agent, AgentOptions, AgentsExt, NewSession};
use dsh_agent_loop::LoopOptions;
use dsh_kernel::{BoxFuture, Cancel, Context, Failure, Name, Quiet};
use dsh_llm::{ContentBlock, Message};
use dsh_session::SessionEvent;
use dsh_system_prompt::{PromptSection, RunContext, SystemPromptExt};
use dsh_template::Text;
use dsh_tools::{ToolFilter, ToolsExt};

use crate::lineage::Lineage;
use crate::output::OutputSchema;
use crate::registry::SubagentRegistry;
use crate::request::SubagentRequest;
use crate::result::{SubagentResult, SubagentStop};
use crate::run::Run;

/// One request that a provider runs. A clone is the same one.
#[derive(Clone)]
pub struct SubagentJob(Arc<Inner>);

pub(crate) struct Inner {
    /// Of the run's own fiber: what is made through it goes with the run.
    pub(crate) ctx: Context,
    pub(crate) registry: Arc<SubagentRegistry>,
    pub(crate) run: Arc<Run>,
    pub(crate) request: SubagentRequest,
    pub(crate) output: Option<OutputSchema>,
    pub(crate) lineage: Lineage,
}

type Setup = Quiet<Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<(), Failure>> + Send>>;
type Looping = Quiet<Box<dyn FnOnce(LoopOptions) -> LoopOptions + Send>>;

/// What a provider decides of a child; the rest the request and the parent decide.
///
/// ```
/// use dsh_agent_loop::TurnLimits;
/// use dsh_subagent::ChildOptions;
///
/// let options = ChildOptions::new().persona("You review.").looping(|options| options.limits(TurnLimits::new().steps(10)));
/// # drop(options);
/// ```
#[derive(Default)]
#[must_use = "a child is made by `job.agent(options)`"]
pub struct ChildOptions {
    forked: Option<u32>,
    persona: Option<Text>,
    tools: Vec<ToolFilter>,
    setup: Option<Setup>,
    looping: Option<Looping>,
}

impl ChildOptions {
    /// A new session, and all as the request and the parent say.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new session with its parent's turns up to this one, which has ended; without a parent a new one.
    pub fn forked(mut self, turn: u32) -> Self {
        self.forked = Some(turn);
        self
    }

    /// A persona, where the request has none.
    pub fn persona(mut self, persona: impl Into<Text>) -> Self {
        self.persona = Some(persona.into());
        self
    }

    /// Fewer tools; the request's own filter holds too.
    pub fn tools(mut self, filter: ToolFilter) -> Self {
        self.tools.push(filter);
        self
    }

    /// More to be done when the child is registered, with its own context.
    pub fn setup<F>(mut self, setup: impl FnOnce(Context) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.setup = Some(Quiet::new(Box::new(|ctx| Box::pin(setup(ctx)))));
        self
    }

    /// Changes how it is driven; otherwise that is as with its parent: model, limits, approver.
    pub fn looping(mut self, change: impl FnOnce(LoopOptions) -> LoopOptions + Send + 'static) -> Self {
        self.looping = Some(Quiet::new(Box::new(change)));
        self
    }
}

impl fmt::Debug for ChildOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildOptions")
            .field("forked", &self.forked)
            .field("persona", &self.persona.is_some())
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

impl SubagentJob {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// The prompt, as it was asked. [`converse`](Self::converse) adds the schema of the answer to it.
    pub fn prompt(&self) -> &Message {
        &self.0.request.prompt
    }

    /// For whom.
    pub fn parent(&self) -> Option<&Agent> {
        self.0.run.parent.as_ref()
    }

    /// What the child is to be called.
    pub fn name(&self) -> &str {
        self.0.run.name.as_str()
    }

    /// The persona that was asked for.
    pub fn persona(&self) -> Option<&Text> {
        self.0.request.persona.as_ref()
    }

    /// The tools that were asked for.
    pub fn tools(&self) -> Option<&ToolFilter> {
        self.0.request.tools.as_ref()
    }

    /// The schema of the final answer. Whatever a provider does about it, its answer is checked.
    pub fn output(&self) -> Option<&OutputSchema> {
        self.0.output.as_ref()
    }

    /// Where the child stands.
    pub fn lineage(&self) -> &Lineage {
        &self.0.lineage
    }

    /// Fired when the run is to end; its future is dropped then.
    pub fn cancel(&self) -> Cancel {
        self.0.run.asked()
    }

    /// The context of the run: what is made through it goes with the run.
    pub fn ctx(&self) -> &Context {
        &self.0.ctx
    }

    /// Until when, on the kernel's clock.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.0.request.budget.as_ref()?.deadline()
    }

    /// Makes a child, which goes with the run: bounded by the tools that its parent has, whatever becomes of them; restricted, given its
    /// persona, and put under its parent's limits as the request says (G2, G3).
    ///
    /// # Errors
    ///
    /// Those of [`create`](dsh_agent::AgentsHandle::create); those of tools and of the prompt in it, where the request's filter or persona
    /// is refused.
    pub fn agent(&self, options: ChildOptions) -> BoxFuture<'static, Result<Agent, Failure>> {
        let job = self.clone();
        Box::pin(async move {
            let options = job.options(options);
            let handle = job.0.ctx.agents().create(options).await?;
            let child = handle.agent().clone();
            // The run's fiber has it.
            drop(handle);
            job.0.run.set_child(&child);
            Ok(child)
        })
    }

    fn options(&self, child: ChildOptions) -> AgentOptions {
        let Inner { run, request, lineage, registry, .. } = &*self.0;
        let parent = run.parent.as_ref();
        let mut looping = parent.and_then(|parent| parent.get::<LoopOptions>()).cloned().unwrap_or_default();
        if let Some(change) = child.looping {
            looping = change.into_inner()(looping);
        }
        if let Some(budget) = &request.budget {
            looping = looping.under(budget.clone());
        }
        let mut facts = RunContext::new();
        if let Some(cwd) = parent.and_then(Agent::run).and_then(RunContext::cwd_path) {
            facts = facts.cwd(cwd);
        }
        let mut options = AgentOptions::new(run.name.clone()).run(facts).with(looping).with(lineage.clone());
        if let Some(id) = parent.map(Agent::id) {
            let new = child.forked.map_or_else(NewSession::new, |turn| NewSession::fork(id.clone(), turn));
            options = options.session(new.parent(id.clone()));
        }
        let setup = ChildSetup {
            above: parent.map(|parent| parent.ctx().clone()),
            filters: child.tools.into_iter().chain(request.tools.clone()).collect(),
            denied: if lineage.levels_left == 0 { registry.offers() } else { Vec::new() },
            persona: request.persona.clone().or(child.persona),
            setup: child.setup,
        };
        options.setup(|ctx| setup.run(ctx))
    }

    /// Has a conversation with a child: the prompt, with the schema of the answer where there is one; an answer that is not of it is
    /// asked for once more, with what is wrong (G2).
    ///
    /// # Errors
    ///
    /// `agent::stopped` where the child takes in nothing any more.
    pub fn converse(&self, child: &Agent) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        let (job, child) = (self.clone(), child.clone());
        Box::pin(async move {
            let prompt = job.prompt();
            let Some(schema) = job.output() else { return ask(&child, prompt.clone()).await };
            let asked = ContentBlock::text(format!("{ASKED}\n{}", schema.text()));
            let prompt = Message::new(prompt.role, prompt.content.iter().cloned().chain([asked]));
            let first = ask(&child, prompt).await?;
            if !first.is_completed() {
                return Ok(first);
            }
            let Err(violations) = schema.read(&first.text) else { return Ok(first) };
            let second = ask(&child, Message::user(format!("{WRONG}{violations}\n\n{AGAIN}"))).await?;
            let mut usage = first.usage;
            usage += second.usage;
            Ok(SubagentResult { usage, steps: first.steps.saturating_add(second.steps), ..second })
        })
    }
}

const ASKED: &str = "Answer in the end with nothing but JSON that is valid against this JSON Schema:";
const WRONG: &str = "Your answer is not valid against the schema:";
const AGAIN: &str = "Answer again, with nothing but JSON that is valid against the schema.";

/// What is done to a child when it is registered.
struct ChildSetup {
    /// The context of its parent's scope.
    above: Option<Context>,
    filters: Vec<ToolFilter>,
    /// The tools that offer what it may not do.
    denied: Vec<Name>,
    persona: Option<Text>,
    setup: Option<Setup>,
}

impl ChildSetup {
    async fn run(self, ctx: Context) -> Result<(), Failure> {
        if let Some(above) = &self.above {
            ctx.tools().bound_by(above)?;
        }
        for filter in self.filters {
            ctx.tools().restrict(filter)?;
        }
        for name in self.denied {
            // It may have gone since.
            if ctx.tools().get(name.as_str(), None)?.is_some() {
                ctx.tools().restrict(ToolFilter::new().deny([name]))?;
            }
        }
        if let Some(persona) = self.persona {
            ctx.system_prompt().section(PromptSection::new("deployment:persona", 0, persona))?;
        }
        match self.setup {
            Some(setup) => setup.into_inner()(ctx).await,
            None => Ok(()),
        }
    }
}

/// Says something to a child, and waits until it has no more to say.
async fn ask(child: &Agent, message: Message) -> Result<SubagentResult, Failure> {
    let before = child.session().len();
    child.send(message)?;
    child.when_idle().await;
    Ok(last_words(child, before))
}

/// What became of a child since its session had so many records: read from its log, which tells of it whatever drove it, and when
/// nothing drives it any more.
pub(crate) fn last_words(child: &Agent, before: usize) -> SubagentResult {
    let mut result = SubagentResult::stopped(SubagentStop::ended("the child began no turn"));
    // A step may be asked more than once, and a request for a summary is none of its own.
    let mut last = None;
    result.session = Some(child.id().clone());
    for record in child.session().records_from(u64::try_from(before).unwrap_or(u64::MAX)) {
        match &record.event {
            SessionEvent::TurnStarted(_) => {
                result.stop = SubagentStop::ended("the child's turn has no end");
                result.text.clear();
            }
            SessionEvent::Request(request) => {
                if last.replace((record.turn, request.step)) != Some((record.turn, request.step)) {
                    result.steps = result.steps.saturating_add(1);
                }
            }
            SessionEvent::StepFailed(failed) => result.usage += failed.usage.unwrap_or_default(),
            SessionEvent::Compacted(compacted) => result.usage += compacted.usage.unwrap_or_default(),
            SessionEvent::Answered(answered) => {
                result.usage += answered.usage.unwrap_or_default();
                result.text = answered.message.content.iter().filter_map(ContentBlock::as_text).collect();
            }
            SessionEvent::TurnEnded(ended) => result.stop = ended.end.clone().into(),
            SessionEvent::Opened(_)
            | SessionEvent::Input(_)
            | SessionEvent::Prompt(_)
            | SessionEvent::CallStarted(_)
            | SessionEvent::CallEnded(_)
            | SessionEvent::Attached(_)
            | SessionEvent::Repaired(_)
            | _ => {}
        }
    }
    result
}

impl fmt::Debug for SubagentJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SubagentJob({:?})", self.0.run)
    }
}
