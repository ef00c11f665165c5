//! The rounds: all act at once, then what is there is compared with the model, then all leave and nothing is left.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_testkit::{Dice, Stress, Watchdog, block_on, resident_bytes};
use tokio::runtime::Runtime;

use crate::actor::{Actor, Round};
use crate::compare::{compare, is_empty};
use crate::heart::Heart;
use crate::look::Seen;

/// Those who act as tasks of the runtime, on threads inside of it, and on threads that know of no runtime.
const TASKS: u32 = 3;
const INSIDE: u32 = 2;
const OUTSIDE: u32 = 1;
const ACTORS: u32 = TASKS + INSIDE + OUTSIDE;

/// By how much resident memory may differ between a quarter of the run and its end: what the allocator keeps for each thread.
const SLACK: u64 = 8 << 20;

pub(crate) fn run(settings: Stress) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let heart = runtime.block_on(Heart::new());
    let before = heart.tree();
    let (seen, doing) = (Arc::<Seen>::default(), Arc::<Mutex<Vec<String>>>::default());
    let watchdog = {
        let (heart, doing) = (Arc::clone(&heart), Arc::clone(&doing));
        Watchdog::start(move || {
            let doing = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
            format!("the actors: {doing:#?}\n{}", heart.kernel.inspect())
        })
    };
    let (mut rounds, mut resident) = (0, None);
    while rounds == 0 || settings.goes_on() {
        let seed = settings.seed() + rounds;
        watchdog.beat(format!("the round of seed {seed}"));
        let mut play = Play { runtime: &runtime, heart: &heart, seen: &seen, doing: &doing, seed };
        play.round(&before);
        rounds += 1;
        if resident.is_none() && settings.elapsed() > settings.length() / 4 {
            resident = resident_bytes();
        }
    }
    if let (Some(before), Some(after)) = (resident, resident_bytes()) {
        assert!(after < before + SLACK, "resident memory went from {before} to {after} bytes in {rounds} rounds");
    }
    watchdog.beat("the shutdown".to_owned());
    runtime.block_on(heart.kernel.shutdown()).unwrap();
    assert!(heart.kernel.inspect().fibers.is_empty(), "{}", heart.kernel.inspect());
    let of = |counter: &std::sync::atomic::AtomicUsize| counter.load(Ordering::Relaxed);
    let told = format!(
        "{rounds} rounds from seed {}: {} assemblies, {} given up as unsettled; packs that stayed and were whole: {}; packs that \
         came or went and were there in part: {}, {} of them such as come and go in one go",
        settings.seed(),
        of(&seen.looks),
        of(&seen.unsettled),
        of(&seen.whole),
        of(&seen.partial),
        of(&seen.torn),
    );
    drop(writeln!(std::io::stdout(), "{told}"));
}

struct Play<'a> {
    runtime: &'a Runtime,
    heart: &'a Arc<Heart>,
    seen: &'a Arc<Seen>,
    doing: &'a Arc<Mutex<Vec<String>>>,
    seed: u64,
}

impl Play<'_> {
    fn round(&mut self, before: &[String]) {
        let mut dice = Dice::new(self.seed, 63);
        let steps = 10 + dice.roll(60);
        let round = Round::new(self.heart, self.seen, self.doing);
        let actors = (0..ACTORS).map(|number| Actor::new(&round, self.seed, number, number < TASKS + INSIDE)).collect();

        let mut actors = self.at_once(actors, Some(steps));
        self.settle(&mut actors);
        self.runtime.block_on(Box::pin(compare(&round, &actors, true)));
        self.judge("when all had acted");
        if dice.one_in(6) {
            self.runtime.block_on(Box::pin(self.heart.reload_registry()));
            self.settle(&mut actors);
            self.runtime.block_on(Box::pin(compare(&round, &actors, false)));
            self.judge("when the registry was loaded again");
        }

        let mut actors = self.at_once(actors, None);
        self.settle(&mut actors);
        drop(actors);
        self.heart.ledger.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.runtime.block_on(Box::pin(is_empty(self.heart)));
        let after = self.heart.tree();
        self.heart.faults.check(after == before, || format!("the tree was\n{before:#?}\nand is\n{after:#?}"));
        self.judge("when all had left");
    }

    /// Lets all act at once, or leave.
    fn at_once(&self, actors: Vec<Actor>, steps: Option<u32>) -> Vec<Actor> {
        async fn act(mut actor: Actor, steps: Option<u32>) -> Actor {
            match steps {
                Some(steps) => actor.play(steps).await,
                None => actor.leave().await,
            }
            actor
        }
        let (mut tasks, mut threads) = (Vec::new(), Vec::new());
        for (number, actor) in (0..).zip(actors) {
            if number < TASKS {
                tasks.push(self.runtime.spawn(Box::pin(act(actor, steps))));
            } else if number < TASKS + INSIDE {
                let handle = self.runtime.handle().clone();
                threads.push(std::thread::spawn(move || handle.block_on(Box::pin(act(actor, steps)))));
            } else {
                threads.push(std::thread::spawn(move || block_on(Box::pin(act(actor, steps)))));
            }
        }
        let mut done = Vec::new();
        for task in tasks {
            done.push(self.runtime.block_on(task).unwrap());
        }
        for thread in threads {
            done.push(thread.join().unwrap());
        }
        done
    }

    /// Waits for all that has begun to end.
    fn settle(&self, actors: &mut [Actor]) {
        self.runtime.block_on(async {
            for actor in actors.iter_mut() {
                for end in actor.ends.drain(..) {
                    let ended = end.await;
                    self.heart.faults.check(ended.is_ok(), || format!("a teardown failed: {ended:?}"));
                }
            }
            let settled = self.heart.kernel.settled().await;
            self.heart.faults.check(settled.is_ok(), || format!("not settled: {settled:?}"));
        });
        for actor in actors {
            actor.all_has_left();
        }
    }

    /// Fails with the seed where anybody has found a fault.
    fn judge(&self, when: &str) {
        let faults = self.heart.faults.take();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for fault in &faults {
            *kinds.entry(fault).or_default() += 1;
        }
        let mut message = String::new();
        for (fault, times) in kinds.iter().take(20) {
            writeln!(message, "  * {fault} ({times} times)").unwrap();
        }
        assert!(
            faults.is_empty(),
            "the round of seed {} has {} faults {when} (`cargo xtask stress --seed {}` begins with it):\n{message}\n{}",
            self.seed,
            faults.len(),
            self.seed,
            self.heart.kernel.inspect()
        );
    }
}
