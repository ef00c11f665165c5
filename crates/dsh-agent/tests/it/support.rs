//! What the tests share: a kernel with the registry, a driver that tells what it is asked, and a store that tells of its flushes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dsh_agent::{
    Agent, AgentDriver, AgentFactory, AgentOptions, AgentStatus, Agents, AgentsExt, Error, NewSession, TurnSummary,
};
use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, Fiber, FiberChanged, FiberState, Kernel, Name, Service};
use dsh_llm::Message;
use dsh_session::{
    Listed, MemoryStore, Opened, Record, Session, SessionId, SessionStore, SessionWriter, Sessions, SessionsExt,
};
use dsh_system_prompt::{AssembleContext, RunContext};
use dsh_testkit::{Gate, Log};

pub(crate) struct World {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) log: Log,
    pub(crate) store: MemoryStore,
}

/// A kernel with sessions and agents, without a factory.
pub(crate) async fn bare() -> World {
    let (kernel, log, store) = (Kernel::new(), Log::new(), MemoryStore::new());
    let root = kernel.root();
    let told = Told { inner: store.clone(), log: log.clone() };
    root.plugin(Sessions::new(told)).unwrap().ready().await.unwrap();
    root.plugin(Agents::new()).unwrap().ready().await.unwrap();
    World { kernel, root, log, store }
}

/// The same with a factory of [`Fake`] drivers.
pub(crate) async fn world() -> World {
    let world = bare().await;
    world.root.agents().set_factory(Fakes::new(&world.log)).unwrap();
    world
}

pub(crate) fn id(name: &str) -> SessionId {
    name.parse().unwrap()
}

pub(crate) fn options(name: &str) -> AgentOptions {
    AgentOptions::new(name.to_owned()).session(NewSession::new().named(id(name)))
}

impl World {
    pub(crate) async fn create(&self, name: &str) -> dsh_agent::AgentHandle {
        self.root.agents().create(options(name)).await.unwrap()
    }

    /// An agent that is made by hand, in a scope of `ctx`.
    pub(crate) fn by_hand(&self, ctx: &Context, name: &str) -> Agent {
        let scope = ctx.scope(name.to_owned()).unwrap();
        let session = Session::create(&MemoryStore::new(), Opened::new(id(name))).unwrap();
        let driver = Arc::new(Fake::new(&self.log));
        Agent::new(name.to_owned(), scope.ctx(), session, RunContext::new(), driver).unwrap()
    }

    pub(crate) fn listed(&self) -> Vec<String> {
        let agents = self.root.agents().list().unwrap();
        agents.iter().map(|agent| agent.name().to_owned()).collect()
    }

    /// Tells of the end of each scope.
    pub(crate) fn tell_of_scopes(&self) {
        let log = self.log.clone();
        let tell = move |change: &FiberChanged| {
            if change.path.to_string() == "main" && change.to == FiberState::Disposed {
                log.push("scope gone");
            }
        };
        self.root.on(tell).unwrap();
    }

    pub(crate) fn entered(&self) -> usize {
        self.root.sessions().entered().unwrap().len()
    }

    /// That nothing of any agent is left.
    pub(crate) fn assert_nothing_left(&self, before: &str) {
        assert!(self.listed().is_empty());
        assert_eq!(self.entered(), 0);
        assert_eq!(self.kernel.inspect().to_string(), before);
    }

    /// A plugin that injects the agents and registers nothing of itself.
    pub(crate) async fn plugin(&self, name: &str) -> Fiber {
        let fiber = self.root.plugin_dyn(Arc::new(User(name.to_owned().into()))).unwrap();
        fiber.ready().await.unwrap();
        fiber
    }
}

struct User(Name);

