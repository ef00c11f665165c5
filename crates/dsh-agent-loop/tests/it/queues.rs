//! `send`, `steer`, `inject_message`, `cancel`, `when_idle`: as their names say (A5).

use dsh_agent::{AgentStatus, AgentTurnContinuation, AgentTurnEnd};
use dsh_llm::Message;
use dsh_session::{SessionEvent, TurnEnd, Via};
use dsh_testkit::{Gate, poll_once};

use crate::support::{Piece, Played, World, call, ends, lasting, said};

/// A model that waits at a gate the first time that it is asked.
fn gated(gate: &Gate) -> Played {
    let gate = gate.clone();
    Played::by(move |_, before| {
        let mut pieces = if before == 0 { vec![Piece::Gate(gate.clone())] } else { Vec::new() };
        pieces.extend(said("Good."));
        pieces
    })
}

fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(|message| message.content.first()?.as_text()).collect()
}

#[tokio::test]
async fn messages_that_are_sent_while_a_turn_runs_begin_turns_of_their_own_in_order() {
    let gate = Gate::new();
    let world = World::new(gated(&gate)).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    for text in ["one", "two", "three"] {
        agent.send(Message::user(text)).unwrap();
    }
    gate.reached().await;
    assert_eq!(agent.status(), AgentStatus::Running);
    let mut idle = agent.when_idle();
    assert!(poll_once(&mut idle).is_pending());
    gate.open();
    idle.await;
    assert_eq!(texts(&agent.session().messages()), ["one", "Good.", "two", "Good.", "three", "Good."]);
    assert_eq!(ends(agent), [TurnEnd::Completed, TurnEnd::Completed, TurnEnd::Completed]);
    world.check(agent);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn steering_comes_into_the_turn_under_way_and_keeps_it_from_its_end() {
    let gate = Gate::new();
    let world = World::new(gated(&gate)).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("one")).unwrap();
    gate.reached().await;
    agent.steer(Message::user("and two")).unwrap();
    gate.open();
    agent.when_idle().await;
    assert_eq!(texts(&agent.session().messages()), ["one", "Good.", "and two", "Good."]);
    assert_eq!(ends(agent), [TurnEnd::Completed]);
    world.check(agent);
    handle.dispose().await.unwrap();
}

// What one thread says stands in the log in the order in which it said it.
#[tokio::test]
async fn steering_comes_into_the_turn_that_is_about_to_begin() {
    let gate = Gate::new();
    let world = World::new(gated(&gate)).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("one")).unwrap();
    agent.steer(Message::user("and two")).unwrap();
    gate.reached().await;
    agent.steer(Message::user("and three")).unwrap();
    gate.open();
    agent.when_idle().await;
    assert_eq!(texts(&agent.session().messages()), ["one", "and two", "Good.", "and three", "Good."]);
    assert_eq!(ends(agent), [TurnEnd::Completed]);
    world.check(agent);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn steering_an_idle_agent_begins_a_turn() {
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    handle.agent().steer(Message::user("one")).unwrap();
    handle.agent().when_idle().await;
    assert_eq!(ends(handle.agent()), [TurnEnd::Completed]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn what_is_put_in_begins_no_turn_and_is_in_the_log_at_once() {
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.inject_message(Message::user("A fact.")).unwrap();
    lasting().await;
    assert_eq!(agent.status(), AgentStatus::Idle);
    assert!(ends(agent).is_empty() && world.model.asked().is_empty());
    assert_eq!(texts(&agent.session().messages()), ["A fact."]);
    world.turn(agent, "Go").await;
    assert_eq!(texts(&agent.session().messages()), ["A fact.", "Go", "Good."]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn what_is_put_into_a_turn_comes_at_its_next_step_or_after_it() {
    let world = World::new(Played::answers([call([("c1", "look", "{}")]), said("Good.")])).await;
    let slot = std::sync::Arc::new(std::sync::Mutex::new(None::<dsh_agent::Agent>));
    let of_tool = std::sync::Arc::clone(&slot);
    world.tool_by("look", move |_| {
        of_tool.lock().unwrap().as_ref().unwrap().inject_message(Message::user("A fact.")).unwrap();
        std::future::ready(())
    });
    let of_listener = std::sync::Arc::clone(&slot);
    world
        .root
        .on_serial(move |_: std::sync::Arc<AgentTurnContinuation>| {
            of_listener.lock().unwrap().as_ref().unwrap().inject_message(Message::user("Too late.")).unwrap();
            std::future::ready(Ok(None))
        })
        .unwrap();
    let handle = world.agent().await;
    let agent = handle.agent();
    *slot.lock().unwrap() = Some(agent.clone());
    world.turn(agent, "Go").await;
    slot.lock().unwrap().take();
    assert_eq!(texts(&agent.session().messages()), ["Go", "A fact.", "Good.", "Too late."]);
    assert_eq!(ends(agent).len(), 1);
    let via = agent
        .session()
        .records()
        .iter()
        .filter_map(|record| match &record.event {
            SessionEvent::Input(input) => Some(input.via),
            _ => None,
        })
        .collect::<Vec<_>>();
    assert_eq!(via, [Via::Prompt, Via::Inject, Via::Inject]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn cancelling_forgets_what_waits_and_ends_the_turn_under_way() {
    let gate = Gate::new();
    let world = World::new(gated(&gate)).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("one")).unwrap();
    agent.send(Message::user("two")).unwrap();
    gate.reached().await;
    agent.steer(Message::user("and three")).unwrap();
    agent.cancel();
    agent.when_idle().await;
    assert_eq!(ends(agent), [TurnEnd::Cancelled]);
    assert_eq!(texts(&agent.session().messages()), ["one"]);
    world.check(agent);
    assert_eq!(world.turn(agent, "again").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn cancelling_an_idle_agent_is_safe() {
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    handle.agent().cancel();
    handle.agent().cancel();
    handle.agent().when_idle().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    handle.agent().cancel();
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_message_from_a_listener_of_a_turns_end_begins_the_next_before_the_agent_is_idle() {
    let world = World::new(Played::answers([said("Good.")])).await;
    world
        .root
        .on(
            |event: &AgentTurnEnd| {
                if event.summary.turn == 1 { event.agent.steer(Message::user("and on")) } else { Ok(()) }
            },
        )
        .unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    assert_eq!(ends(handle.agent()).len(), 2);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_stopped_agent_takes_in_nothing() {
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    let agent = handle.agent().clone();
    handle.dispose().await.unwrap();
    let message = || Message::user("late");
    let refused = [agent.send(message()), agent.steer(message()), agent.inject_message(message())];
    for refused in refused {
        assert_eq!(refused.unwrap_err().code(), "agent::stopped");
    }
    agent.cancel();
    agent.when_idle().await;
    assert_eq!(agent.status(), AgentStatus::Stopped);
}

// A2: what is said while an agent is made is worked on when it has been.
#[tokio::test]
async fn what_is_said_in_the_setup_waits_for_the_start() {
    use dsh_agent::{AgentOptions, AgentsExt};
    let world = World::new(Played::answers([said("Good.")])).await;
    let root = world.root.clone();
    let handle = world
        .create(AgentOptions::new("main").setup(move |_| async move {
            let agent = root.agents().list()?.remove(0);
            assert_eq!(agent.status(), AgentStatus::Starting);
            agent.send(Message::user("early"))?;
            Ok(())
        }))
        .await;
    handle.agent().when_idle().await;
    assert_eq!(ends(handle.agent()), [TurnEnd::Completed]);
    handle.dispose().await.unwrap();
}
