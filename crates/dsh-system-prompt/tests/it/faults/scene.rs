//! The scene of a row: a registry, a neighbour that has to be served, a victim, and the culprit under its host.

use std::future::Future;
use std::sync::Arc;
use std::task::Poll;

use dsh_kernel::{
    BoxFuture, Context, DynPlugin, Emit, Event, Failure, Fiber, FiberState, Inspection, Kernel, ManualClock, Name,
    Serial, SerialEvent, Service, Waterfall, WaterfallEvent,
};
use dsh_system_prompt::{
    Identity, PromptAssembly, PromptConfig, PromptRegistry, PromptSection, PromptVariable, SystemPrompt,
    SystemPromptExt, ToolProvider, render_prompt,
};
use dsh_testkit::{Gate, Log, Probes, poll_once};

use super::code::{Code, Dropped, Holding, Stage};
use super::ears;
use super::table::{Fault, Site};
use super::told;
use crate::support::{Part, bare, schema};

pub(crate) struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

pub(crate) struct Ask;

impl Event for Ask {
    const NAME: &'static str = "test/ask";
    const DOC: &'static str = "A test.";
    type Mode = Serial;
}

impl SerialEvent for Ask {
    type Answer = &'static str;
}

pub(crate) struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = u32;
}

/// The service that the culprit waits for where its start is the site.
const GO: &str = "go";

/// What an assembly comes to: the sections, the variables, the tools.
pub(crate) fn summary(assembly: &PromptAssembly) -> String {
    let text = render_prompt(assembly).unwrap().replace("\n\n", "/");
    let variables: Vec<_> = assembly.variables().map(|variable| variable.name().to_owned()).collect();
    let tools: Vec<_> = assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect();
    format!("{text} [{}] [{}]", variables.join(" "), tools.join(" "))
}

struct Culprit {
    code: Code,
    waits: bool,
    dropped: Option<Dropped>,
}

impl DynPlugin for Culprit {
    fn name(&self) -> Name {
        Name::fixed("culprit")
    }

    fn inject(&self) -> Vec<Name> {
        let go = self.waits.then_some(Name::fixed(GO));
        [Name::fixed(PromptRegistry::NAME)].into_iter().chain(go).collect()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        let code = self.code.clone();
        if code.stage.site == Site::StartCalled {
            code.make();
        }
        let start = async move {
            let code = &self.code;
            if let Some(dropped) = &self.dropped {
                dropped.hold();
            }
            ctx.system_prompt().section(PromptSection::new("culprit", 30, "culprit"))?;
            match code.stage.site {
                Site::StartAtOnce => code.poll().await,
                Site::StartLater => {
                    tokio::task::yield_now().await;
                    code.poll().await
                }
                _ => Ok(()),
            }
        };
        Box::pin(Holding::new(&code, start))
    }
}

/// What a row happens to.
pub(crate) struct Scene {
    pub(crate) stage: Arc<Stage>,
    pub(crate) code: Code,
    pub(crate) root: Context,
    pub(crate) clock: ManualClock,
    /// What the kernel logs.
    pub(crate) heard: Log,
    _ears: tracing::subscriber::DefaultGuard,
    pub(crate) neighbour: Fiber,
    registry: Fiber,
    before: Inspection,
    probes: Probes,
}

impl Scene {
    pub(crate) async fn new(site: Site, fault: Fault) -> Self {
        let (heard, ears) = ears::listen();
        let clock = ManualClock::new();
        let kernel = Kernel::builder().clock(Arc::new(clock.clone())).build();
        let (root, before) = (kernel.root(), kernel.inspect());
        let registry = root.plugin(SystemPrompt::new(PromptConfig::new().identity(Identity::Omitted))).unwrap();
        let stage = Arc::new(Stage::new(site, fault, kernel));
        let probes = Probes::new();
        let code = Code::new(&stage, probes.probe());
        let neighbour = root.plugin_dyn(Part::new("neighbour", neighbour)).unwrap();
        let victim = Part::new("victim", |ctx| {
            ctx.system_prompt().section(PromptSection::new("victim", 20, "victim"))?;
            Ok(())
        });
        stage.victim.set(root.plugin_dyn(victim).unwrap()).unwrap();
        let host = root.plugin_dyn(Part::new("host", |_| Ok(()))).unwrap();
        stage.host.set(host.clone()).unwrap();
        let dropped = (site == Site::DropOfAPlugin).then(|| code.dropped());
        let culprit = Culprit { code: code.clone(), waits: site.is_start(), dropped };
        let culprit = host.ctx().plugin_dyn(Arc::new(culprit)).unwrap();
        stage.culprit.set(culprit.clone()).unwrap();
        stage.kernel.settled().await.unwrap();
        assert_eq!(culprit.state(), if site.is_start() { FiberState::Pending } else { FiberState::Active });
        if fault == Fault::WaitForItsEnd && !site.is_start() {
            slow(&stage.ctx(), &stage.never);
        }
        let scene = Self { stage, code, root, clock, heard, _ears: ears, neighbour, registry, before, probes };
        let at_first = if site.is_start() { "neighbour at work/victim" } else { "neighbour at work/victim/culprit" };
        assert_eq!(scene.assembled().await, format!("{at_first} [calm] [n_tool]"));
        scene
    }

    pub(crate) fn ctx(&self) -> Context {
        self.stage.ctx()
    }

    pub(crate) fn culprit(&self) -> &Fiber {
        self.stage.culprit.get().unwrap()
    }

    /// Lets the culprit start.
    pub(crate) fn go(&self) {
        let host = self.stage.host.get().unwrap();
        drop(host.ctx().provide_dyn(GO, Arc::new(())).unwrap());
    }

