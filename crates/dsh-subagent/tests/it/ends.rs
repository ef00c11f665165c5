//! Whatever ends a run, nothing of it is left: its parent's end above all (G3).

use std::sync::Arc;

use dsh_agent::{
    AgentCreated, AgentDisposed, AgentHandle, AgentOptions, AgentPreStep, AgentPromptSubmit, AgentRequest,
    AgentSessionStart, AgentStepResult, AgentStream, AgentToolCall, AgentToolResult, AgentTurnEnd, AgentTurnStart,
    AgentsExt,
};
use dsh_kernel::{Event, Failure, Next, Teardown};
use dsh_llm::Message;
use dsh_session::{MemoryStore, SessionEvent, TurnEnd};
use dsh_subagent::{
    ChildOptions, SubagentEnd, SubagentRequest, SubagentResult, SubagentRun, SubagentStart, SubagentStop, SubagentsExt,
};
use dsh_system_prompt::AssembleEvent;
use dsh_testkit::{Gate, Log};
use dsh_tools::PreExecuteEvent;
use serde_json::json;

use crate::support::{World, made, patiently, register, until, world};

/// Goes down a level for each `down` that is left; waits in a tool; answers wrongly.
const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    contains = "down down"
    calls = [{ tool = "task", arguments = { description = "d", prompt = "down once more" } }]

    [[rules]]
    from = "user"
    contains = "down once"
    calls = [{ tool = "task", arguments = { description = "d", prompt = "deep" } }, { tool = "read" }]

    [[rules]]
    from = "user"
    contains = "ask"
    calls = [{ tool = "task", arguments = { description = "d", prompt = "stand" } }]

    [[rules]]
    from = "user"
    contains = "tool"
    calls = [{ tool = "read" }, { tool = "stall" }]

    [[rules]]
    contains = "not valid against the schema"
    answer = "wrong again"
    chunk = 2
    delay_ms = 1

    [[rules]]
    reasoning = "Well."
    answer = "Good."
    chunk = 2
    delay_ms = 1
"#;

/// Where a child stands when its parent is disposed.
struct Scene {
    name: &'static str,
    /// Begins it, and waits until it stands there.
    begin: fn(&World, &AgentHandle) -> dsh_kernel::BoxFuture<'static, Vec<SubagentRun>>,
}

fn start(world: &World, parent: &AgentHandle, provider: &str, request: SubagentRequest) -> SubagentRun {
    world.root.subagents().start(provider, request.parent(parent.agent())).unwrap()
}

/// All that runs, once the gate is reached.
fn when_reached(world: &World, gate: Gate) -> dsh_kernel::BoxFuture<'static, Vec<SubagentRun>> {
    let root = world.root.clone();
    Box::pin(async move {
        gate.reached().await;
        root.subagents().running().unwrap()
    })
}

