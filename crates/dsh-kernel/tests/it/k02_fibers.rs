//! K2: the life of a fiber, and what each transition emits.

use std::sync::Arc;

use dsh_kernel::{ErrorKind, Failure, FiberChanged, FiberState, Kernel};
use dsh_testkit::{Counter, Gate, Log};

use crate::support::{Marked, Part, Slot, ears, is_open, quiet, run, slow, traced, undo, watch};

// K2
#[test]
fn a_plugin_that_needs_nothing_loads_and_is_active() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        watch(&kernel, &log);
        let fiber = Part::new("a").mount(&kernel.root());
        assert_eq!(fiber.state(), FiberState::Active);
        log.assert(["a pending>loading", "a loading>active"]);
        fiber.dispose().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Disposed);
        log.assert(["a active>unloading", "a unloading>disposed"]);
    });
}

// K2
#[test]
fn a_plugin_whose_service_is_missing_is_pending_until_it_comes() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        watch(&kernel, &log);
        let root = kernel.root();
        let fiber = traced("user", &log).inject(["db"]).mount(&root);
        assert_eq!(fiber.state(), FiberState::Pending);
        log.assert([]);
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        assert_eq!(fiber.state(), FiberState::Active);
        log.assert(["user pending>loading", "start:user", "user loading>active"]);
        db.dispose().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Pending);
        log.assert(["user active>unloading", "stop:user", "user unloading>pending"]);
        root.provide_dyn("db", Arc::new(())).unwrap();
        log.assert(["user pending>loading", "start:user", "user loading>active"]);
    });
}

// K2
#[test]
fn a_start_that_waits_is_loading() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        watch(&kernel, &log);
        let fiber = Part::new("a").start_async({
            let gate = gate.clone();
            move |_| {
                let gate = gate.clone();
                async move {
                    gate.wait().await;
                    Ok(())
                }
            }
        });
        let fiber = fiber.mount(&kernel.root());
        quiet().await;
        assert_eq!(fiber.state(), FiberState::Loading);
        log.assert(["a pending>loading"]);
        gate.open();
        fiber.ready().await.unwrap();
        log.assert(["a loading>active"]);
    });
}

// K2, K11
#[test]
fn a_listener_that_fails_to_hear_of_a_fiber_is_logged_and_stops_nothing() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (heard, _guard) = ears::listen();
        let root = kernel.root();
        root.on::<FiberChanged, Result<(), Failure>>(|_| Err(Failure::msg("deaf"))).unwrap();
        root.on::<FiberChanged, ()>(|_| panic!("dumb")).unwrap();
        watch(&kernel, &log);
        let fiber = Part::new("a").mount(&root);
        fiber.ready().await.unwrap();
        log.assert(["a pending>loading", "a loading>active"]);
        let lines = heard.take();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines.iter().all(|line| line.contains("kernel/fiber") && line.contains("deaf")), "{lines:?}");
    });
}

// K2, K7
#[test]
fn a_start_that_fails_rolls_back_all_that_it_registered() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let child = Slot::new();
        let fiber = Part::new("a")
            .start({
                let (log, child) = (log.clone(), child.clone());
                move |ctx| {
                    undo(ctx, "first", &log);
                    ctx.provide_dyn("db", Arc::new(()))?;
                    ctx.on::<FiberChanged, _>(|_| ())?;
                    child.put(Part::new("child").mount(ctx));
                    let scope = ctx.scope("scope")?;
                    undo(scope.ctx(), "scoped", &log);
                    undo(ctx, "last", &log);
                    Err(Marked(7).into())
                }
            })
            .mount(&root);
        kernel.settled().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Failed);
        assert_eq!(child.take().unwrap().state(), FiberState::Disposed);
        log.assert(["last", "first", "scoped"]);
        let error = fiber.error().unwrap();
        assert_eq!((error.kind(), error.code()), (ErrorKind::StartFailed, "kernel::start_failed"));
        assert_eq!(error.owner().unwrap(), &fiber.path());
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(7)));
        assert_eq!(root.get_dyn("db").unwrap_err().kind(), ErrorKind::MissingService);
        root.provide_dyn("db", Arc::new(())).unwrap().dispose().await.unwrap();
        fiber.dispose().await.unwrap();
        assert_eq!(kernel.inspect(), before);
        assert!(fiber.error().is_some(), "the error is kept");
    });
}

// K2
#[test]
fn a_failed_start_is_failed_when_its_rollback_has_ended() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("a")
            .start({
                let (log, gate) = (log.clone(), gate.clone());
                move |ctx| {
                    slow(ctx, "slow", &log, &gate);
                    Err(Failure::msg("no"))
                }
            })
            .mount(&kernel.root());
        let ready = tokio::spawn(fiber.ready());
        quiet().await;
        assert_ne!(fiber.state(), FiberState::Failed);
        assert!(!ready.is_finished());
        gate.open();
        kernel.settled().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Failed);
        assert_eq!(ready.await.unwrap().unwrap_err().kind(), ErrorKind::StartFailed);
        log.assert(["slow:begin", "slow:end"]);
    });
}

