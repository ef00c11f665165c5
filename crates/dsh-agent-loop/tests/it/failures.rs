//! A failing step ends its turn, not the agent; a failing prompt ends it before any request (A5).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dsh_agent::AgentTurnEnd;
use dsh_agent_loop::{Compaction, CompactionConfig};
use dsh_kernel::{BoxFuture, Failure};
use dsh_llm::{Message, ModelErrorKind, ModelEvent, Role, StopReason, Usage};
use dsh_session::{Listed, MemoryStore, Record, SessionEvent, SessionId, SessionStore, SessionWriter, TurnEnd};
use dsh_system_prompt::{PromptSection, PromptVariable, SystemPromptExt};

use crate::support::{Piece, Played, World, WorldBuilder, call, ends, fail, kinds, said};

/// Which code a turn failed with.
fn code(end: &TurnEnd) -> &str {
    match end {
        TurnEnd::Failed { code, .. } => code,
        _ => panic!("{end}"),
    }
}

// A5
#[tokio::test]
async fn a_prompt_that_fails_ends_the_turn_before_any_request_with_the_error_in_the_log() {
    let world = World::new(Played::answers([said("Good.")])).await;
    let handle = world.agent().await;
    let prompt = world.root.system_prompt();
    let failing = || PromptVariable::try_computed("bad", |_| Err::<String, _>(Failure::msg("no value")));
    let panicking = || PromptVariable::computed("worse", |_| -> String { panic!("the provider panics") });
    let section = || PromptSection::new("a", 1, "{{nobody}}");
    for fault in 0..3 {
        let (registered, expected) = match fault {
            0 => (prompt.variable(failing()), "prompt::provider_failed"),
            1 => (prompt.variable(panicking()), "prompt::provider_failed"),
            _ => (prompt.section(section()), "prompt::unknown_variable"),
        };
        let end = world.turn(handle.agent(), "Go").await;
        assert_eq!(code(&end), expected);
        registered.unwrap().dispose().await.unwrap();
    }
    assert!(world.model.asked().is_empty());
    let kinds = kinds(&handle.agent().session().records());
    assert_eq!(kinds[..4], ["turn_started", "input", "step_failed", "turn_ended"]);
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

/// Runs a turn with a model that fails so, then one that it answers; answers how the first ended.
async fn then_well(first: Vec<Piece>) -> (TurnEnd, World, dsh_agent::AgentHandle) {
    let world = World::new(Played::answers([first, said("Good.")])).await;
    let handle = world.agent().await;
    let end = world.turn(handle.agent(), "Go").await;
    assert_eq!(world.turn(handle.agent(), "Again").await, TurnEnd::Completed);
    (end, world, handle)
}

fn text(text: &str) -> Piece {
    Piece::Event(ModelEvent::Text(text.to_owned()))
}

#[tokio::test]
async fn a_model_that_fails_panics_or_breaks_off_ends_the_turn_and_not_the_agent() {
    let broken = [
        (fail(ModelErrorKind::InvalidRequest), "model::invalid_request"),
        (vec![Piece::Panic], "agent::model_panicked"),
        (vec![text("I"), Piece::Panic], "agent::model_panicked"),
        (vec![text("I")], "model::broken_stream"),
        (Vec::new(), "model::broken_stream"),
        ([vec![text("I")], fail(ModelErrorKind::Network)].concat(), "model::network"),
    ];
    for (pieces, expected) in broken {
        let (end, _world, handle) = then_well(pieces).await;
        assert_eq!(code(&end), expected);
        handle.dispose().await.unwrap();
    }
}

// A6: what arrived is kept.
#[tokio::test]
async fn what_had_come_of_a_broken_answer_is_in_the_log() {
    let (_, _world, handle) = then_well(vec![text("I was abo")]).await;
    let records = handle.agent().session().records();
    let partial = records.iter().find_map(|record| match &record.event {
        SessionEvent::StepFailed(failed) => failed.partial.clone(),
        _ => None,
    });
    assert_eq!(partial.unwrap().content[0].as_text(), Some("I was abo"));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn calls_that_the_stream_cut_off_are_not_run() {
    let cut = vec![
        Piece::Event(ModelEvent::ToolCallStart { index: 0, id: "c1".into(), name: "look".into() }),
        Piece::Event(ModelEvent::ToolCallArguments { index: 0, text: "{}".into() }),
    ];
    let (end, world, handle) = then_well(cut.clone()).await;
    assert_eq!(code(&end), "model::broken_stream");
    assert!(world.ran().is_empty());
    handle.dispose().await.unwrap();

    // The same where the answer's own limit cut them.
    let stop = Piece::Event(ModelEvent::Stop(StopReason::MaxTokens));
    let (end, world, handle) = then_well([cut, vec![stop]].concat()).await;
    assert_eq!(code(&end), "agent::calls_cut");
    assert!(world.ran().is_empty());
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn of_an_answer_that_is_cut_in_a_later_call_the_whole_ones_run() {
    let mut pieces = call([("c1", "look", "{}")]);
    pieces.truncate(3);
    pieces.push(Piece::Event(ModelEvent::ToolCallStart { index: 1, id: "c2".into(), name: "look".into() }));
    pieces.push(Piece::Event(ModelEvent::Stop(StopReason::MaxTokens)));
    let world = World::new(Played::answers([pieces, said("Good.")])).await;
    world.tool("look");
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert_eq!(world.ran(), ["c1"]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_model_that_streams_for_ever_without_a_wait_is_cancelled() {
    let endless = vec![Piece::Forever(ModelEvent::Text(String::new()))];
    let world = World::new(Played::answers([endless, said("Good.")])).await;
    let handle = world.agent().await;
    let agent = handle.agent();
    agent.send(Message::user("Go")).unwrap();
    crate::support::lasting().await;
    assert_eq!(world.model.asked().len(), 1);
    agent.cancel();
    agent.when_idle().await;
    world.check(agent);
    assert_eq!(world.turn(agent, "Again").await, TurnEnd::Completed);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn an_unknown_tool_and_refused_arguments_are_results() {
    let model = Played::answers([call([("c1", "lock", "{}"), ("c2", "look", "no json")]), said("Good.")]);
    let world = World::new(model).await;
    world.tool("look");
    let handle = world.agent().await;
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    assert!(world.ran().is_empty());
    handle.dispose().await.unwrap();
}

/// A store that fails, or panics, at one append.
struct Failing {
    inner: MemoryStore,
    at: usize,
    panics: bool,
    appended: Arc<AtomicUsize>,
}

struct FailingWriter {
    inner: Box<dyn SessionWriter>,
    at: usize,
    panics: bool,
    appended: Arc<AtomicUsize>,
}

impl SessionStore for Failing {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, dsh_session::Error> {
        let inner = self.inner.create(log)?;
        Ok(Box::new(FailingWriter { inner, at: self.at, panics: self.panics, appended: Arc::clone(&self.appended) }))
    }

    fn open(&self, id: &SessionId) -> Result<(dsh_session::Log, Box<dyn SessionWriter>), dsh_session::Error> {
        self.inner.open(id)
    }

    fn read(&self, id: &SessionId) -> Result<dsh_session::Log, dsh_session::Error> {
        self.inner.read(id)
    }

    fn list(&self) -> Result<Vec<Listed>, dsh_session::Error> {
        self.inner.list()
    }

    fn remove(&self, id: &SessionId) -> Result<(), dsh_session::Error> {
        self.inner.remove(id)
    }
}

impl SessionWriter for FailingWriter {
    fn append(&mut self, record: &Record) -> Result<(), dsh_session::Error> {
        if self.appended.fetch_add(1, Ordering::SeqCst) == self.at {
            assert!(!self.panics, "the store panics");
            return Err(dsh_session::Error::new(dsh_session::ErrorKind::Io, "the disk is full"));
        }
        self.inner.append(record)
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), dsh_session::Error>> {
        // A number that no test gets to otherwise.
        if self.at == usize::MAX {
            let error = dsh_session::Error::new(dsh_session::ErrorKind::Io, "the disk is gone");
            return Box::pin(std::future::ready(Err(error)));
        }
        self.inner.flush()
    }
}

// A3, A5: what cannot be written does not happen, and the agent goes on when it can be again.
#[tokio::test]
async fn a_store_that_fails_or_panics_at_any_record_ends_the_turn_and_not_the_agent() {
    for panics in [false, true] {
        for at in 0.. {
            let model = Played::by(|request, _| match crate::support::steps_since_user(&request.messages) {
                0 => call([("c1", "look", "{}")]),
                _ => said("Good."),
            });
            let appended = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&appended);
            let builder = WorldBuilder::new(model);
            let world = builder.wrapped(move |inner| Failing { inner, at, panics, appended: counted }).build().await;
            world.tool("look");
            let handle = world.agent().await;
            let agent = handle.agent();
            let (told, begun) = (dsh_testkit::Log::new(), dsh_testkit::Log::new());
            let (log, of_begin) = (told.clone(), begun.clone());
            agent.ctx().on(move |_: &dsh_agent::AgentTurnStart| of_begin.push("begun")).unwrap();
            agent.ctx().on(move |_: &AgentTurnEnd| log.push("ended")).unwrap();
            agent.send(Message::user("Go")).unwrap();
            agent.when_idle().await;
            assert_eq!(told.len(), 1, "who hears of a turn hears of its end, at {at}");
            assert!(begun.len() <= 1);
            let was_reached = appended.load(Ordering::SeqCst) > at;
            let end = agent.last_turn().unwrap().end;
            if !was_reached {
                assert_eq!(end, TurnEnd::Completed);
                handle.dispose().await.unwrap();
                break;
            }
            assert_ne!(end, TurnEnd::Completed, "at {at}");
            assert!(world.ran().len() <= 1);
            assert_eq!(world.turn(agent, "Again").await, TurnEnd::Completed, "at {at}");
            let users = |message: &&Message| message.role == Role::User;
            let said = agent.session().messages();
            let said: Vec<_> = said.iter().filter(users).filter_map(|message| message.content[0].as_text()).collect();
            assert_eq!(said, ["Go", "Again"], "at {at}, {panics}");
            assert!(ends(agent).len() <= 3);
            handle.dispose().await.unwrap();
        }
    }
}

// A3: who waits for a turn takes it that what a completed one did outlives a loss of power.
#[tokio::test]
async fn a_turn_whose_log_could_not_be_brought_to_the_disk_has_not_completed() {
    let builder = WorldBuilder::new(Played::answers([said("Good.")]));
    let fail = |inner| Failing { inner, at: usize::MAX, panics: false, appended: Arc::default() };
    let world = builder.wrapped(fail).build().await;
    let handle = world.agent().await;
    assert_eq!(code(&world.turn(handle.agent(), "Go").await), "session::io");
    assert_eq!(ends(handle.agent()), [TurnEnd::Completed], "what is in the log is how the turn itself went");
    drop(handle.dispose().await);
}

// A5: the store refuses what was said while the turn ran; it is there again when the model is asked next.
#[tokio::test]
async fn what_the_log_does_not_take_stays_in_the_queue() {
    for (at, panics) in (0..6).flat_map(|at| [(at, false), (at, true)]) {
        let gate = dsh_testkit::Gate::new();
        let waiting = gate.clone();
        let model = Played::by(move |_, before| match before {
            0 => [vec![Piece::Gate(waiting.clone())], call([("c1", "look", "{}")])].concat(),
            _ => said("Good."),
        });
        let builder = WorldBuilder::new(model);
        // The records of the first step: turn, input, prompt, request, answer, call begun and ended; then what was said.
        let fail = move |inner| Failing { inner, at: 7 + at, panics, appended: Arc::default() };
        let world = builder.wrapped(fail).build().await;
        world.tool("look");
        let handle = world.agent().await;
        let agent = handle.agent();
        agent.send(Message::user("Go")).unwrap();
        gate.reached().await;
        agent.inject_message(Message::user("put in 1")).unwrap();
        agent.steer(Message::user("steered 2")).unwrap();
        agent.inject_message(Message::user("put in 3")).unwrap();
        gate.open();
        agent.when_idle().await;
        world.turn(agent, "Again").await;
        let said = format!("{:?}", agent.session().messages());
        for said_once in ["put in 1", "steered 2", "put in 3"] {
            assert_eq!(said.matches(said_once).count(), 1, "at {at}, {panics}: {said}");
        }
        handle.dispose().await.unwrap();
    }
}

// A5: a message that its turn's log did not take begins one before the next message does; listeners are asked about it again.
#[tokio::test]
async fn a_message_whose_turn_could_not_be_written_goes_before_the_next_one() {
    for (at, panics) in [(0, false), (1, false), (0, true), (1, true)] {
        let fail = move |inner| Failing { inner, at, panics, appended: Arc::default() };
        let world = WorldBuilder::new(Played::by(|_, _| said("Good."))).wrapped(fail).build().await;
        let handle = world.agent().await;
        let agent = handle.agent();
        assert_ne!(world.turn(agent, "one").await, TurnEnd::Completed);
        assert_eq!(agent.session().messages(), [], "it is tried again when the next one comes");
        assert_eq!(world.turn(agent, "two").await, TurnEnd::Completed);
        let texts = |messages: &[Message]| -> Vec<String> {
            messages.iter().map(|message| message.content[0].as_text().unwrap().to_owned()).collect()
        };
        assert_eq!(texts(&agent.session().messages()), ["one", "Good.", "two", "Good."], "at {at}, {panics}");

        // What stands behind it waits too, and what steered its turn comes right behind it.
        let fail = move |inner| Failing { inner, at, panics, appended: Arc::default() };
        let world = WorldBuilder::new(Played::by(|_, _| said("Good."))).wrapped(fail).build().await;
        let handle = world.agent().await;
        let agent = handle.agent();
        for text in ["one", "two"] {
            agent.send(Message::user(text)).unwrap();
        }
        agent.when_idle().await;
        assert_eq!(agent.session().messages(), []);
        assert_eq!(agent.status(), dsh_agent::AgentStatus::Idle);
        assert_eq!(world.turn(agent, "three").await, TurnEnd::Completed);
        let in_log = texts(&agent.session().messages());
        assert_eq!(in_log, ["one", "Good.", "two", "Good.", "three", "Good."], "at {at}, {panics}");

        // What somebody has cancelled meanwhile is forgotten like the rest.
        let fail = move |inner| Failing { inner, at, panics, appended: Arc::default() };
        let world = WorldBuilder::new(Played::by(|_, _| said("Good."))).wrapped(fail).build().await;
        let handle = world.agent().await;
        let agent = handle.agent();
        assert_ne!(world.turn(agent, "one").await, TurnEnd::Completed);
        agent.cancel();
        assert_eq!(world.turn(agent, "two").await, TurnEnd::Completed);
        assert_eq!(texts(&agent.session().messages()), ["two", "Good."], "at {at}, {panics}");
    }
}

// A3: what a summary has cost stands in the log, whichever record the store refuses.
#[tokio::test]
async fn a_summary_that_could_not_be_written_has_its_cost_in_the_log() {
    for (at, panics) in (0..60).flat_map(|at| [(at, false), (at, true)]) {
        let events = [
            ModelEvent::Text("They looked.".to_owned()),
            ModelEvent::Usage(Usage::new(1_000, 500)),
            ModelEvent::Stop(StopReason::EndTurn),
        ];
        let summing = Played::by(move |_, _| events.iter().cloned().map(Piece::Event).collect());
        let fail = move |inner| Failing { inner, at, panics, appended: Arc::default() };
        let world = WorldBuilder::new(Played::by(|_, _| said(&"word ".repeat(60)))).wrapped(fail).build().await;
        let config = CompactionConfig::with_model(Arc::new(summing)).over_bytes(1_000).keep_bytes(300);
        world.root.plugin(Compaction::new(config)).unwrap().ready().await.unwrap();
        let handle = world.agent().await;
        let agent = handle.agent();
        let told = Arc::new(AtomicU64::new(0));
        let sum = Arc::clone(&told);
        agent
            .ctx()
            .on(move |event: &AgentTurnEnd| {
                sum.fetch_add(event.summary.usage.input_tokens, Ordering::SeqCst);
            })
            .unwrap();
        for _ in 0..8 {
            agent.send(Message::user("Go")).unwrap();
            agent.when_idle().await;
        }
        let usage = |event: &SessionEvent| match event {
            SessionEvent::Answered(answered) => answered.usage,
            SessionEvent::StepFailed(failed) => failed.usage,
            SessionEvent::Compacted(compacted) => compacted.usage,
            _ => None,
        };
        let records = agent.session().records();
        let in_log: u64 =
            records.iter().filter_map(|record| usage(&record.event)).map(|usage| usage.input_tokens).sum();
        // An answer that was not written is lost with its cost.
        assert!(told.load(Ordering::SeqCst) - in_log < 1_000, "at {at}, {panics}");
        handle.dispose().await.unwrap();
    }
}

// A5: what waits since the store refused it comes before what is said later.
#[tokio::test]
async fn what_was_put_in_first_stands_first_in_the_log() {
    for (at, panics) in (6..9).flat_map(|at| [(at, false), (at, true)]) {
        let gate = dsh_testkit::Gate::new();
        let model = Played::answers([[vec![Piece::Gate(gate.clone())], said("Good.")].concat()]);
        // The records of the turn: begun, input, prompt, request, answer, ended; then what was put in.
        let fail = move |inner| Failing { inner, at, panics, appended: Arc::default() };
        let world = WorldBuilder::new(model).wrapped(fail).build().await;
        let handle = world.agent().await;
        let agent = handle.agent();
        let told = dsh_testkit::Log::new();
        let log = told.clone();
        agent.ctx().on(move |event: &AgentTurnEnd| log.push(event.summary.end.to_string())).unwrap();
        agent.send(Message::user("Go")).unwrap();
        gate.reached().await;
        let put_in = |text: &str| agent.inject_message(Message::user(text));
        put_in("put in 1").unwrap();
        put_in("put in 2").unwrap();
        gate.open();
        agent.when_idle().await;
        assert_eq!(agent.last_turn().unwrap().end, TurnEnd::Completed, "the turn itself went well");
        told.assert(["completed"]);
        let third = put_in("put in 3");
        assert_eq!(third.is_err(), at == 8, "the store refuses that very one");
        put_in("put in 4").unwrap();
        let messages = agent.session().messages();
        let said = messages
            .iter()
            .filter(|message| message.role == Role::User)
            .filter_map(|message| message.content[0].as_text());
        let said: Vec<_> = said.filter(|text| at != 8 || *text != "put in 3").collect();
        let all = ["Go", "put in 1", "put in 2", "put in 3", "put in 4"];
        assert_eq!(
            said,
            all.into_iter().filter(|text| at != 8 || *text != "put in 3").collect::<Vec<_>>(),
            "at {at}, {panics}"
        );
        handle.dispose().await.unwrap();
    }
}

// A limit on tokens holds for what was paid for, whatever became of it.
#[tokio::test]
async fn what_a_failed_or_cancelled_request_has_cost_is_charged() {
    let told = || vec![text("I"), Piece::Event(ModelEvent::Usage(Usage::new(100, 3)))];
    let gate = dsh_testkit::Gate::new();
    for (end, expected) in [
        (vec![], "broken"),
        (vec![Piece::Panic], "panicked"),
        (vec![Piece::Gate(gate.clone()), Piece::Never], "cancelled"),
    ] {
        let world = World::new(Played::answers([[told(), end].concat()])).await;
        let handle = world.agent().await;
        let agent = handle.agent();
        agent.send(Message::user("Go")).unwrap();
        if expected == "cancelled" {
            gate.reached().await;
            agent.cancel();
        }
        agent.when_idle().await;
        world.check(agent);
        assert_eq!(agent.last_turn().unwrap().usage, Usage::new(100, 3), "{expected}");
        let records = agent.session().records();
        let usage = records
            .iter()
            .find_map(|record| if let SessionEvent::StepFailed(failed) = &record.event { failed.usage } else { None });
        assert_eq!(usage, Some(Usage::new(100, 3)), "{expected}");
        handle.dispose().await.unwrap();
    }
}
