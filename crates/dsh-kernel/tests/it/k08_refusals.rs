//! K8: what is refused, and that nothing runs twice.

use std::sync::Arc;

use dsh_kernel::{Context, Emit, Error, ErrorKind, Event, Failure, Fiber, FiberState, Kernel, Layer, Layers, Scope};
use dsh_testkit::{Counter, Gate, Log};

use crate::support::{Part, Slot, is_open, quiet, run, slow, undo};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

#[derive(Clone, Default)]
struct Words(Vec<&'static str>);

impl Layer for Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What each register-method says.
async fn attempts(ctx: &Context) -> Vec<(&'static str, Option<Error>)> {
    let layers = Arc::new(Layers::<Words>::new());
    let insert = |words: &mut Words| {
        words.0.push("word");
        Ok(|words: &mut Words| words.0.clear())
    };
    let attempts = vec![
        ("effect", ctx.effect("effect", |_| panic!("a refused body does not run")).err()),
        ("effect_async", ctx.effect_async("effect_async", async |_| panic!("nor does this")).await.err()),
        ("scope", ctx.scope("scope").err()),
        ("plugin", ctx.plugin_dyn(Arc::new(Part::new("plugin"))).err()),
        ("service", ctx.provide_dyn("service", Arc::new(())).err()),
        ("test/ping", ctx.on::<Ping, ()>(|_| panic!("nor is this called")).err()),
        ("test/ping", ctx.prepended().on::<Ping, ()>(|_| panic!("nor is this called")).err()),
        (
            "task",
            ctx.spawn("task", |_| std::future::poll_fn(|_| -> std::task::Poll<()> { panic!("nor does this begin") }))
                .err(),
        ),
        ("layer", layers.effect(ctx, "layer", insert, |_| Ok(())).err()),
    ];
    assert!(layers.load().global().0.is_empty(), "a refused registration is not inserted");
    attempts
}

async fn assert_refused(ctx: &Context) {
    for (label, error) in attempts(ctx).await {
        let error = error.unwrap_or_else(|| panic!("`{label}` was taken while {}", ctx.state()));
        assert_eq!((error.kind(), error.code()), (ErrorKind::Inactive, "kernel::inactive"), "{label}");
        assert_eq!(error.owner(), Some(&ctx.owner()));
        assert_eq!(error.label().map(ToString::to_string).as_deref(), Some(label));
        assert!(error.teardown().is_none());
    }
    assert!(ctx.emit(&Ping, dsh_kernel::Audience::Everyone).is_ok());
}

// K8
#[test]
fn a_pending_owner_takes_nothing() {
    run(async {
        let kernel = Kernel::new();
        let fiber = Part::new("p").inject(["db"]).mount(&kernel.root());
        assert_refused(&fiber.ctx()).await;
        assert_eq!(kernel.inspect().to_string().lines().count(), 2);
    });
}

// K8
#[test]
fn a_failed_owner_takes_nothing() {
    run(async {
        let kernel = Kernel::new();
        let fiber = Part::new("p").start(|_| Err(Failure::msg("no"))).mount(&kernel.root());
        assert_eq!(fiber.state(), FiberState::Failed);
        assert_refused(&fiber.ctx()).await;
    });
}

// K8
#[test]
fn an_unloading_owner_takes_nothing() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx().clone();
        slow(&ctx, "slow", &log, &gate);
        let teardown = scope.dispose();
        assert_eq!(ctx.state(), FiberState::Unloading);
        assert_refused(&ctx).await;
        gate.open();
        teardown.await.unwrap();
    });
}

// K8
#[test]
fn a_disposed_owner_takes_nothing() {
    run(async {
        let kernel = Kernel::new();
        let fiber = Part::new("p").mount(&kernel.root());
        fiber.dispose().await.unwrap();
        assert_refused(&fiber.ctx()).await;
        let pending = Part::new("q").inject(["db"]).mount(&kernel.root());
        pending.dispose().await.unwrap();
        assert_refused(&pending.ctx()).await;
    });
}

// K8
#[test]
fn an_owner_whose_disposal_is_asked_for_while_it_loads_takes_nothing() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let wait = gate.clone();
        let fiber = Part::new("p").start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        let fiber = fiber.mount(&kernel.root());
        assert_eq!(fiber.state(), FiberState::Loading);
        fiber.ctx().effect("while loading", |_| Ok(())).unwrap();
        let teardown = fiber.dispose();
        assert_eq!(fiber.state(), FiberState::Loading);
        assert_refused(&fiber.ctx()).await;
        gate.open();
        teardown.await.unwrap();
    });
}

// K8
#[test]
fn an_owner_of_a_kernel_that_is_gone_takes_nothing() {
    run(async {
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let root = kernel.root();
        drop(kernel);
        assert_refused(scope.ctx()).await;
        assert_refused(&root).await;
    });
}