// K2
#[test]
fn a_failed_plugin_starts_again_when_its_service_returns() {
    run(async {
        let (kernel, log, starts) = (Kernel::new(), Log::new(), Counter::new());
        let root = kernel.root();
        let fiber = Part::new("user")
            .inject(["db"])
            .start({
                let starts = starts.clone();
                move |_| if starts.hit() == 1 { Err(Failure::msg("first time")) } else { Ok(()) }
            })
            .mount(&root);
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        assert_eq!(fiber.state(), FiberState::Failed);
        watch(&kernel, &log);
        db.dispose().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Failed, "a failed plugin holds its error until it starts again");
        root.provide_dyn("db", Arc::new(())).unwrap();
        assert_eq!(fiber.state(), FiberState::Active);
        assert!(fiber.error().is_none(), "the error is that of the last start");
        assert_eq!(starts.get(), 2);
        log.assert(["user failed>loading", "user loading>active"]);
    });
}

// K2
#[test]
fn a_failed_plugin_does_not_start_again_without_a_cause() {
    run(async {
        let (kernel, starts) = (Kernel::new(), Counter::new());
        let root = kernel.root();
        let fiber = Part::new("user")
            .inject(["db"])
            .start({
                let starts = starts.clone();
                move |_| {
                    starts.hit();
                    Err(Failure::msg("always"))
                }
            })
            .mount(&root);
        root.provide_dyn("db", Arc::new(())).unwrap();
        root.provide_dyn("other", Arc::new(())).unwrap().dispose().await.unwrap();
        Part::new("bystander").mount(&root).dispose().await.unwrap();
        quiet().await;
        assert_eq!((fiber.state(), starts.get()), (FiberState::Failed, 1));
    });
}

/// A plugin whose start waits at a gate, and the fiber's context as the start has it.
fn gated(name: &'static str, log: &Log, gate: &Gate, ends: fn() -> Result<(), Failure>) -> Part {
    let (log, gate) = (log.clone(), gate.clone());
    Part::new(name).start_async(move |ctx| {
        let (log, gate) = (log.clone(), gate.clone());
        async move {
            undo(&ctx, "early", &log);
            gate.wait().await;
            match ctx.effect("late", |_| Ok(())) {
                Ok(_) => log.push("late is there"),
                Err(error) => log.push(format!("late: {}", error.code())),
            }
            log.push("start ends");
            ends()
        }
    })
}

// K2, K8
#[test]
fn disposing_while_it_loads_refuses_registrations_lets_the_start_settle_then_unloads() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        watch(&kernel, &log);
        let fiber = gated("a", &log, &gate, || Ok(())).mount(&kernel.root());
        log.assert(["a pending>loading"]);
        let teardown = fiber.dispose();
        quiet().await;
        assert!(is_open(&teardown));
        assert_eq!(fiber.state(), FiberState::Loading);
        let refused = fiber.ctx().scope("scope").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Inactive);
        log.assert([]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["late: kernel::inactive", "start ends", "a loading>unloading", "early", "a unloading>disposed"]);
        assert!(fiber.error().is_none());
    });
}

// K2
#[test]
fn disposing_while_it_loads_ends_as_disposed_even_if_the_start_fails() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        watch(&kernel, &log);
        let fiber = gated("a", &log, &gate, || Err(Marked(3).into())).mount(&kernel.root());
        let teardown = fiber.dispose();
        gate.open();
        teardown.await.unwrap();
        assert_eq!(fiber.state(), FiberState::Disposed);
        log.assert([
            "a pending>loading",
            "late: kernel::inactive",
            "start ends",
            "a loading>unloading",
            "early",
            "a unloading>disposed",
        ]);
        assert_eq!(fiber.error().unwrap().failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(3)));
    });
}

// K2
#[test]
fn a_parent_that_is_disposed_waits_for_the_start_of_its_child() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("scope").unwrap();
        let child = gated("a", &log, &gate, || Ok(())).mount(scope.ctx());
        let teardown = scope.dispose();
        quiet().await;
        assert!(is_open(&teardown));
        assert_eq!(child.state(), FiberState::Loading);
        gate.open();
        teardown.await.unwrap();
        assert_eq!(child.state(), FiberState::Disposed);
        log.assert(["late: kernel::inactive", "start ends", "early"]);
    });
}

