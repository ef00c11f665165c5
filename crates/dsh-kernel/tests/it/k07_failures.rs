//! K7: bodies and links that fail, what is undone then, and what the caller is told.

use std::sync::Arc;

use dsh_kernel::{Context, ErrorKind, Failure, Fx, Kernel, Teardown};
use dsh_testkit::{Gate, Log};

use crate::support::{Marked, Part, Slot, is_open, quiet, run, slow, slow_link, undo};

// K7
#[test]
fn a_body_that_fails_undoes_what_it_collected_in_reverse() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let error = root
            .effect("bad", |fx| {
                for name in ["one", "two"] {
                    let log = log.clone();
                    fx.defer(move || log.push(name));
                }
                fx.adopt(undo(&root, "three", &log))?;
                Err(Marked(2).into())
            })
            .unwrap_err();
        log.assert(["three", "two", "one"]);
        assert_eq!(error.kind(), ErrorKind::BodyFailed);
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(2)));
        error.teardown().unwrap().await.unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

/// A composite that fails, whose rollback waits at the gate while it holds the service `db`.
fn half(ctx: &Context, log: &Log, gate: &Gate) -> dsh_kernel::Error {
    let made = ctx.effect("half", |fx| {
        fx.adopt(ctx.provide_dyn("db", Arc::new(()))?)?;
        fx.defer_async(slow_link("slow", log, gate));
        Err(Failure::msg("half way"))
    });
    made.unwrap_err()
}

// K7
#[test]
fn the_names_that_a_rollback_holds_stay_taken_until_its_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let error = half(&root, &log, &gate);
        assert_eq!(error.failure().unwrap().to_string(), "half way");
        let teardown = error.teardown().unwrap();
        quiet().await;
        assert!(is_open(&teardown));
        assert_eq!(root.provide_dyn("db", Arc::new(())).unwrap_err().kind(), ErrorKind::DuplicateService);
        gate.open();
        teardown.await.unwrap();
        root.provide_dyn("db", Arc::new(())).unwrap();
        log.assert(["slow:begin", "slow:end"]);
    });
}

// K7
#[test]
fn the_owner_holds_a_rollback_until_its_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("s").unwrap();
        drop(half(scope.ctx(), &log, &gate));
        assert!(kernel.inspect().to_string().contains("half (undoing"), "{}", kernel.inspect());
        let unload = scope.dispose();
        quiet().await;
        assert!(is_open(&unload));
        gate.open();
        unload.await.unwrap();
        log.assert(["slow:begin", "slow:end"]);
    });
}

fn failing(ctx: &Context, label: &'static str, number: u32) {
    ctx.effect(label, |fx| {
        fx.defer(move || Err::<(), _>(Marked(number)));
        Ok(())
    })
    .unwrap();
}

fn numbers(error: &dsh_kernel::Error) -> Vec<(String, String, u32)> {
    let link = |link: &dsh_kernel::LinkFailure| {
        let number = link.failure.downcast_ref::<Marked>().map_or(0, |marked| marked.0);
        (link.owner.to_string(), link.label.to_string(), number)
    };
    error.links().iter().map(link).collect()
}

fn line(owner: &str, label: &str, number: u32) -> (String, String, u32) {
    (owner.to_owned(), label.to_owned(), number)
}

// K7
#[test]
fn a_failing_link_keeps_no_other_from_being_undone() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let bad = |fx: &mut Fx, number: u32, log: &Log| {
            let log = log.clone();
            fx.defer(move || {
                log.push(number.to_string());
                Err::<(), _>(Marked(number))
            });
        };
        let disposer = root.effect("e", |fx| {
            bad(fx, 1, &log);
            fx.adopt(undo(&root, "between", &log))?;
            bad(fx, 2, &log);
            let line = log.clone();
            fx.defer_async(move || async move {
                tokio::task::yield_now().await;
                line.push("3");
                Err::<(), _>(Marked(3))
            });
            Ok(())
        });
        let error = disposer.unwrap().dispose().await.unwrap_err();
        log.assert(["3", "2", "between", "1"]);
        assert_eq!((error.kind(), error.code()), (ErrorKind::LinksFailed, "kernel::links_failed"));
        assert_eq!(numbers(&error), [line("root", "e", 3), line("root", "e", 2), line("root", "e", 1)]);
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(3)), "the first of them");
        let text = error.to_string();
        assert!(text.contains("marked 1") && text.contains("marked 3") && text.contains("`e`"), "{text}");
    });
}

// K7
#[test]
fn the_failures_of_an_unload_come_in_order_of_start_with_owner_and_label() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx();
        failing(ctx, "first", 1);
        // Begins second of the unload, and fails last.
        let wait = gate.clone();
        ctx.effect("slow", |fx| {
            fx.defer_async(move || async move {
                wait.wait().await;
                Err::<(), _>(Marked(2))
            });
            Ok(())
        })
        .unwrap();
        let child = ctx.scope("child").unwrap();
        failing(child.ctx(), "inner", 3);
        failing(ctx, "last", 4);
        let teardown = scope.dispose();
        quiet().await;
        gate.open();
        let error = teardown.await.unwrap_err();
        assert_eq!(
            numbers(&error),
            [line("s", "last", 4), line("s", "slow", 2), line("s", "first", 1), line("s/child", "inner", 3)]
        );
    });
}

