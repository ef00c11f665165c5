//! K4: the exact disposer, and what happens outside an async runtime.

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Disposer, Emit, Error, Event, FiberState, Kernel, Layer, Layers, Teardown};
use dsh_testkit::{Counter, Gate, Log, poll_once};

use crate::support::watchdog::Watchdog;
use crate::support::{Part, is_open, paused_runtime, quiet, run, slow, slow_link, undo};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

#[derive(Clone, Default)]
struct Empty;

impl Layer for Empty {
    fn is_empty(&self) -> bool {
        true
    }
}

// K4
#[test]
fn every_register_method_returns_the_exact_disposer() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let before = kernel.inspect();
        let layers = Arc::new(Layers::<Empty>::new());
        let disposers: Vec<Disposer> = vec![
            root.effect("e", |_| Ok(())).unwrap(),
            root.effect_async("a", async |_| Ok(())).await.unwrap(),
            root.on::<Ping, ()>(|_| ()).unwrap(),
            root.prepended().on::<Ping, ()>(|_| ()).unwrap(),
            root.provide_dyn("db", Arc::new(())).unwrap(),
            root.spawn("t", |cancel| async move { cancel.cancelled().await }).unwrap(),
            root.scope("s").unwrap().into_disposer(),
            Part::new("p").mount(&root).take_disposer().unwrap(),
            layers.effect(&root, "l", |_: &mut Empty| Ok(|_: &mut Empty| ()), |_| Ok(())).unwrap(),
        ];
        // All of one type, all adopted by one effect, all gone with it.
        let all = root.effect("all", |fx| {
            for disposer in disposers {
                fx.adopt(disposer)?;
            }
            Ok(())
        });
        all.unwrap().dispose().await.unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K4
#[test]
fn leading_synchronous_links_have_run_and_the_first_asynchronous_one_was_polled_once() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let polls = Counter::new();
        let (two, one, counted) = (log.clone(), log.clone(), polls.clone());
        let disposer = kernel.root().effect("e", |fx| {
            fx.defer(move || one.push("one"));
            let mut link = Box::pin(slow_link("async", &log, &gate)());
            fx.defer_async(move || {
                std::future::poll_fn(move |cx| {
                    counted.hit();
                    link.as_mut().poll(cx)
                })
            });
            fx.defer(move || two.push("two"));
            let three = log.clone();
            fx.defer(move || three.push("three"));
            Ok(())
        });
        let teardown = disposer.unwrap().dispose();
        log.assert(["three", "two", "async:begin"]);
        assert_eq!(polls.get(), 1);
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["async:end", "one"]);
    });
}

// K4
#[test]
fn an_asynchronous_link_that_ends_in_its_first_poll_needs_no_task() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let disposer = kernel.root().effect("e", |fx| {
            for name in ["one", "two", "three"] {
                let log = log.clone();
                fx.defer_async(move || async move { log.push(name) });
            }
            Ok(())
        });
        let teardown = disposer.unwrap().dispose();
        log.assert(["three", "two", "one"]);
        assert!(!is_open(&teardown));
        teardown.await.unwrap();
    });
}

// K4
#[test]
fn dropping_a_teardown_cancels_nothing() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let before = kernel.inspect();
        drop(slow(&root, "slow", &log, &gate).dispose());
        // Nor does one that was polled.
        let fiber = Part::new("p").mount(&root);
        slow(&fiber.ctx(), "inner", &log, &gate);
        let mut teardown = fiber.dispose();
        assert!(poll_once(&mut teardown).is_pending());
        drop(teardown);
        gate.open();
        quiet().await;
        log.assert(["slow:begin", "inner:begin", "slow:end", "inner:end"]);
        assert_eq!(kernel.inspect(), before);
    });
}

