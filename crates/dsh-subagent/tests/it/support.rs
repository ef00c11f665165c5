//! What the tests share: a kernel with all that an agent needs, a model that waits where a test says so, and tools.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use dsh_agent::{Agent, AgentHandle, AgentOptions, Agents, AgentsExt};
use dsh_agent_loop::{AgentLoop, LoopConfig, LoopOptions, Retries, TurnLimits};
use dsh_kernel::{BoxFuture, Context, Disposer, Failure, Fiber, Kernel, ManualClock};
use dsh_llm::{
    ContentBlock, Message, Model, ModelError, ModelEvent, ModelRequest, ModelStream, NO_PARAMETERS, Role,
    ScriptedModel, ToolSchema,
};
use dsh_session::{MemoryStore, Session, SessionEvent, SessionId, SessionStore as _, Sessions};
use dsh_subagent::{
    Capabilities, SubagentJob, SubagentProvider, SubagentRequest, SubagentResult, Subagents, SubagentsConfig,
    SubagentsExt, TaskTool,
};
use dsh_system_prompt::{Identity, PromptConfig, SystemPrompt};
use dsh_testkit::{Gate, Wait};
use dsh_tools::{Tool, Tools, ToolsConfig, ToolsExt};
use futures_core::Stream;

pub(crate) struct World {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) clock: ManualClock,
    pub(crate) store: MemoryStore,
    pub(crate) model: Arc<TestModel>,
    pub(crate) agent_loop: Fiber,
    pub(crate) subagents: Fiber,
    pub(crate) task_tool: Fiber,
    /// How often each tool ran.
    pub(crate) ran: Arc<Mutex<BTreeMap<String, usize>>>,
    /// Where the tool `stall` waits.
    pub(crate) stall: Gate,
}

/// Everything with its usual configuration, and a model of this script.
pub(crate) async fn world(script: &str) -> World {
    world_with(script, SubagentsConfig::new(), TurnLimits::new()).await
}

pub(crate) async fn world_with(script: &str, config: SubagentsConfig, limits: TurnLimits) -> World {
    let clock = ManualClock::new();
    let kernel = Kernel::builder().clock(Arc::new(clock.clone())).build();
    let root = kernel.root();
    let store = MemoryStore::new();
    let model = Arc::new(TestModel::new(script));
    let names = AtomicU64::new(1);
    let agents = Agents::new().ids(move || SessionId::new(names.fetch_add(1, Ordering::Relaxed), 0));
    let loop_options = LoopOptions::new().limits(limits).retries(Retries::new().times(0));
    let loop_config = LoopConfig::new(Arc::clone(&model) as Arc<dyn Model>).options(loop_options);
    mount(root.plugin(SystemPrompt::new(PromptConfig::new().identity(Identity::Omitted).persona("You work.")))).await;
    mount(root.plugin(Tools::new(ToolsConfig::new()))).await;
    mount(root.plugin(Sessions::new(store.clone()))).await;
    mount(root.plugin(agents)).await;
    let agent_loop = mount(root.plugin(AgentLoop::new(loop_config))).await;
    let subagents = mount(root.plugin(Subagents::new(config))).await;
    let task_tool = mount(root.plugin(TaskTool::new())).await;
    let (ran, stall) = (Arc::new(Mutex::new(BTreeMap::new())), Gate::new());
    let world = World { kernel, root, clock, store, model, agent_loop, subagents, task_tool, ran, stall };
    for name in ["read", "write"] {
        world.root.tools().register(world.tool(name)).unwrap();
    }
    let gate = world.stall.clone();
    let stall = Tool::raw(schema("stall"), move |_, _| {
        let wait = gate.wait();
        async move {
            wait.await;
            Ok("stalled")
        }
    });
    world.root.tools().register(stall).unwrap();
    world
}

async fn mount(fiber: Result<Fiber, dsh_kernel::Error>) -> Fiber {
    let fiber = fiber.unwrap();
    fiber.ready().await.unwrap();
    fiber
}

impl World {
    /// A tool that counts how often it runs.
    pub(crate) fn tool(&self, name: &'static str) -> Tool {
        let ran = Arc::clone(&self.ran);
        Tool::raw(schema(name), move |_, _| {
            *ran.lock().unwrap().entry(name.to_owned()).or_default() += 1;
            async move { Ok(name) }
        })
    }

    pub(crate) fn times(&self, tool: &str) -> usize {
        self.ran.lock().unwrap().get(tool).copied().unwrap_or_default()
    }

    pub(crate) async fn agent(&self, name: &'static str) -> AgentHandle {
        self.root.agents().create(AgentOptions::new(name)).await.unwrap()
    }

    pub(crate) async fn agent_with(&self, name: &'static str, options: LoopOptions) -> AgentHandle {
        self.root.agents().create(AgentOptions::new(name).with(options)).await.unwrap()
    }

    /// Runs a request for an agent to its end.
    pub(crate) async fn run(&self, provider: &str, parent: &Agent, request: SubagentRequest) -> Arc<SubagentResult> {
        self.root.subagents().start(provider, request.parent(parent)).unwrap().result().await
    }

