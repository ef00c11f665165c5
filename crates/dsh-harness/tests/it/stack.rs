//! A kernel with all that an agent needs, and a model that keeps what it was sent.

use std::sync::{Arc, Mutex, PoisonError};

use dsh_harness::agent_loop::{AgentLoop, LoopConfig};
use dsh_harness::kernel::{Context, Disposer, Fiber, Kernel};
use dsh_harness::llm::{ContentBlock, Message, Model, ModelRequest, ModelStream, NO_PARAMETERS, ScriptedModel};
use dsh_harness::prelude::{
    Agent, AgentHandle, AgentOptions, Agents, AgentsExt, Identity, MemoryStore, NewSession, PromptConfig, SessionEvent,
    SessionId, Sessions, SystemPrompt, Tool, ToolSchema, Tools, ToolsConfig, ToolsExt,
};
use dsh_harness::session::{CallEnded, TurnEnd, requests};

/// A scripted model that keeps its requests.
#[derive(Clone)]
struct Kept {
    model: ScriptedModel,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Model for Kept {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        self.model.stream(request)
    }
}

pub(crate) struct Stack {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Stack {
    /// A stack whose model answers by this script.
    pub(crate) async fn new(script: &str) -> Self {
        Self::on(MemoryStore::new(), script).await
    }

    /// The same, with the sessions of this store.
    pub(crate) async fn on(store: MemoryStore, script: &str) -> Self {
        let kernel = Kernel::new();
        let root = kernel.root();
        let prompt = PromptConfig::new().identity(Identity::Omitted);
        root.plugin(SystemPrompt::new(prompt)).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Sessions::new(store)).unwrap().ready().await.unwrap();
        root.plugin(Agents::new()).unwrap().ready().await.unwrap();
        let asked = Arc::default();
        let model = Kept { model: ScriptedModel::parse(script).unwrap(), asked: Arc::clone(&asked) };
        root.plugin(AgentLoop::new(LoopConfig::new(Arc::new(model)))).unwrap().ready().await.unwrap();
        Self { kernel, root, asked }
    }

    /// An agent whose name is its session's too.
    pub(crate) async fn agent(&self, name: &'static str) -> AgentHandle {
        self.root.agents().create(AgentOptions::new(name).session(NewSession::new().named(id(name)))).await.unwrap()
    }

    /// Tools for everybody, each answering `did NAME`.
    pub(crate) fn tools(&self, names: &[&str]) -> Vec<Disposer> {
        names.iter().map(|name| self.root.tools().register(tool(name)).unwrap()).collect()
    }

    /// A plugin that may use everything and has registered nothing.
    pub(crate) async fn plugin(&self, name: &'static str) -> Fiber {
        let fiber = self.root.plugin_dyn(Arc::new(crate::plugins::Bare(name))).unwrap();
        fiber.ready().await.unwrap();
        fiber
    }

    /// The requests since the last look.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Says something, and answers how the turn ended. What was sent can be rebuilt from the log (A3).
pub(crate) async fn turn(agent: &Agent, text: &str) -> TurnEnd {
    agent.send(Message::user(text)).unwrap();
    agent.when_idle().await;
    requests(&agent.session().records()).unwrap();
    agent.last_turn().unwrap().end
}

pub(crate) fn id(name: &str) -> SessionId {
    name.parse().unwrap()
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name, format!("Does {name}."), NO_PARAMETERS).unwrap()
}

pub(crate) fn tool(name: &str) -> Tool {
    let answer = format!("did {name}");
    Tool::raw(schema(name), move |_, _| std::future::ready(Ok(answer.clone())))
}

/// The names of the tools that a request offers.
pub(crate) fn offered(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(ToolSchema::name).collect()
}

/// The results of an agent's calls, in the order in which they came: the text, and of errors the code.
pub(crate) fn results(agent: &Agent) -> Vec<(String, Option<String>)> {
    let ended = |record: &Arc<dsh_harness::session::Record>| {
        let SessionEvent::CallEnded(CallEnded { result, code, .. }) = &record.event else { return None };
        let text = result.content.iter().filter_map(ContentBlock::as_text).collect();
        Some((text, code.as_deref().map(str::to_owned)))
    };
    agent.session().records().iter().filter_map(ended).collect()
}
