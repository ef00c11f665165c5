//! What listeners decide (A4).

use std::sync::Arc;

use dsh_agent::{
    AgentPreStep, AgentPromptSubmit, AgentRequest, AgentStepResult, AgentTurnContinuation, Continuation,
    PreStepDecision, PromptDecision, StepDecision,
};
use dsh_llm::{ContentBlock, Message, ToolCall, ToolResult};
use dsh_session::TurnEnd;
use dsh_tools::PreExecuteEvent;

use crate::support::{Played, World, call, kinds, said};

#[tokio::test]
async fn a_message_is_changed_before_it_begins_a_turn() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    world
        .root
        .on_waterfall::<AgentPromptSubmit, _>(|_, _, next| async move {
            next.run(PromptDecision::Submit(Message::user("changed"))).await
        })
        .unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "original").await;
    assert!(model.asked()[0].contains("changed") && !model.asked()[0].contains("original"));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_blocked_message_reaches_no_model_then_or_later() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    let blocking = world
        .root
        .on_waterfall::<AgentPromptSubmit, _>(|_, _, _| async { Ok(PromptDecision::block("not that")) })
        .unwrap();
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "secret").await, TurnEnd::refused("not that"));
    assert!(model.asked().is_empty());
    blocking.dispose().await.unwrap();
    assert_eq!(world.turn(handle.agent(), "fine").await, TurnEnd::Completed);
    assert!(!model.asked()[0].contains("secret"));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_turn_is_ended_before_a_step() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    world.root.on_serial(|_: Arc<AgentPreStep>| async { Ok(Some(PreStepDecision::end_turn("enough"))) }).unwrap();
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::ended("enough"));
    assert!(model.asked().is_empty());
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_request_is_changed_and_the_log_has_the_change() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    world
        .root
        .on_waterfall::<AgentRequest, _>(|mut request, _, next| async move {
            request.system = "Another prompt.".into();
            request.messages.truncate(1);
            next.run(request).await
        })
        .unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    world.turn(handle.agent(), "On").await;
    assert!(model.asked().iter().all(|asked| asked.contains("Another prompt.") && !asked.contains("On")));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_turn_is_ended_after_an_answer_whose_calls_are_not_run() {
    let world = World::new(Played::answers([call([("c1", "look", "{}")]), said("Good.")])).await;
    world.tool("look");
    world.root.on_serial(|_: Arc<AgentStepResult>| async { Ok(Some(StepDecision::end_turn("seen enough"))) }).unwrap();
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::ended("seen enough"));
    assert!(world.ran().is_empty());
    let kinds = kinds(&handle.agent().session().records());
    assert_eq!(kinds[kinds.len() - 3..], ["answered", "call_ended", "turn_ended"]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_turn_goes_on_with_what_a_listener_says() {
    let model = Played::answers([said("One."), call([("c1", "look", "{}")]), said("Three.")]);
    let world = World::new(model.clone()).await;
    world.tool("look");
    world
        .root
        .on_serial(|event: Arc<AgentStepResult>| async move {
            Ok((event.step < 3).then(|| StepDecision::go_on(Message::user(format!("after {}", event.step)))))
        })
        .unwrap();
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert_eq!(model.asked().len(), 3);
    assert!(model.asked()[2].contains("after 1") && model.asked()[2].contains("after 2"));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_turn_that_is_about_to_end_is_kept_going() {
    let model = Played::answers([said("Good.")]);
    let world = World::new(model.clone()).await;
    world
        .root
        .on_serial(|event: Arc<AgentTurnContinuation>| async move {
            Ok((event.step < 3).then(|| Continuation::Continue(Message::user("go on"))))
        })
        .unwrap();
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert_eq!(model.asked().len(), 3);
    handle.dispose().await.unwrap();
}

// T4: a denial is a result, and the turn goes on; the summary says whether nobody was there to ask.
#[tokio::test]
async fn a_denied_call_is_a_result_and_the_summary_says_who_was_missing() {
    for asks in [false, true] {
        let world = World::new(Played::answers([call([("c1", "look", "{}")]), said("Good.")])).await;
        world.tool("look");
        world
            .root
            .on_waterfall::<PreExecuteEvent, _>(move |mut value, _, next| async move {
                if asks {
                    value.ask("may it?");
                } else {
                    value.deny("never");
                }
                next.run(value).await
            })
            .unwrap();
        let handle = world.agent().await;
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        assert!(world.ran().is_empty());
        assert_eq!(handle.agent().last_turn().unwrap().denied_for_want_of_approver, asks);
        assert!(!kinds(&handle.agent().session().records()).contains(&"call_started"), "it certainly has not run");
        handle.dispose().await.unwrap();
    }
}

// A3, A4: in what a model is sent each call has one result (I81).
#[tokio::test]
async fn what_is_said_or_decided_cannot_have_calls_or_results_in_it() {
    let results = || Message::tool_results([ToolResult::new("c9", [ContentBlock::text("forged")])]);
    let calls = || Message::assistant([ContentBlock::ToolCall(ToolCall::new("c9", "look", "{}"))]);
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    for message in [results(), calls()] {
        assert_eq!(agent.send(message.clone()).unwrap_err().code(), "session::invalid_message");
        assert_eq!(agent.steer(message.clone()).unwrap_err().code(), "session::invalid_message");
        assert_eq!(agent.inject_message(message.clone()).unwrap_err().code(), "session::invalid_message");
        let invalid = |end: TurnEnd| matches!(end, TurnEnd::Failed { code, .. } if code == "session::invalid_message");
        let said = message.clone();
        let submit = world.root.on_waterfall::<AgentPromptSubmit, _>(move |_, _, _| {
            let said = said.clone();
            async move { Ok(PromptDecision::Submit(said)) }
        });
        assert!(invalid(world.turn(agent, "Go").await));
        submit.unwrap().dispose().await.unwrap();
        let said = message.clone();
        let result = world.root.on_serial(move |_: Arc<AgentStepResult>| {
            let said = said.clone();
            async move { Ok(Some(StepDecision::go_on(said))) }
        });
        assert!(invalid(world.turn(agent, "Go").await));
        result.unwrap().dispose().await.unwrap();
        assert_eq!(world.turn(agent, "Go").await, TurnEnd::Completed);
    }
    handle.dispose().await.unwrap();
}
