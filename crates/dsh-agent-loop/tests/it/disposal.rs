//! An agent is disposed from inside of its own turn, or whatever it stands on leaves (A2, K8, K9).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dsh_agent::{
    AgentHandle, AgentPreStep, AgentPromptSubmit, AgentRequest, AgentStatus, AgentStepResult, AgentStream,
    AgentToolCall, AgentToolResult, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart, AgentsExt,
};
use dsh_kernel::{Context, Teardown};
use dsh_llm::Message;
use dsh_session::TurnEnd;

use crate::support::{Piece, Played, World, call, ends, id, lasting, said};

/// Whoever comes first disposes the agent; the teardown is kept for the test.
#[derive(Clone, Default)]
struct Slot {
    handle: Arc<Mutex<Option<AgentHandle>>>,
    teardown: Arc<Mutex<Option<Teardown>>>,
}

impl Slot {
    fn dispose(&self) {
        let handle = self.handle.lock().unwrap().take();
        if let Some(handle) = handle {
            *self.teardown.lock().unwrap() = Some(handle.dispose());
        }
    }

    /// Ready at once: whoever waits here would wait for itself (K8).
    async fn dispose_and_await(&self) {
        let handle = self.handle.lock().unwrap().take();
        if let Some(handle) = handle {
            let teardown = handle.dispose();
            *self.teardown.lock().unwrap() = Some(teardown.clone());
            assert_eq!(teardown.await.unwrap_err().code(), "kernel::reentrant");
        }
    }
}

type Listen = fn(&Context, Slot);

/// An event whose listener disposes the agent, and in the last ones awaits it too.
const EVENTS: [(&str, Listen); 13] = [
    ("turn-start", |ctx, slot| drop(ctx.on(move |_: &AgentTurnStart| slot.dispose()).unwrap())),
    ("prompt-submit", |ctx, slot| {
        drop(
            ctx.on_waterfall::<AgentPromptSubmit, _>(move |value, _, next| {
                slot.dispose();
                next.run(value)
            })
            .unwrap(),
        );
    }),
    ("pre-step", |ctx, slot| {
        drop(
            ctx.on_serial(move |_: Arc<AgentPreStep>| {
                slot.dispose();
                std::future::ready(Ok(None))
            })
            .unwrap(),
        );
    }),
    ("request", |ctx, slot| {
        drop(
            ctx.on_waterfall::<AgentRequest, _>(move |value, _, next| {
                slot.dispose();
                next.run(value)
            })
            .unwrap(),
        );
    }),
    ("stream", |ctx, slot| drop(ctx.on(move |_: &AgentStream| slot.dispose()).unwrap())),
    ("step-result", |ctx, slot| {
        drop(
            ctx.on_serial(move |_: Arc<AgentStepResult>| {
                slot.dispose();
                std::future::ready(Ok(None))
            })
            .unwrap(),
        );
    }),
    ("tool-call", |ctx, slot| drop(ctx.on(move |_: &AgentToolCall| slot.dispose()).unwrap())),
    ("tool-result", |ctx, slot| drop(ctx.on(move |_: &AgentToolResult| slot.dispose()).unwrap())),
    ("turn-continuation", |ctx, slot| {
        drop(
            ctx.on_serial(move |_: Arc<AgentTurnContinuation>| {
                slot.dispose();
                std::future::ready(Ok(None))
            })
            .unwrap(),
        );
    }),
    ("turn-end", |ctx, slot| drop(ctx.on(move |_: &AgentTurnEnd| slot.dispose()).unwrap())),
    ("prompt-submit, awaited", |ctx, slot| {
        drop(
            ctx.on_waterfall::<AgentPromptSubmit, _>(move |value, _, next| {
                let slot = slot.clone();
                async move {
                    slot.dispose_and_await().await;
                    next.run(value).await
                }
            })
            .unwrap(),
        );
    }),
    ("pre-step, awaited", |ctx, slot| {
        drop(
            ctx.on_serial(move |_: Arc<AgentPreStep>| {
                let slot = slot.clone();
                async move {
                    slot.dispose_and_await().await;
                    Ok(None)
                }
            })
            .unwrap(),
        );
    }),
    ("turn-continuation, awaited", |ctx, slot| {
        drop(
            ctx.on_serial(move |_: Arc<AgentTurnContinuation>| {
                let slot = slot.clone();
                async move {
                    slot.dispose_and_await().await;
                    Ok(None)
                }
            })
            .unwrap(),
        );
    }),
];

