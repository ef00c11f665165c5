//! P5: two threads that assemble and render for different agents, beside two threads of private arithmetic.
//!
//! A speed-up is what two threads do in a second, over what one does. Nothing is pinned to a core. The arithmetic says what the
//! machine gives two threads at that time; ours is held against it, round by round.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use dsh_bench::{Changes, Ours, Owned, Providers, Workload};
use dsh_kernel::{Failure, Scope};

use crate::options::Options;
use crate::round::{Sample, interleave};
use crate::row::{Row, Target, Unit};
use crate::timing::nanoseconds;

const FUNCTION: &str = "threads.rs: measure";

/// What each thread does over and over; which of the two it is, is told.
type Work<'a> = &'a (dyn Fn(usize) -> Result<(), Failure> + Sync);

/// Two agents of one kernel.
struct Pair {
    ours: Ours,
    agents: [Scope; 2],
}

impl Pair {
    fn open(workload: &Workload, owned: Owned, changes: Changes) -> Result<Self, Failure> {
        // What is shared does not change: a change is each agent's own.
        let ours = Ours::start(workload, Providers::Shared, Changes::Nothing)?;
        let agents = [ours.agent(workload, "first", owned, changes)?, ours.agent(workload, "second", owned, changes)?];
        Ok(Self { ours, agents })
    }

    fn step(&self, which: usize) -> Result<(), Failure> {
        let agent = self.agents.get(which).map(Scope::key);
        black_box(self.ours.step(agent)?);
        Ok(())
    }
}

pub(super) fn measure(options: &Options, workload: &Workload) -> Result<Vec<Row>, Failure> {
    let apart = Pair::open(workload, Owned::Everything, Changes::OneVariable)?;
    let one_string = Pair::open(workload, Owned::PersonaAndOneVariable, Changes::OneVariable)?;
    let nothing_own = Pair::open(workload, Owned::Nothing, Changes::Nothing)?;
    let works: [Work<'_>; 4] =
        [&|which| apart.step(which), &arithmetic, &|which| one_string.step(which), &|which| nothing_own.step(which)];
    let sides: Vec<Sample<'_>> =
        works.iter().map(|work| -> Sample<'_> { Box::new(|time| speedup(*work, time)) }).collect();
    let figures = interleave(options, sides)?;
    let [apart, arithmetic, one_string, nothing_own] = figures.as_slice() else {
        return Err(Failure::msg("a side gave no figure"));
    };
    let row = |what, figure| {
        Row::new("P5", what, FUNCTION, figure)
            .unit(Unit::Speedup)
            .against("two threads of private arithmetic", *arithmetic)
    };
    Ok(vec![
        row("two threads, a step each for an agent of its own", *apart).target(Target::AtLeast(0.95)),
        row("the same, both agents sharing seven global providers, each handing out one shared string", *one_string),
        row("the same, the agents registering nothing, nothing changing", *nothing_own),
    ])
}

/// What two threads do in a second, over what one does.
fn speedup(work: Work<'_>, at_least: Duration) -> Result<f64, Failure> {
    // One call of each for warmth, and to see how many fill the time.
    work(1)?;
    let begun = Instant::now();
    let mut calls = 0_u32;
    while begun.elapsed() < at_least / 8 {
        work(0)?;
        calls += 1;
    }
    let calls = calls.max(1) * 4;
    let alone = [rates(work, &[0], calls)?, rates(work, &[1], calls)?];
    let together = rates(work, &[0, 1], calls)?;
    Ok(together / (alone.iter().sum::<f64>() / 2.0))
}

/// Calls in a nanosecond, of all threads together, each doing so many.
fn rates(work: Work<'_>, threads: &[usize], calls: u32) -> Result<f64, Failure> {
    let barrier = Barrier::new(threads.len());
    let (barrier, inside) = (&barrier, &tokio::runtime::Handle::current());
    std::thread::scope(|scope| {
        let run = |which: usize| {
            scope.spawn(move || {
                let _inside = inside.enter();
                barrier.wait();
                let begun = Instant::now();
                for _ in 0..calls {
                    work(which)?;
                }
                Ok(f64::from(calls) / nanoseconds(begun.elapsed()))
            })
        };
        let running: Vec<_> = threads.iter().map(|which| run(*which)).collect();
        let rate = |thread: std::thread::ScopedJoinHandle<'_, Result<f64, Failure>>| {
            thread.join().unwrap_or_else(|_| Err(Failure::msg("a thread panicked")))
        };
        running.into_iter().map(rate).sum()
    })
}

/// About as long as a step, in registers alone.
fn arithmetic(which: usize) -> Result<(), Failure> {
    let mut x = black_box(which as u64 | 0x9E37_79B9_7F4A_7C15);
    for _ in 0..2_000 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
    Ok(())
}
