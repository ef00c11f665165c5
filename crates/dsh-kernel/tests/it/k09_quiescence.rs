//! K9: when a dispose returns there is nothing left, and what keeps it from returning is named.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dsh_kernel::{
    Audience, Clock, Emit, ErrorKind, Event, FiberState, Kernel, Serial, SerialEvent, Teardown, Waterfall,
    WaterfallEvent,
};
use dsh_testkit::{Gate, Log, Probes};

use crate::support::{Part, Slot, is_open, manual_kernel, quiet, run, run_threads, slow, slow_link};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

struct Ask;

impl Event for Ask {
    const NAME: &'static str = "test/ask";
    const DOC: &'static str = "A test.";
    type Mode = Serial;
}

impl SerialEvent for Ask {
    type Answer = &'static str;
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = String;
}

// K9
#[test]
fn nothing_that_a_fiber_or_its_descendants_registered_is_visible_after_dispose() {
    run(async {
        let (kernel, log, probes) = (Kernel::new(), Log::new(), Probes::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let part = Part::new("p").start({
            let (log, probes) = (log.clone(), probes.clone());
            move |ctx| {
                let scope = ctx.scope("scope")?;
                for ctx in [ctx, scope.ctx()] {
                    let (line, probe) = (log.clone(), probes.probe());
                    ctx.on::<Ping, _>(move |_| {
                        probe.touch();
                        line.push("heard");
                    })?;
                    let (line, probe) = (log.clone(), probes.probe());
                    ctx.spawn("task", move |cancel| async move {
                        probe.touch();
                        cancel.cancelled().await;
                        line.push("task ended");
                    })?;
                    let probe = probes.probe();
                    ctx.effect("e", |fx| {
                        fx.defer_async(move || async move {
                            tokio::task::yield_now().await;
                            probe.touch();
                        });
                        Ok(())
                    })?;
                }
                scope.ctx().provide_dyn("db", Arc::new(probes.probe()))?;
                Part::new("child").mount(scope.ctx());
                Ok(())
            }
        });
        let fiber = part.mount(&root);
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert(["heard", "heard"]);
        fiber.dispose().await.unwrap();
        log.assert(["task ended", "task ended"]);
        root.emit(&Ping, Audience::Everyone).unwrap();
        quiet().await;
        log.assert([]);
        assert_eq!(probes.balance(), 0);
        assert_eq!(root.get_dyn("db").unwrap_err().kind(), ErrorKind::MissingService);
        assert_eq!(kernel.inspect(), before);
        assert!(kernel.services().is_empty());
    });
}

// K9
#[test]
fn no_call_of_a_disposed_owners_code_begins_in_a_dispatch_under_way() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let wait = gate.clone();
        root.on_waterfall::<Edit, _>(move |value, _, next| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                next.run(value + "1").await
            }
        })
        .unwrap();
        let fiber = Part::new("p").mount(&root);
        let line = log.clone();
        fiber
            .ctx()
            .on_waterfall::<Edit, _>(move |value, _, next| {
                line.push("called");
                next.run(value + "2")
            })
            .unwrap();
        let dispatch = tokio::spawn({
            let root = root.clone();
            async move { root.waterfall(Arc::new(Edit), String::new(), Audience::Everyone).await }
        });
        gate.reached().await;
        fiber.dispose().await.unwrap();
        gate.open();
        assert_eq!(dispatch.await.unwrap().unwrap(), "1");
        log.assert([]);
    });
}

// K9
#[test]
fn a_call_that_is_already_inside_a_listener_is_not_waited_for() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        let fiber = Part::new("p").mount(&root);
        let wait = gate.clone();
        fiber
            .ctx()
            .on_serial::<Ask, _>(move |_| {
                let wait = wait.clone();
                async move {
                    wait.wait().await;
                    Ok(Some("late"))
                }
            })
            .unwrap();
        let ask = tokio::spawn({
            let root = root.clone();
            async move { root.serial(Arc::new(Ask), Audience::Everyone).await }
        });
        gate.reached().await;
        fiber.dispose().await.unwrap();
        gate.open();
        assert_eq!(ask.await.unwrap().unwrap(), Some("late"));
        assert_eq!(root.serial(Arc::new(Ask), Audience::Everyone).await.unwrap(), None);
    });
}

// K9
#[test]
fn every_asynchronous_link_has_ended_when_a_dispose_ends() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
        let fiber = Part::new("p").mount(&kernel.root());
        let child = fiber.ctx().scope("child").unwrap();
        slow(&fiber.ctx(), "a", &log, &gates[0]);
        slow(child.ctx(), "b", &log, &gates[1]);
        let wait = gates[3].clone();
        fiber
            .ctx()
            .effect("c", |fx| {
                fx.defer_async(move || async move { wait.wait().await });
                fx.defer_async(slow_link("c", &log, &gates[2]));
                Ok(())
            })
            .unwrap();
        let teardown = fiber.dispose();
        for gate in [2, 0, 3, 1] {
            quiet().await;
            assert!(is_open(&teardown), "before gate {gate}");
            gates[gate].open();
        }
        teardown.await.unwrap();
    });
}