const SCENES: &[Scene] = &[
    Scene {
        name: "not polled yet",
        begin: |world, parent| {
            let run = start(world, parent, "spawn", SubagentRequest::new("x"));
            Box::pin(std::future::ready(vec![run]))
        },
    },
    Scene {
        name: "the model streams",
        begin: |world, parent| {
            let gate = world.model.gate("wait");
            start(world, parent, "spawn", SubagentRequest::new("wait"));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "the model streams to a fork",
        begin: |world, parent| {
            let gate = world.model.gate("wait");
            start(world, parent, "fork", SubagentRequest::new("wait"));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "inside a tool that does not heed its cancel",
        begin: |world, parent| {
            start(world, parent, "spawn", SubagentRequest::new("tool"));
            when_reached(world, world.stall.clone())
        },
    },
    Scene {
        name: "inside the retry",
        begin: |world, parent| {
            let gate = world.model.gate("not valid against the schema");
            start(world, parent, "spawn", SubagentRequest::new("x").output_schema(json!({"type": "object"})));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "asked for by its parent's turn",
        begin: |world, parent| {
            let gate = world.model.gate("stand");
            parent.agent().send(Message::user("ask")).unwrap();
            when_reached(world, gate)
        },
    },
    Scene {
        name: "three levels deep",
        begin: |world, parent| {
            let gate = world.model.gate("deep");
            parent.agent().send(Message::user("down down")).unwrap();
            when_reached(world, gate)
        },
    },
    Scene {
        name: "three levels deep, started by the host",
        begin: |world, parent| {
            let gate = world.model.gate("deep");
            start(world, parent, "spawn", SubagentRequest::new("down down"));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "the provider has made no child yet",
        begin: |world, parent| {
            let gate = Gate::new();
            let waits = gate.clone();
            register(
                &world.root,
                made("slow", move |_| {
                    let wait = waits.wait();
                    async move {
                        wait.await;
                        std::future::pending().await
                    }
                }),
            );
            start(world, parent, "slow", SubagentRequest::new("x"));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "the child is being made",
        begin: |world, parent| {
            let gate = Gate::new();
            let waits = gate.clone();
            register(
                &world.root,
                made("slow", move |job| {
                    let waits = waits.clone();
                    async move {
                        let options = ChildOptions::new().setup(move |ctx| async move {
                            let slow = waits.clone();
                            ctx.effect("slow to undo", |fx| {
                                fx.defer_async(|| async { tokio::task::yield_now().await });
                                Ok(())
                            })?;
                            slow.wait().await;
                            Ok(())
                        });
                        job.agent(options).await?;
                        Ok(SubagentResult::completed("never"))
                    }
                }),
            );
            start(world, parent, "slow", SubagentRequest::new("x"));
            when_reached(world, gate)
        },
    },
    Scene {
        name: "the provider never ends, with a child that is idle",
        begin: |world, parent| {
            let gate = Gate::new();
            let waits = gate.clone();
            register(
                &world.root,
                made("endless", move |job| {
                    let wait = waits.wait();
                    async move {
                        let child = job.agent(ChildOptions::new()).await?;
                        job.converse(&child).await?;
                        wait.await;
                        std::future::pending().await
                    }
                }),
            );
            start(world, parent, "endless", SubagentRequest::new("x"));
            when_reached(world, gate)
        },
    },
];

/// G3: children end first, whatever they are doing; nothing is left, and every session is whole, flushed and unlocked.
#[tokio::test]
async fn disposing_a_parent_disposes_its_children_first_wherever_they_stand() {
    for scene in SCENES {
        let world = world(SCRIPT).await;
        let (log, before) = (Log::new(), world.tree());
        let parent = world.agent("main").await;
        let runs = (scene.begin)(&world, &parent).await;
        assert!(!runs.is_empty(), "{}", scene.name);
        let tree = world.tree();
        let (heard, ours) = (log.clone(), parent.agent().clone());
        let listener = world
            .root
            .on::<AgentDisposed, _>(move |event| heard.push(if event.agent == ours { "parent" } else { "child" }))
            .unwrap();
        patiently(&world.clock, parent.dispose()).await.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        let gone = log.take();
        assert_eq!(gone.last().map(String::as_str), Some("parent"), "{}: {gone:?}", scene.name);
        for run in runs {
            let result = dsh_testkit::poll_once(&mut Box::pin(run.result()));
            let std::task::Poll::Ready(result) = result else { panic!("{}: {run:?} goes on", scene.name) };
            // A grandchild is cancelled by its parent's turn as well; which of the two is first is the same in each run.
            assert!(
                matches!(result.stop, SubagentStop::Disposed | SubagentStop::Cancelled),
                "{}: {result:?}",
                scene.name
            );
            assert!(run.agent().is_none());
        }
        listener.dispose().await.unwrap();
        assert_eq!(world.root.agents().list().unwrap(), [], "{}", scene.name);
        assert_eq!(world.root.subagents().running().unwrap().len(), 0, "{}", scene.name);
        assert_eq!(world.stall.waiting(), 0, "{}", scene.name);
        world.assert_closed();
        // Providers that the scene registered are the host's.
        let left: Vec<_> =
            world.tree().lines().filter(|line| !line.contains("subagent provider")).map(str::to_owned).collect();
        let had: Vec<_> =
            before.lines().filter(|line| !line.contains("subagent provider")).map(str::to_owned).collect();
        assert_eq!(left, had, "{}, after:\n{tree}", scene.name);
    }
}

type Begin = fn(&World, &AgentHandle);

/// G3, at every await point: the parent is disposed after so many turns of the scheduler, which lets one task run in each.
#[test]
fn disposing_a_parent_at_any_moment_leaves_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().event_interval(1).build().unwrap();
    runtime.block_on(dispose_at_each_moment());
}

async fn dispose_at_each_moment() {
    let cases: [(&str, Begin); 4] = [
        ("spawn", |world, parent| drop(start(world, parent, "spawn", SubagentRequest::new("x")))),
        ("fork", |world, parent| drop(start(world, parent, "fork", SubagentRequest::new("x")))),
        ("retry", |world, parent| {
            drop(start(world, parent, "spawn", SubagentRequest::new("x").output_schema(json!({"type": "object"}))));
        }),
        ("deep", |_world, parent| parent.agent().send(Message::user("down down")).unwrap()),
    ];
    for (name, begin) in cases {
        let mut quiet = 0;
        for turns in 0..400 {
            let world = world(SCRIPT).await;
            let before = world.tree();
            let parent = world.agent("main").await;
            begin(&world, &parent);
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            let was_over = world.root.subagents().running().unwrap().is_empty()
                && parent.agent().status() == dsh_agent::AgentStatus::Idle;
            patiently(&world.clock, parent.dispose()).await.unwrap_or_else(|error| panic!("{name} {turns}: {error}"));
            assert_eq!(world.tree(), before, "{name} {turns}");
            assert_eq!(world.root.subagents().running().unwrap().len(), 0, "{name} {turns}");
            world.assert_closed();
            quiet = if was_over { quiet + 1 } else { 0 };
            if quiet > 2 {
                assert!(turns > 12, "{name}: it was walked through, in {turns} turns");
                break;
            }
        }
        assert!(quiet > 2, "{name}: it has an end");
    }
}

/// Drives nothing.
struct Idle;

impl dsh_agent::AgentDriver for Idle {
    fn start(&self, _agent: &dsh_agent::Agent) -> Result<(), Failure> {
        Ok(())
    }
    fn stop(&self) -> dsh_kernel::BoxFuture<'static, Result<(), Failure>> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn send(&self, _message: Message) -> Result<(), dsh_agent::Error> {
        Ok(())
    }
    fn steer(&self, _message: Message) -> Result<(), dsh_agent::Error> {
        Ok(())
    }
    fn inject_message(&self, _message: Message) -> Result<(), dsh_agent::Error> {
        Ok(())
    }
    fn cancel(&self) {}
    fn when_idle(&self) -> dsh_kernel::BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
    fn status(&self) -> dsh_agent::AgentStatus {
        dsh_agent::AgentStatus::Idle
    }
    fn last_turn(&self) -> Option<dsh_agent::TurnSummary> {
        None
    }
}

/// G3: an agent that was made by hand, and unregistered.
#[tokio::test]
async fn the_children_of_an_agent_made_by_hand_end_when_it_is_unregistered() {
    let world = world(SCRIPT).await;
    let maker = world.agent("maker").await;
    let scope = world.root.scope("hand").unwrap();
    let opened = dsh_session::Opened::new("hand".parse().unwrap());
    let session = dsh_session::Session::create(&MemoryStore::new(), opened).unwrap();
    let agent =
        dsh_agent::Agent::new("hand", scope.ctx(), session, dsh_system_prompt::RunContext::new(), Arc::new(Idle))
            .unwrap();
    let registered = world.root.agents().register(&agent).unwrap();
    let gate = world.model.gate("wait");
    let run = world.root.subagents().start("spawn", SubagentRequest::new("wait").parent(&agent)).unwrap();
    gate.reached().await;
    registered.dispose().await.unwrap();
    assert_eq!(run.result().await.stop, SubagentStop::Disposed);
    // It has none any more.
    let refused = world.root.subagents().start("spawn", SubagentRequest::new("x").parent(&agent)).unwrap_err();
    assert_eq!(refused.code(), "agent::stopped");
    drop(maker);
}

/// A parent that is being undone gets no new children.
#[tokio::test]
async fn a_parent_that_is_gone_gets_no_children() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let agent = parent.agent().clone();
    let before = world.tree();
    parent.dispose().await.unwrap();
    for provider in ["spawn", "fork"] {
        let refused = world.root.subagents().start(provider, SubagentRequest::new("x").parent(&agent)).unwrap_err();
        assert!(["agent::stopped", "kernel::inactive"].contains(&refused.code()), "{refused:?}");
    }
    assert!(world.root.subagents().running().unwrap().is_empty());
    assert_ne!(world.tree(), before);
}

/// Cancelling a run ends its child, and nobody else.
#[tokio::test]
async fn a_cancelled_run_ends_with_what_its_child_had_said() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let gate = world.model.gate("wait");
    let run = start(&world, &parent, "spawn", SubagentRequest::new("wait"));
    gate.reached().await;
    let child = run.agent().unwrap();
    run.cancel();
    run.cancel();
    let result = run.result().await;
    assert_eq!((&result.stop, result.session.as_ref()), (&SubagentStop::Cancelled, Some(child.id())));
    assert!(run.agent().is_none());
    assert!(child.send(Message::user("late")).is_err());
    let ended = world.log(child.id()).pop().unwrap();
    assert!(matches!(ended, SessionEvent::TurnEnded(ended) if ended.end == TurnEnd::Cancelled));
    assert_eq!(world.root.agents().list().unwrap(), [parent.agent().clone()]);
}

/// The parent's cancel cancels its children: those of its turn, and those that the host started while it was idle.
#[tokio::test]
async fn a_cancelled_parent_cancels_its_children() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let (stand, wait) = (world.model.gate("stand"), world.model.gate("wait"));
    let background = start(&world, &parent, "spawn", SubagentRequest::new("wait"));
    wait.reached().await;
    parent.agent().cancel();
    assert_eq!(background.result().await.stop, SubagentStop::Cancelled);

    parent.agent().send(Message::user("ask")).unwrap();
    stand.reached().await;
    let of_turn = world.root.subagents().running().unwrap().remove(0);
    parent.agent().cancel();
    parent.agent().when_idle().await;
    assert_eq!(of_turn.result().await.stop, SubagentStop::Cancelled);
    assert_eq!(parent.agent().last_turn().unwrap().end, TurnEnd::Cancelled);
    // A cancel is over when it has been: what is started later runs.
    assert!(world.run("spawn", parent.agent(), SubagentRequest::new("x")).await.is_completed());
    assert_eq!(crate::support::say(parent.agent(), "x").await, "Good.");
}

