//! One case a register-method.

use std::fmt;
use std::sync::Arc;

use dsh_harness::agent::{
    Agent, AgentCreated, AgentDisposed, AgentDriver, AgentFactory, AgentOptions, AgentStatus, AgentsExt, TurnSummary,
};
use dsh_harness::kernel::{
    Audience, BoxFuture, Context, Disposer, DynPlugin, Emit, Event, Failure, Method, Name, Plugin, Serial, SerialEvent,
    Service, Waterfall, WaterfallEvent,
};
use dsh_harness::llm::{Message, NO_PARAMETERS, ToolSchema};
use dsh_harness::prompt::{
    PromptChange, PromptSection, PromptVariable, PromptView, RunContext, SystemPromptExt, ToolProvider,
    ToolProviderResult,
};
use dsh_harness::session::{Opened, SessionId, SessionsExt};
use dsh_harness::subagent::{
    Capabilities, SubagentJob, SubagentProvider, SubagentProviderAdded, SubagentProviderRemoved, SubagentResult,
    SubagentsExt,
};
use dsh_harness::tools::{Tool, ToolChange, ToolFilter, ToolsExt};
use futures_util::FutureExt;

use super::world::{Flag, World};

type Registered<'a> = BoxFuture<'a, Result<Disposer, Failure>>;

/// A register-method.
pub(crate) struct Case {
    /// The service, or `Context`.
    pub(crate) of: &'static str,
    pub(crate) method: &'static str,
    /// Whether it is registered through a scope's context.
    pub(crate) scoped: bool,
    register: fn(&World) -> Registered<'_>,
    /// Whether what was registered is there, as others see it.
    pub(crate) is_there: fn(&World) -> bool,
    pub(crate) listeners: Listeners,
}

/// What a failing listener of changes does.
pub(crate) enum Listeners {
    /// Nobody is told.
    None,
    /// The registration is taken back.
    TakeBack(fn(&Context) -> Disposer),
    /// The failure is logged, and changes nothing.
    Contained(fn(&Context) -> Disposer),
}

impl Case {
    pub(crate) async fn register(&self, world: &World) -> Result<Disposer, Failure> {
        (self.register)(world).await
    }

    /// What has to be there before the owner comes.
    pub(crate) fn ground(&self, root: &Context) -> Option<Context> {
        match (self.of, self.method) {
            ("tools", "restrict") => drop(root.tools().register(tool("kept-from-some")).unwrap()),
            ("tools", "bound_by") => {
                drop(root.tools().register(tool("kept-from-some")).unwrap());
                let other = root.scope("other").unwrap().ctx().clone();
                other.tools().restrict(ToolFilter::new().deny(["kept-from-some"])).unwrap();
                return Some(other);
            }
            ("agents", "create") => drop(root.agents().set_factory(Idle).unwrap()),
            ("agents", "resume") => {
                drop(root.agents().set_factory(Idle).unwrap());
                drop(root.sessions().create(Opened::new(id("kept"))).unwrap());
            }
            _ => {}
        }
        None
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.of, self.method)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Case({self})")
    }
}

const fn of_context(
    method: &'static str,
    register: fn(&World) -> Registered<'_>,
    is_there: fn(&World) -> bool,
) -> Case {
    Case { of: "Context", method, scoped: false, register, is_there, listeners: Listeners::None }
}

fn flagged(world: &World) -> bool {
    world.flag.is_set()
}

fn provided(world: &World) -> bool {
    world.ctx.get_dyn(Thing::NAME).is_ok()
}