// K7
#[test]
fn the_label_of_an_adopted_link_is_its_own_effects() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let outer = root.effect("outer", |fx| {
            let inner = root.effect("inner", |fx| {
                fx.defer(|| Err::<(), _>(Marked(1)));
                Ok(())
            })?;
            fx.adopt(inner)?;
            fx.defer(|| Err::<(), _>(Marked(2)));
            Ok(())
        });
        let error = outer.unwrap().dispose().await.unwrap_err();
        assert_eq!(numbers(&error), [line("root", "outer", 2), line("root", "inner", 1)]);
    });
}

// K7
#[test]
fn the_failures_of_an_adopted_fiber_are_its_chains() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let fiber = Part::new("p").mount(&root);
        failing(&fiber.ctx(), "inner", 1);
        let outer = root.effect("outer", |fx| {
            fx.adopt(undo(&root, "first", &log))?;
            fx.adopt(fiber.take_disposer().unwrap())?;
            Ok(())
        });
        let error = outer.unwrap().dispose().await.unwrap_err();
        assert_eq!(numbers(&error), [line("p", "inner", 1)]);
        log.assert(["first"]);
    });
}

// K7
#[test]
fn the_failures_of_a_rollback_are_in_its_teardown_and_the_bodys_own_in_the_error() {
    run(async {
        let kernel = Kernel::new();
        let error = kernel
            .root()
            .effect("bad", |fx| {
                fx.defer(|| Err::<(), _>(Marked(1)));
                Err(Marked(2).into())
            })
            .unwrap_err();
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(2)));
        let rollback = error.teardown().unwrap().await.unwrap_err();
        assert_eq!(numbers(&rollback), [line("root", "bad", 1)]);
    });
}

// K7: "the failures come back together" is said of one undoing
#[test]
fn what_failed_in_an_earlier_disposal_is_not_told_again_by_the_unload() {
    run(async {
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let early = scope.ctx().effect("early", |fx| {
            fx.defer(|| Err::<(), _>(Marked(1)));
            Ok(())
        });
        assert!(early.unwrap().dispose().await.is_err());
        let rolled_back = scope.ctx().effect("rolled back", |fx| {
            fx.defer(|| Err::<(), _>(Marked(2)));
            Err(Marked(3).into())
        });
        assert!(rolled_back.is_err());
        let child = scope.ctx().scope("child").unwrap();
        failing(child.ctx(), "inner", 4);
        assert!(child.dispose().await.is_err());
        failing(scope.ctx(), "now", 5);
        let error = scope.dispose().await.unwrap_err();
        assert_eq!(numbers(&error), [line("s", "now", 5)]);
    });
}

// K7
#[test]
fn a_plugin_that_unloads_with_failures_starts_again_all_the_same() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let part = Part::new("user").inject(["db"]).start(|ctx| {
            failing(ctx, "bad", 1);
            Ok(())
        });
        let fiber = part.mount(&root);
        for _ in 0..3 {
            root.provide_dyn("db", Arc::new(())).unwrap().dispose().await.unwrap();
        }
        root.provide_dyn("db", Arc::new(())).unwrap();
        fiber.ready().await.unwrap();
        let error = fiber.dispose().await.unwrap_err();
        assert_eq!(numbers(&error), [line("user", "bad", 1)], "those of earlier unloads are not told again");
    });
}

// K7: a failed start's rollback may fail too
#[test]
fn a_failing_link_does_not_hide_why_the_start_failed() {
    run(async {
        let kernel = Kernel::new();
        let part = Part::new("p").start(|ctx| {
            failing(ctx, "bad", 1);
            Err(Marked(2).into())
        });
        let fiber = part.mount(&kernel.root());
        let error = fiber.ready().await.unwrap_err();
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(2)));
    });
}

// K7, K4: dispose returns while the rollback goes on, and its end can be awaited by anybody
#[test]
fn the_teardown_of_a_rollback_can_be_had_many_times() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let error = half(&kernel.root(), &log, &gate);
        let kept: Slot<Teardown> = Slot::new();
        kept.put(error.teardown().unwrap());
        drop(error.clone());
        gate.open();
        error.teardown().unwrap().await.unwrap();
        kept.take().unwrap().await.unwrap();
    });
}

// K7: two rollbacks side by side
#[test]
fn a_composite_that_fails_leaves_its_siblings_alone() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let sibling = undo(&root, "sibling", &log);
        let other = slow(&root, "other", &log, &gate);
        drop(root.effect("bad", |fx| {
            fx.adopt(other)?;
            Err(Failure::msg("bad"))
        }));
        log.assert(["other:begin"]);
        gate.open();
        quiet().await;
        log.assert(["other:end"]);
        sibling.dispose().await.unwrap();
        log.assert(["sibling"]);
    });
}
