//! One of those who act at once.

use std::sync::Arc;

use dsh_agent::{Agent, AgentHandle, AgentOptions, AgentPreStep, AgentsExt, NewSession};
use dsh_kernel::{BoxFuture, Context, Disposer, DynPlugin, Failure, Fiber, Name, Teardown};
use dsh_llm::Message;
use dsh_session::SessionId;
use dsh_system_prompt::{PromptSection, SystemPromptExt};
use dsh_testkit::Dice;
use dsh_tools::{PostExecuteEvent, PreExecuteEvent, ToolFilter, ToolsExt};

use crate::place::{Place, everything};
use crate::tools::{Ran, thrown};

/// The names of the tools that come and go. All want all of them: who comes second is refused.
const NAMES: [&str; 6] = ["look", "find", "write", "patch", "count", "wait"];
/// So many agents an actor has at most.
const AGENTS: usize = 4;

pub(crate) struct Actor {
    place: Arc<Place>,
    dice: Dice,
    handles: Vec<AgentHandle>,
    disposers: Vec<Disposer>,
    fibers: Vec<Fiber>,
    /// Sessions whose agents have been disposed, with the end of that.
    left: Vec<(SessionId, Teardown)>,
    pub(crate) ends: Vec<Teardown>,
}

impl Actor {
    pub(crate) fn new(place: &Arc<Place>, seed: u64, number: u64) -> Self {
        Self {
            place: Arc::clone(place),
            dice: Dice::new(seed, number),
            handles: Vec::new(),
            disposers: Vec::new(),
            fibers: Vec::new(),
            left: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(crate) async fn play(&mut self, steps: u32) {
        // So that there is something to call from the beginning.
        self.register();
        self.register();
        self.create().await;
        for _ in 0..steps {
            self.step().await;
            if self.dice.one_in(3) {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Lets go of all that it has, one after the other.
    pub(crate) fn leave(&mut self) {
        while let Some(handle) = self.handles.pop() {
            self.ends.push(handle.dispose());
        }
        self.ends.extend(self.disposers.drain(..).map(Disposer::dispose));
        self.ends.extend(self.fibers.drain(..).map(|fiber| fiber.dispose()));
    }

    async fn step(&mut self) {
        match self.dice.roll(16) {
            0 | 1 if self.handles.len() < AGENTS => self.create().await,
            2 if self.handles.len() < AGENTS => self.resume().await,
            3 => self.dispose_agent(),
            4 | 5 => self.say(|agent| drop(agent.send(Message::user("Go.")))),
            6 => self.say(|agent| drop(agent.steer(Message::user("Rather this.")))),
            7 => self.say(|agent| drop(agent.inject_message(Message::user("By the way.")))),
            8 => self.say(Agent::cancel),
            9 => self.register(),
            10 => self.restrict(),
            11 | 12 => self.dispose_any(),
            13 => self.mount(),
            14 => self.unmount(),
            _ => self.wait().await,
        }
    }

    async fn create(&mut self) {
        let id = self.place.new_session();
        let (ran, probes, own) = (self.place.ran.clone(), self.place.probes.clone(), self.dice.one_in(2));
        let (fails, mut dice) = (self.dice.one_in(10), self.dice.clone());
        let options = AgentOptions::new("agent").session(NewSession::new().named(id)).setup(move |ctx| async move {
            if own {
                ctx.tools().register(thrown("look", &mut dice, &ran, &probes))?;
            }
            tokio::task::yield_now().await;
            if fails { Err(Failure::msg("not today")) } else { Ok(()) }
        });
        let made = self.place.root.agents().create(options).await;
        self.made(made);
    }

    async fn resume(&mut self) {
        let Some(at) = self.dice.index(self.left.len()) else { return };
        let (id, end) = self.left.swap_remove(at);
        // Two may try at once, and the old one may still be there: then it is refused.
        if self.dice.one_in(2) {
            drop(end.await);
        }
        let made = self.place.root.agents().resume(id, AgentOptions::new("agent")).await;
        self.made(made);
    }

    fn made(&mut self, made: Result<AgentHandle, dsh_agent::Error>) {
        if let Ok(handle) = made {
            self.place.note(handle.agent());
            drop(handle.agent().send(Message::user("Begin.")));
            self.handles.push(handle);
        }
    }

    fn dispose_agent(&mut self) {
        let Some(at) = self.dice.index(self.handles.len()) else { return };
        let handle = self.handles.swap_remove(at);
        let id = handle.agent().id().clone();
        let end = handle.dispose();
        self.left.push((id, end.clone()));
        self.ends.push(end);
    }

    /// Any agent, whoever has made it.
    fn agent(&mut self) -> Option<Agent> {
        let agents = self.place.agents();
        // Rather one of the last.
        let back = self.dice.index(agents.len().min(12))?;
        agents.get(agents.len() - 1 - back).cloned()
    }

    fn say(&mut self, say: impl FnOnce(&Agent)) {
        if let Some(agent) = self.agent() {
            say(&agent);
        }
    }

    fn name(&mut self) -> &'static str {
        self.dice.index(NAMES.len()).and_then(|at| NAMES.get(at)).copied().unwrap_or_default()
    }

    /// Somewhere to register: everywhere, or one agent's own context.
    fn somewhere(&mut self) -> Context {
        let agent = if self.dice.one_in(2) { self.agent() } else { None };
        agent.map_or_else(|| self.place.root.clone(), |agent| agent.ctx().clone())
    }

    fn register(&mut self) {
        let (name, ctx) = (self.name(), self.somewhere());
        let tool = thrown(name, &mut self.dice, &self.place.ran, &self.place.probes);
        self.disposers.extend(ctx.tools().register(tool));
    }

    fn restrict(&mut self) {
        let (name, agent) = (self.name(), self.agent());
        let filter = if self.dice.one_in(3) { ToolFilter::new().allow([name]) } else { ToolFilter::new().deny([name]) };
        self.disposers.extend(agent.and_then(|agent| agent.ctx().tools().restrict(filter).ok()));
    }

    fn dispose_any(&mut self) {
        if let Some(at) = self.dice.index(self.disposers.len()) {
            self.ends.push(self.disposers.swap_remove(at).dispose());
        }
    }

    fn mount(&mut self) {
        let pack = Pack {
            kind: self.dice.roll(5),
            name: self.name(),
            dice: self.dice.clone(),
            ran: self.place.ran.clone(),
            probes: self.place.probes.clone(),
        };
        let ctx = self.somewhere();
        self.fibers.extend(ctx.plugin_dyn(Arc::new(pack)));
    }

    fn unmount(&mut self) {
        if let Some(at) = self.dice.index(self.fibers.len()) {
            self.ends.push(self.fibers.swap_remove(at).dispose());
        }
    }

    async fn wait(&mut self) {
        if let Some(agent) = self.agent() {
            agent.when_idle().await;
        }
    }
}

/// A plugin with a tool, its guidance, and listeners that let things pass, deny, fail or panic.
struct Pack {
    kind: u32,
    name: &'static str,
    dice: Dice,
    ran: Ran,
    probes: dsh_testkit::Probes,
}

impl DynPlugin for Pack {
    fn name(&self) -> Name {
        Name::fixed("pack")
    }

    fn inject(&self) -> Vec<Name> {
        everything()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            let tool = thrown(self.name, &mut self.dice.clone(), &self.ran, &self.probes);
            ctx.effect("pack", |fx| {
                fx.adopt(ctx.tools().register(tool)?)?;
                let guide = PromptSection::new(format!("tool:{}", self.name), 110, "Use it.");
                fx.adopt(ctx.system_prompt().section(guide.requires_tools([self.name]))?)?;
                Ok(())
            })?;
            let (kind, probe) = (self.kind, self.probes.probe());
            ctx.on_waterfall::<PreExecuteEvent, _>(move |mut call, _, next| {
                probe.touch();
                async move {
                    tokio::task::yield_now().await;
                    match kind {
                        0 => call.deny("not today"),
                        1 => panic!("the listener panics"),
                        2 => return Err(Failure::msg("broken")),
                        _ => {}
                    }
                    next.run(call).await
                }
            })?;
            let probe = self.probes.probe();
            ctx.on_waterfall::<PostExecuteEvent, _>(move |mut result, _, next| {
                probe.touch();
                result.attach(Message::user("Noted."));
                next.run(result)
            })?;
            let probe = self.probes.probe();
            ctx.on_serial(move |_: Arc<AgentPreStep>| {
                probe.touch();
                async { Ok(None) }
            })?;
            Ok(())
        })
    }
}