/// Every register-method that there is.
pub(crate) const CASES: &[Case] = &[
    of_context("effect", |world| Box::pin(async { Ok(flag_effect(&world.ctx, world)?) }), flagged),
    of_context(
        "effect_async",
        |world| {
            Box::pin(async {
                let flag = world.flag.clone();
                let made = world.ctx.effect_async("flagged", async |fx: &mut dsh_harness::kernel::Fx| {
                    tokio::task::yield_now().await;
                    flag.set(true);
                    let flag = flag.clone();
                    fx.defer(move || flag.set(false));
                    Ok(())
                });
                Ok(made.await?)
            })
        },
        flagged,
    ),
    of_context(
        "plugin",
        |world| {
            Box::pin(async {
                let fiber = world.ctx.plugin(Flagged(world.clone()))?;
                fiber.ready().await?;
                Ok(fiber.take_disposer().unwrap())
            })
        },
        flagged,
    ),
    of_context(
        "plugin_dyn",
        |world| {
            Box::pin(async {
                let fiber = world.ctx.plugin_dyn(Arc::new(DynFlagged(world.clone())))?;
                fiber.ready().await?;
                Ok(fiber.take_disposer().unwrap())
            })
        },
        flagged,
    ),
    of_context(
        "scope",
        |world| {
            Box::pin(async {
                let scope = world.ctx.scope("inner")?;
                drop(flag_effect(scope.ctx(), world)?);
                Ok(scope.into_disposer())
            })
        },
        flagged,
    ),
    of_context("provide", |world| Box::pin(async { Ok(world.ctx.provide(Thing)?) }), provided),
    of_context("provide_shared", |world| Box::pin(async { Ok(world.ctx.provide_shared(Arc::new(Thing))?) }), provided),
    of_context(
        "provide_dyn",
        |world| Box::pin(async { Ok(world.ctx.provide_dyn(Thing::NAME, Arc::new(1))?) }),
        provided,
    ),
    of_context(
        "on",
        |world| {
            Box::pin(async {
                let flag = world.flag.clone();
                Ok(world.ctx.on(move |_: &Ping| flag.set(true))?)
            })
        },
        |world| {
            world.flag.set(false);
            world.kernel.root().emit(&Ping, Audience::Everyone).unwrap();
            world.flag.is_set()
        },
    ),
    of_context(
        "on_serial",
        |world| Box::pin(async { Ok(world.ctx.on_serial(|_: Arc<Ask>| async { Ok(Some(())) })?) }),
        |world| {
            let asked = world.kernel.root().serial(Arc::new(Ask), Audience::Everyone).now_or_never();
            asked.unwrap().unwrap().is_some()
        },
    ),
    of_context(
        "on_waterfall",
        |world| {
            Box::pin(async {
                let listener = |value, _: Arc<Edit>, next: dsh_harness::kernel::Next<Edit>| async move {
                    next.run(value + 1).await
                };
                Ok(world.ctx.on_waterfall(listener)?)
            })
        },
        |world| {
            let edited = world.kernel.root().waterfall(Arc::new(Edit), 0, Audience::Everyone).now_or_never();
            edited.unwrap().unwrap() == 1
        },
    ),
    of_context(
        "spawn",
        |world| {
            Box::pin(async {
                let flag = world.flag.clone();
                let task = world.ctx.spawn("task", move |cancel| {
                    flag.set(true);
                    let ended = Ended(flag);
                    async move {
                        cancel.cancelled().await;
                        drop(ended);
                    }
                });
                Ok(task?)
            })
        },
        flagged,
    ),
    Case {
        of: "system-prompt",
        method: "section",
        scoped: false,
        register: |world| {
            Box::pin(async { Ok(world.ctx.system_prompt().section(PromptSection::new("note", 1, "A note."))?) })
        },
        is_there: |world| view(world).sections().any(|section| section.name == "note"),
        listeners: Listeners::TakeBack(no_prompt_changes),
    },
    Case {
        of: "system-prompt",
        method: "tools",
        scoped: false,
        register: |world| {
            let provider = ToolProvider::computed(|_| ToolProviderResult::new([]));
            Box::pin(async move { Ok(world.ctx.system_prompt().tools(provider)?) })
        },
        is_there: |world| view(world).tool_providers().any(|provider| provider.owner.to_string() == "owner"),
        listeners: Listeners::TakeBack(no_prompt_changes),
    },
    Case {
        of: "system-prompt",
        method: "variable",
        scoped: false,
        register: |world| Box::pin(async { Ok(world.ctx.system_prompt().variable(PromptVariable::new("word", "w"))?) }),
        is_there: |world| view(world).variables().any(|variable| variable.name == "word"),
        listeners: Listeners::TakeBack(no_prompt_changes),
    },
    Case {
        of: "tools",
        method: "register",
        scoped: false,
        register: |world| Box::pin(async { Ok(world.ctx.tools().register(tool("look"))?) }),
        is_there: |world| world.kernel.root().tools().get("look", None).unwrap().is_some(),
        listeners: Listeners::TakeBack(no_tool_changes),
    },
    Case {
        of: "tools",
        method: "restrict",
        scoped: true,
        register: |world| {
            Box::pin(async { Ok(world.ctx.tools().restrict(ToolFilter::new().deny(["kept-from-some"]))?) })
        },
        is_there: |world| world.kernel.root().tools().get("kept-from-some", world.ctx.scope_key()).unwrap().is_none(),
        listeners: Listeners::TakeBack(no_tool_changes),
    },
    Case {
        of: "tools",
        method: "bound_by",
        scoped: true,
        register: |world| Box::pin(async { Ok(world.ctx.tools().bound_by(world.other.as_ref().unwrap())?) }),
        is_there: |world| world.kernel.root().tools().get("kept-from-some", world.ctx.scope_key()).unwrap().is_none(),
        listeners: Listeners::TakeBack(no_tool_changes),
    },
    Case {
        of: "subagents",
        method: "register_provider",
        scoped: false,
        register: |world| Box::pin(async { Ok(world.ctx.subagents().register_provider(Nobody)?) }),
        is_there: |world| world.kernel.root().subagents().get("nobody").unwrap().is_some(),
        listeners: Listeners::Contained(no_providers),
    },
    Case {
        of: "sessions",
        method: "enter",
        scoped: false,
        register: |world| {
            Box::pin(async {
                let sessions = world.ctx.sessions();
                let session = match world.kernel.root().sessions().create(Opened::new(id("entered"))) {
                    Ok(session) => session,
                    // It was left before, and is there still.
                    Err(_exists) => world.kernel.root().sessions().open(&id("entered")).unwrap(),
                };
                Ok(sessions.enter(&session)?)
            })
        },
        is_there: |world| !world.kernel.root().sessions().entered().unwrap().is_empty(),
        listeners: Listeners::None,
    },
    Case {
        of: "agents",
        method: "register",
        scoped: true,
        register: |world| {
            Box::pin(async {
                let opened = Opened::new(SessionId::new(9, world.number()));
                let session = world.kernel.root().sessions().create(opened).unwrap();
                let agent = Agent::new("made by hand", &world.ctx, session, RunContext::new(), Arc::new(Idle))?;
                Ok(world.ctx.agents().register(&agent)?)
            })
        },
        is_there: has_agents,
        listeners: Listeners::Contained(no_agents),
    },
    Case {
        of: "agents",
        method: "set_factory",
        scoped: false,
        register: |world| Box::pin(async { Ok(world.ctx.agents().set_factory(Idle)?) }),
        is_there: |world| match world.kernel.root().agents().set_factory(Idle) {
            Ok(free) => {
                drop(free.dispose());
                false
            }
            Err(_taken) => true,
        },
        listeners: Listeners::None,
    },
    Case {
        of: "agents",
        method: "create",
        scoped: false,
        register: |world| {
            Box::pin(async { Ok(world.ctx.agents().create(AgentOptions::new("made")).await?.into_disposer()) })
        },
        is_there: has_agents,
        listeners: Listeners::Contained(no_agents),
    },
    Case {
        of: "agents",
        method: "resume",
        scoped: false,
        register: |world| {
            Box::pin(async {
                let agents = world.ctx.agents();
                Ok(agents.resume(id("kept"), AgentOptions::new("resumed")).await?.into_disposer())
            })
        },
        is_there: has_agents,
        listeners: Listeners::Contained(no_agents),
    },
];