// K2
#[test]
fn a_service_that_leaves_while_it_loads_lets_the_start_end_then_unloads() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        watch(&kernel, &log);
        let root = kernel.root();
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        let fiber = gated("user", &log, &gate, || Ok(())).inject(["db"]).mount(&root);
        log.assert(["user pending>loading"]);
        let withdrawn = db.dispose();
        quiet().await;
        assert_eq!(fiber.state(), FiberState::Loading);
        assert!(is_open(&withdrawn), "the user can use the service until it has unloaded");
        gate.open();
        withdrawn.await.unwrap();
        assert_eq!(fiber.state(), FiberState::Pending);
        log.assert(["late is there", "start ends", "user loading>unloading", "early", "user unloading>pending"]);
    });
}

// K2
#[test]
fn a_service_that_is_replaced_while_it_loads_restarts_it_when_the_start_has_ended() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        let fiber = gated("user", &log, &gate, || Ok(())).inject(["db"]).mount(&root);
        watch(&kernel, &log);
        let withdrawn = db.dispose();
        root.provide_dyn("db", Arc::new(())).unwrap();
        gate.open();
        withdrawn.await.unwrap();
        kernel.settled().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Active);
        log.assert([
            "late is there",
            "start ends",
            "user loading>unloading",
            "early",
            "user unloading>pending",
            "user pending>loading",
            "late is there",
            "start ends",
            "user loading>active",
        ]);
    });
}

// K2
#[test]
fn a_start_that_fails_after_its_service_left_is_failed_and_starts_when_the_service_returns() {
    run(async {
        let (kernel, log, gate, starts) = (Kernel::new(), Log::new(), Gate::new(), Counter::new());
        let root = kernel.root();
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        let fiber = Part::new("user").inject(["db"]).start_async({
            let (gate, starts) = (gate.clone(), starts.clone());
            move |_| {
                let (gate, first) = (gate.clone(), starts.hit() == 1);
                async move {
                    gate.wait().await;
                    if first { Err(Failure::msg("gone")) } else { Ok(()) }
                }
            }
        });
        let fiber = fiber.mount(&root);
        watch(&kernel, &log);
        let withdrawn = db.dispose();
        gate.open();
        withdrawn.await.unwrap();
        assert_eq!(fiber.state(), FiberState::Failed);
        root.provide_dyn("db", Arc::new(())).unwrap();
        fiber.ready().await.unwrap();
        assert_eq!(starts.get(), 2);
        log.assert(["user loading>unloading", "user unloading>failed", "user failed>loading", "user loading>active"]);
    });
}

// K2
#[test]
fn disposing_twice_awaits_the_same_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("a").mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        fiber
            .ctx()
            .effect("bad", |fx| {
                fx.defer(|| Err::<(), _>(Marked(1)));
                Ok(())
            })
            .unwrap();
        let (first, second) = (fiber.dispose(), fiber.dispose());
        let third = fiber.clone().dispose();
        quiet().await;
        assert!(is_open(&first) && is_open(&second) && is_open(&third));
        gate.open();
        for teardown in [first, second, third] {
            let error = teardown.await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LinksFailed);
            assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(1)));
        }
        log.assert(["slow:begin", "slow:end"]);
        assert!(fiber.dispose().result().is_some(), "what has ended is ready at once");
    });
}

// K2
#[test]
fn a_pending_and_a_failed_plugin_are_disposed_at_once() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let pending = Part::new("pending").inject(["db"]).mount(&root);
        let failed = Part::new("failed").start(|_| Err(Failure::msg("no"))).mount(&root);
        watch(&kernel, &log);
        pending.dispose().await.unwrap();
        failed.dispose().await.unwrap();
        log.assert(["pending pending>disposed", "failed failed>disposed"]);
        root.provide_dyn("db", Arc::new(())).unwrap();
        quiet().await;
        assert_eq!(pending.state(), FiberState::Disposed, "what is disposed never starts");
        log.assert([]);
    });
}

// K2
#[test]
fn each_start_registers_afresh_and_children_do_not_outlive_it() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let part = Part::new("user").inject(["db"]).start({
            let log = log.clone();
            move |ctx| {
                undo(ctx, "effect", &log);
                traced("child", &log).mount(ctx);
                Ok(())
            }
        });
        let fiber = part.mount(&root);
        let mut seen = Vec::new();
        for _ in 0..3 {
            let db = root.provide_dyn("db", Arc::new(())).unwrap();
            seen.push(kernel.inspect().to_string());
            db.dispose().await.unwrap();
        }
        assert_eq!(fiber.state(), FiberState::Pending);
        assert!(seen.iter().all(|tree| *tree == seen[0]), "{seen:?}");
        assert_eq!(log.take().len(), 9, "three times: the effect, the child's start and its stop");
        assert_eq!(kernel.inspect().fibers.len(), 2);
    });
}

// K2
#[test]
fn a_scope_is_active_from_its_opening_and_says_so_when_it_goes() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        watch(&kernel, &log);
        let scope = kernel.root().scope("scope").unwrap();
        assert_eq!(scope.ctx().state(), FiberState::Active);
        scope.dispose().await.unwrap();
        log.assert(["scope active>unloading", "scope unloading>disposed"]);
    });
}
