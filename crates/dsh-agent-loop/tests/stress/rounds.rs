//! The rounds: all act at once, then all leave, and then the logs are looked at, and what is left.

use std::io::Write as _;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_agent::AgentStatus;
use dsh_session::{Record, SessionEvent, SessionId, SessionStore};
use dsh_testkit::{Dice, Stress, Watchdog};
use tokio::runtime::Runtime;

use crate::actor::Actor;
use crate::check::assert_valid;
use crate::place::Place;

/// Those who act as tasks of the runtime, and on threads of their own inside of it.
const TASKS: u64 = 3;
const THREADS: u64 = 2;

/// What was seen of all rounds.
#[derive(Default)]
struct Seen {
    rounds: u64,
    logs: usize,
    turns: usize,
    calls: usize,
    ran: usize,
}

pub(crate) fn run(stress: Stress) {
    // What is thrown is told to nobody: panics are part of the play.
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        if !["the model panics", "the tool panics", "the listener panics"].iter().any(|known| text.contains(known)) {
            drop(writeln!(std::io::stderr(), "{text}"));
        }
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let place = runtime.block_on(Place::new());
    let doing = Arc::new(Mutex::new(String::new()));
    let watchdog = {
        let (place, doing) = (Arc::clone(&place), Arc::clone(&doing));
        Watchdog::start(move || {
            let doing = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let agents: Vec<_> = place.agents().iter().map(|agent| (agent.id().to_string(), agent.status())).collect();
            format!("{doing}\n{agents:#?}\n{}", place.kernel.inspect())
        })
    };
    let mut seen = Seen::default();
    while seen.rounds == 0 || stress.goes_on() {
        let seed = stress.seed() + seen.rounds;
        let told = format!("the round of seed {seed} (`cargo xtask stress --seed {seed}` begins with it)");
        watchdog.beat(told.clone());
        doing.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&told);
        let _telling = Telling(&told);
        round(&runtime, &place, seed, &mut seen);
        seen.rounds += 1;
    }
    watchdog.beat("the shutdown".to_owned());
    runtime.block_on(place.kernel.shutdown()).unwrap();
    assert!(place.kernel.inspect().fibers.is_empty(), "{}", place.kernel.inspect());
    let Seen { rounds, logs, turns, calls, ran } = seen;
    let told = format!(
        "{rounds} rounds of the loop from seed {}: {logs} logs, {turns} turns, {calls} calls, {ran} of them run",
        stress.seed()
    );
    drop(writeln!(std::io::stdout(), "{told}"));
}

/// Says which round it was that failed.
struct Telling<'a>(&'a str);

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            drop(writeln!(std::io::stderr(), "it was {}", self.0));
        }
    }
}

fn round(runtime: &Runtime, place: &Arc<Place>, seed: u64, seen: &mut Seen) {
    let before = place.shown();
    place.model.seed.store(seed, Ordering::Relaxed);
    let mut dice = Dice::new(seed, 63);
    let steps = 10 + dice.roll(50);
    let actors = (0..TASKS + THREADS).map(|number| Actor::new(place, seed, number)).collect();
    let reloads = dice.one_in(4);
    let mut actors = at_once(runtime, place, actors, steps, reloads);
    // Some turns go on while all leave.
    if dice.one_in(2) {
        runtime.block_on(async {
            for agent in place.agents() {
                agent.when_idle().await;
            }
        });
    }
    runtime.block_on(async {
        actors.iter_mut().for_each(Actor::leave);
        for end in actors.into_iter().flat_map(|actor| actor.ends) {
            end.await.unwrap();
        }
        place.kernel.settled().await.unwrap();
    });
    for agent in place.forget_agents() {
        assert!(agent.session().is_detached());
        assert_eq!(agent.status(), AgentStatus::Stopped);
    }
    for listed in place.store.list().unwrap() {
        look(place, &listed.id, seen);
        place.store.remove(&listed.id).unwrap();
    }
    dsh_testkit::yield_until(|| place.probes.balance() == 0 && place.shown() == before);
    assert_eq!(place.ran.left(), (0, 0), "tools that run on, and calls that were run and stand in no log");
    assert_eq!(place.probes.balance(), 0, "what was registered, or streamed, is still held");
    assert_eq!(place.shown(), before);
}

/// Each call has one result and was run at most once; where the log does not say that it began, never.
fn look(place: &Place, id: &SessionId, seen: &mut Seen) {
    let records: Vec<Arc<Record>> = place.store.read(id).unwrap().records.into_iter().map(Arc::new).collect();
    assert_valid(&records, &[]);
    seen.logs += 1;
    let mut begun = std::collections::HashSet::new();
    for record in &records {
        match &record.event {
            SessionEvent::TurnEnded(_) => seen.turns += 1,
            SessionEvent::CallStarted(started) => drop(begun.insert(started.call_id.clone())),
            SessionEvent::CallEnded(ended) => {
                let call = &ended.result.call_id;
                let times = place.ran.times(id.as_str(), call);
                // One that began may have been told to end before its tool was called.
                assert!(times <= usize::from(begun.contains(call)), "{call} of {id} was run {times} times");
                seen.calls += 1;
                seen.ran += times;
            }
            _ => {}
        }
    }
}

/// Lets all act at once; meanwhile the loop may be loaded again.
fn at_once(runtime: &Runtime, place: &Arc<Place>, actors: Vec<Actor>, steps: u32, reloads: bool) -> Vec<Actor> {
    async fn act(mut actor: Actor, steps: u32) -> Actor {
        actor.play(steps).await;
        actor
    }
    let (mut tasks, mut threads) = (Vec::new(), Vec::new());
    for (number, actor) in (0..).zip(actors) {
        if number < TASKS {
            tasks.push(runtime.spawn(act(actor, steps)));
        } else {
            let handle = runtime.handle().clone();
            threads.push(std::thread::spawn(move || handle.block_on(act(actor, steps))));
        }
    }
    if reloads {
        runtime.block_on(place.reload_loop());
    }
    let mut done = Vec::new();
    for task in tasks {
        done.push(runtime.block_on(task).unwrap());
    }
    for thread in threads {
        done.push(thread.join().unwrap());
    }
    done
}
