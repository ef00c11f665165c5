//! K14: tasks.

use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Cancel, Canceller, ErrorKind, Failure, FiberState, Kernel, ManualClock};
use dsh_testkit::{Counter, Gate, Log, Probes, poll_once};

use crate::support::{Marked, Part, ears, is_open, manual_kernel, quiet, run, slow_link, undo};

// K14
#[test]
fn a_task_is_cancelled_and_awaited_on_unload() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let (line, wait) = (log.clone(), gate.clone());
        fiber
            .ctx()
            .spawn("t", move |cancel| async move {
                assert!(!cancel.is_cancelled());
                cancel.cancelled().await;
                assert!(cancel.is_cancelled());
                line.push("cancelled");
                wait.wait().await;
                line.push("ended");
            })
            .unwrap();
        quiet().await;
        log.assert([]);
        let teardown = fiber.dispose();
        quiet().await;
        log.assert(["cancelled"]);
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["ended"]);
    });
}

// K14, K4
#[test]
fn a_task_is_cancelled_before_dispose_returns() {
    run(async {
        let kernel = Kernel::new();
        let seen = crate::support::Slot::<Cancel>::new();
        let put = seen.clone();
        let task = kernel.root().spawn("t", move |cancel| {
            put.put(cancel.clone());
            async move { cancel.cancelled().await }
        });
        let teardown = task.unwrap().dispose();
        assert!(seen.take().unwrap().is_cancelled());
        teardown.await.unwrap();
    });
}

// K14
#[test]
fn a_task_that_ends_by_itself_leaves_its_owners_list() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let wait = gate.clone();
        let task = root.spawn("t", move |_| async move { wait.wait().await }).unwrap();
        assert_eq!(kernel.inspect().to_string(), "root [active]\n  - t\n");
        gate.open();
        quiet().await;
        assert_eq!(kernel.inspect(), before);
        let teardown = task.dispose();
        assert!(!is_open(&teardown));
        teardown.await.unwrap();
    });
}

// K14
#[test]
fn a_task_that_does_not_end_is_aborted_after_the_grace_and_reported() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let probes = Probes::new();
        let fiber = Part::new("p").mount(&kernel.root());
        let probe = probes.probe();
        fiber
            .ctx()
            .spawn("deaf", move |_| async move {
                probe.touch();
                std::future::pending::<()>().await;
                drop(probe);
            })
            .unwrap();
        quiet().await;
        let teardown = fiber.dispose();
        quiet().await;
        clock.advance(Duration::from_millis(4_999));
        quiet().await;
        assert!(is_open(&teardown));
        assert_eq!(probes.balance(), 1);
        clock.advance(Duration::from_millis(1));
        let error = teardown.await.unwrap_err();
        assert_eq!(probes.balance(), 0, "it runs no more");
        assert_eq!(error.kind(), ErrorKind::LinksFailed);
        let link = &error.links()[0];
        assert_eq!((link.label.as_str(), link.owner.to_string()), ("deaf", "p".to_owned()));
        assert!(link.failure.to_string().contains("aborted") && link.failure.to_string().contains("5s"), "{error}");
    });
}

// K14
#[test]
fn the_grace_is_the_kernels_setting() {
    run(async {
        let clock = ManualClock::new();
        let kernel = Kernel::builder().clock(Arc::new(clock.clone())).grace(Duration::from_mins(1)).build();
        let task = kernel.root().spawn("deaf", |_| std::future::pending::<()>()).unwrap();
        let teardown = task.dispose();
        quiet().await;
        clock.advance(Duration::from_secs(59));
        quiet().await;
        assert!(is_open(&teardown));
        clock.advance(Duration::from_secs(1));
        assert!(teardown.await.is_err());
    });
}

