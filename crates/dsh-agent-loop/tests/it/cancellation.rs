//! Cancellation at every await point, one after the other: the log is whole, the agent usable or gone, and nothing is left (A5).

use std::sync::Arc;

use dsh_agent::{
    AgentHandle, AgentOptions, AgentPreStep, AgentPromptSubmit, AgentRequest, AgentSessionStart, AgentStepResult,
    AgentTurnContinuation, AgentsExt,
};
use dsh_kernel::{BoxFuture, ManualClock};
use dsh_llm::{Message, ModelErrorKind};
use dsh_session::TurnEnd;
use dsh_system_prompt::AssembleEvent;
use dsh_tools::{Approval, ApprovalRequest, Approver, PostExecuteEvent, PreExecuteEvent, ToolContext, ToolsExt};

use crate::support::{
    Piece, Played, PointClock, PointStore, Points, World, WorldBuilder, call, fail, id, lasting, said, steps_since_user,
};

/// Asks at a point, and allows.
struct Asks(Points);

impl Approver for Asks {
    fn ask<'a>(&'a self, _request: &'a ApprovalRequest) -> BoxFuture<'a, Approval> {
        Box::pin(async {
            self.0.pass("approver").await;
            Approval::Allow
        })
    }
}

/// A model that fails once, then calls three tools, then one, then says it; each piece after a point.
fn busy(points: &Points) -> Played {
    let points = points.clone();
    Played::by(move |request, before| {
        let (b, c, d) = (format!("b{before}"), format!("c{before}"), format!("d{before}"));
        let pieces = match (before, steps_since_user(&request.messages)) {
            (0, _) => fail(ModelErrorKind::Overloaded),
            (_, 0) => call([(&b, "look", "{}"), (&c, "alone", "{}"), (&d, "look", "{}")]),
            (_, 1) => call([(&b, "find", "{}")]),
            _ => said("Good."),
        };
        pieces.into_iter().flat_map(|piece| [Piece::Point(points.clone()), piece]).collect()
    })
}

/// A world in which everything that can wait does so at a point.
async fn world(points: &Points) -> World {
    let (manual, of_store, asks) = (ManualClock::new(), points.clone(), Asks(points.clone()));
    let clock = Arc::new(PointClock { points: points.clone(), inner: manual.clone() });
    let world = WorldBuilder::new(busy(points))
        .clock(clock, manual)
        .wrapped(move |inner| PointStore { points: of_store, inner })
        .config(move |config| config.approver(Arc::new(asks)))
        .build()
        .await;
    let root = &world.root;
    macro_rules! serial {
        ($event:ty, $what:literal) => {{
            let points = points.clone();
            root.on_serial(move |_: Arc<$event>| {
                let points = points.clone();
                async move {
                    points.pass($what).await;
                    Ok(None)
                }
            })
            .unwrap();
        }};
    }
    macro_rules! waterfall {
        ($event:ty, $what:literal) => {{
            let points = points.clone();
            root.on_waterfall::<$event, _>(move |value, _, next| {
                let points = points.clone();
                async move {
                    points.pass($what).await;
                    let value = next.run(value).await?;
                    points.pass($what).await;
                    Ok(value)
                }
            })
            .unwrap();
        }};
    }
    serial!(AgentSessionStart, "session-start");
    waterfall!(AgentPromptSubmit, "prompt-submit");
    waterfall!(AssembleEvent, "assemble");
    serial!(AgentPreStep, "pre-step");
    waterfall!(AgentRequest, "request");
    serial!(AgentStepResult, "step-result");
    waterfall!(PreExecuteEvent, "pre-execute");
    waterfall!(PostExecuteEvent, "post-execute");
    serial!(AgentTurnContinuation, "turn-continuation");
    root.on_waterfall::<PreExecuteEvent, _>(|mut value, _, next| async move {
        if value.call().name == "find" {
            value.ask("may it?");
        }
        next.run(value).await
    })
    .unwrap();
    for name in ["look", "find", "alone"] {
        let points = points.clone();
        let tool = world.make_tool(name, move |cx| work(points.clone(), cx));
        root.tools().register(if name == "alone" { tool.exclusive() } else { tool }).unwrap();
    }
    world
}

/// What a tool does: it waits at a point, unless it is told to end.
async fn work(points: Points, cx: ToolContext) {
    let point = std::pin::pin!(points.pass("tool"));
    let cancelled = std::pin::pin!(cx.cancel().cancelled());
    futures_util::future::select(point, cancelled).await;
}

fn options(points: &Points) -> AgentOptions {
    let points = points.clone();
    AgentOptions::new("main").session(dsh_agent::NewSession::new().named(id("main"))).setup(move |_| async move {
        points.pass("setup").await;
        Ok(())
    })
}