impl DynPlugin for User {
    fn name(&self) -> Name {
        self.0.clone()
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed(dsh_agent::AgentRegistry::NAME)]
    }

    fn start(self: Arc<Self>, _ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Makes [`Fake`]s; may be told to fail.
pub(crate) struct Fakes {
    pub(crate) log: Log,
    pub(crate) fails_to_make: bool,
    pub(crate) fails_to_start: bool,
    /// Where each stop waits.
    pub(crate) stopping: Gate,
}

impl Fakes {
    pub(crate) fn new(log: &Log) -> Self {
        let stopping = Gate::new();
        stopping.open();
        Self { log: log.clone(), fails_to_make: false, fails_to_start: false, stopping }
    }
}

impl AgentFactory for Fakes {
    fn model(&self, _fields: &AssembleContext) -> Option<Arc<str>> {
        Some("fake-1".into())
    }

    fn make(&self, _agent: &Agent) -> Result<Arc<dyn AgentDriver>, Failure> {
        self.log.push("make");
        if self.fails_to_make {
            return Err(Failure::msg("no driver today"));
        }
        let (fails_to_start, stopping) = (self.fails_to_start, self.stopping.clone());
        Ok(Arc::new(Fake { fails_to_start, stopping, ..Fake::new(&self.log) }))
    }
}

/// A driver that does nothing but tell.
pub(crate) struct Fake {
    log: Log,
    stopped: AtomicBool,
    fails_to_start: bool,
    stopping: Gate,
}

impl Fake {
    pub(crate) fn new(log: &Log) -> Self {
        let stopping = Gate::new();
        stopping.open();
        Self { log: log.clone(), stopped: AtomicBool::new(false), fails_to_start: false, stopping }
    }

    fn told(&self, what: &str, message: &Message) -> Result<(), Error> {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Error::stopped(&id("fake")));
        }
        let text = message.content.first().and_then(|block| block.as_text()).unwrap_or_default();
        self.log.push(format!("{what} {text}"));
        assert!(text != "panic", "the driver panics");
        Ok(())
    }
}

impl AgentDriver for Fake {
    fn start(&self, agent: &Agent) -> Result<(), Failure> {
        self.log.push(format!("start {}", agent.name()));
        if self.fails_to_start { Err(Failure::msg("it does not start")) } else { Ok(()) }
    }

    fn stop(&self) -> BoxFuture<'static, Result<(), Failure>> {
        self.stopped.store(true, Ordering::SeqCst);
        self.log.push("stop");
        let (gate, log) = (self.stopping.clone(), self.log.clone());
        Box::pin(async move {
            gate.wait().await;
            log.push("drained");
            Ok(())
        })
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        self.told("send", &message)
    }

    fn steer(&self, message: Message) -> Result<(), Error> {
        self.told("steer", &message)
    }

    fn inject_message(&self, message: Message) -> Result<(), Error> {
        self.told("inject", &message)
    }

    fn cancel(&self) {
        self.log.push("cancel");
    }

    fn when_idle(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn status(&self) -> AgentStatus {
        if self.stopped.load(Ordering::SeqCst) { AgentStatus::Stopped } else { AgentStatus::Idle }
    }

    fn last_turn(&self) -> Option<TurnSummary> {
        None
    }
}

/// A store that tells of flushes and of the end of writing.
struct Told {
    inner: MemoryStore,
    log: Log,
}

struct ToldWriter {
    inner: Option<Box<dyn SessionWriter>>,
    log: Log,
}

impl Told {
    fn writer(&self, inner: Box<dyn SessionWriter>) -> Box<dyn SessionWriter> {
        Box::new(ToldWriter { inner: Some(inner), log: self.log.clone() })
    }
}

impl SessionStore for Told {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, dsh_session::Error> {
        let inner = self.inner.create(log)?;
        self.log.push("session made");
        Ok(self.writer(inner))
    }

    fn open(&self, id: &SessionId) -> Result<(dsh_session::Log, Box<dyn SessionWriter>), dsh_session::Error> {
        let (log, inner) = self.inner.open(id)?;
        self.log.push("session opened");
        Ok((log, self.writer(inner)))
    }

    fn read(&self, id: &SessionId) -> Result<dsh_session::Log, dsh_session::Error> {
        self.inner.read(id)
    }

    fn list(&self) -> Result<Vec<Listed>, dsh_session::Error> {
        self.inner.list()
    }

    fn remove(&self, id: &SessionId) -> Result<(), dsh_session::Error> {
        self.inner.remove(id)?;
        self.log.push("session removed");
        Ok(())
    }
}

impl SessionWriter for ToldWriter {
    fn append(&mut self, record: &Record) -> Result<(), dsh_session::Error> {
        self.inner.as_mut().unwrap().append(record)
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), dsh_session::Error>> {
        self.log.push("flush");
        self.inner.as_mut().unwrap().flush()
    }
}

impl Drop for ToldWriter {
    fn drop(&mut self) {
        drop(self.inner.take());
        self.log.push("session closed");
    }
}