// K14
#[test]
fn the_grace_counts_from_the_cancellation() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let task = kernel.root().spawn("deaf", |_| std::future::pending::<()>()).unwrap();
        quiet().await;
        clock.advance(Duration::from_hours(1));
        quiet().await;
        let teardown = task.dispose();
        quiet().await;
        assert!(is_open(&teardown), "a long life is not held against it");
        clock.advance(Duration::from_secs(5));
        assert!(teardown.await.is_err());
    });
}

// K14
#[test]
fn a_task_that_fails_or_panics_is_logged_with_owner_and_label_and_leaves_the_list() {
    run(async {
        let (heard, _guard) = ears::listen();
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let before = kernel.inspect();
        scope.ctx().spawn("fails", |_| async { Err::<(), _>(Marked(6)) }).unwrap();
        scope
            .ctx()
            .spawn("panics", |_| async {
                tokio::task::yield_now().await;
                assert_eq!(1, 2, "no sums");
            })
            .unwrap();
        scope.ctx().spawn("still-born", |_| -> std::future::Ready<()> { panic!("not even begun") }).unwrap();
        quiet().await;
        assert_eq!(kernel.inspect(), before);
        let lines = heard.take();
        for (label, why) in [("fails", "marked 6"), ("panics", "no sums"), ("still-born", "not even begun")] {
            let line = lines.iter().find(|line| line.contains(&format!("label={label} "))).expect(label);
            assert!(line.starts_with("ERROR") && line.contains(why) && line.contains("owner=s"), "{line}");
        }
        assert_eq!(scope.ctx().state(), FiberState::Active);
        scope.dispose().await.unwrap();
    });
}

// K14: a failure after the cancellation is the link's
#[test]
fn a_task_that_fails_after_its_cancellation_is_told_of() {
    run(async {
        let (heard, _guard) = ears::listen();
        let kernel = Kernel::new();
        let fiber = Part::new("p").mount(&kernel.root());
        fiber
            .ctx()
            .spawn("t", |cancel| async move {
                cancel.cancelled().await;
                Err::<(), _>(Failure::msg("flush failed"))
            })
            .unwrap();
        quiet().await;
        let end = fiber.dispose().await;
        let told = heard.take().join("\n") + &end.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("flush failed"), "{told}");
    });
}

// K14
#[test]
fn a_task_may_use_its_context_until_it_is_cancelled_and_not_after() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let (ctx, line) = (scope.ctx().clone(), log.clone());
        scope
            .ctx()
            .spawn("t", move |cancel| async move {
                undo(&ctx, "made by the task", &line);
                cancel.cancelled().await;
                line.push(ctx.effect("late", |_| Ok(())).unwrap_err().code());
            })
            .unwrap();
        quiet().await;
        scope.dispose().await.unwrap();
        log.assert(["made by the task", "kernel::inactive"]);
    });
}

// K14
#[test]
fn a_task_disposes_its_own_fiber_and_is_awaited() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let (inner, line, wait) = (fiber.clone(), log.clone(), gate.clone());
        fiber
            .ctx()
            .spawn("t", move |cancel| async move {
                wait.wait().await;
                drop(inner.dispose());
                line.push(if cancel.is_cancelled() { "cancelled" } else { "not cancelled" });
                tokio::task::yield_now().await;
                line.push("task ends");
            })
            .unwrap();
        gate.reached().await;
        gate.open();
        fiber.dispose().await.unwrap();
        log.assert(["cancelled", "task ends"]);
    });
}

// K14: timers are made on it
#[test]
fn a_timer_is_a_task_on_the_kernels_clock() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let count = Counter::new();
        let scope = kernel.root().scope("s").unwrap();
        let (ctx, ticks) = (scope.ctx().clone(), count.clone());
        scope
            .ctx()
            .spawn("ticker", move |cancel| async move {
                let mut cancelled = cancel.cancelled();
                loop {
                    let mut tick = ctx.clock().sleep(Duration::from_secs(1));
                    let over = std::future::poll_fn(|cx| {
                        use std::task::Poll;
                        if std::pin::Pin::new(&mut cancelled).poll(cx).is_ready() {
                            return Poll::Ready(true);
                        }
                        tick.as_mut().poll(cx).map(|()| false)
                    });
                    if over.await {
                        return;
                    }
                    ticks.hit();
                }
            })
            .unwrap();
        quiet().await;
        for _ in 0..3 {
            clock.advance(Duration::from_secs(1));
            quiet().await;
        }
        assert_eq!(count.get(), 3);
        scope.dispose().await.unwrap();
        clock.advance(Duration::from_secs(10));
        quiet().await;
        assert_eq!(count.get(), 3);
    });
}

