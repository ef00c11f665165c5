//! What all rounds happen in: a kernel with all that a loop needs, and what is counted.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_agent::{Agent, AgentRegistry, Agents, AgentsExt};
use dsh_agent_loop::{AgentLoop, LoopConfig, LoopOptions, Retries, TurnLimits};
use dsh_kernel::{Context, Fiber, Kernel, Service};
use dsh_session::{MemoryStore, SessionId, SessionRegistry, Sessions};
use dsh_system_prompt::{Identity, PromptConfig, PromptRegistry, SystemPrompt};
use dsh_testkit::Probes;
use dsh_tools::{ToolRegistry, Tools, ToolsConfig};

use crate::model::Thrown;
use crate::tools::Ran;

pub(crate) struct Place {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) store: MemoryStore,
    pub(crate) model: Thrown,
    pub(crate) ran: Ran,
    pub(crate) probes: Probes,
    /// The agents of the present round, whoever has made them; gone ones too.
    agents: Mutex<Vec<Agent>>,
    sessions: AtomicU64,
    drives: Mutex<Fiber>,
}

/// What a plugin of the test may use.
pub(crate) fn everything() -> Vec<dsh_kernel::Name> {
    [PromptRegistry::NAME, ToolRegistry::NAME, SessionRegistry::NAME, AgentRegistry::NAME]
        .map(dsh_kernel::Name::fixed)
        .into()
}

impl Place {
    pub(crate) async fn new() -> Arc<Self> {
        // How long a task takes to end on a loaded machine is not what is looked at; one that never does is the watchdog's.
        let kernel = Kernel::builder().grace(std::time::Duration::from_mins(10)).build();
        let root = kernel.root();
        let (store, probes) = (MemoryStore::new(), Probes::new());
        let prompt = PromptConfig::new().identity(Identity::Omitted).persona("You work.");
        root.plugin(SystemPrompt::new(prompt)).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Sessions::new(store.clone())).unwrap().ready().await.unwrap();
        root.plugin(Agents::new()).unwrap().ready().await.unwrap();
        let model = Thrown { seed: Arc::default(), asked: Arc::default(), probes: probes.clone() };
        let drives = drive(&root, &model);
        drives.ready().await.unwrap();
        Arc::new(Self {
            kernel,
            root,
            store,
            model,
            ran: Ran::default(),
            probes,
            agents: Mutex::default(),
            sessions: AtomicU64::new(1),
            drives: Mutex::new(drives),
        })
    }

    /// Unloads the loop, whose agents are stopped then, and loads it again.
    pub(crate) async fn reload_loop(&self) {
        let old = self.drives.lock().unwrap_or_else(PoisonError::into_inner).clone();
        old.dispose().await.unwrap();
        let new = drive(&self.root, &self.model);
        *self.drives.lock().unwrap_or_else(PoisonError::into_inner) = new.clone();
        new.ready().await.unwrap();
    }

    pub(crate) fn new_session(&self) -> SessionId {
        let number = self.sessions.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        SessionId::new(number, number.into())
    }

    pub(crate) fn note(&self, agent: &Agent) {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).push(agent.clone());
    }

    pub(crate) fn agents(&self) -> Vec<Agent> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn forget_agents(&self) -> Vec<Agent> {
        std::mem::take(&mut *self.agents.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is there, independent of the round.
    pub(crate) fn shown(&self) -> String {
        let registered = self.root.agents().list().unwrap().len();
        let tools = self.root.get::<ToolRegistry>().resolve().unwrap();
        let prompt = self.root.get::<PromptRegistry>().resolve().unwrap();
        format!("{registered} agents, {tools:?}, {prompt:?}\n{}", self.kernel.inspect())
    }
}

fn drive(root: &Context, model: &Thrown) -> Fiber {
    let retries = Retries::new().times(1).first_wait(std::time::Duration::ZERO);
    let options = LoopOptions::new().limits(TurnLimits::new().steps(12)).retries(retries);
    root.plugin(AgentLoop::new(LoopConfig::new(Arc::new(model.clone())).options(options))).unwrap()
}
