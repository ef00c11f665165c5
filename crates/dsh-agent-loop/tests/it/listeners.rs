//! Failing and panicking listeners of each event: they end a turn at most, and never the agent.

use std::sync::Arc;

use dsh_agent::{
    AgentPreStep, AgentPromptSubmit, AgentRequest, AgentStepResult, AgentStream, AgentToolCall, AgentToolResult,
    AgentTurnContinuation, AgentTurnEnd, AgentTurnStart,
};
use dsh_kernel::{Context, Disposer, Failure};
use dsh_session::TurnEnd;
use dsh_system_prompt::AssembleEvent;
use dsh_tools::{PostExecuteEvent, PreExecuteEvent};

use crate::support::{Played, World, call, said, steps_since_user};

fn fails<T>(panics: bool) -> Result<T, Failure> {
    assert!(!panics, "a listener panics");
    Err(Failure::msg("a listener fails"))
}

type Listen = fn(&Context, bool) -> Disposer;

/// An event, a failing listener of it, and whether that ends the turn.
const EVENTS: [(&str, Listen, bool); 13] = [
    ("turn-start", |ctx, panics| ctx.on(move |_: &AgentTurnStart| fails::<()>(panics)).unwrap(), false),
    (
        "prompt-submit",
        |ctx, panics| {
            ctx.on_waterfall::<AgentPromptSubmit, _>(move |_, _, _| std::future::ready(fails(panics))).unwrap()
        },
        true,
    ),
    (
        "assemble",
        |ctx, panics| ctx.on_waterfall::<AssembleEvent, _>(move |_, _, _| std::future::ready(fails(panics))).unwrap(),
        true,
    ),
    (
        "pre-step",
        |ctx, panics| ctx.on_serial(move |_: Arc<AgentPreStep>| std::future::ready(fails(panics))).unwrap(),
        true,
    ),
    (
        "request",
        |ctx, panics| ctx.on_waterfall::<AgentRequest, _>(move |_, _, _| std::future::ready(fails(panics))).unwrap(),
        true,
    ),
    ("stream", |ctx, panics| ctx.on(move |_: &AgentStream| fails::<()>(panics)).unwrap(), false),
    (
        "step-result",
        |ctx, panics| ctx.on_serial(move |_: Arc<AgentStepResult>| std::future::ready(fails(panics))).unwrap(),
        true,
    ),
    ("tool-call", |ctx, panics| ctx.on(move |_: &AgentToolCall| fails::<()>(panics)).unwrap(), false),
    (
        "pre-execute",
        |ctx, panics| ctx.on_waterfall::<PreExecuteEvent, _>(move |_, _, _| std::future::ready(fails(panics))).unwrap(),
        false,
    ),
    (
        "post-execute",
        |ctx, panics| {
            ctx.on_waterfall::<PostExecuteEvent, _>(move |_, _, _| std::future::ready(fails(panics))).unwrap()
        },
        false,
    ),
    ("tool-result", |ctx, panics| ctx.on(move |_: &AgentToolResult| fails::<()>(panics)).unwrap(), false),
    (
        "turn-continuation",
        |ctx, panics| ctx.on_serial(move |_: Arc<AgentTurnContinuation>| std::future::ready(fails(panics))).unwrap(),
        true,
    ),
    ("turn-end", |ctx, panics| ctx.on(move |_: &AgentTurnEnd| fails::<()>(panics)).unwrap(), false),
];

#[tokio::test]
async fn a_failing_listener_ends_a_turn_at_most() {
    for panics in [false, true] {
        for (name, listen, ends_turn) in EVENTS {
            let model = Played::by(|request, before| {
                let id = format!("c{before}");
                if steps_since_user(&request.messages) == 0 { call([(&id, "look", "{}")]) } else { said("Good.") }
            });
            let world = World::new(model).await;
            world.tool("look");
            let before = world.kernel.inspect().to_string();
            let handle = world.agent().await;
            let listener = listen(&world.root, panics);
            let end = world.turn(handle.agent(), "Go").await;
            if ends_turn {
                let TurnEnd::Failed { code, .. } = &end else { panic!("{name}: {end}") };
                assert_eq!(code, "kernel::listener_failed", "{name}");
            } else {
                assert_eq!(end, TurnEnd::Completed, "{name}");
            }
            listener.dispose().await.unwrap();
            assert_eq!(world.turn(handle.agent(), "Again").await, TurnEnd::Completed, "{name}");
            world.gone(handle, &before).await;
        }
    }
}

// A5: a guard that fails lets nothing through, then or later.
#[tokio::test]
async fn a_message_whose_guard_fails_reaches_no_model() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    let handle = world.agent().await;
    let guard = EVENTS[1].1(&world.root, false);
    world.turn(handle.agent(), "secret").await;
    guard.dispose().await.unwrap();
    world.turn(handle.agent(), "fine").await;
    assert_eq!(model.asked().len(), 1);
    assert!(!model.asked()[0].contains("secret"));
    handle.dispose().await.unwrap();
}