// K14, K5
#[test]
fn a_task_is_awaited_at_its_place_in_a_composite() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let wait = gate.clone();
        let line = log.clone();
        let task = root.spawn("t", move |cancel| async move {
            cancel.cancelled().await;
            wait.wait().await;
            line.push("task ends");
        });
        let task = task.unwrap();
        let open = Gate::new();
        open.open();
        let composite = root.effect("e", |fx| {
            fx.defer_async(slow_link("after", &log, &open));
            fx.adopt(task)?;
            Ok(())
        });
        let teardown = composite.unwrap().dispose();
        quiet().await;
        log.assert([]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["task ends", "after:begin", "after:end"]);
    });
}

// K14: an adopted task that ends by itself leaves nothing to await
#[test]
fn an_adopted_task_that_has_ended_is_passed_over() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let task = root.spawn("t", |_| async {}).unwrap();
        let composite = root.effect("e", |fx| {
            fx.adopt(undo(&root, "first", &log))?;
            Ok(fx.adopt(task)?)
        });
        quiet().await;
        composite.unwrap().dispose().await.unwrap();
        log.assert(["first"]);
        assert_eq!(kernel.inspect().to_string(), "root [active]\n");
    });
}

// K13: a token that somebody fires wakes whoever waits, once and for good
#[test]
fn a_token_fires_once_and_for_good() {
    run(async {
        let canceller = Canceller::new();
        let token = canceller.token();
        let waits = tokio::spawn({
            let token = token.clone();
            async move { token.cancelled().await }
        });
        quiet().await;
        assert!(!token.is_cancelled() && !waits.is_finished());
        canceller.cancel();
        canceller.cancel();
        waits.await.unwrap();
        drop(canceller);
        assert!(token.is_cancelled());
    });
}

/// Something in a task's future whose destructor says that it runs, and waits until it may end.
struct SlowToDrop(std::sync::mpsc::Sender<()>, std::sync::mpsc::Receiver<()>);

impl Drop for SlowToDrop {
    fn drop(&mut self) {
        self.0.send(()).unwrap();
        self.1.recv().unwrap();
    }
}

// K9, K14: the end of a task that is aborted is told when its future is gone, not while that is being dropped
#[test]
fn an_aborted_task_has_not_ended_while_its_future_is_dropped() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().unwrap();
    runtime.block_on(async {
        let (kernel, clock) = manual_kernel();
        let fiber = Part::new("p").mount(&kernel.root());
        let (says, runs) = std::sync::mpsc::channel();
        let (lets, may_end) = std::sync::mpsc::channel();
        let slow = SlowToDrop(says, may_end);
        let begun = Gate::new();
        let wait = begun.clone();
        let never = Gate::new();
        let stays = never.clone();
        let task = fiber.ctx().spawn("t", move |_| async move {
            let _slow = slow;
            wait.wait().await;
            stays.wait().await;
        });
        begun.reached().await;
        begun.open();
        never.reached().await;
        let mut teardown = task.unwrap().dispose();
        clock.advance(Duration::from_secs(6));
        tokio::task::spawn_blocking(move || runs.recv().unwrap()).await.unwrap();
        // Whoever would tell of the end too early has had its turns by then.
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
            assert!(poll_once(&mut teardown).is_pending(), "the end was told while the future was dropped");
        }
        lets.send(()).unwrap();
        assert!(teardown.await.is_err(), "an aborted task is reported");
    });
}