/// A cancelled child ends its run; who cancelled it is told nothing of its own.
#[tokio::test]
async fn a_child_that_somebody_cancels_resolves_its_run() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let gate = world.model.gate("wait");
    let run = start(&world, &parent, "spawn", SubagentRequest::new("wait"));
    gate.reached().await;
    run.agent().unwrap().cancel();
    assert_eq!(run.result().await.stop, SubagentStop::Cancelled);
}

/// K9: the run ends with whoever started it, and with each plugin that it stands on; none waits for ever.
#[tokio::test]
async fn a_run_ends_with_whatever_it_stands_on() {
    type End = fn(&World, &AgentHandle) -> Teardown;
    let ends: [(&str, End); 3] = [
        ("subagents", |world, _| world.subagents.dispose()),
        ("the loop", |world, _| world.agent_loop.dispose()),
        ("the kernel", |world, _| world.kernel.shutdown()),
    ];
    for (name, end) in ends {
        let world = world(SCRIPT).await;
        let parent = world.agent("main").await;
        let gate = world.model.gate("wait");
        let run = start(&world, &parent, "spawn", SubagentRequest::new("wait"));
        gate.reached().await;
        patiently(&world.clock, end(&world, &parent)).await.unwrap();
        let result = run.result().await;
        assert!(matches!(result.stop, SubagentStop::Disposed | SubagentStop::Cancelled), "{name}: {result:?}");
        assert_eq!(gate.waiting(), 0, "{name}");
    }
}