/// Says in its destructor whether the end had been told by then.
struct Late {
    end: Slot<Teardown>,
    log: Log,
    what: &'static str,
}

impl Late {
    /// For closures that have to own it.
    fn keep(&self) {
        assert!(!self.what.is_empty());
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        let told = self.end.get().is_some_and(|end| end.result().is_some());
        self.log.push(format!("{} dropped {}", self.what, if told { "after the end" } else { "before the end" }));
    }
}

// K9: a destructor is their code too
#[test]
fn the_plugin_itself_is_dropped_before_its_end_is_told() {
    run(async {
        let (kernel, log, gate, end) = (Kernel::new(), Log::new(), Gate::new(), Slot::new());
        let plugin = Late { end: end.clone(), log: log.clone(), what: "plugin" };
        let part = Part::new("p").start(move |_| {
            let _alive = &plugin;
            Ok(())
        });
        let fiber = part.mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        end.put(fiber.dispose());
        gate.open();
        fiber.dispose().await.unwrap();
        log.assert(["slow:begin", "slow:end", "plugin dropped before the end"]);
    });
}

// K9
#[test]
fn what_links_listeners_tasks_and_services_hold_is_dropped_before_the_end_is_told() {
    run(async {
        let (kernel, log, gate, end) = (Kernel::new(), Log::new(), Gate::new(), Slot::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let ctx = fiber.ctx();
        let late = |what| Late { end: end.clone(), log: log.clone(), what };
        slow(&ctx, "slow", &Log::new(), &gate);
        let held = late("listener");
        ctx.on::<Ping, _>(move |_| held.keep()).unwrap();
        let held = late("service");
        ctx.provide_dyn("db", Arc::new(held)).unwrap();
        let held = late("task");
        ctx.spawn("t", move |cancel| async move {
            let _held = held;
            cancel.cancelled().await;
        })
        .unwrap();
        let held = late("link");
        ctx.effect("e", |fx| {
            fx.defer(move || held.keep());
            Ok(())
        })
        .unwrap();
        end.put(fiber.dispose());
        gate.open();
        fiber.dispose().await.unwrap();
        let mut lines = log.take();
        lines.sort();
        let expected = ["link", "listener", "service", "task"].map(|what| format!("{what} dropped before the end"));
        assert_eq!(lines, expected);
    });
}

/// A destructor that takes its time, and says whether it has ended, and whether its fiber was gone before that.
struct Slow(dsh_kernel::Fiber, Arc<AtomicBool>, Arc<AtomicBool>);

impl Drop for Slow {
    fn drop(&mut self) {
        for _ in 0..2_000 {
            if self.0.state() == FiberState::Disposed {
                self.2.store(true, Ordering::SeqCst);
            }
            std::thread::yield_now();
        }
        self.1.store(true, Ordering::SeqCst);
    }
}

// K9, K14: on several threads, what an aborted task holds is gone when the unload has ended
#[test]
fn the_destructors_of_an_aborted_task_have_ended_when_dispose_returns() {
    run_threads(2, async {
        for _ in 0..20 {
            let (kernel, clock) = manual_kernel();
            let fiber = Part::new("p").mount(&kernel.root());
            let ended = Arc::new(AtomicBool::new(false));
            let early = Arc::new(AtomicBool::new(false));
            let held = Slow(fiber.clone(), Arc::clone(&ended), Arc::clone(&early));
            let began = Gate::new();
            let begins = began.clone();
            fiber
                .ctx()
                .spawn("deaf", move |_| async move {
                    let _held = &held;
                    begins.wait().await;
                    std::future::pending::<()>().await;
                })
                .unwrap();
            began.reached().await;
            let teardown = fiber.dispose();
            clock.advance(Duration::from_secs(5));
            assert!(teardown.await.is_err());
            assert!(ended.load(Ordering::SeqCst), "the destructor has run");
            assert!(!early.load(Ordering::SeqCst), "and the fiber was not disposed while it ran");
        }
    });
}

// K9; case 11: what a plugin started by itself finds its owner gone
#[test]
fn a_late_registration_is_refused_after_the_unload() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let part = |log: &Log| {
            let log = log.clone();
            Part::new("relay").start(move |ctx| {
                ctx.on::<Ping, _>({
                    let log = log.clone();
                    move |_| log.push("heard")
                })?;
                let (ctx, log) = (ctx.clone(), log.clone());
                drop(tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    log.push(match ctx.effect("relay:late", |_| Ok(())) {
                        Ok(_) => "late",
                        Err(error) => error.code(),
                    });
                }));
                Ok(())
            })
        };
        let root = kernel.root();
        let mut fiber = part(&log).mount(&root);
        for _ in 0..3 {
            fiber.dispose().await.unwrap();
            fiber = part(&log).mount(&root);
            root.emit(&Ping, Audience::Everyone).unwrap();
            log.assert(["heard"]);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        fiber.dispose().await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert(["kernel::inactive"; 4]);
        assert_eq!(kernel.inspect(), before);
    });
}

