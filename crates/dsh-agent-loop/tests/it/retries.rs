//! A request is tried again where that may help and nothing of the answer had come (A6).

use std::time::Duration;

use dsh_agent_loop::Retries;
use dsh_llm::{ModelError, ModelErrorKind, ModelEvent};
use dsh_session::TurnEnd;

use crate::support::{Piece, Played, World, WorldBuilder, fail, kinds, said};

/// Runs a turn on the manual clock; answers its end and the time that it took.
async fn timed(world: &World, agent: &dsh_agent::Agent) -> (TurnEnd, Duration) {
    let began = dsh_kernel::Clock::now(&world.clock);
    agent.send(dsh_llm::Message::user("Go")).unwrap();
    world.advance_until(Duration::from_millis(100), || agent.last_turn().is_some()).await;
    agent.when_idle().await;
    world.check(agent);
    (agent.last_turn().unwrap().end, dsh_kernel::Clock::now(&world.clock).checked_sub(began).unwrap())
}

#[tokio::test]
async fn what_may_pass_is_tried_twice_more_each_time_after_twice_as_long() {
    let world =
        World::new(Played::answers([fail(ModelErrorKind::Overloaded), fail(ModelErrorKind::Network), said("Good.")]))
            .await;
    let handle = world.agent().await;
    assert_eq!(timed(&world, handle.agent()).await, (TurnEnd::Completed, Duration::from_millis(1500)));
    assert_eq!(
        kinds(&handle.agent().session().records()),
        [
            "turn_started",
            "input",
            "prompt",
            "request",
            "step_failed",
            "request",
            "step_failed",
            "request",
            "answered",
            "turn_ended"
        ]
    );
    let asked = world.model.asked();
    assert!(asked.iter().all(|one| *one == asked[0]), "it is asked the same");
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn after_the_last_try_the_turn_has_failed() {
    let world = World::new(Played::answers([fail(ModelErrorKind::Overloaded)])).await;
    let handle = world.agent().await;
    let (end, _) = timed(&world, handle.agent()).await;
    assert_eq!(end, TurnEnd::failed("model::overloaded", "the model fails"));
    assert_eq!(world.model.asked().len(), 3);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    for kind in [ModelErrorKind::InvalidRequest, ModelErrorKind::Unauthorized, ModelErrorKind::ContextTooLong] {
        let world = World::new(Played::answers([fail(kind)])).await;
        let handle = world.agent().await;
        world.turn(handle.agent(), "Go").await;
        assert_eq!(world.model.asked().len(), 1);
        handle.dispose().await.unwrap();
    }
}

#[tokio::test]
async fn what_had_begun_to_stream_is_not_tried_again() {
    let begun = [vec![Piece::Event(ModelEvent::Text("I".to_owned()))], fail(ModelErrorKind::Network)].concat();
    let world = World::new(Played::answers([begun])).await;
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    assert_eq!(world.model.asked().len(), 1);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn how_long_a_provider_asks_to_wait_holds_unless_it_is_too_long() {
    for (asked, tries) in [(7, 2), (700, 1)] {
        let error = ModelError::new(ModelErrorKind::RateLimited, "later").retry_after(Duration::from_secs(asked));
        let world = World::new(Played::answers([vec![Piece::Fail(error)], said("Good.")])).await;
        let handle = world.agent().await;
        let (_, took) = timed(&world, handle.agent()).await;
        assert_eq!(world.model.asked().len(), tries);
        assert_eq!(took, if tries == 2 { Duration::from_secs(7) } else { Duration::ZERO });
        handle.dispose().await.unwrap();
    }
}

#[tokio::test]
async fn retries_are_configured() {
    let model = Played::answers([fail(ModelErrorKind::Network)]);
    let world = WorldBuilder::new(model).config(|config| config.retries(Retries::new().times(0))).build().await;
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    assert_eq!(world.model.asked().len(), 1);
    handle.dispose().await.unwrap();
}