/// K9, K14: what a child has to undo may take longer than a task's grace; nothing is aborted for that, and nothing fails.
#[tokio::test]
async fn a_slow_child_is_waited_for_beyond_the_grace() {
    let ends: [fn(&World, AgentHandle) -> Teardown; 3] =
        [|world, _| world.subagents.dispose(), |world, _| world.kernel.shutdown(), |_, parent| parent.dispose()];
    for end in ends {
        let world = world(SCRIPT).await;
        let parent = world.agent("main").await;
        let (slow, made_it) = (Gate::new(), Gate::new());
        let (wait, reach) = (slow.clone(), made_it.clone());
        register(
            &world.root,
            made("slow", move |job| {
                let (wait, reach) = (wait.clone(), reach.clone());
                async move {
                    let options = ChildOptions::new().setup(move |ctx| async move {
                        ctx.effect("slow", |fx| {
                            fx.defer_async(move || async move { wait.wait().await });
                            Ok(())
                        })?;
                        Ok(())
                    });
                    job.agent(options).await?;
                    reach.wait().await;
                    std::future::pending().await
                }
            }),
        );
        let run = start(&world, &parent, "slow", SubagentRequest::new("x"));
        made_it.reached().await;
        let mut end = end(&world, parent);
        slow.reached().await;
        for _ in 0..30 {
            world.clock.advance(std::time::Duration::from_secs(1));
            tokio::task::yield_now().await;
            assert!(dsh_testkit::poll_once(&mut end).is_pending());
        }
        let mut result = Box::pin(run.result());
        assert!(dsh_testkit::poll_once(&mut result).is_pending(), "it has its result when the child is gone");
        slow.open();
        patiently(&world.clock, end).await.unwrap();
        assert_eq!(result.await.stop, SubagentStop::Disposed);
        world.kernel.shutdown().await.unwrap();
        world.assert_closed();
    }
}

