//! K13, K8, K4: a kernel that is shut down or dropped from inside foreign code, or while others wait.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use dsh_kernel::{Audience, Context, Emit, Event, FiberState, Kernel, Service};
use dsh_testkit::{Counter, Gate, Log, block_on, poll_once};

use crate::support::alone::alone;
use crate::support::{Part, Slot, manual_kernel, on_a_small_stack, paused_runtime, quiet, run, slow, undo};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

// K8
#[test]
fn a_shutdown_from_inside_is_a_shutdown_and_its_wait_is_reentrant() {
    run(async {
        let (kernel, log) = (Arc::new(Kernel::new()), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let (inner, line) = (Arc::clone(&kernel), log.clone());
        scope
            .ctx()
            .spawn("t", move |_| async move {
                line.push(inner.shutdown().await.unwrap_err().code());
            })
            .unwrap();
        quiet().await;
        kernel.shutdown().await.unwrap();
        log.assert(["kernel::reentrant"]);
        assert!(kernel.inspect().fibers.is_empty());
    });
}

// K8, K9
#[test]
fn dispose_within_from_inside_is_reentrant_at_once() {
    run(async {
        let (kernel, _clock) = manual_kernel();
        let (fiber, log) = (Part::new("p").mount(&kernel.root()), Log::new());
        let (inner, line) = (fiber.clone(), log.clone());
        fiber
            .ctx()
            .spawn("t", move |_| async move {
                line.push(inner.dispose_within(Duration::from_secs(9)).await.unwrap_err().code());
            })
            .unwrap();
        quiet().await;
        log.assert(["kernel::reentrant"]);
        fiber.dispose().await.unwrap();
    });
}

/// The kernel goes from inside of `place`; what is left of it is quiet.
fn goes_from_inside(place: impl AsyncFnOnce(Context, Slot<Kernel>, Log)) {
    alone(|| {
        run(async {
            let log = Log::new();
            let kernel = Kernel::new();
            let ctx = kernel.root().scope("s").unwrap().ctx().clone();
            let slot = Slot::of(kernel);
            place(ctx.clone(), slot.clone(), log.clone()).await;
            quiet().await;
            assert!(slot.take().is_none());
            log.assert(["gone"]);
            assert_eq!(ctx.state(), FiberState::Disposed);
            assert_eq!(ctx.effect("late", |_| Ok(())).unwrap_err().code(), "kernel::inactive");
        });
    });
}

fn go(slot: &Slot<Kernel>, log: &Log) {
    drop(slot.take());
    log.push("gone");
}

// K13
#[test]
fn a_kernel_is_dropped_from_inside_a_body() {
    goes_from_inside(async |ctx, slot, log| {
        drop(ctx.effect("e", |fx| {
            fx.defer(|| ());
            go(&slot, &log);
            Ok(())
        }));
    });
}

// K13: nobody waits for ever
#[test]
fn the_rollback_of_a_body_that_has_dropped_its_kernel_is_not_waited_for_in_vain() {
    goes_from_inside(async |ctx, slot, log| {
        let made = ctx.effect("e", |fx| {
            fx.defer(|| ());
            go(&slot, &log);
            Ok(())
        });
        let teardown = made.unwrap_err().teardown().unwrap();
        assert_eq!(teardown.await.unwrap_err().code(), "kernel::disposed");
    });
}

// K13
#[test]
fn a_kernel_is_dropped_from_inside_a_link() {
    goes_from_inside(async |ctx, slot, log| {
        let made = ctx.effect("e", |fx| {
            fx.defer(|| ());
            fx.defer(move || go(&slot, &log));
            Ok(())
        });
        drop(made.unwrap().dispose());
    });
}

// K13
#[test]
fn a_kernel_is_dropped_from_inside_a_listener() {
    goes_from_inside(async |ctx, slot, log| {
        ctx.on::<Ping, _>(move |_| go(&slot, &log)).unwrap();
        drop(ctx.emit(&Ping, Audience::Everyone));
    });
}

// K13
#[test]
fn a_kernel_is_dropped_from_inside_a_start() {
    goes_from_inside(async |ctx, slot, log| {
        let part = Part::new("p").start(move |_| {
            go(&slot, &log);
            Ok(())
        });
        drop(ctx.plugin_dyn(Arc::new(part)));
    });
}

// K13
#[test]
fn a_kernel_is_dropped_from_inside_a_task() {
    goes_from_inside(async |ctx, slot, log| {
        drop(ctx.spawn("t", move |_| async move { go(&slot, &log) }));
    });
}

// K13: nobody waits for ever
#[test]
fn waits_end_when_the_kernel_is_dropped() {
    alone(|| {
        run(async {
            let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
            let root = kernel.root();
            let stuck = slow(&root, "slow", &log, &gate).dispose();
            let fiber = Part::new("p").mount(&root);
            slow(&fiber.ctx(), "slow", &log, &gate);
            let unload = fiber.dispose();
            let wait = gate.clone();
            let loading = Part::new("loading").start_async(move |_| {
                let wait = wait.clone();
                async move {
                    wait.wait().await;
                    Ok(())
                }
            });
            let loading = loading.mount(&root);
            let waits = [tokio::spawn(stuck), tokio::spawn(unload)];
            let (ready, settled) = (tokio::spawn(loading.ready()), tokio::spawn(kernel.settled()));
            quiet().await;
            drop(kernel);
            gate.open();
            assert_eq!(ready.await.unwrap().unwrap_err().code(), "kernel::disposed");
            settled.await.unwrap().unwrap();
            for wait in waits {
                drop(wait.await.unwrap());
            }
        });
    });
}

// K4: however deep the calls stand inside one another
#[test]
fn the_first_asynchronous_link_is_polled_before_dispose_returns_even_from_inside_many_links() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let mut inner = slow(&root, "inmost", &log, &gate);
        for _ in 0..40 {
            let next = inner;
            inner = root
                .effect("layer", |fx| {
                    fx.defer(move || drop(next.dispose()));
                    Ok(())
                })
                .unwrap();
        }
        let teardown = inner.dispose();
        log.assert(["inmost:begin"]);
        gate.open();
        teardown.await.unwrap();
    });
}

