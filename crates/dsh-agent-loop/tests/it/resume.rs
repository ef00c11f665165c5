//! A log that was cut at any record is gone on from: interrupted calls get their results, and none is run again (A3, A5).

use std::sync::Arc;

use dsh_agent::{AgentOptions, AgentsExt};
use dsh_llm::{Message, ModelErrorKind};
use dsh_session::{MemoryStore, Record, SessionEvent, SessionStore, TurnEnd};

use crate::support::{Played, World, WorldBuilder, assert_valid, call, fail, id, said, steps_since_user};

/// Answers by the conversation alone, so that it goes on wherever it was cut.
fn steady() -> Played {
    Played::by(|request, _| {
        let calls: usize = request.messages.iter().map(|message| message.tool_calls().count()).sum();
        let name = |number: usize| format!("call_{}", calls + number);
        match steps_since_user(&request.messages) {
            0 => call([(&name(1), "look", "{\"at\":1}"), (&name(2), "find", "{}")]),
            1 => call([(&name(1), "look", "{\"at\":2}")]),
            _ => said("Good."),
        }
    })
}

async fn world(store: MemoryStore) -> World {
    let world = WorldBuilder::new(steady()).store(store).build().await;
    world.tool("look");
    world.tool("find");
    world
}

/// The records of two whole turns.
async fn two_turns() -> Vec<Record> {
    let world = world(MemoryStore::new()).await;
    let handle = world.agent().await;
    for text in ["Go", "Again"] {
        assert_eq!(world.turn(handle.agent(), text).await, TurnEnd::Completed);
    }
    handle.agent().inject_message(Message::user("A fact.")).unwrap();
    handle.dispose().await.unwrap();
    world.store.read(&id("main")).unwrap().records
}

#[tokio::test]
async fn a_session_goes_on_from_a_log_that_was_cut_at_any_record() {
    let whole = two_turns().await;
    assert!(whole.len() > 25);
    for length in 1..=whole.len() {
        let prefix = &whole[..length];
        let started = |record: &&Record| matches!(record.event, SessionEvent::CallStarted(_));
        let begun: Vec<String> = prefix
            .iter()
            .filter(started)
            .map(|record| match &record.event {
                SessionEvent::CallStarted(started) => started.call_id.clone(),
                _ => String::new(),
            })
            .collect();
        let answered: Vec<String> = prefix
            .iter()
            .filter_map(|record| match &record.event {
                SessionEvent::Answered(answered) => {
                    Some(answered.message.tool_calls().map(|call| call.id.clone()).collect::<Vec<_>>())
                }
                _ => None,
            })
            .flatten()
            .collect();
        let store = MemoryStore::new();
        drop(store.create(prefix).unwrap());
        let world = world(store).await;
        let before = world.kernel.inspect().to_string();
        let handle = world.root.agents().resume(id("main"), AgentOptions::new("main")).await.unwrap();
        let agent = handle.agent();
        let session = agent.session().clone();
        assert!(session.open_calls().is_empty() && !session.is_turn_open(), "cut after {length}");
        assert_eq!(world.turn_resumed(agent, "Go on").await, TurnEnd::Completed, "cut after {length}");
        assert_eq!(world.ran().len(), 3, "cut after {length}: the calls of the new turn, and no others");
        for call in world.ran() {
            assert!(!begun.contains(&call) && !answered.contains(&call), "cut after {length}: {call} ran again");
        }
        let records = session.records();
        assert_eq!(records[..length].iter().map(|record| Record::clone(record)).collect::<Vec<_>>(), prefix);
        handle.dispose().await.unwrap();
        assert_eq!(world.kernel.inspect().to_string(), before);
    }
}

impl World {
    /// As `turn`, for a log whose first requests an earlier process made.
    async fn turn_resumed(&self, agent: &dsh_agent::Agent, text: &str) -> TurnEnd {
        agent.send(Message::user(text)).unwrap();
        agent.when_idle().await;
        let records: Vec<Arc<Record>> = agent.session().records();
        assert_valid(&records, &[]);
        let rebuilt = dsh_session::requests(&records).unwrap();
        let asked = self.model.asked();
        let last: Vec<String> =
            rebuilt.iter().rev().take(asked.len()).rev().map(|rebuilt| rebuilt.request.to_json()).collect();
        assert_eq!(last, asked, "what the model gets is what the log makes, to the byte");
        agent.last_turn().unwrap().end
    }
}

// A6: a step that was about to be tried again is no exception.
#[tokio::test]
async fn a_log_that_was_cut_between_two_tries_is_gone_on_from() {
    let model = Played::by(|_, before| if before < 3 { fail(ModelErrorKind::Overloaded) } else { said("Good.") });
    let world = WorldBuilder::new(model).build().await;
    let handle = world.agent().await;
    handle.agent().send(Message::user("Go")).unwrap();
    let agent = handle.agent().clone();
    world.advance_until(std::time::Duration::from_secs(1), || agent.last_turn().is_some()).await;
    handle.dispose().await.unwrap();
    let whole = world.store.read(&id("main")).unwrap().records;
    for length in 1..=whole.len() {
        let store = MemoryStore::new();
        drop(store.create(&whole[..length]).unwrap());
        let resumed = self::world(store).await;
        let handle = resumed.root.agents().resume(id("main"), AgentOptions::new("main")).await.unwrap();
        assert_eq!(resumed.turn_resumed(handle.agent(), "Go on").await, TurnEnd::Completed);
        handle.dispose().await.unwrap();
    }
}