#[tokio::test]
async fn a_run_ends_with_the_scope_that_started_it_and_with_the_tools() {
    let world = world(SCRIPT).await;
    let gate = world.model.gate("wait");
    let scope = world.root.scope("host").unwrap();
    let before = world.tree();
    let run = scope.ctx().subagents().start("spawn", SubagentRequest::new("wait")).unwrap();
    gate.reached().await;
    scope.dispose().await.unwrap();
    assert_eq!(run.result().await.stop, SubagentStop::Disposed);
    let had: Vec<&str> = before.lines().filter(|line| !line.contains("host")).collect();
    assert_eq!(world.tree().lines().collect::<Vec<_>>(), had);
    world.assert_closed();
}

/// The parent is disposed by its own child's tool: it waits for nothing that waits for itself.
#[tokio::test]
async fn a_child_may_have_its_parent_disposed() {
    let world = world(SCRIPT).await;
    let parent = world.root.agents().create(AgentOptions::new("main")).await.unwrap();
    let agent = parent.agent().clone();
    let kept = Arc::new(std::sync::Mutex::new(Some(parent)));
    let taken = Arc::clone(&kept);
    register(
        &world.root,
        made("rebel", move |job| {
            let taken = Arc::clone(&taken);
            async move {
                let child = job.agent(ChildOptions::new()).await?;
                let parent = taken.lock().unwrap().take().unwrap();
                drop(parent.dispose());
                job.converse(&child).await
            }
        }),
    );
    let run = world.root.subagents().start("rebel", SubagentRequest::new("x").parent(&agent)).unwrap();
    let result = patiently(&world.clock, Box::pin(run.result())).await;
    assert_eq!(result.stop, SubagentStop::Disposed);
    until(|| world.root.agents().list().unwrap().is_empty()).await;
    world.assert_closed();
}

