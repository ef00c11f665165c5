//! The service: which agents there are, and who makes their drivers.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_kernel::{Audience, Context, Disposer, Emit, Event, EventInfo, Failure, Method, Name, Owner, Quiet, Service};
use dsh_session::SessionId;

use crate::agent::Agent;
use crate::driver::AgentFactory;
use crate::error::{Error, ErrorKind};
use crate::events::{
    AgentCompacted, AgentCreated, AgentDisposed, AgentPreStep, AgentPromptSubmit, AgentRequest, AgentSessionStart,
    AgentStepResult, AgentStream, AgentToolCall, AgentToolResult, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart,
};
use crate::plugin::IdSource;

/// The service `agents`; used through [`AgentsHandle`](crate::AgentsHandle).
pub struct AgentRegistry {
    /// The plugin's own: it injects the sessions, so that who makes an agent need not.
    pub(crate) ctx: Context,
    pub(crate) ids: Option<IdSource>,
    state: Mutex<State>,
    numbers: AtomicU64,
}

#[derive(Default)]
struct State {
    /// In order of registration.
    agents: BTreeMap<u64, Registered>,
    places: HashMap<SessionId, u64>,
    factory: Option<Factory>,
}

struct Registered {
    agent: Agent,
    owner: Owner,
}

/// Whoever makes drivers now.
#[derive(Clone)]
pub(crate) struct Factory {
    pub(crate) ctx: Context,
    pub(crate) number: u64,
    code: Arc<Quiet<Box<dyn AgentFactory>>>,
}

impl Factory {
    /// Calls it as code of its owner.
    pub(crate) fn call<R>(&self, code: impl FnOnce(&dyn AgentFactory) -> R) -> Result<R, Failure> {
        self.ctx.call(|| code(&***self.code))
    }
}

impl Service for AgentRegistry {
    const NAME: &'static str = "agents";
    const DOC: &'static str = "The agents that there are: how one is made, found and undone.";
    const METHODS: &'static [Method] = &[
        Method::new(
            "register",
            "(agent: &Agent) -> Result<Disposer, Error>",
            "Registers an agent that was made by hand; those that `create` makes are registered by it.",
        ),
        Method::new(
            "set_factory",
            "(factory: impl AgentFactory) -> Result<Disposer, Error>",
            "Says who makes what drives agents; a second one is refused. Leaving it stops the agents that it drives.",
        ),
        Method::new(
            "create",
            "async (options: AgentOptions) -> Result<AgentHandle, Error>",
            "Makes an agent, as one composite effect; its handle gives its disposer.",
        ),
        Method::new(
            "resume",
            "async (id: SessionId, options: AgentOptions) -> Result<AgentHandle, Error>",
            "Makes an agent that goes on with a session of the store.",
        ),
    ];
    const EVENTS: &'static [EventInfo] = &[
        EventInfo::of::<AgentCreated>(),
        EventInfo::of::<AgentDisposed>(),
        EventInfo::of::<AgentSessionStart>(),
        EventInfo::of::<AgentTurnStart>(),
        EventInfo::of::<AgentPromptSubmit>(),
        EventInfo::of::<AgentPreStep>(),
        EventInfo::of::<AgentRequest>(),
        EventInfo::of::<AgentStream>(),
        EventInfo::of::<AgentStepResult>(),
        EventInfo::of::<AgentToolCall>(),
        EventInfo::of::<AgentToolResult>(),
        EventInfo::of::<AgentTurnContinuation>(),
        EventInfo::of::<AgentCompacted>(),
        EventInfo::of::<AgentTurnEnd>(),
    ];
}