    /// The next assembly: what it comes to, or why it failed.
    pub(crate) async fn assembled(&self) -> String {
        match self.root.system_prompt().assemble(bare()).await {
            Ok(assembly) => summary(&assembly),
            Err(error) => told::prompt::<()>(Err(error)),
        }
    }

    /// Undoes what the code is registered by.
    pub(crate) async fn remove(&self) -> String {
        told::kernel(self.stage.take_own().dispose().await)
    }

    /// K13: the kernel serves the next assembly, takes and undoes a registration, and lets the culprit go; K9: nothing is left.
    pub(crate) async fn stands_as_new(
        self,
        prompt: &str,
        without_culprit: &str,
        end_of_culprit: &str,
    ) -> Result<(), String> {
        // The lines of what was wrong are the row's; from here on there is nothing to tell.
        drop(self.heard.take());
        if self.root.state() != FiberState::Active {
            return self.shuts_down().await;
        }
        same("the next assembly", &self.assembled().await, prompt)?;
        let round = self.neighbour.ctx().system_prompt().section(PromptSection::new("round", 15, "round"));
        let round = round.map_err(|error| format!("the neighbour's registration: {error}"))?;
        let with_round = prompt.replacen("neighbour at work", "neighbour at work/round", 1);
        same("the assembly with a registration more", &self.assembled().await, &with_round)?;
        same("the end of that registration", &told::kernel(round.dispose().await), "ok")?;
        self.is_outside_of_all_code().await?;
        same("the assembly without it", &self.assembled().await, prompt)?;

        let Poll::Ready(end) = poll_once(&mut self.culprit().dispose()) else {
            return Err(format!("the culprit does not unload:\n{}", self.stage.kernel.inspect()));
        };
        same("the culprit's end", &told::kernel(end), end_of_culprit)?;
        same("the assembly without the culprit", &self.assembled().await, without_culprit)?;

        let Self { stage, code, root, clock: _clock, heard, _ears, neighbour, registry, before, probes } = self;
        for fiber in [stage.host.get().unwrap(), &neighbour, stage.victim.get().unwrap(), &registry] {
            let of = format!("the end of {}", fiber.path());
            same(&of, &told::kernel(fiber.dispose().await), "ok")?;
        }
        same("the tree", &stage.kernel.inspect().to_string(), &before.to_string())?;
        drop((code, root));
        same("what is alive of its code", &probes.balance().to_string(), "0")?;
        same("the end", &told::kernel(stage.kernel.shutdown().await), "ok")?;
        same("what was logged meanwhile", &heard.take().join("\n"), "")
    }

    /// The thread is in nobody's code any more: a plugin starts at once, and a wait waits.
    async fn is_outside_of_all_code(&self) -> Result<(), String> {
        let newcomer = self.root.plugin_dyn(Part::new("newcomer", |_| Ok(()))).map_err(|error| error.to_string())?;
        same("the start of a newcomer", &now(&mut newcomer.ready()), "ok")?;
        let gate = Gate::new();
        slow(&newcomer.ctx(), &gate);
        let mut end = newcomer.dispose();
        same("the end of the newcomer", &now(&mut end), "it waits")?;
        same("whether all is settled", &now(&mut self.stage.kernel.settled()), "it waits")?;
        gate.open();
        same("the end of the newcomer", &told::kernel(end.await), "ok")
    }

    async fn shuts_down(self) -> Result<(), String> {
        let Self {
            stage,
            code,
            root,
            clock: _clock,
            heard,
            _ears,
            neighbour,
            registry: _registry,
            before: _before,
            probes,
        } = self;
        same("the end of the kernel", &told::kernel(stage.kernel.shutdown().await), "ok")?;
        let assembly = told::prompt(root.system_prompt().assemble(bare()).await);
        same("an assembly", &assembly, "kernel::inactive of root at system-prompt")?;
        let refused = told::kernel(neighbour.ctx().effect("late", |_| Ok(())));
        same("a registration", &refused, "kernel::inactive of neighbour at late")?;
        same("the tree", &stage.kernel.inspect().to_string(), "")?;
        drop((code, root));
        same("what is alive of its code", &probes.balance().to_string(), "0")?;
        same("what was logged meanwhile", &heard.take().join("\n"), "")
    }
}

/// What has come of a wait by now.
fn now(wait: &mut (impl Future<Output = Result<(), dsh_kernel::Error>> + Unpin)) -> String {
    match poll_once(wait) {
        Poll::Ready(result) => told::kernel(result),
        Poll::Pending => "it waits".to_owned(),
    }
}

/// Something that takes its time to be undone, so that its owner's end has to be waited for.
fn slow(ctx: &Context, gate: &Gate) {
    let gate = gate.clone();
    let slow = ctx.effect("slow", |fx| {
        fx.defer_async(move || async move { gate.wait().await });
        Ok(())
    });
    drop(slow.unwrap());
}

fn neighbour(ctx: &Context) -> Result<(), Failure> {
    let handle = ctx.system_prompt();
    handle.section(PromptSection::computed("neighbour", 10, |_| "neighbour {{calm}}"))?;
    handle.variable(PromptVariable::computed("calm", |_| "at work"))?;
    handle.tools(ToolProvider::computed(|_| vec![schema("n_tool")]))?;
    ctx.on::<Ping, _>(|_| ())?;
    ctx.on_serial::<Ask, _>(|_| async { Ok(Some("neighbour")) })?;
    ctx.on_waterfall::<Edit, _>(|value, _, next| next.run(value + 1))?;
    Ok(())
}

/// Whether what was seen is what was expected, in a sentence where it is not.
pub(crate) fn same(what: &str, seen: &str, expected: &str) -> Result<(), String> {
    if seen == expected {
        return Ok(());
    }
    Err(format!("{what}: expected `{expected}`, saw `{seen}`"))
}
