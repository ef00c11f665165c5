//! A kernel with all that a loop needs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dsh_agent::{Agent, AgentHandle, AgentOptions, Agents, AgentsExt};
use dsh_agent_loop::{AgentLoop, LoopConfig, LoopOptions};
use dsh_kernel::{Clock, Context, Disposer, Kernel, ManualClock};
use dsh_llm::{Message, NO_PARAMETERS, ToolSchema};
use dsh_session::{MemoryStore, SessionEvent, SessionId, SessionStore, Sessions, TurnEnd};
use dsh_system_prompt::{Identity, PromptConfig, SystemPrompt};
use dsh_testkit::Log;
use dsh_tools::{Tool, ToolContext, Tools, ToolsConfig, ToolsExt};

use super::{Played, assert_valid};

pub(crate) struct World {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) clock: ManualClock,
    pub(crate) log: Log,
    pub(crate) store: MemoryStore,
    pub(crate) model: Played,
    pub(crate) agent_loop: dsh_kernel::Fiber,
    /// The ids of the calls that tools were run for.
    pub(crate) ran: Arc<Mutex<Vec<String>>>,
}

pub(crate) struct WorldBuilder {
    model: Played,
    store: MemoryStore,
    wrapped: Option<Box<dyn FnOnce(MemoryStore) -> Sessions>>,
    clock: Option<Arc<dyn Clock>>,
    manual: ManualClock,
    config: Box<dyn FnOnce(LoopOptions) -> LoopOptions>,
    persona: &'static str,
}

impl WorldBuilder {
    pub(crate) fn new(model: Played) -> Self {
        Self {
            model,
            store: MemoryStore::new(),
            wrapped: None,
            clock: None,
            manual: ManualClock::new(),
            config: Box::new(|config| config),
            persona: "You work.",
        }
    }

    pub(crate) fn store(mut self, store: MemoryStore) -> Self {
        self.store = store;
        self
    }

    pub(crate) fn wrapped<S: SessionStore>(mut self, wrap: impl FnOnce(MemoryStore) -> S + 'static) -> Self {
        self.wrapped = Some(Box::new(|store| Sessions::new(wrap(store))));
        self
    }

    pub(crate) fn clock(mut self, clock: Arc<dyn Clock>, manual: ManualClock) -> Self {
        (self.clock, self.manual) = (Some(clock), manual);
        self
    }

    pub(crate) fn config(mut self, config: impl FnOnce(LoopOptions) -> LoopOptions + 'static) -> Self {
        self.config = Box::new(config);
        self
    }

    pub(crate) fn persona(mut self, persona: &'static str) -> Self {
        self.persona = persona;
        self
    }

    pub(crate) async fn build(self) -> World {
        let manual = self.manual;
        let clock = self.clock.unwrap_or_else(|| Arc::new(manual.clone()));
        let kernel = Kernel::builder().clock(clock).build();
        let root = kernel.root();
        let prompt = PromptConfig::new().identity(Identity::Omitted).persona(self.persona);
        root.plugin(SystemPrompt::new(prompt)).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
        let sessions = match self.wrapped {
            Some(wrap) => wrap(self.store.clone()),
            None => Sessions::new(self.store.clone()),
        };
        root.plugin(sessions).unwrap().ready().await.unwrap();
        root.plugin(Agents::new()).unwrap().ready().await.unwrap();
        let options = (self.config)(LoopOptions::new());
        let config = LoopConfig::new(Arc::new(self.model.clone())).options(options);
        let agent_loop = root.plugin(AgentLoop::new(config)).unwrap();
        agent_loop.ready().await.unwrap();
        World {
            kernel,
            root,
            clock: manual,
            log: Log::new(),
            store: self.store,
            model: self.model,
            agent_loop,
            ran: Arc::default(),
        }
    }
}

pub(crate) fn id(name: &str) -> SessionId {
    name.parse().unwrap()
}

impl World {
    /// A world whose model answers so.
    pub(crate) async fn new(model: Played) -> Self {
        WorldBuilder::new(model).build().await
    }

    pub(crate) async fn agent(&self) -> AgentHandle {
        self.create(AgentOptions::new("main")).await
    }

    pub(crate) async fn create(&self, options: AgentOptions) -> AgentHandle {
        self.root.agents().create(options.session(dsh_agent::NewSession::new().named(id("main")))).await.unwrap()
    }

    /// A tool that answers `did NAME`.
    pub(crate) fn tool(&self, name: &'static str) -> Disposer {
        self.tool_by(name, |_| std::future::ready(()))
    }

    /// A tool that answers `did NAME` after this.
    pub(crate) fn tool_by<F>(
        &self,
        name: &'static str,
        body: impl Fn(ToolContext) -> F + Send + Sync + 'static,
    ) -> Disposer
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.root.tools().register(self.make_tool(name, body)).unwrap()
    }

    pub(crate) fn make_tool<F>(
        &self,
        name: &'static str,
        body: impl Fn(ToolContext) -> F + Send + Sync + 'static,
    ) -> Tool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (log, ran) = (self.log.clone(), Arc::clone(&self.ran));
        let schema = ToolSchema::new(name, "Does it.", NO_PARAMETERS).unwrap();
        Tool::raw(schema, move |_, cx| {
            log.push(format!("run {name} {}", cx.call_id()));
            ran.lock().unwrap().push(cx.call_id().to_owned());
            let done = body(cx);
            async move {
                done.await;
                Ok(format!("did {name}"))
            }
        })
    }

    /// Says something, waits for the end, and checks the log.
    pub(crate) async fn turn(&self, agent: &Agent, text: &str) -> TurnEnd {
        agent.send(Message::user(text)).unwrap();
        agent.when_idle().await;
        self.check(agent);
        agent.last_turn().unwrap().end
    }

    /// That the log is whole.
    pub(crate) fn check(&self, agent: &Agent) {
        assert_valid(&agent.session().records(), &self.model.asked());
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    /// Lets everything run that can, then moves the clock on, until something holds.
    pub(crate) async fn advance_until(&self, by: Duration, is_so: impl Fn() -> bool) {
        for _ in 0..10_000 {
            if is_so() {
                return;
            }
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            if is_so() {
                return;
            }
            self.clock.advance(by);
        }
        panic!("it never came to that");
    }

    /// Ends the agent, and sees that nothing of it is left.
    pub(crate) async fn gone(&self, handle: AgentHandle, before: &str) {
        let agent = handle.agent().clone();
        handle.dispose().await.unwrap();
        self.check(&agent);
        assert!(agent.session().is_detached());
        assert_eq!(self.kernel.inspect().to_string(), before);
    }
}

/// How the turns of a log ended.
pub(crate) fn ends(agent: &Agent) -> Vec<TurnEnd> {
    let ended = |record: &Arc<dsh_session::Record>| match &record.event {
        SessionEvent::TurnEnded(ended) => Some(ended.end.clone()),
        _ => None,
    };
    agent.session().records().iter().filter_map(ended).collect()
}

/// Lets everything run that can.
pub(crate) async fn lasting() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