// K6: and as wide as deep
#[test]
fn a_hundred_thousand_siblings_and_users_unload_on_a_small_stack() {
    const MANY: usize = 100_000;
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, count) = (Kernel::new(), Counter::new());
            let root = kernel.root();
            let srv = Part::new("srv").start(|ctx| {
                ctx.provide_dyn("db", Arc::new(()))?;
                Ok(())
            });
            let srv = srv.mount(&root);
            for _ in 0..MANY {
                let ended = count.clone();
                srv.ctx()
                    .effect("e", |fx| {
                        fx.defer(move || {
                            ended.hit();
                        });
                        Ok(())
                    })
                    .unwrap();
            }
            let users: Vec<_> = (0..MANY / 10).map(|_| Part::new("user").inject(["db"]).mount(&root)).collect();
            srv.dispose().await.unwrap();
            assert_eq!(count.get(), MANY);
            assert!(users.iter().all(|user| user.state() == FiberState::Pending));
        });
    });
}

// K4: what is left when a runtime goes, goes on in the next one
#[test]
fn a_kernel_outlives_its_runtime() {
    alone(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        paused_runtime().block_on(async {
            Part::new("p").mount(&root).ready().await.unwrap();
            undo(&root, "e", &log);
        });
        paused_runtime().block_on(async {
            Part::new("q").mount(&root).ready().await.unwrap();
            kernel.shutdown().await.unwrap();
        });
        log.assert(["e"]);
    });
}

/// A service whose destructor panics.
struct Bomb;

impl Service for Bomb {
    const NAME: &'static str = "bomb";
    const DOC: &'static str = "A test.";
}

struct Other(Bomb);

impl Service for Other {
    const NAME: &'static str = "other-bomb";
    const DOC: &'static str = "A test.";
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in a destructor");
    }
}

// K13: whoever looks at a service may be the last to hold it, and others with it
#[test]
fn services_that_are_let_go_of_while_one_looks_at_them_keep_their_panics() {
    for panics in [false, true] {
        let kernel = Kernel::new();
        let root = kernel.root();
        let (one, two) = (root.provide(Bomb).unwrap(), root.provide(Other(Bomb)).unwrap());
        let looked = root.call(|| {
            root.get::<Bomb>().with(|_| {
                drop((one.dispose(), two.dispose()));
                assert!(!panics, "in the code");
            })
        });
        match looked {
            Ok(looked) => looked.unwrap(),
            Err(failure) => assert_eq!(failure.panic_message(), Some("in the code")),
        }
        root.provide(Bomb).unwrap();
        let bombs = root.get::<Bomb>();
        bombs.with(move |_| drop(kernel)).unwrap();
    }
}

/// A service whose destructor says that it runs, and waits until it may end.
struct SlowToGo {
    runs: mpsc::Sender<()>,
    may_end: std::sync::Mutex<mpsc::Receiver<()>>,
}

impl Service for SlowToGo {
    const NAME: &'static str = "slow-to-go";
    const DOC: &'static str = "For tests.";
}

impl Drop for SlowToGo {
    fn drop(&mut self) {
        self.runs.send(()).unwrap();
        self.may_end.lock().unwrap().recv().unwrap();
    }
}

// K9: an end has not come while a destructor of what was handed in still runs, on whatever thread that is
#[test]
fn nobody_hears_of_an_end_before_what_was_handed_in_is_dropped() {
    let kernel = Kernel::new();
    let (says, runs) = mpsc::channel();
    let (lets, may_end) = mpsc::channel();
    let service = SlowToGo { runs: says, may_end: may_end.into() };
    let provided = kernel.root().provide(service).unwrap();
    let user = Part::new("user").inject(["slow-to-go"]).mount(&kernel.root());
    run(async {
        user.ready().await.unwrap();
        let gate = Gate::new();
        let wait = gate.clone();
        let held = user.ctx().effect("held", |fx| {
            fx.defer_async(move || async move { wait.wait().await });
            Ok(())
        });
        drop(held.unwrap());
        // The service waits for its user, whose last link is the gate's.
        let mut teardown = provided.dispose();
        assert!(poll_once(&mut teardown).is_pending());
        gate.open();
        let on_another_thread = tokio::task::spawn_blocking(move || {
            runs.recv().unwrap();
            lets
        });
        // The worker of this runtime is busy with the destructor: only who looks at the end from elsewhere can see it early.
        let watcher = std::thread::spawn({
            let mut teardown = teardown.clone();
            move || {
                let lets = block_on(on_another_thread).unwrap();
                let early = poll_once(&mut teardown).is_ready();
                lets.send(()).unwrap();
                early
            }
        });
        teardown.await.unwrap();
        assert!(!watcher.join().unwrap(), "the end was heard while the destructor ran");
    });
}