fn flag_effect(ctx: &Context, world: &World) -> Result<Disposer, dsh_harness::kernel::Error> {
    let flag = world.flag.clone();
    ctx.effect("flagged", |fx| {
        flag.set(true);
        fx.defer(move || flag.set(false));
        Ok(())
    })
}

fn view(world: &World) -> PromptView {
    world.kernel.root().system_prompt().view(None).unwrap()
}

fn has_agents(world: &World) -> bool {
    !world.kernel.root().agents().list().unwrap().is_empty()
}

fn no_prompt_changes(root: &Context) -> Disposer {
    root.on(|_: &PromptChange| Err::<(), _>(Failure::msg("no changes today"))).unwrap()
}

fn no_tool_changes(root: &Context) -> Disposer {
    root.on(|_: &ToolChange| Err::<(), _>(Failure::msg("no changes today"))).unwrap()
}

fn no_agents(root: &Context) -> Disposer {
    let fails = || Err::<(), _>(Failure::msg("no agents today"));
    root.effect("listeners", |fx| {
        fx.adopt(root.on(move |_: &AgentCreated| fails())?)?;
        fx.adopt(root.on(move |_: &AgentDisposed| fails())?)?;
        Ok(())
    })
    .unwrap()
}

fn no_providers(root: &Context) -> Disposer {
    let fails = || Err::<(), _>(Failure::msg("no providers today"));
    root.effect("listeners", |fx| {
        fx.adopt(root.on(move |_: &SubagentProviderAdded| fails())?)?;
        fx.adopt(root.on(move |_: &SubagentProviderRemoved| fails())?)?;
        Ok(())
    })
    .unwrap()
}

