//! K15: what is disposed leaves nothing behind, not even after a million rounds.

use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Context, Emit, Event, Failure, Kernel, Waterfall, WaterfallEvent};
use dsh_testkit::{Probes, resident_bytes};

use crate::support::alone::alone_within;
use crate::support::{Part, paused_runtime, run};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = ();
}

const ROUNDS: usize = 1_000_000;
const MEGABYTE: u64 = 1 << 20;

/// Runs `round` many times in a process of its own, and looks what has become of probes, tree and memory.
#[track_caller]
fn leaves_no_residue(rounds: usize, round: &impl AsyncFn(&Context, &Probes)) {
    alone_within(Duration::from_mins(2), || {
        paused_runtime().block_on(async {
            let (kernel, probes) = (Kernel::new(), Probes::new());
            let root = kernel.root();
            let before = kernel.inspect();
            // The first rounds fill what is kept for all: slots, hash tables, the allocator's own pages.
            for _ in 0..1_000 {
                round(&root, &probes).await;
            }
            let resident = resident_bytes();
            for _ in 0..rounds {
                round(&root, &probes).await;
            }
            if let (Some(before), Some(after)) = (resident, resident_bytes()) {
                assert!(after < before + MEGABYTE, "resident memory went from {before} to {after} bytes");
            }
            kernel.settled().await.unwrap();
            assert_eq!(probes.balance(), 0);
            assert!(probes.made() >= rounds);
            assert_eq!(kernel.inspect(), before);
        });
    });
}

// K15
#[test]
fn a_million_scopes_that_open_and_go() {
    leaves_no_residue(ROUNDS, &async |root, probes| {
        let scope = root.scope("scope").unwrap();
        let probe = probes.probe();
        scope.ctx().on::<Ping, _>(move |_| probe.touch()).unwrap();
        let probe = probes.probe();
        scope
            .ctx()
            .effect("e", |fx| {
                fx.defer(move || probe.touch());
                Ok(())
            })
            .unwrap();
        scope.dispose().await.unwrap();
    });
}

// K15
#[test]
fn a_hundred_thousand_fibers_that_start_and_go() {
    leaves_no_residue(ROUNDS / 10, &async |root, probes| {
        let (probe, made) = (probes.probe(), probes.clone());
        let part = Part::new("p").start(move |ctx| {
            probe.touch();
            let probe = made.probe();
            ctx.on_waterfall::<Edit, _>(move |value, _, next| {
                probe.touch();
                next.run(value)
            })?;
            let probe = made.probe();
            ctx.effect("e", |fx| {
                fx.defer_async(move || async move { probe.touch() });
                Ok(())
            })?;
            Ok(())
        });
        let fiber = part.mount(root);
        fiber.ready().await.unwrap();
        fiber.dispose().await.unwrap();
    });
}

// K15
#[test]
fn links_that_wait_and_tasks_that_are_cancelled() {
    leaves_no_residue(ROUNDS / 20, &async |root, probes| {
        let scope = root.scope("scope").unwrap();
        let probe = probes.probe();
        scope
            .ctx()
            .effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    probe.touch();
                });
                Ok(())
            })
            .unwrap();
        let probe = probes.probe();
        scope
            .ctx()
            .spawn("t", move |cancel| async move {
                cancel.cancelled().await;
                probe.touch();
            })
            .unwrap();
        scope.ctx().spawn("ends by itself", |_| async {}).unwrap();
        scope.dispose().await.unwrap();
    });
}

// K15
#[test]
fn services_that_come_and_go_and_their_users() {
    leaves_no_residue(ROUNDS / 20, &async |root, probes| {
        let scope = root.scope("scope").unwrap();
        let made = probes.clone();
        let part = Part::new("user").inject(["db"]).start(move |ctx| {
            let probe = made.probe();
            ctx.effect("e", |fx| {
                fx.defer(move || probe.touch());
                Ok(())
            })?;
            Ok(())
        });
        part.mount(scope.ctx());
        let one = root.provide_dyn("db", Arc::new(probes.probe())).unwrap();
        one.dispose().await.unwrap();
        let two = root.provide_dyn("db", Arc::new(probes.probe())).unwrap();
        scope.dispose().await.unwrap();
        two.dispose().await.unwrap();
    });
}

/// An error that holds a probe.
struct Costly(dsh_testkit::DropProbe);

impl std::fmt::Debug for Costly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.touch();
        f.write_str("Costly")
    }
}

impl std::fmt::Display for Costly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("costly")
    }
}

impl std::error::Error for Costly {}

// K15
#[test]
fn starts_bodies_and_links_that_fail() {
    leaves_no_residue(ROUNDS / 20, &async |root, probes| {
        let made = probes.clone();
        let part = Part::new("bad").start(move |_| Err(Costly(made.probe()).into()));
        let fiber = part.mount(root);
        fiber.dispose().await.unwrap();
        assert!(fiber.error().is_some());
        drop(fiber);
        let failure = Failure::from(Costly(probes.probe()));
        let link = root.effect("e", |fx| {
            fx.defer(move || Err::<(), _>(failure));
            Ok(())
        });
        assert!(link.unwrap().dispose().await.is_err());
        let failure = Failure::from(Costly(probes.probe()));
        drop(root.effect("bad", |fx| {
            fx.defer(|| ());
            Err(failure)
        }));
        assert!(root.provide_dyn("db", Arc::new(())).unwrap().dispose().await.is_ok());
    });
}

// K15: a long-lived owner, whose own effects come and go
#[test]
fn effects_and_composites_of_one_owner() {
    leaves_no_residue(ROUNDS / 10, &async |root, probes| {
        let probe = probes.probe();
        let inner = root
            .effect("inner", |fx| {
                fx.defer(move || probe.touch());
                Ok(())
            })
            .unwrap();
        let scope = root.scope("s").unwrap();
        let outer = root.effect("outer", |fx| {
            fx.adopt(inner)?;
            fx.adopt(scope.into_disposer())?;
            Ok(())
        });
        outer.unwrap().dispose().await.unwrap();
    });
}

// K15: names are made at run time, and forgotten
#[test]
fn services_and_plugins_of_ever_new_names() {
    let number = dsh_testkit::Counter::new();
    leaves_no_residue(ROUNDS / 20, &async |root, probes| {
        let name = format!("name {}", number.hit());
        let probe = probes.probe();
        let part = Part::new(name.clone()).inject([name.clone()]).provides([format!("{name}!")]).start(move |_| {
            probe.touch();
            Ok(())
        });
        let fiber = part.mount(root);
        let provide = root.provide_dyn(name, Arc::new(())).unwrap();
        fiber.dispose().await.unwrap();
        provide.dispose().await.unwrap();
    });
}

// K15: waits that are given up leave no waker behind
#[test]
fn waits_that_are_given_up() {
    run(async {
        let (kernel, probes, gate) = (Kernel::new(), Probes::new(), dsh_testkit::Gate::new());
        let scope = kernel.root().scope("s").unwrap();
        let wait = gate.clone();
        scope
            .ctx()
            .effect("slow", |fx| {
                fx.defer_async(move || async move { wait.wait().await });
                Ok(())
            })
            .unwrap();
        let teardown = scope.dispose();
        for _ in 0..100 {
            let (teardown, settled, probe) = (teardown.clone(), kernel.settled(), probes.probe());
            let waits = tokio::spawn(async move {
                drop(teardown.await);
                drop(settled.await);
                probe.touch();
            });
            tokio::task::yield_now().await;
            waits.abort();
            drop(waits.await);
        }
        gate.open();
        teardown.await.unwrap();
        assert_eq!(probes.balance(), 0);
    });
}
