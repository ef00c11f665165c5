//! What else than the table of register-methods of `dsh-harness` holds of `register_provider` and `start`.

use std::sync::Arc;

use dsh_agent::AgentsExt;
use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, Fiber, Name, Service};
use dsh_subagent::{Capabilities, SubagentRegistry, SubagentRequest, SubagentStop, SubagentsExt};
use dsh_testkit::Gate;

use crate::support::{World, able, made, world};

type Start = dyn Fn(&Context) -> Result<(), Failure> + Send + Sync;

/// A plugin that injects the registry.
struct Part(Box<Start>);

impl DynPlugin for Part {
    fn name(&self) -> Name {
        Name::fixed("part")
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed(SubagentRegistry::NAME)]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { (self.0)(&ctx) })
    }
}

async fn part(world: &World, start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static) -> Fiber {
    let fiber = world.root.plugin_dyn(Arc::new(Part(Box::new(start)))).unwrap();
    fiber.ready().await.unwrap();
    fiber
}

fn is_there(world: &World, name: &str) -> bool {
    world.root.subagents().get(name).unwrap().is_some()
}

/// K8: no run begins for an owner that takes nothing any more, and nothing of it is left.
#[tokio::test]
async fn a_start_is_refused_on_an_inactive_owner() {
    let world = world("").await;
    let (before, gone) = (world.tree(), part(&world, |_| Ok(())).await);
    gone.dispose().await.unwrap();
    let error = gone.ctx().subagents().start("spawn", SubagentRequest::new("x")).unwrap_err();
    assert_eq!(error.code(), "kernel::inactive");
    let scope = world.root.scope("late").unwrap();
    let late = scope.ctx().clone();
    scope.dispose().await.unwrap();
    assert_eq!(late.subagents().start("spawn", SubagentRequest::new("x")).unwrap_err().code(), "kernel::inactive");
    assert_eq!(world.tree(), before);
    assert_eq!(world.root.subagents().running().unwrap().len(), 0);
}

/// K9: gone when its owner unloads; its runs have ended by then, and none of its code runs on.
#[tokio::test]
async fn it_goes_with_its_owner_and_its_runs_have_ended() {
    let world = world("").await;
    let (gate, before) = (Gate::new(), world.tree());
    let waits = gate.clone();
    let pack = part(&world, move |ctx| {
        let waits = waits.clone();
        ctx.subagents().register_provider(made("slow", move |_| {
            let wait = waits.wait();
            async move {
                wait.await;
                Err(Failure::msg("not awaited"))
            }
        }))?;
        Ok(())
    });
    let pack = pack.await;
    let runs: Vec<_> =
        (0..3).map(|_| world.root.subagents().start("slow", SubagentRequest::new("x")).unwrap()).collect();
    gate.reached().await;
    pack.dispose().await.unwrap();
    assert!(!is_there(&world, "slow"));
    assert_eq!(gate.waiting(), 0, "what it awaited has been dropped");
    for run in runs {
        assert_eq!(run.result().await.stop, SubagentStop::Disposed);
    }
    assert_eq!(world.tree(), before);
}

/// Declares nothing.
struct Stray;

impl dsh_kernel::Plugin for Stray {
    const NAME: &'static str = "stray";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let error = ctx.subagents().register_provider(able("p", Capabilities::none()).0).unwrap_err();
        assert_eq!(error.code(), "kernel::undeclared_service");
        assert_eq!(ctx.subagents().list().unwrap_err().code(), "kernel::undeclared_service");
        Ok(())
    }
}

/// Declares no more than what it uses itself.
struct Host;

impl dsh_kernel::Plugin for Host {
    const NAME: &'static str = "host";
    type Inject = (dsh_agent::AgentRegistry, SubagentRegistry);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let parent = ctx.agents().create(dsh_agent::AgentOptions::new("main")).await?;
        // The parent is the agent of the context's scope.
        let run = parent.agent().ctx().subagents().start("spawn", SubagentRequest::new("x").persona("You work."))?;
        assert!(run.result().await.is_completed());
        Ok(())
    }
}

/// K10: who does not declare the service is told so; who made the parent need not declare what a child needs.
#[tokio::test]
async fn an_undeclared_service_is_named_and_a_child_needs_none_of_its_parents_maker() {
    let world = world("[[rules]]\nanswer = 'Good.'").await;
    world.root.plugin(Stray).unwrap().ready().await.unwrap();
    let before = world.tree();
    let host = world.root.plugin(Host).unwrap();
    host.ready().await.unwrap();
    host.dispose().await.unwrap();
    assert_eq!(world.tree(), before);
    world.assert_closed();
}