// K8
#[test]
fn the_disposer_of_another_fiber_is_not_adopted_and_stays_with_its_owner() {
    run(async {
        let (kernel, other_kernel, log) = (Kernel::new(), Kernel::new(), Log::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let nested = scope.ctx().scope("nested").unwrap();
        let foreign: Vec<(&str, Context)> = vec![
            ("of a child", nested.ctx().clone()),
            ("of the parent", root.clone()),
            ("of a sibling", root.scope("sibling").unwrap().ctx().clone()),
            ("of another kernel", other_kernel.root()),
        ];
        for (label, owner) in foreign {
            let disposer = undo(&owner, label, &log);
            let made = scope.ctx().effect("composite", |fx| {
                let refused = fx.adopt(disposer).unwrap_err();
                assert_eq!((refused.kind(), refused.code()), (ErrorKind::ForeignDisposer, "kernel::foreign_disposer"));
                assert!(refused.to_string().contains("`composite`"), "{refused}");
                Ok(())
            });
            made.unwrap().dispose().await.unwrap();
            log.assert([]);
            let tree = [kernel.inspect().to_string(), other_kernel.inspect().to_string()].concat();
            assert!(tree.contains(&format!("- {label}")), "{tree}");
        }
        kernel.shutdown().await.unwrap();
        other_kernel.shutdown().await.unwrap();
        let mut undone = log.take();
        undone.sort();
        assert_eq!(undone, ["of a child", "of a sibling", "of another kernel", "of the parent"]);
    });
}

// K8, K12: the scope's own disposer belongs to the fiber that opened it
#[test]
fn a_scope_cannot_adopt_its_own_disposer() {
    run(async {
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx().clone();
        let made = ctx.effect("self", |fx| Ok(fx.adopt(scope.into_disposer())?));
        let error = made.unwrap_err();
        let inner = error.failure().unwrap().downcast_ref::<Error>().unwrap();
        assert_eq!(inner.kind(), ErrorKind::ForeignDisposer);
        assert_eq!(ctx.state(), FiberState::Active);
    });
}

// K8
#[test]
fn disposing_the_owner_from_inside_a_body_undoes_the_effect_when_the_body_ends() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let fiber = Part::new("p").mount(&kernel.root());
        undo(&fiber.ctx(), "elder", &log);
        let made = fiber.ctx().effect("e", |fx| {
            let one = log.clone();
            fx.defer(move || one.push("one"));
            let teardown = fiber.dispose();
            log.push("disposed");
            assert!(is_open(&teardown));
            let two = log.clone();
            fx.defer(move || two.push("two"));
            log.push("body ends");
            Ok(())
        });
        let error = made.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Inactive);
        log.assert(["elder", "disposed", "body ends", "two", "one"]);
        assert_eq!(fiber.state(), FiberState::Disposed);
        error.teardown().unwrap().await.unwrap();
    });
}

// K8
#[test]
fn disposing_the_owner_from_inside_nested_bodies_undoes_each_when_it_ends() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx().clone();
        let slot: Slot<Scope> = Slot::new();
        slot.put(scope);
        let outer = ctx.effect("outer", |fx| {
            let line = log.clone();
            fx.defer(move || line.push("outer link"));
            let inner = ctx.effect("inner", |fx| {
                let line = log.clone();
                fx.defer(move || line.push("inner link"));
                drop(slot.take().unwrap().dispose());
                Ok(())
            });
            assert_eq!(inner.unwrap_err().kind(), ErrorKind::Inactive);
            log.push("outer body ends");
            Ok(())
        });
        assert_eq!(outer.unwrap_err().kind(), ErrorKind::Inactive);
        log.assert(["inner link", "outer body ends", "outer link"]);
        assert_eq!(ctx.state(), FiberState::Disposed);
    });
}

// K8, K2
#[test]
fn a_start_that_disposes_its_own_plugin_is_unloaded_when_it_ends() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let slot: Slot<Scope> = Slot::new();
        let ctx = scope.ctx().clone();
        slot.put(scope);
        let part = Part::new("p").start({
            let log = log.clone();
            move |ctx| {
                undo(ctx, "early", &log);
                drop(slot.take().unwrap().dispose());
                let late = ctx.effect("late", |_| Ok(())).unwrap_err();
                log.push(late.code());
                Ok(())
            }
        });
        let fiber = part.mount(&ctx);
        kernel.settled().await.unwrap();
        assert_eq!((fiber.state(), ctx.state()), (FiberState::Disposed, FiberState::Disposed));
        log.assert(["kernel::inactive", "early"]);
    });
}

// K8
#[test]
fn a_body_that_disposes_its_owner_and_then_fails_is_rolled_back_once() {
    run(async {
        let (kernel, count) = (Kernel::new(), Counter::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let made = fiber.ctx().effect("e", |fx| {
            let count = count.clone();
            fx.defer(move || {
                count.hit();
            });
            drop(fiber.dispose());
            Err(Failure::msg("and fails"))
        });
        assert_eq!(made.unwrap_err().kind(), ErrorKind::BodyFailed);
        assert_eq!((count.get(), fiber.state()), (1, FiberState::Disposed));
    });
}

// K8
#[test]
fn nothing_runs_twice_however_often_it_is_asked_to_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let parent = Part::new("parent").mount(&root);
        let child = Part::new("child").mount(&parent.ctx());
        let own = slow(&child.ctx(), "own", &log, &gate);
        let slot: Slot<(Fiber, Fiber)> = Slot::new();
        slot.put((parent.clone(), child.clone()));
        let line = log.clone();
        child
            .ctx()
            .effect("meddler", |fx| {
                fx.defer(move || {
                    line.push("meddler");
                    let (parent, child) = slot.take().unwrap();
                    drop(child.dispose());
                    drop(parent.dispose());
                    drop(parent.take_disposer().unwrap().dispose());
                });
                Ok(())
            })
            .unwrap();
        let ends = [child.dispose(), own.dispose(), parent.dispose(), child.dispose(), kernel.shutdown()];
        quiet().await;
        gate.open();
        for end in ends {
            end.await.unwrap();
        }
        log.assert(["meddler", "own:begin", "own:end"]);
    });
}