// K9
#[test]
fn dispose_within_tells_what_is_left_while_the_rest_goes_on() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let (log, gate, open) = (Log::new(), Gate::new(), Gate::new());
        open.open();
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "stuck", &log, &gate);
        slow(&fiber.ctx(), "quick", &log, &open);
        let child = fiber.ctx().scope("child").unwrap();
        slow(child.ctx(), "deep", &log, &gate);
        let wait = tokio::spawn(fiber.dispose_within(Duration::from_secs(3)));
        quiet().await;
        clock.advance(Duration::from_millis(2_999));
        quiet().await;
        assert!(!wait.is_finished());
        clock.advance(Duration::from_millis(1));
        let error = wait.await.unwrap().unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Unfinished, "kernel::unfinished"));
        let left: Vec<&str> = error.left().iter().map(dsh_kernel::Name::as_str).collect();
        assert_eq!(left, ["stuck", "deep"]);
        assert_eq!(error.owner(), Some(&fiber.path()));
        assert!(error.to_string().contains("`stuck`") && error.to_string().contains("3s"), "{error}");
        assert_eq!(fiber.state(), FiberState::Unloading);
        gate.open();
        fiber.dispose().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Disposed);
        let mut log = log.take();
        log.sort();
        assert_eq!(log, ["deep:begin", "deep:end", "quick:begin", "quick:end", "stuck:begin", "stuck:end"]);
    });
}

// K9
#[test]
fn dispose_within_names_the_link_of_a_composite_and_the_body_that_still_runs() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let ctx = fiber.ctx();
        let inner = slow(&ctx, "inner", &log, &gate);
        ctx.effect("outer", |fx| Ok(fx.adopt(inner)?)).unwrap();
        let wait = gate.clone();
        let body = tokio::spawn({
            let ctx = ctx.clone();
            async move {
                let made = ctx.effect_async("body", async |_| {
                    wait.wait().await;
                    Ok(())
                });
                made.await.map(drop)
            }
        });
        quiet().await;
        let wait = tokio::spawn(fiber.dispose_within(Duration::ZERO));
        quiet().await;
        clock.advance(Duration::from_nanos(1));
        let error = wait.await.unwrap().unwrap_err();
        let left: Vec<&str> = error.left().iter().map(dsh_kernel::Name::as_str).collect();
        assert_eq!(left, ["inner", "body"]);
        gate.open();
        fiber.dispose().await.unwrap();
        assert_eq!(body.await.unwrap().unwrap_err().kind(), ErrorKind::Inactive);
    });
}

// K9
#[test]
fn dispose_within_ends_as_dispose_does_where_the_limit_is_not_reached() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        let wait = tokio::spawn(fiber.dispose_within(Duration::from_secs(3)));
        gate.open();
        wait.await.unwrap().unwrap();
        assert_eq!(clock.now(), Duration::ZERO);
        fiber.dispose_within(Duration::ZERO).await.unwrap();
    });
}

// K9: there is no silent time-out
#[test]
fn a_dispose_waits_for_days() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        let teardown = fiber.dispose();
        for _ in 0..50 {
            clock.advance(Duration::from_hours(1));
            quiet().await;
        }
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:begin", "slow:end"]);
    });
}

// K9: a registry's callback of a disposed owner is refused, and says so
#[test]
fn no_callback_of_a_disposed_owner_is_called() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let call = || fiber.ctx().call(|| log.push("called"));
        call().unwrap();
        log.assert(["called"]);
        fiber.dispose().await.unwrap();
        assert!(call().is_err());
        log.assert([]);
    });
}

// K9: whoever keeps a callback can tell that its owner left meanwhile, even if it is back
#[test]
fn an_owner_counts_its_unloads() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let user = Part::new("user").inject(["db"]).mount(&root);
        let owner = user.path();
        let mut counts = vec![owner.unloads()];
        for _ in 0..2 {
            root.provide_dyn("db", Arc::new(())).unwrap().dispose().await.unwrap();
            counts.push(owner.unloads());
        }
        root.provide_dyn("db", Arc::new(())).unwrap();
        assert_eq!(user.state(), FiberState::Active);
        user.dispose().await.unwrap();
        counts.push(owner.unloads());
        assert!(counts.is_sorted_by(|one, other| one < other), "{counts:?}");
    });
}
