//! A session that grows too long gives its oldest part for a summary; off unless configured (issue 6, part 4).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dsh_agent::AgentCompacted;
use dsh_agent_loop::{Compaction, CompactionConfig, Summariser};
use dsh_kernel::{BoxFuture, Failure};
use dsh_llm::{Message, ModelEvent, StopReason, Usage};
use dsh_session::{RequestMessages, SessionEvent, TurnEnd, requests};

use crate::support::{Piece, Played, World, call, said, steps_since_user};

/// Counts what it summarises; may fail, panic or never end.
#[derive(Clone)]
struct Counting {
    made: Arc<AtomicUsize>,
    fault: Option<&'static str>,
}

impl Counting {
    fn new(fault: Option<&'static str>) -> Self {
        Self { made: Arc::default(), fault }
    }
}

impl Summariser for Counting {
    fn summarise(&self, messages: Vec<Message>) -> BoxFuture<'static, Result<Message, Failure>> {
        let number = self.made.fetch_add(1, Ordering::SeqCst) + 1;
        match self.fault {
            Some("panics") => panic!("the summariser panics"),
            Some("never ends") => Box::pin(std::future::pending()),
            Some(_) => Box::pin(async { Err(Failure::msg("no summary")) }),
            None => Box::pin(async move { Ok(Message::user(format!("Summary {number} of {}.", messages.len()))) }),
        }
    }
}

/// A model that calls a tool and says something long.
fn wordy() -> Played {
    Played::by(|request, before| {
        let id = format!("c{before}");
        if steps_since_user(&request.messages) == 0 { call([(&id, "look", "{}")]) } else { said(&"word ".repeat(100)) }
    })
}

async fn world(model: Played, summariser: Counting, over: usize, keep: usize) -> World {
    let world = World::new(model).await;
    world.tool("look");
    let config = CompactionConfig::new(summariser).over_bytes(over).keep_bytes(keep);
    world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
    world
}

fn compacted(agent: &dsh_agent::Agent) -> usize {
    let is = |record: &&Arc<dsh_session::Record>| matches!(record.event, SessionEvent::Compacted(_));
    agent.session().records().iter().filter(is).count()
}

#[tokio::test]
async fn the_oldest_turns_give_way_when_the_request_grows_too_long() {
    let counting = Counting::new(None);
    let world = world(wordy(), counting.clone(), 3_000, 1_000).await;
    let handle = world.agent().await;
    for turn in 0..12 {
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed, "turn {turn}");
    }
    assert!(compacted(handle.agent()) >= 2);
    assert_eq!(compacted(handle.agent()), counting.made.load(Ordering::SeqCst));
    let longest = world.model.asked().iter().map(String::len).max().unwrap();
    assert!(longest < 4_500, "{longest}");
    let messages = handle.agent().session().messages();
    assert!(messages[0].content[0].as_text().unwrap().starts_with("Summary "), "{:?}", messages[0]);
    handle.dispose().await.unwrap();
}