/// What is done when somebody is held at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Cancel,
    Dispose,
    /// As `Dispose`, and whoever is held never goes on by itself.
    DisposeHeld,
}

/// Makes an agent and has it work, until it is done or somebody is held. `None` where that was in the making.
async fn until_held(world: &World, points: &Points) -> Option<AgentHandle> {
    let mut creation = world.root.agents().create(options(points));
    let reached = points.reached();
    let made = match futures_util::future::select(&mut creation, std::pin::pin!(reached)).await {
        futures_util::future::Either::Left((made, _)) => made.unwrap(),
        futures_util::future::Either::Right(_) => {
            drop(creation);
            return None;
        }
    };
    made.agent().send(Message::user("Go")).unwrap();
    let idle = made.agent().when_idle();
    futures_util::future::select(idle, std::pin::pin!(points.reached())).await;
    Some(made)
}

async fn walk(act: Act) {
    let mut labels = std::collections::BTreeSet::new();
    for point in 0.. {
        let points = Points::holding(point);
        let world = world(&points).await;
        let before = world.kernel.inspect().to_string();
        let handle = until_held(&world, &points).await;
        let Some(label) = points.held_at() else {
            // All points were passed, but for that of the last flush.
            points.release();
            let handle = handle.unwrap();
            assert_eq!(handle.agent().last_turn().unwrap().end, TurnEnd::Completed);
            assert_eq!(world.ran().len(), 4);
            world.gone(handle, &before).await;
            break;
        };
        labels.insert(label.clone());
        let context = format!("{act:?} at point {point} ({label})");
        let Some(handle) = handle else {
            points.release();
            lasting().await;
            assert!(world.root.agents().list().unwrap().is_empty(), "{context}");
            assert_eq!(world.kernel.inspect().to_string(), before, "{context}");
            continue;
        };
        let agent = handle.agent().clone();
        match act {
            Act::Cancel => {
                agent.cancel();
                // A flush that is under way is waited for.
                lasting().await;
                points.release();
                agent.when_idle().await;
                world.check(&agent);
                let end = agent.last_turn().unwrap().end;
                let is_late = label == "flush";
                assert_eq!(end, if is_late { TurnEnd::Completed } else { TurnEnd::Cancelled }, "{context}");
                let ran = world.ran();
                assert_eq!(world.turn(&agent, "Again").await, TurnEnd::Completed, "{context}");
                let twice = world.ran().into_iter().skip(ran.len()).any(|call| ran.contains(&call));
                assert!(!twice, "{context}: a call was run again");
                world.gone(handle, &before).await;
            }
            Act::Dispose | Act::DisposeHeld => {
                let teardown = handle.dispose();
                if act == Act::Dispose || label == "flush" {
                    points.release();
                }
                teardown.await.unwrap();
                assert!(agent.session().is_detached(), "{context}");
                assert!(agent.session().open_calls().is_empty() && !agent.session().is_turn_open(), "{context}");
                world.check(&agent);
                assert_eq!(world.kernel.inspect().to_string(), before, "{context}");
            }
        }
    }
    let expected = [
        "approver",
        "assemble",
        "flush",
        "model",
        "post-execute",
        "pre-execute",
        "pre-step",
        "prompt-submit",
        "request",
        "session-start",
        "setup",
        "sleep",
        "step-result",
        "tool",
        "turn-continuation",
    ];
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), expected, "each kind of point was walked");
}

#[tokio::test]
async fn a_turn_can_be_cancelled_at_every_await_point() {
    walk(Act::Cancel).await;
}

#[tokio::test]
async fn an_agent_can_be_disposed_at_every_await_point() {
    walk(Act::Dispose).await;
}

#[tokio::test]
async fn an_agent_can_be_disposed_while_whoever_is_waited_for_never_goes_on() {
    walk(Act::DisposeHeld).await;
}

// K14: a tool that is deaf to its token is aborted after the kernel's grace; its call may have run.
#[tokio::test]
async fn a_tool_that_does_not_end_is_aborted_and_its_call_has_a_result() {
    let world = World::new(Played::answers([call([("c1", "deaf", "{}")]), said("Good.")])).await;
    world.tool_by("deaf", |_| std::future::pending());
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("Go")).unwrap();
    world.advance_until(std::time::Duration::ZERO, || !world.ran().is_empty()).await;
    agent.cancel();
    world.advance_until(std::time::Duration::from_secs(1), || agent.last_turn().is_some()).await;
    agent.when_idle().await;
    world.check(agent);
    assert_eq!(agent.last_turn().unwrap().end, TurnEnd::Cancelled);
    assert_eq!(world.turn(agent, "Again").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}