    /// What there is of agents, runs and open sessions; the same when nothing is left.
    pub(crate) fn tree(&self) -> String {
        self.kernel.inspect().to_string()
    }

    /// Every session of the store can be opened: nobody writes to it, and its turns have ended.
    pub(crate) fn assert_closed(&self) {
        for listed in self.store.list().unwrap() {
            let session = Session::open(&self.store, &listed.id).unwrap_or_else(|error| panic!("{error}"));
            assert!(!session.is_turn_open(), "{} is in the midst of a turn", listed.id);
            assert_eq!(session.open_calls(), []);
        }
    }

    /// The events of a session of the store, by their kinds.
    pub(crate) fn log(&self, id: &SessionId) -> Vec<SessionEvent> {
        self.store.read(id).unwrap().records.into_iter().map(|record| record.event).collect()
    }
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name, format!("does {name}"), NO_PARAMETERS).unwrap()
}

/// Says something to an agent, waits, and returns what it said last.
pub(crate) async fn say(agent: &Agent, text: &str) -> String {
    agent.send(Message::user(text)).unwrap();
    agent.when_idle().await;
    last_text(agent)
}

pub(crate) fn last_text(agent: &Agent) -> String {
    agent.session().messages().last().map(text_of).unwrap_or_default()
}

pub(crate) fn text_of(message: &Message) -> String {
    let mut text = String::new();
    for block in &*message.content {
        if let ContentBlock::ToolResult(result) = block {
            text.extend(result.content.iter().filter_map(ContentBlock::as_text));
        }
        text.extend(block.as_text());
    }
    text
}

/// The scripted model, which waits at a gate before it answers what has a certain text in its last message; it counts and keeps what it
/// was asked.
pub(crate) struct TestModel {
    script: ScriptedModel,
    gates: Mutex<Vec<(String, Gate)>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl TestModel {
    fn new(script: &str) -> Self {
        let script = ScriptedModel::parse(script).unwrap();
        Self { script, gates: Mutex::default(), asked: Mutex::default() }
    }

    /// Where it waits before it answers such a message.
    pub(crate) fn gate(&self, text: &str) -> Gate {
        let gate = Gate::new();
        self.gates.lock().unwrap().push((text.to_owned(), gate.clone()));
        gate
    }

    /// What it was asked, as far as the last message has this text.
    pub(crate) fn asked(&self, text: &str) -> Vec<ModelRequest> {
        let has = |request: &&ModelRequest| request.messages.last().is_some_and(|last| text_of(last).contains(text));
        self.asked.lock().unwrap().iter().filter(has).cloned().collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Model for TestModel {
    fn name(&self) -> &'static str {
        "test"
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        self.asked.lock().unwrap().push(request.clone());
        let last = request.messages.iter().rev().find(|message| message.role != Role::Assistant).map(text_of);
        let last = last.unwrap_or_default();
        let gate = self.gates.lock().unwrap().iter().find(|(text, _)| last.contains(text)).map(|(_, gate)| gate.wait());
        Box::pin(Gated { gate, inner: self.script.stream(request) })
    }
}

struct Gated {
    gate: Option<Wait>,
    inner: ModelStream,
}

impl Stream for Gated {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        if let Some(gate) = &mut self.gate {
            if Pin::new(gate).poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.gate = None;
        }
        self.inner.as_mut().poll_next(cx)
    }
}

type RunFn = dyn Fn(SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> + Send + Sync;

/// A provider that is made of a function.
pub(crate) struct Made {
    name: &'static str,
    capabilities: Capabilities,
    run: Box<RunFn>,
}

impl SubagentProvider for Made {
    fn name(&self) -> &'static str {
        self.name
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        (self.run)(job)
    }
}

pub(crate) fn made<F>(name: &'static str, run: impl Fn(SubagentJob) -> F + Send + Sync + 'static) -> Made
where
    F: Future<Output = Result<SubagentResult, Failure>> + Send + 'static,
{
    Made { name, capabilities: Capabilities::all(), run: Box::new(move |job| Box::pin(run(job))) }
}

pub(crate) fn able(name: &'static str, capabilities: Capabilities) -> (Made, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let provider = made(name, move |_job| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(SubagentResult::completed("done")) }
    });
    (Made { capabilities, ..provider }, runs)
}

#[track_caller]
pub(crate) fn register(ctx: &Context, provider: Made) -> Disposer {
    ctx.subagents().register_provider(provider).unwrap()
}

/// Lets tasks run until `done` holds; time plays no part.
pub(crate) async fn until(mut done: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if done() {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert!(done(), "what was waited for did not come");
}

/// Waits for an end, letting time pass where a grace has to.
pub(crate) async fn patiently<T>(clock: &ManualClock, mut end: impl Future<Output = T> + Unpin) -> T {
    for _ in 0..200 {
        for _ in 0..200 {
            if let Poll::Ready(output) = dsh_testkit::poll_once(&mut end) {
                return output;
            }
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(1));
    }
    panic!("it does not end");
}
