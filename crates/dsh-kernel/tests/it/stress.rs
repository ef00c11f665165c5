//! K13, K9, K15: random lives on several threads at once. What holds whatever the interleaving is looked at in the end.

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Emit, Event, Failure, Fiber, FiberChanged, FiberState, Kernel, Scope};
use dsh_testkit::{DropProbe, Probes};

use crate::support::{Part, run_threads};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

/// A small random number generator of its own, so that a seed says all.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn choose<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        let length = u64::try_from(among.len()).ok().filter(|length| *length > 0)?;
        among.get(usize::try_from(self.roll(length)).ok()?)
    }
}

fn part(name: String, roll: u64, probe: DropProbe, probes: Probes) -> Part {
    let provides = format!("s{}", roll % 4);
    Part::new(name).inject((roll.is_multiple_of(3)).then(|| format!("s{}", (roll / 4) % 4))).start_async(move |ctx| {
        let (probe, made, provides) = (probe.clone(), probes.probe(), provides.clone());
        async move {
            ctx.effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    made.touch();
                });
                Ok(())
            })?;
            if roll.is_multiple_of(2) {
                drop(ctx.provide_dyn(provides, Arc::new(())));
            }
            if roll.is_multiple_of(5) {
                tokio::task::yield_now().await;
            }
            Part::new("child").mount_if_taken(&ctx);
            probe.touch();
            if roll.is_multiple_of(11) { Err(Failure::msg("unlucky")) } else { Ok(()) }
        }
    })
}

/// What one task has made and may undo.
struct Hand {
    root: Context,
    scopes: Vec<Scope>,
    fibers: Vec<Fiber>,
    probes: Probes,
}

impl Hand {
    fn somewhere(&self, dice: &mut Dice) -> Context {
        match (dice.roll(3), dice.choose(&self.scopes), dice.choose(&self.fibers)) {
            (0, Some(scope), _) => scope.ctx().clone(),
            (1, _, Some(fiber)) => fiber.ctx(),
            _ => self.root.clone(),
        }
    }

    async fn act(&mut self, dice: &mut Dice, task: u64) {
        let ctx = self.somewhere(dice);
        match dice.roll(12) {
            0 => self.scopes.extend(ctx.scope(format!("scope{task}"))),
            1 | 2 => {
                let part = part(format!("p{task}"), dice.roll(1_000), self.probes.probe(), self.probes.clone());
                self.fibers.extend(ctx.plugin_dyn(Arc::new(part)));
            }
            3 => drop(ctx.provide_dyn(format!("s{}", dice.roll(4)), Arc::new(self.probes.probe()))),
            4 => {
                if let Ok(service) = ctx.provide_dyn(format!("s{}", dice.roll(4)), Arc::new(())) {
                    tokio::task::yield_now().await;
                    drop(service.dispose());
                }
            }
            5 => {
                let probe = self.probes.probe();
                drop(ctx.on::<Ping, _>(move |_| probe.touch()));
            }
            6 => drop(ctx.emit(&Ping, Audience::Everyone)),
            7 => {
                let probe = self.probes.probe();
                drop(ctx.spawn("t", move |cancel| async move {
                    cancel.cancelled().await;
                    probe.touch();
                }));
            }
            8 => {
                let taken = self.fibers.last().and_then(Fiber::take_disposer);
                let probe = self.probes.probe();
                drop(ctx.effect("composite", |fx| {
                    fx.defer(move || probe.touch());
                    // Refused where the fiber hangs elsewhere; then it stays there.
                    if let Some(taken) = taken {
                        fx.adopt(taken)?;
                    }
                    Ok(())
                }));
            }
            9 => {
                if !self.scopes.is_empty() {
                    let end = self.scopes.swap_remove(0).dispose();
                    if dice.roll(2) == 0 {
                        drop(end.await);
                    }
                }
            }
            10 => {
                if let Some(fiber) = dice.choose(&self.fibers) {
                    let end = fiber.dispose();
                    if dice.roll(2) == 0 {
                        drop(end.await);
                    }
                }
            }
            _ => {
                let probe = self.probes.probe();
                let made = ctx.effect_async("async", async |fx| {
                    fx.defer(move || probe.touch());
                    tokio::task::yield_now().await;
                    Ok(())
                });
                drop(made.await);
            }
        }
    }
}

impl Part {
    /// Mounts where that is still allowed.
    fn mount_if_taken(self, ctx: &Context) {
        drop(ctx.plugin_dyn(Arc::new(self)));
    }
}

async fn live(seed: u64, steps: u64) {
    const TASKS: u64 = 4;
    let (kernel, probes) = (Kernel::new(), Probes::new());
    let root = kernel.root();
    let probe = probes.probe();
    root.on::<FiberChanged, _>(move |_| probe.touch()).unwrap();
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let mut hand = Hand { root: root.clone(), scopes: Vec::new(), fibers: Vec::new(), probes: probes.clone() };
            let mut dice = Dice((seed * TASKS + task + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            tokio::spawn(async move {
                for _ in 0..steps {
                    hand.act(&mut dice, task).await;
                }
                hand.fibers
            })
        })
        .collect();
    let mut fibers = Vec::new();
    for task in tasks {
        fibers.extend(task.await.unwrap());
    }
    kernel.settled().await.unwrap();
    // Settled means that nobody starts or unloads, and each pending plugin lacks something.
    let resting = [FiberState::Pending, FiberState::Active, FiberState::Failed, FiberState::Disposed];
    assert!(fibers.iter().all(|fiber| resting.contains(&fiber.state())), "{}", kernel.inspect());
    for fiber in kernel.inspect().fibers {
        assert_eq!(fiber.state == FiberState::Pending, !fiber.missing.is_empty(), "{}", kernel.inspect());
    }
    kernel.shutdown().await.unwrap();
    assert!(kernel.inspect().fibers.is_empty(), "{}", kernel.inspect());
    assert!(fibers.iter().all(|fiber| fiber.state() == FiberState::Disposed));
    drop((fibers, root, kernel));
    assert_eq!(probes.balance(), 0);
}

// K13, K9
#[test]
fn random_lives_on_several_threads_end_and_leave_nothing() {
    run_threads(2, async {
        for seed in 0..250 {
            live(seed, 150).await;
        }
    });
}
