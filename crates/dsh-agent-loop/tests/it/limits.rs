//! Limits of a turn: steps, tokens, time, identical calls (A5 and issue 6).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dsh_agent::AgentOptions;
use dsh_agent_loop::{Budget, LoopOptions, TurnLimits};
use dsh_session::{TurnEnd, TurnLimit};

use crate::support::{Piece, Played, World, WorldBuilder, call, said};

/// A model that calls `look` for ever, each time elsewhere.
fn restless() -> Played {
    Played::by(|_, before| {
        let (id, arguments) = (format!("c{before}"), format!("{{\"at\":{before}}}"));
        call([(&id, "look", &arguments)])
    })
}

async fn limited(model: Played, limits: TurnLimits) -> World {
    let world = WorldBuilder::new(model).config(|config| config.limits(limits)).build().await;
    world.tool("look");
    world
}

#[tokio::test]
async fn a_turn_has_a_hundred_steps_unless_it_is_configured() {
    let world = limited(restless(), TurnLimits::new()).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::limit(TurnLimit::Steps));
    assert_eq!((world.model.asked().len(), world.ran().len()), (100, 100));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn an_agents_own_limits_hold_in_place_of_the_loops() {
    let world = limited(restless(), TurnLimits::new().steps(50)).await;
    let own = AgentOptions::new("main").with(LoopOptions::new().limits(TurnLimits::new().steps(3)));
    let handle = world.create(own).await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::limit(TurnLimit::Steps));
    assert_eq!(world.model.asked().len(), 3);
    assert_eq!(world.turn(handle.agent(), "Again").await, TurnEnd::limit(TurnLimit::Steps), "each turn has its own");
    assert_eq!(world.model.asked().len(), 6);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn the_step_that_goes_over_the_tokens_is_the_last() {
    // Twelve a step.
    let world = limited(restless(), TurnLimits::new().tokens(25)).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::limit(TurnLimit::Tokens));
    assert_eq!(world.model.asked().len(), 3);
    assert_eq!(handle.agent().last_turn().unwrap().usage.output_tokens, 6);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn time_ends_a_turn_wherever_it_is() {
    for in_tool in [false, true] {
        let model = if in_tool { restless() } else { Played::answers([vec![Piece::Never]]) };
        let limits = TurnLimits::new().time(Duration::from_mins(1));
        let world = WorldBuilder::new(model).config(|config| config.limits(limits)).build().await;
        world.tool_by("look", |cx| async move { cx.cancel().cancelled().await });
        let handle = world.agent().await;
        let agent = handle.agent();
        agent.send(dsh_llm::Message::user("Go")).unwrap();
        world.advance_until(Duration::from_secs(10), || agent.last_turn().is_some()).await;
        assert_eq!(agent.last_turn().unwrap().end, TurnEnd::limit(TurnLimit::Time));
        agent.when_idle().await;
        world.check(agent);
        handle.dispose().await.unwrap();
    }
}

#[tokio::test]
async fn the_third_identical_call_in_a_row_ends_the_turn_and_is_not_run() {
    let model = Played::by(|_, before| {
        let id = format!("c{before}");
        call([(&id, "look", "{\"at\": 1}")])
    });
    let world = limited(model, TurnLimits::new()).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::limit(TurnLimit::SameCalls));
    assert_eq!(world.ran(), ["c0", "c1"]);
    assert_eq!(world.turn(handle.agent(), "Again").await, TurnEnd::limit(TurnLimit::SameCalls));
    assert_eq!(world.ran(), ["c0", "c1", "c3", "c4"], "each turn counts anew");
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn calls_that_differ_in_between_begin_the_count_anew() {
    let model = Played::by(|_, before| {
        let id = format!("c{before}");
        match before {
            0..=6 => call([(&id, "look", if before % 3 == 2 { "{\"at\":2}" } else { "{\"at\":1}" })]),
            _ => said("Done."),
        }
    });
    let world = limited(model, TurnLimits::new()).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn identical_calls_of_one_answer_are_in_a_row_too() {
    let model = Played::answers([call([("a", "look", "{}"), ("b", "look", "{}"), ("c", "look", "{}")])]);
    let world = limited(model, TurnLimits::new()).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::limit(TurnLimit::SameCalls));
    assert!(world.ran().is_empty());
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn without_limits_a_turn_goes_on() {
    let model = Played::by(|_, before| {
        let id = format!("c{before}");
        if before < 150 { call([(&id, "look", "{}")]) } else { said("Done.") }
    });
    let world = limited(model, TurnLimits::new().steps(None).same_calls(None)).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

// Issue 6, part 5: a turn's limits hold for whoever works under it.
#[tokio::test]
async fn an_agent_under_a_budget_takes_from_it() {
    let world = limited(restless(), TurnLimits::new().steps(5)).await;
    let found: Arc<Mutex<Option<Budget>>> = Arc::default();
    let of_tool = Arc::clone(&found);
    world.root.on(move |event: &dsh_agent::AgentToolCall| event.agent.cancel()).unwrap().dispose().await.unwrap();
    let own = world.make_tool("look", move |cx| {
        *of_tool.lock().unwrap() = cx.get::<Budget>().cloned();
        std::future::ready(())
    });
    let handle = world
        .create(AgentOptions::new("main").setup(move |ctx| async move {
            dsh_tools::ToolsExt::tools(&ctx).register(own)?;
            Ok(())
        }))
        .await;
    world.turn(handle.agent(), "Go").await;
    let budget = found.lock().unwrap().take().unwrap();
    assert_eq!(budget.steps_left(), Some(0));
    let under = AgentOptions::new("under").session(dsh_agent::NewSession::new().named(crate::support::id("under")));
    let under = under.with(LoopOptions::new().limits(TurnLimits::new().steps(50)).under(budget));
    let child = dsh_agent::AgentsExt::agents(&world.root).create(under).await.unwrap();
    child.agent().send(dsh_llm::Message::user("Go")).unwrap();
    child.agent().when_idle().await;
    let summary = child.agent().last_turn().unwrap();
    assert_eq!((summary.end, summary.steps), (TurnEnd::limit(TurnLimit::Steps), 0));
    child.dispose().await.unwrap();
    handle.dispose().await.unwrap();
}