#[tokio::test]
async fn an_agent_is_disposed_from_inside_any_listener_of_its_turn() {
    for (name, listen) in EVENTS {
        let world = World::new(Played::answers([call([("c1", "look", "{}")]), said("Good.")])).await;
        world.tool("look");
        let slot = Slot::default();
        listen(&world.root, slot.clone());
        let before = world.kernel.inspect().to_string();
        let handle = world.agent().await;
        let agent = handle.agent().clone();
        *slot.handle.lock().unwrap() = Some(handle);
        agent.send(Message::user("Go")).unwrap();
        agent.when_idle().await;
        lasting().await;
        let teardown = slot.teardown.lock().unwrap().take().unwrap();
        teardown.await.unwrap();
        world.check(&agent);
        assert!(agent.session().is_detached(), "{name}");
        assert_eq!(ends(&agent).len(), 1, "{name}");
        assert_eq!(world.kernel.inspect().to_string(), before, "{name}");
    }
}

#[tokio::test]
async fn an_agent_is_disposed_from_inside_a_tool() {
    for awaits in [false, true] {
        let world = World::new(Played::answers([call([("c1", "end", "{}")]), said("Good.")])).await;
        let slot = Slot::default();
        let of_tool = slot.clone();
        world.tool_by("end", move |_| {
            let slot = of_tool.clone();
            async move { if awaits { slot.dispose_and_await().await } else { slot.dispose() } }
        });
        let before = world.kernel.inspect().to_string();
        let handle = world.agent().await;
        let agent = handle.agent().clone();
        *slot.handle.lock().unwrap() = Some(handle);
        agent.send(Message::user("Go")).unwrap();
        // K8: at once; nobody waits out the grace for a tool that waits for what waits for it.
        world.advance_until(Duration::ZERO, || agent.session().is_detached()).await;
        let teardown = slot.teardown.lock().unwrap().take().unwrap();
        teardown.await.unwrap();
        world.check(&agent);
        assert_eq!(ends(&agent), [TurnEnd::Cancelled]);
        lasting().await;
        assert_eq!(world.ran(), ["c1"]);
        let records = agent.session().records();
        let panicked = records.iter().any(|record| format!("{record:?}").contains("panicked"));
        assert!(!panicked, "the wait came to something else than `reentrant`: {records:?}");
        assert_eq!(world.kernel.inspect().to_string(), before);
    }
}

// K9: the loop's code does not outlive its plugin.
#[tokio::test]
async fn a_loop_that_unloads_stops_its_agents_and_ends_their_turns() {
    let world = World::new(Played::answers([vec![Piece::Never]])).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("Go")).unwrap();
    lasting().await;
    assert_eq!(agent.status(), AgentStatus::Running);
    world.agent_loop.dispose().await.unwrap();
    world.check(agent);
    assert_eq!(ends(agent), [TurnEnd::Cancelled]);
    assert_eq!(agent.status(), AgentStatus::Stopped);
    assert_eq!(world.root.agents().list().unwrap().len(), 1, "it is its owner's still");
    handle.dispose().await.unwrap();
    let error = world
        .root
        .agents()
        .create(dsh_agent::AgentOptions::new("main").session(dsh_agent::NewSession::new().named(id("next"))))
        .await;
    assert_eq!(error.unwrap_err().code(), "agent::no_factory");
}

#[tokio::test]
async fn shutting_the_kernel_down_ends_every_turn_in_its_log() {
    let world = World::new(Played::answers([call([("c1", "wait", "{}")]), said("Good.")])).await;
    world.tool_by("wait", |cx| async move { cx.cancel().cancelled().await });
    let handle = world.agent().await;
    let agent = handle.agent().clone();
    drop(handle);
    agent.send(Message::user("Go")).unwrap();
    world.advance_until(Duration::ZERO, || !world.ran().is_empty()).await;
    world.kernel.shutdown().await.unwrap();
    world.check(&agent);
    assert_eq!(ends(&agent), [TurnEnd::Cancelled]);
    assert!(agent.session().is_detached());
}

// T4, K9: a tool whose plugin leaves in the midst of a turn gives a result, and the turn goes on.
#[tokio::test]
async fn a_tool_that_leaves_in_the_midst_of_a_turn_is_a_result() {
    let world =
        World::new(Played::answers([call([("c1", "look", "{}")]), call([("c2", "look", "{}")]), said("Good.")])).await;
    let tool = Arc::new(Mutex::new(None));
    let of_listener = Arc::clone(&tool);
    world
        .root
        .on(move |_: &AgentToolResult| {
            let tool: Option<dsh_kernel::Disposer> = of_listener.lock().unwrap().take();
            if let Some(tool) = tool {
                drop(tool.dispose());
            }
        })
        .unwrap();
    *tool.lock().unwrap() = Some(world.tool("look"));
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert_eq!(world.ran(), ["c1"]);
    let asked = world.model.asked();
    assert!(asked[0].contains("\"name\":\"look\"") && asked[1].contains("\"tools\":[]"), "the prompt knows it too");
    handle.dispose().await.unwrap();
}