// K4
#[test]
fn every_clone_of_a_teardown_observes_the_same_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let teardown = slow(&kernel.root(), "slow", &log, &gate).dispose();
        let waiters: Vec<_> = (0..5).map(|_| tokio::spawn(teardown.clone())).collect();
        quiet().await;
        assert!(waiters.iter().all(|waiter| !waiter.is_finished()));
        gate.open();
        for waiter in waiters {
            waiter.await.unwrap().unwrap();
        }
        assert!(teardown.result().unwrap().is_ok());
    });
}

// K4
#[test]
fn dropping_a_disposer_a_fiber_or_a_scope_undoes_nothing() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        drop(undo(&root, "effect", &log));
        let fiber = Part::new("p").mount(&root);
        undo(&fiber.ctx(), "of plugin", &log);
        drop(fiber.take_disposer());
        drop(fiber);
        let scope = root.scope("s").unwrap();
        undo(scope.ctx(), "of scope", &log);
        drop(scope.into_disposer());
        quiet().await;
        log.assert([]);
        kernel.shutdown().await.unwrap();
        log.assert(["effect", "of scope", "of plugin"]);
    });
}

// K4
#[test]
fn the_disposer_of_a_plugin_is_taken_once() {
    let kernel = Kernel::new();
    let fiber = Part::new("p").mount(&kernel.root());
    assert!(fiber.take_disposer().is_some());
    assert!(fiber.take_disposer().is_none());
    let clone = fiber.clone();
    assert!(clone.take_disposer().is_none() && fiber.take_disposer().is_none());
}

// K4: single-shot by type, and by fact where a fiber and its disposer both are used
#[test]
fn a_fiber_that_is_disposed_by_both_its_handles_is_undone_once() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        let disposer = fiber.take_disposer().unwrap();
        let (first, second) = (fiber.dispose(), disposer.dispose());
        gate.open();
        first.await.unwrap();
        second.await.unwrap();
        log.assert(["slow:begin", "slow:end"]);
    });
}

// K4
#[test]
fn disposing_what_its_owner_has_undone_is_ready_at_once() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let disposer = undo(scope.ctx(), "e", &log);
        scope.dispose().await.unwrap();
        assert!(poll_once(&mut disposer.dispose()).is_ready());
        log.assert(["e"]);
    });
}

// K4
#[test]
fn disposing_what_its_owner_is_undoing_joins_that_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("s").unwrap();
        let disposer = slow(scope.ctx(), "e", &log, &gate);
        let unload = scope.dispose();
        let teardown = disposer.dispose();
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        unload.await.unwrap();
        log.assert(["e:begin", "e:end"]);
    });
}

// K4
#[test]
fn outside_a_runtime_the_synchronous_links_run_and_the_rest_is_kept() {
    let watchdog = Watchdog::start();
    let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
    let root = kernel.root();
    let one = log.clone();
    let two = log.clone();
    let disposer = root.effect("e", |fx| {
        fx.defer(move || one.push("one"));
        fx.defer_async(slow_link("async", &log, &gate));
        fx.defer(move || two.push("two"));
        Ok(())
    });
    let mut teardown = disposer.unwrap().dispose();
    log.assert(["two"]);
    assert!(poll_once(&mut teardown).is_pending());
    gate.open();
    log.assert([]);
    paused_runtime().block_on(async {
        undo(&root, "any call", &log);
        teardown.await.unwrap();
    });
    log.assert(["async:begin", "async:end", "one"]);
    drop(watchdog);
}

type Call = fn(&Kernel) -> Option<Teardown>;

/// The calls that may be the next one to find a runtime.
fn calls() -> Vec<(&'static str, Call)> {
    fn root(kernel: &Kernel) -> Context {
        kernel.root()
    }
    vec![
        ("effect", |kernel| {
            drop(root(kernel).effect("e", |_| Ok(())));
            None
        }),
        ("plugin", |kernel| {
            Part::new("other").mount(&root(kernel));
            None
        }),
        ("scope", |kernel| {
            drop(root(kernel).scope("s"));
            None
        }),
        ("provide", |kernel| {
            drop(root(kernel).provide_dyn("other", Arc::new(())));
            None
        }),
        ("on", |kernel| {
            drop(root(kernel).on::<Ping, ()>(|_| ()));
            None
        }),
        ("spawn", |kernel| {
            drop(root(kernel).spawn("t", |_| async {}));
            None
        }),
        ("dispose", |kernel| Some(root(kernel).scope("s").unwrap().dispose())),
    ]
}