/// A provider of subagents that runs none.
struct Nobody;

impl SubagentProvider for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::none()
    }

    fn run(&self, _job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        Box::pin(async { Err(Failure::msg("nobody runs")) })
    }
}

fn tool(name: &str) -> Tool {
    let schema = ToolSchema::new(name, "For a test.", NO_PARAMETERS).unwrap();
    Tool::raw(schema, |_, _| async { Ok("seen") })
}

fn id(name: &str) -> SessionId {
    name.parse().unwrap()
}

struct Thing;

impl Service for Thing {
    const NAME: &'static str = "thing";
    const DOC: &'static str = "For a test.";
    const METHODS: &'static [Method] = &[];
}

/// Sets the flag while it runs.
struct Flagged(World);

impl Plugin for Flagged {
    const NAME: &'static str = "flagged";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        drop(flag_effect(ctx, &self.0)?);
        Ok(())
    }
}

struct DynFlagged(World);

impl DynPlugin for DynFlagged {
    fn name(&self) -> Name {
        Name::fixed("flagged")
    }

    fn inject(&self) -> Vec<Name> {
        Vec::new()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            drop(flag_effect(&ctx, &self.0)?);
            Ok(())
        })
    }
}

/// Clears the flag when a task's future is gone.
struct Ended(Flag);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "For a test.";
    type Mode = Emit;
}

struct Ask;

impl Event for Ask {
    const NAME: &'static str = "test/ask";
    const DOC: &'static str = "For a test.";
    type Mode = Serial;
}

impl SerialEvent for Ask {
    type Answer = ();
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "For a test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = u32;
}

/// A factory, and a driver that does nothing.
struct Idle;

impl AgentFactory for Idle {
    fn make(&self, _agent: &Agent) -> Result<Arc<dyn AgentDriver>, Failure> {
        Ok(Arc::new(Idle))
    }
}

impl AgentDriver for Idle {
    fn start(&self, _agent: &Agent) -> Result<(), Failure> {
        Ok(())
    }

    fn stop(&self) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn send(&self, _message: Message) -> Result<(), dsh_harness::agent::Error> {
        Ok(())
    }

    fn steer(&self, _message: Message) -> Result<(), dsh_harness::agent::Error> {
        Ok(())
    }

    fn inject_message(&self, _message: Message) -> Result<(), dsh_harness::agent::Error> {
        Ok(())
    }

    fn cancel(&self) {}

    fn when_idle(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn status(&self) -> AgentStatus {
        AgentStatus::Idle
    }

    fn last_turn(&self) -> Option<TurnSummary> {
        None
    }
}
