//! The tool `task`: offers subagents to models (G3).

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use dsh_agent::CurrentAgent;
use dsh_agent_loop::Budget;
use dsh_kernel::{BoxFuture, Cancelled, Context, Failure, Name, Plugin};
use dsh_system_prompt::{PromptRegistry, PromptSection, Stability, SystemPromptExt};
use dsh_template::Text;
use dsh_tools::{ToolContext, ToolFailure, ToolRegistry, ToolsExt, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::ErrorKind;
use crate::handle::{SubagentsExt, SubagentsHandle};
use crate::registry::SubagentRegistry;
use crate::request::SubagentRequest;
use crate::result::{SubagentResult, SubagentStop};
use crate::run::SubagentRun;

const NAME: &str = "task";

/// The plugin `task-tool`: registers the tool `task` and the section `tool:task` as one composite.
///
/// The tool's result is the final answer of an agent that worked for the caller. An agent that may have none under it is not offered
/// the tool.
#[derive(Clone, Debug)]
pub struct TaskTool {
    usual: Arc<str>,
}

impl TaskTool {
    /// `spawn` runs what a model does not ask another one for.
    pub fn new() -> Self {
        Self { usual: "spawn".into() }
    }

    /// Who runs what a model does not ask another one for.
    #[must_use]
    pub fn usual(mut self, provider: impl Into<Arc<str>>) -> Self {
        self.usual = provider.into();
        self
    }
}

impl Default for TaskTool {
    fn default() -> Self {
        Self::new()
    }
}

impl Plugin for TaskTool {
    const NAME: &'static str = "task-tool";
    type Inject = (SubagentRegistry, ToolRegistry, PromptRegistry);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let registry = ctx.subagents().registry()?;
        let (listed, usual) = (Arc::clone(&registry), Arc::clone(&self.usual));
        let section = PromptSection::computed("tool:task", 190, move |_cx| Text::raw(guide(&listed, &usual)))
            .stability(Stability::Session)
            .requires_tools([NAME]);
        ctx.effect("task", |fx| {
            let name = Name::fixed(NAME);
            registry.offer(name.clone());
            fx.defer(move || registry.withdraw(&name));
            fx.adopt(ctx.tools().register(Task { subagents: ctx.subagents(), usual: Arc::clone(&self.usual) })?)?;
            fx.adopt(ctx.system_prompt().section(section)?)?;
            Ok(())
        })?;
        Ok(())
    }
}

/// The guidance: when to use it, and whom there is to choose from.
fn guide(registry: &SubagentRegistry, usual: &str) -> String {
    let mut text = String::from(
        "Use `task` for a piece of work that stands by itself and whose details you do not need: a search through many files, a \
         review, a question with a short answer. The agent sees nothing of this conversation unless it says so below, so put all that \
         it has to know into the prompt, and say what it is to answer. You get its final answer and nothing else. Call it several times \
         in one step for work that can go on side by side.",
    );
    let listed = registry.list();
    if !listed.is_empty() {
        text.push_str("\n\nAgents:");
        for info in listed {
            let mark = if info.name.as_str() == usual { " (the usual one)" } else { "" };
            // Writing to a string does not fail.
            let _infallible = write!(text, "\n- {info}{mark}");
        }
    }
    text
}

struct Task {
    subagents: SubagentsHandle,
    usual: Arc<str>,
}

/// What the tool is called with.
#[derive(Debug, Deserialize, JsonSchema)]
struct Parameters {
    /// What the work is, in three to five words.
    description: String,
    /// All that the agent has to know and to do, and what it is to answer.
    prompt: String,
    /// Which agent works on it; the usual one, if none is given.
    #[serde(default)]
    agent: Option<String>,
    /// A JSON Schema, if the answer is to be JSON of it.
    #[serde(default)]
    output_schema: Option<Map<String, Value>>,
}

impl TypedTool for Task {
    const NAME: &'static str = NAME;
    const DESCRIPTION: &'static str = "Has another agent do a piece of work, and answers with what it says in the end.";
    type Params = Parameters;
    type Output = String;

    async fn run(&self, task: Parameters, cx: ToolContext) -> Result<String, ToolFailure> {
        let Some(parent) = cx.get::<CurrentAgent>() else {
            return Err(ToolFailure::model("only an agent can have another one work for it"));
        };
        let mut request = SubagentRequest::new(task.prompt).parent(parent.agent()).description(task.description);
        if let Some(budget) = cx.get::<Budget>() {
            request = request.budget(budget.clone());
        }
        if let Some(schema) = task.output_schema {
            request = request.output_schema(Value::Object(schema));
        }
        let provider = task.agent.as_deref().unwrap_or(&self.usual);
        let started = self.subagents.start(provider, request).map_err(|error| match error.kind() {
            ErrorKind::NoProvider
            | ErrorKind::UnsupportedCapability
            | ErrorKind::InvalidOutputSchema
            | ErrorKind::TooDeep
            | ErrorKind::TooMany
            | ErrorKind::NoParent => ToolFailure::model(error.to_string()),
            ErrorKind::DuplicateProvider | ErrorKind::ProviderPanicked | ErrorKind::Agent | ErrorKind::Kernel => {
                ToolFailure::Host(error.into())
            }
        })?;
        said(&*Followed::new(started, &cx).await)
    }
}

/// What the model reads of a result. What is for the host stays in the child's session.
fn said(result: &SubagentResult) -> Result<String, ToolFailure> {
    let problem = match &result.stop {
        SubagentStop::Completed => {
            return Ok(result.value.as_ref().map_or_else(|| result.text.clone(), Value::to_string));
        }
        SubagentStop::InvalidOutput { violations } => {
            format!("the agent's answer is not valid against the schema, the second one neither:{violations}")
        }
        SubagentStop::Failed { code, .. } => format!("the agent failed ({code})"),
        SubagentStop::Refused { reason } => format!("the agent did not get the prompt: {reason}"),
        SubagentStop::Ended { reason } => format!("the agent was ended before it had said all: {reason}"),
        SubagentStop::Limit { which } => format!("the agent reached a limit: {which}"),
        SubagentStop::Cancelled => "the agent was cancelled".to_owned(),
        SubagentStop::Disposed => "the agent was taken away".to_owned(),
    };
    let had = result.text.trim();
    Err(ToolFailure::model(if had.is_empty() { problem } else { format!("{problem}\nWhat it said last:\n{had}") }))
}

/// Follows a run to its end: cancels it when the call is cancelled, or dropped, and waits for its end all the same.
struct Followed {
    run: SubagentRun,
    result: BoxFuture<'static, Arc<SubagentResult>>,
    cancelled: Option<Cancelled>,
}

impl Followed {
    fn new(run: SubagentRun, cx: &ToolContext) -> Self {
        Self { result: Box::pin(run.result()), cancelled: Some(cx.cancel().cancelled()), run }
    }
}

impl Future for Followed {
    type Output = Arc<SubagentResult>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if self.cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(cx).is_ready()) {
            self.cancelled = None;
            self.run.cancel();
        }
        self.result.as_mut().poll(cx)
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // Nothing, where it has ended.
        self.run.cancel();
    }
}