// K4
#[test]
fn a_start_that_was_mounted_outside_a_runtime_begins_at_the_next_call_that_finds_one() {
    for (name, call) in calls() {
        let watchdog = Watchdog::start();
        let (kernel, log) = (Kernel::new(), Log::new());
        let inner = log.clone();
        let part = Part::new("p").start_async(move |_| {
            let inner = inner.clone();
            async move {
                tokio::task::yield_now().await;
                inner.push("started");
                Ok(())
            }
        });
        let fiber = part.mount(&kernel.root());
        assert_eq!(fiber.state(), FiberState::Pending, "{name}");
        log.assert([]);
        paused_runtime().block_on(async {
            drop(call(&kernel));
            quiet().await;
        });
        assert_eq!(fiber.state(), FiberState::Active, "begun by `{name}`");
        drop(watchdog);
    }
}

// K4
#[test]
fn a_task_that_was_spawned_outside_a_runtime_begins_at_the_next_call_that_finds_one() {
    for (name, call) in calls() {
        let watchdog = Watchdog::start();
        let (kernel, log) = (Kernel::new(), Log::new());
        let inner = log.clone();
        kernel.root().spawn("task", move |_| async move { inner.push("ran") }).unwrap();
        log.assert([]);
        paused_runtime().block_on(async {
            drop(call(&kernel));
            quiet().await;
        });
        assert_eq!(log.take(), ["ran"], "begun by `{name}`");
        drop(watchdog);
    }
}

/// What waits outside a runtime: a kernel with a chain, a start and a task left over.
struct Left {
    kernel: Kernel,
    log: Log,
    fiber: dsh_kernel::Fiber,
    teardown: Teardown,
}

fn left() -> Left {
    let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
    gate.open();
    let teardown = slow(&kernel.root(), "chain", &log, &gate).dispose();
    let inner = log.clone();
    let part = Part::new("p").start(move |_| {
        inner.push("start");
        Ok(())
    });
    let fiber = part.mount(&kernel.root());
    Left { kernel, log, fiber, teardown }
}

fn awaited(call: impl AsyncFnOnce(&Left) -> Result<(), Error>) -> Vec<String> {
    let watchdog = Watchdog::start();
    let left = left();
    left.log.assert([]);
    paused_runtime().block_on(async {
        call(&left).await.unwrap();
        quiet().await;
    });
    drop(watchdog);
    left.log.take()
}

// K4
#[test]
fn awaiting_ready_inside_a_runtime_begins_what_was_left_outside() {
    let log = awaited(async |left| left.fiber.ready().await);
    assert!(log.contains(&"start".to_owned()), "{log:?}");
}

// K4
#[test]
fn awaiting_settled_inside_a_runtime_begins_what_was_left_outside() {
    let log = awaited(async |left| left.kernel.settled().await);
    assert!(log.contains(&"start".to_owned()), "{log:?}");
}

// K4
#[test]
fn awaiting_a_teardown_inside_a_runtime_begins_what_was_left_outside() {
    let log = awaited(async |left| left.teardown.clone().await);
    assert!(log.contains(&"chain:end".to_owned()), "{log:?}");
}

// K4
#[test]
fn emitting_inside_a_runtime_begins_what_was_left_outside() {
    let log = awaited(async |left| left.kernel.root().emit(&Ping, Audience::Everyone));
    assert_eq!(log.len(), 3, "{log:?}");
}