// A1, A4: who looks on is told, of its own agent alone; a listener that fails changes nothing.
#[tokio::test]
async fn each_summary_is_told_of_and_a_failing_listener_costs_nothing() {
    let world = world(wordy(), Counting::new(None), 3_000, 1_000).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    let told = dsh_testkit::Log::new();
    let log = told.clone();
    agent
        .ctx()
        .on(move |event: &AgentCompacted| {
            log.push(format!("{} {}", event.turn, event.compacted.through_seq));
            Err::<(), _>(Failure::msg("nobody wants to know"))
        })
        .unwrap();
    for _ in 0..12 {
        assert_eq!(world.turn(agent, "Go").await, TurnEnd::Completed);
    }
    let records = agent.session().records();
    let in_log = records.iter().filter_map(|record| {
        let SessionEvent::Compacted(compacted) = &record.event else { return None };
        Some(format!("{} {}", record.turn, compacted.through_seq))
    });
    let in_log: Vec<String> = in_log.collect();
    assert!(in_log.len() >= 2);
    assert_eq!(told.take(), in_log);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn without_a_threshold_nothing_is_compacted() {
    let counting = Counting::new(None);
    let world = World::new(wordy()).await;
    world.tool("look");
    world.root.plugin(Compaction::new(CompactionConfig::new(counting.clone()))).unwrap().ready().await.unwrap();
    let handle = world.agent().await;
    for _ in 0..5 {
        world.turn(handle.agent(), "Go").await;
    }
    assert_eq!((compacted(handle.agent()), counting.made.load(Ordering::SeqCst)), (0, 0));
    handle.dispose().await.unwrap();
}

// One long turn: it is cut at the end of a step, and each call keeps its result.
#[tokio::test]
async fn a_single_long_turn_is_cut_at_the_end_of_a_step() {
    let model = Played::by(|_, before| {
        let (id, arguments) = (format!("c{before}"), format!("{{\"at\":\"{}{before}\"}}", "x".repeat(200)));
        if before < 20 { call([(&id, "look", &arguments)]) } else { said("Good.") }
    });
    let world = world(model, Counting::new(None), 3_000, 1_000).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert!(compacted(handle.agent()) >= 1);
    assert_eq!(world.ran().len(), 20);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn where_no_summary_can_be_made_the_turn_goes_on_as_it_is() {
    for fault in ["fails", "panics"] {
        let world = world(wordy(), Counting::new(Some(fault)), 1_000, 100).await;
        let handle = world.agent().await;
        for _ in 0..5 {
            assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed, "{fault}");
        }
        assert_eq!(compacted(handle.agent()), 0);
        handle.dispose().await.unwrap();
    }
}

#[tokio::test]
async fn a_turn_is_cancelled_while_its_summary_is_made() {
    let world = world(wordy(), Counting::new(Some("never ends")), 1_000, 100).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("Go")).unwrap();
    agent.send(Message::user("Go")).unwrap();
    agent.send(Message::user("Go")).unwrap();
    crate::support::lasting().await;
    agent.cancel();
    agent.when_idle().await;
    world.check(agent);
    assert_eq!(agent.last_turn().unwrap().end, TurnEnd::Cancelled);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_model_makes_the_summary() {
    for breaks in [false, true] {
        let summing = Played::by(move |request, _| {
            assert!(request.messages.last().unwrap().content[0].as_text().unwrap().starts_with("Summarise"));
            if breaks { vec![Piece::Event(ModelEvent::Text("half".into()))] } else { said("They looked.") }
        });
        let world = World::new(wordy()).await;
        world.tool("look");
        let config = CompactionConfig::with_model(Arc::new(summing)).over_tokens(500).keep_tokens(100);
        world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
        let handle = world.agent().await;
        for _ in 0..5 {
            assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        }
        assert_eq!(compacted(handle.agent()) > 0, !breaks);
        if !breaks {
            assert!(world.model.asked().last().unwrap().contains("They looked."));
        }
        handle.dispose().await.unwrap();
    }
}

// A3: a summary stands for the whole past, so half of one would lose the rest.
#[tokio::test]
async fn a_summary_that_was_cut_off_or_refused_is_none() {
    for stop in [StopReason::MaxTokens, StopReason::Refusal, StopReason::Other] {
        let summing = Played::by(move |_, _| {
            vec![
                Piece::Event(ModelEvent::Text("They looked and".into())),
                Piece::Event(ModelEvent::Usage(Usage::new(7, 5))),
                Piece::Event(ModelEvent::Stop(stop)),
            ]
        });
        let world = World::new(wordy()).await;
        world.tool("look");
        let config = CompactionConfig::with_model(Arc::new(summing.clone())).over_tokens(500).keep_tokens(100);
        world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
        let handle = world.agent().await;
        for _ in 0..5 {
            assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        }
        assert!(!summing.asked().is_empty());
        assert_eq!(compacted(handle.agent()), 0, "{stop:?}");
        // What came to nothing is not asked again in so short a turn.
        let records = handle.agent().session().records();
        let mut asked = records.iter().filter_map(|record| {
            let SessionEvent::Request(request) = &record.event else { return None };
            if let RequestMessages::Through { seq, .. } = request.messages { Some((record.turn, seq)) } else { None }
        });
        let mut known = std::collections::HashSet::new();
        assert!(asked.all(|asked| known.insert(asked)));
        // What it has cost stands in the log, as what an answer has.
        let failed = records.iter().filter_map(|record| {
            let SessionEvent::StepFailed(failed) = &record.event else { return None };
            Some((failed.code.as_str(), failed.usage))
        });
        assert!(failed.eq(summing.asked().iter().map(|_| ("agent::no_summary", Some(Usage::new(7, 5))))));
        handle.dispose().await.unwrap();
    }
}

// What comes to nothing costs as much each time: a long turn asks less and less often, whoever is asked.
#[tokio::test]
async fn a_summary_that_comes_to_nothing_is_asked_for_less_and_less_often() {
    let cut_off =
        vec![Piece::Event(ModelEvent::Text("They".into())), Piece::Event(ModelEvent::Stop(StopReason::MaxTokens))];
    let (summing, counting) = (Played::by(move |_, _| cut_off.clone()), Counting::new(Some("fails")));
    let makers = [CompactionConfig::with_model(Arc::new(summing.clone())), CompactionConfig::new(counting.clone())];
    for (which, maker) in makers.into_iter().enumerate() {
        let steps = Played::by(|_, before| {
            let (id, arguments) = (format!("c{before}"), format!("{{\"at\":\"{}{before}\"}}", "x".repeat(200)));
            if before < 40 { call([(&id, "look", &arguments)]) } else { said("Good.") }
        });
        let world = World::new(steps).await;
        world.tool("look");
        let config = maker.over_bytes(1_000).keep_bytes(300);
        world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
        let handle = world.agent().await;
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        let records = handle.agent().session().records();
        let failed = records.iter().filter_map(|record| {
            let SessionEvent::StepFailed(failed) = &record.event else { return None };
            (failed.code == "agent::no_summary").then_some(failed.step)
        });
        let failed: Vec<u32> = failed.collect();
        assert!((2..=5).contains(&failed.len()) && failed.windows(2).all(|two| two[1] == 2 * two[0] + 1), "{failed:?}");
        let asked = if which == 0 { summing.asked().len() } else { counting.made.load(Ordering::SeqCst) };
        assert_eq!(asked, failed.len());
        handle.dispose().await.unwrap();
    }
}

// A3: what is asked for a summary is a function of the log too, and the turn pays for it.
#[tokio::test]
async fn what_a_summary_is_asked_and_costs_is_in_the_log_and_in_the_turn() {
    let summing = Played::answers([said("They looked.")]);
    let world = World::new(wordy()).await;
    world.tool("look");
    let config = CompactionConfig::with_model(Arc::new(summing.clone())).over_tokens(500).keep_tokens(100);
    world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
    let handle = world.agent().await;
    let (mut asked, mut turns) = (0, 0);
    while summing.asked().is_empty() {
        asked = world.model.asked().len();
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        turns += 1;
        assert!(turns < 20);
    }
    let records = handle.agent().session().records();
    let rebuilt: Vec<String> = requests(&records).unwrap().iter().map(|rebuilt| rebuilt.request.to_json()).collect();
    assert!(summing.asked().iter().all(|asked| rebuilt.contains(asked)));
    let of_summaries = records.iter().filter_map(|record| {
        if let SessionEvent::Compacted(compacted) = &record.event { compacted.usage } else { None }
    });
    assert_eq!(of_summaries.map(|usage| usage.output_tokens).sum::<u64>(), 2 * summing.asked().len() as u64);
    let requests = world.model.asked().len() - asked + summing.asked().len();
    assert_eq!(handle.agent().last_turn().unwrap().usage, Usage::new(10 * requests as u64, 2 * requests as u64));
    handle.dispose().await.unwrap();
}

// A prompt that is too long alone is no reason to lose the conversation, or to ask for a summary at every step.
#[tokio::test]
async fn where_the_prompt_alone_is_too_long_what_is_to_be_kept_is_kept() {
    let counting = Counting::new(None);
    let steps = |_: &dsh_llm::ModelRequest, before: usize| {
        let (id, arguments) = (format!("c{before}"), format!("{{\"at\":\"{}{before}\"}}", "x".repeat(200)));
        if before < 40 { call([(&id, "look", &arguments)]) } else { said("Good.") }
    };
    let world = world(Played::by(steps), counting.clone(), 10, 3_000).await;
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    let made = counting.made.load(Ordering::SeqCst);
    assert!((1..15).contains(&made), "{made} summaries in 40 steps");
    let messages = handle.agent().session().messages();
    assert!(messages.len() > 5, "{messages:?}");
    handle.dispose().await.unwrap();
}

// The model has not read them.
#[tokio::test]
async fn the_newest_results_are_never_compacted() {
    let world = world(wordy(), Counting::new(None), 10, 0).await;
    let handle = world.agent().await;
    for _ in 0..3 {
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    }
    let asked = world.model.asked();
    assert_eq!(asked.len(), 6);
    assert!(asked.iter().skip(1).step_by(2).all(|after_a_call| after_a_call.contains("did look")), "{asked:?}");
    handle.dispose().await.unwrap();
}
