//! The shipped providers: a fresh child, and one that knows what its parent knows (G2).

use dsh_kernel::{BoxFuture, Failure};
use dsh_template::Text;
use dsh_tools::ToolFilter;

use crate::capability::{Capabilities, Capability};
use crate::error::{Error, ErrorKind};
use crate::job::{ChildOptions, SubagentJob};
use crate::provider::SubagentProvider;
use crate::result::SubagentResult;

/// The provider `spawn`: a fresh child with a session of its own, which knows its prompt and nothing else.
///
/// Under another name, with a persona and fewer tools, it makes a kind of agent of the deployment's own:
///
/// ```
/// use dsh_subagent::Spawn;
/// use dsh_tools::ToolFilter;
///
/// let reviewer = Spawn::named("reviewer")
///     .description("reads a change and says what is wrong with it")
///     .persona("You review changes. You change nothing.")
///     .tools(ToolFilter::new().allow(["read", "find"]));
/// # drop(reviewer);
/// ```
#[derive(Clone, Debug)]
pub struct Spawn {
    name: Box<str>,
    description: Box<str>,
    persona: Option<Text>,
    tools: Option<ToolFilter>,
}

impl Spawn {
    /// The one that the plugin registers.
    pub fn new() -> Self {
        Self::named("spawn").description("a fresh agent that knows nothing but its prompt")
    }

    /// One under another name, to be registered beside it.
    pub fn named(name: impl Into<Box<str>>) -> Self {
        Self { name: name.into(), description: "".into(), persona: None, tools: None }
    }

    /// What it is good for, for a model that chooses; on one line.
    #[must_use]
    pub fn description(mut self, description: impl Into<Box<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// The persona of its children, where a request has none. A bare string is a template.
    #[must_use]
    pub fn persona(mut self, persona: impl Into<Text>) -> Self {
        self.persona = Some(persona.into());
        self
    }

    /// The tools of its children; those that their parent lacks they lack too, and a request's own filter holds beside this.
    #[must_use]
    pub fn tools(mut self, filter: ToolFilter) -> Self {
        self.tools = Some(filter);
        self
    }
}

impl Default for Spawn {
    fn default() -> Self {
        Self::new()
    }
}

impl SubagentProvider for Spawn {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::all().without(Capability::Context)
    }

    fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        let mut options = ChildOptions::new();
        if let Some(persona) = &self.persona {
            options = options.persona(persona.clone());
        }
        if let Some(filter) = &self.tools {
            options = options.tools(filter.clone());
        }
        Box::pin(async move {
            let child = job.agent(options).await?;
            job.converse(&child).await
        })
    }
}

/// The provider `fork`: a child that begins with the completed turns of its parent. The turn under way, in which it is asked for, is
/// not among them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fork(());

impl Fork {
    /// The one that the plugin registers.
    pub fn new() -> Self {
        Self(())
    }
}

impl SubagentProvider for Fork {
    fn name(&self) -> &'static str {
        "fork"
    }

    fn description(&self) -> &'static str {
        "an agent that knows the conversation so far, without the turn under way"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::all()
    }

    fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        Box::pin(async move {
            let Some(parent) = job.parent() else {
                let problem = "there is nobody whose conversation the child could begin with";
                return Err(Error::new(ErrorKind::NoParent, problem, "start it for an agent, or use `spawn`").into());
            };
            let source = parent.session();
            // A turn that begins or ends meanwhile changes nothing: the number is that of one that has ended.
            let turn = source.turn();
            let turn = if source.is_turn_open() { turn.saturating_sub(1) } else { turn };
            let child = job.agent(ChildOptions::new().forked(turn)).await?;
            job.converse(&child).await
        })
    }
}