type Listen = fn(&World, Arc<dyn Fn() + Send + Sync>);

macro_rules! emitted {
    ($event:ty) => {
        (<$event as Event>::NAME, |world: &World, hit: Arc<dyn Fn() + Send + Sync>| {
            drop(world.root.on::<$event, _>(move |_| hit()).unwrap());
        })
    };
}

macro_rules! serial {
    ($event:ty) => {
        (<$event as Event>::NAME, |world: &World, hit: Arc<dyn Fn() + Send + Sync>| {
            let listener = move |_: Arc<$event>| {
                hit();
                async { Ok(None) }
            };
            drop(world.root.on_serial::<$event, _>(listener).unwrap());
        })
    };
}

macro_rules! waterfall {
    ($event:ty) => {
        (<$event as Event>::NAME, |world: &World, hit: Arc<dyn Fn() + Send + Sync>| {
            let listener = move |value, _: Arc<$event>, next: Next<$event>| {
                hit();
                next.run(value)
            };
            drop(world.root.on_waterfall::<$event, _>(listener).unwrap());
        })
    };
}

/// G3, K8: the parent is disposed by code that runs inside of its child's life, at each place where such code runs.
#[tokio::test]
async fn a_parent_may_be_disposed_from_inside_each_event_of_its_child() {
    let events: [(&str, Listen); 16] = [
        emitted!(SubagentStart),
        emitted!(AgentCreated),
        serial!(AgentSessionStart),
        emitted!(AgentTurnStart),
        waterfall!(AgentPromptSubmit),
        waterfall!(AssembleEvent),
        serial!(AgentPreStep),
        waterfall!(AgentRequest),
        emitted!(AgentStream),
        serial!(AgentStepResult),
        emitted!(AgentToolCall),
        waterfall!(PreExecuteEvent),
        emitted!(AgentToolResult),
        emitted!(AgentTurnEnd),
        emitted!(AgentDisposed),
        emitted!(SubagentEnd),
    ];
    for (name, listen) in events {
        let world = world(SCRIPT).await;
        let before: Vec<String> = world.tree().lines().map(str::to_owned).collect();
        world.stall.open();
        let kept = Arc::new(std::sync::Mutex::new(Some(world.agent("main").await)));
        let agent = kept.lock().unwrap().as_ref().unwrap().agent().clone();
        let told = Log::new();
        let taken = Arc::clone(&kept);
        let hits = told.clone();
        listen(
            &world,
            Arc::new(move || {
                let handle = taken.lock().unwrap().take();
                if let Some(handle) = handle {
                    hits.push("hit");
                    drop(handle.dispose());
                }
            }),
        );
        let run = world.root.subagents().start("spawn", SubagentRequest::new("tool").parent(&agent)).unwrap();
        let result = patiently(&world.clock, Box::pin(run.result())).await;
        assert!(!matches!(result.stop, SubagentStop::Failed { .. }), "{name}: {result:?}");
        told.assert(["hit"]);
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        assert_eq!(world.root.agents().list().unwrap(), [], "{name}");
        assert_eq!(world.root.subagents().running().unwrap().len(), 0, "{name}");
        world.assert_closed();
        let left: Vec<String> = world.tree().lines().filter(|line| !line.ends_with(name)).map(str::to_owned).collect();
        assert_eq!(left, before, "{name}");
    }
}