// K4
#[test]
fn shutdown_inside_a_runtime_is_the_last_call_and_ends_what_was_left_outside() {
    let mut log = awaited(async |left| {
        left.kernel.shutdown().await?;
        assert!(!is_open(&left.teardown));
        assert_eq!(left.fiber.state(), FiberState::Disposed);
        Ok(())
    });
    log.retain(|line| line != "start");
    assert_eq!(log, ["chain:begin", "chain:end"]);
}

/// What waits for a plugin, or for all plugins, while a thread outside of every runtime unloads that plugin: nobody makes another
/// call that would find a runtime.
fn goes_on_by_itself(wait: impl FnOnce(&Kernel, Disposer) -> tokio::task::JoinHandle<Result<(), Error>>) {
    run(async {
        let (kernel, log, go) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let service = root.provide_dyn("db", Arc::new(())).unwrap();
        let (slow, held) = (log.clone(), go.clone());
        let part = Part::new("user").inject(["db"]).start(move |ctx| {
            let (slow, held) = (slow.clone(), held.clone());
            ctx.effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    slow.push("ended");
                });
                fx.defer(move || dsh_testkit::block_on(held.wait()));
                Ok(())
            })?;
            Ok(())
        });
        let fiber = part.mount(&root);
        fiber.ready().await.unwrap();
        let outside = std::thread::spawn(move || drop(fiber.dispose()));
        go.reached().await;
        let waits = wait(&kernel, service);
        quiet().await;
        assert!(!waits.is_finished());
        go.open();
        outside.join().unwrap();
        waits.await.unwrap().unwrap();
        log.assert(["ended"]);
    });
}

// K4, K13
#[test]
fn a_wait_inside_a_runtime_is_told_of_what_is_left_outside_while_it_waits() {
    goes_on_by_itself(|_, service| tokio::spawn(service.dispose()));
    goes_on_by_itself(|kernel, _| tokio::spawn(kernel.settled()));
}

// K4, K14
#[test]
fn a_task_that_was_disposed_before_a_runtime_came_is_never_begun() {
    let watchdog = Watchdog::start();
    let (kernel, log) = (Kernel::new(), Log::new());
    let inner = log.clone();
    let task = kernel.root().spawn("task", move |_| {
        inner.push("begun");
        async {}
    });
    let teardown = task.unwrap().dispose();
    paused_runtime().block_on(async {
        undo(&kernel.root(), "any call", &log);
        teardown.await.unwrap();
        quiet().await;
    });
    log.assert([]);
    drop(watchdog);
}

// K4
#[test]
fn a_plugin_that_was_disposed_before_a_runtime_came_never_starts() {
    let watchdog = Watchdog::start();
    let (kernel, log) = (Kernel::new(), Log::new());
    let inner = log.clone();
    let part = Part::new("p").start(move |_| {
        inner.push("started");
        Ok(())
    });
    let fiber = part.mount(&kernel.root());
    let teardown = fiber.dispose();
    assert!(!is_open(&teardown));
    paused_runtime().block_on(async {
        undo(&kernel.root(), "any call", &log);
        kernel.settled().await.unwrap();
        quiet().await;
    });
    log.assert([]);
    drop(watchdog);
}

// K4
#[test]
fn shutdown_undoes_the_root_too_and_refuses_what_comes_after() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        undo(&root, "of root", &log);
        let fiber = Part::new("p").mount(&root);
        undo(&fiber.ctx(), "of plugin", &log);
        kernel.shutdown().await.unwrap();
        log.assert(["of root", "of plugin"]);
        assert_eq!((root.state(), fiber.state()), (FiberState::Disposed, FiberState::Disposed));
        assert_eq!(root.effect("late", |_| Ok(())).unwrap_err().code(), "kernel::inactive");
        assert!(kernel.inspect().fibers.is_empty());
        kernel.shutdown().await.unwrap();
        kernel.settled().await.unwrap();
    });
}