impl AgentRegistry {
    pub(crate) fn new(ctx: Context, ids: Option<IdSource>) -> Self {
        Self { ctx, ids, state: Mutex::default(), numbers: AtomicU64::new(1) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn register(self: &Arc<Self>, ctx: &Context, agent: &Agent) -> Result<Disposer, Error> {
        let label = Name::from(format!("agent {}", agent.id()));
        let effect = ctx.effect(label, |fx| {
            let place = self.insert(ctx, agent)?;
            let (registry, told, gone) = (Arc::clone(self), ctx.clone(), agent.clone());
            let last = agent.clone();
            fx.defer(move || {
                registry.remove(place);
                tell(&told, &gone, &AgentDisposed::new(gone.clone()));
            });
            // Of an agent that was made by hand: that of another one has ended with its driver.
            fx.defer_async(move || async move { last.end_work().await });
            tell(ctx, agent, &AgentCreated::new(agent.clone()));
            Ok(())
        });
        effect.map_err(Error::of_effect)
    }

    fn insert(&self, ctx: &Context, agent: &Agent) -> Result<u64, Error> {
        let place = self.number();
        let mut state = self.state();
        if let Some(first) = state.places.get(agent.id()).and_then(|place| state.agents.get(place)) {
            let error = Error::new(ErrorKind::DuplicateAgent, "an agent of that session is registered already");
            let error = error.with_help("dispose it first, or fork the session");
            return Err(error.of(agent).by(ctx.owner()).after(first.owner.clone()));
        }
        state.places.insert(agent.id().clone(), place);
        state.agents.insert(place, Registered { agent: agent.clone(), owner: ctx.owner() });
        Ok(place)
    }

    fn remove(&self, place: u64) {
        let gone = {
            let mut state = self.state();
            let gone = state.agents.remove(&place);
            if let Some(gone) = &gone {
                state.places.remove(gone.agent.id());
            }
            gone
        };
        // What it holds may be foreign, and goes when the lock is free.
        drop(gone);
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<Agent> {
        let state = self.state();
        let place = state.places.get(id)?;
        state.agents.get(place).map(|registered| registered.agent.clone())
    }

    pub(crate) fn list(&self) -> Vec<Agent> {
        self.state().agents.values().map(|registered| registered.agent.clone()).collect()
    }

    pub(crate) fn factory(&self) -> Result<Factory, Error> {
        self.state().factory.clone().ok_or_else(no_factory)
    }

    /// Whether this factory still makes drivers.
    pub(crate) fn is_current(&self, number: u64) -> bool {
        self.state().factory.as_ref().is_some_and(|factory| factory.number == number)
    }

    pub(crate) fn set_factory(
        self: &Arc<Self>,
        ctx: &Context,
        factory: Box<dyn AgentFactory>,
    ) -> Result<Disposer, Error> {
        let factory = Factory { ctx: ctx.clone(), number: self.number(), code: Arc::new(Quiet::new(factory)) };
        let effect = ctx.effect("agent factory", |fx| {
            let number = factory.number;
            {
                let mut state = self.state();
                if let Some(first) = &state.factory {
                    let error = Error::new(ErrorKind::DuplicateFactory, "there is a factory of agents already");
                    let error = error.with_help("mount one loop only, or dispose the first");
                    return Err(error.by(ctx.owner()).after(first.ctx.owner()).into());
                }
                state.factory = Some(factory);
            }
            let (registry, stopping) = (Arc::clone(self), Arc::clone(self));
            // First nobody gets one of its drivers any more, then those that it made are stopped: they are its code.
            fx.defer_async(move || async move { stopping.stop_all(number).await });
            fx.defer(move || {
                let gone = registry.state().factory.take();
                drop(gone);
            });
            Ok(())
        });
        effect.map_err(Error::of_effect)
    }

    /// Stops all agents that this factory drives, side by side.
    async fn stop_all(&self, factory: u64) -> Result<(), Failure> {
        let agents: Vec<Agent> = self.list().into_iter().filter(|agent| agent.is_of(factory)).collect();
        let mut stops: Vec<_> = agents.iter().map(|agent| Box::pin(agent.stop())).collect();
        let mut first = Ok(());
        std::future::poll_fn(|cx| {
            stops.retain_mut(|stop| match stop.as_mut().poll(cx) {
                std::task::Poll::Pending => true,
                std::task::Poll::Ready(stopped) => {
                    if first.is_ok() {
                        first = stopped;
                    }
                    false
                }
            });
            if stops.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        first
    }
}

pub(crate) fn no_factory() -> Error {
    let error = Error::new(ErrorKind::NoFactory, "nobody makes what drives an agent");
    error.with_help("mount the plugin of dsh-agent-loop, or set a factory of your own")
}

/// Tells the listeners of an agent; a failing one is logged.
fn tell<E: Event<Mode = Emit>>(ctx: &Context, agent: &Agent, event: &E) {
    if let Err(error) = ctx.emit(event, Audience::Scope(agent.scope_key())) {
        tracing::error!(agent = %agent.id(), event = E::NAME, failure = ctx.shown(&error), "a listener failed");
    }
}

impl fmt::Debug for AgentRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentRegistry({} agents)", self.state().agents.len())
    }
}
