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
use crate::rivals::{ByHand, Values};
use crate::round::{Figure, Sample, median, rounds};
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
    let values = Values::new(workload);
    let set: Vec<&str> = values.sets().next().unwrap_or_default().iter().map(|(_, value)| *value).collect();
    let assembly = apart.ours.assemble(None)?;
    let by_hand = [ByHand::new(&assembly, &values), ByHand::new(&assembly, &values)];
    let works: [Work<'_>; 5] = [
        &|which| apart.step(which),
        &|_| {
            arithmetic();
            Ok(())
        },
        &|which| one_string.step(which),
        &|which| nothing_own.step(which),
        &|which| {
            black_box(by_hand.get(which).map(|own| own.concatenate(&set)));
            Ok(())
        },
    ];
    let sides: Vec<Sample<'_>> =
        works.iter().map(|work| -> Sample<'_> { Box::new(|time| speedup(*work, time)) }).collect();
    let taken = rounds(options, sides)?;
    let [apart, arithmetic, one_string, nothing_own, by_hand] = taken.as_slice() else {
        return Err(Failure::msg("a side gave no figure"));
    };
    let machine = Figure::of(arithmetic.clone());
    let row = |what, ours: &[f64]| {
        Row::new("P5", what, FUNCTION, Figure::of(ours.to_vec()))
            .unit(Unit::Speedup)
            .against("two threads of private arithmetic", machine)
            .ratio_of_rounds(Figure::ratio(ours, arithmetic))
    };
    Ok(vec![
        row("two threads, a step each for an agent of its own", apart)
            .target(Target::AtLeast(0.95))
            .unjudged(too_busy(machine.median)),
        row(
            "control: two threads put that prompt together by hand, each of pieces of its own, and share nothing",
            by_hand,
        ),
        row("the same, both agents sharing seven global providers, each handing out one shared string", one_string),
        row("the same, the agents registering nothing, nothing changing", nothing_own),
    ])
}

/// Two free cores give two threads of arithmetic nearly twice what one has. Where they do not, somebody else has a part of the
/// machine, and takes it in whoever's turn it is.
const TWO_CORES: f64 = 1.9;

fn too_busy(machine: f64) -> Option<String> {
    (machine < TWO_CORES).then(|| {
        format!("the arithmetic itself gained {machine:.2} × from a second thread, and is to gain {TWO_CORES} ×")
    })
}

/// A turn takes about so long.
const TURN: Duration = Duration::from_millis(4);

/// What two threads do in a second, over what one does: the median over turns, each of three parts: one thread alone, the
/// other alone, both.
fn speedup(work: Work<'_>, at_least: Duration) -> Result<f64, Failure> {
    // For warmth, and to see how many calls fill a turn.
    let mut calls = 1;
    while run(work, 1, calls)? < TURN {
        calls *= 2;
    }
    let turns = (at_least.as_millis() / TURN.as_millis() / 4).max(3);
    let barrier = Barrier::new(2);
    let (barrier, inside) = (&barrier, &tokio::runtime::Handle::current());
    let thread = |which: usize| -> Result<Vec<Turn>, Failure> {
        let _inside = inside.enter();
        let (mut times, mut ended) = (Vec::new(), Ok(()));
        for _ in 0..turns {
            let mut turn = Turn::default();
            for part in [Some(0), Some(1), None] {
                barrier.wait();
                // One that has failed goes on waiting, for the other's sake.
                if ended.is_ok() && part.is_none_or(|alone| alone == which) {
                    let slot = if part.is_none() { &mut turn.together } else { &mut turn.alone };
                    ended = run(work, which, calls).map(|time| *slot = time);
                }
            }
            times.push(turn);
        }
        ended.map(|()| times)
    };
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| thread(1));
        let first = scope.spawn(|| thread(0));
        (first.join(), second.join())
    });
    let panicked = |_| Failure::msg("a thread panicked");
    let (first, second) = (first.map_err(panicked)??, second.map_err(panicked)??);
    let rate = |time: Duration| 1.0 / nanoseconds(time);
    let gain = |(first, second): (&Turn, &Turn)| {
        let alone = f64::midpoint(rate(first.alone), rate(second.alone));
        (rate(first.together) + rate(second.together)) / alone
    };
    Ok(median(&mut first.iter().zip(&second).map(gain).collect::<Vec<_>>()))
}

/// How long a thread took for its calls.
#[derive(Default)]
struct Turn {
    alone: Duration,
    together: Duration,
}

/// So many calls, timed.
fn run(work: Work<'_>, which: usize, calls: u32) -> Result<Duration, Failure> {
    let begun = Instant::now();
    for _ in 0..calls {
        work(which)?;
    }
    Ok(begun.elapsed())
}

/// About as long as a step, in registers alone.
fn arithmetic() {
    let mut x = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..2_000 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}

#[cfg(test)]
mod tests {
    use super::too_busy;

    #[test]
    fn where_a_second_thread_gains_too_little_there_is_no_verdict() {
        assert_eq!(too_busy(1.9), None);
        assert!(too_busy(1.6).unwrap().contains("1.60 ×"));
    }
}
