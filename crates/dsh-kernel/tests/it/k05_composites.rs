//! K5: the links of one effect, and effects within effects.

use std::sync::{Arc, Mutex};

use dsh_kernel::{Context, Disposer, FiberState, Kernel};
use dsh_testkit::{Counter, Gate, Log};

use crate::support::{Part, is_open, on_a_small_stack, paused_runtime, quiet, run, slow, slow_link, undo};

// K5
#[test]
fn links_are_undone_in_reverse_each_awaited_before_the_next() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (first, second) = (Gate::new(), Gate::new());
        let teardown = kernel
            .root()
            .effect("e", |fx| {
                let line = log.clone();
                fx.defer(move || line.push("a"));
                fx.defer_async(slow_link("b", &log, &second));
                let line = log.clone();
                fx.defer(move || line.push("c"));
                fx.defer_async(slow_link("d", &log, &first));
                Ok(())
            })
            .unwrap()
            .dispose();
        quiet().await;
        log.assert(["d:begin"]);
        first.open();
        quiet().await;
        log.assert(["d:end", "c", "b:begin"]);
        second.open();
        teardown.await.unwrap();
        log.assert(["b:end", "a"]);
    });
}

/// A registry of one section, as small as can be.
#[derive(Clone, Default)]
struct Registry(Arc<Mutex<Vec<&'static str>>>);

impl Registry {
    fn section(&self, ctx: &Context, name: &'static str) -> Disposer {
        self.0.lock().unwrap().push(name);
        let registry = Arc::clone(&self.0);
        ctx.effect(name, |fx| {
            fx.defer(move || registry.lock().unwrap().retain(|known| *known != name));
            Ok(())
        })
        .unwrap()
    }

    fn has(&self, name: &'static str) -> bool {
        self.0.lock().unwrap().contains(&name)
    }
}

/// What is seen of the section while the slow inner link drains, and when the outer one starts.
async fn observe(collect: impl FnOnce(&mut dsh_kernel::Fx, Disposer)) -> (bool, bool) {
    let (kernel, registry, gate, log) = (Kernel::new(), Registry::default(), Gate::new(), Log::new());
    let fiber = Part::new("p").mount(&kernel.root());
    let ctx = fiber.ctx();
    ctx.effect("composite", |fx| {
        let (seen, log) = (registry.clone(), log.clone());
        fx.defer(move || log.push(if seen.has("section") { "still there" } else { "gone" }));
        let section = registry.section(&ctx, "section");
        collect(fx, section);
        let gate = gate.clone();
        fx.defer_async(move || async move { gate.wait().await });
        Ok(())
    })
    .unwrap();
    let teardown = fiber.dispose();
    gate.reached().await;
    quiet().await;
    let mid_drain = registry.has("section");
    gate.open();
    teardown.await.unwrap();
    (mid_drain, log.take() == ["still there"])
}

// K5: the discriminating test, in its two forms
#[test]
fn an_adopted_effect_is_undone_at_its_place_and_not_beside_the_chain() {
    run(async {
        let (mid_drain, when_outer_starts) = observe(|fx, section| fx.adopt(section).unwrap()).await;
        assert!(mid_drain, "the section is still registered while the slow inner link drains");
        assert!(!when_outer_starts, "and gone before the outer one starts");
    });
}

// K5: the twin, which a closure round the disposer makes of it
#[test]
fn an_effect_whose_disposer_is_deferred_in_a_closure_is_gone_in_mid_drain() {
    run(async {
        let (mid_drain, when_outer_starts) = observe(|fx, section| {
            fx.defer_async(move || async move { section.dispose().await });
        })
        .await;
        assert!(!mid_drain, "its owner undoes it as a sibling, at once");
        assert!(!when_outer_starts);
    });
}

// K5
#[test]
fn nested_composites_unwind_as_one_chain() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let inner = root
            .effect("inner", |fx| {
                fx.adopt(undo(&root, "a", &log))?;
                fx.adopt(undo(&root, "b", &log))?;
                Ok(())
            })
            .unwrap();
        let outer = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(inner)?;
                fx.adopt(undo(&root, "last", &log))?;
                Ok(())
            })
            .unwrap();
        assert_eq!(kernel.inspect().to_string(), "root [active]\n  - outer\n");
        outer.dispose().await.unwrap();
        log.assert(["last", "b", "a", "first"]);
    });
}

// K5
#[test]
fn adopting_keeps_the_place_of_the_composite_among_its_siblings() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx().clone();
        let part = undo(&ctx, "part", &log);
        undo(&ctx, "elder", &log);
        ctx.effect("composite", |fx| {
            fx.adopt(part)?;
            let line = log.clone();
            fx.defer(move || line.push("own"));
            Ok(())
        })
        .unwrap();
        undo(&ctx, "younger", &log);
        scope.dispose().await.unwrap();
        log.assert(["younger", "own", "part", "elder"]);
    });
}

// K5
#[test]
fn an_asynchronous_effect_that_was_adopted_is_awaited_at_its_place() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let teardown = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(slow(&root, "slow", &log, &gate))?;
                fx.adopt(undo(&root, "last", &log))?;
                Ok(())
            })
            .unwrap()
            .dispose();
        quiet().await;
        log.assert(["last", "slow:begin"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:end", "first"]);
    });
}

// K5, K12
#[test]
fn a_scope_and_a_plugin_give_their_disposers_to_a_composite() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        undo(scope.ctx(), "of scope", &log);
        let fiber = Part::new("p").mount(&root);
        slow(&fiber.ctx(), "of plugin", &log, &gate);
        let teardown = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(scope.into_disposer())?;
                fx.adopt(undo(&root, "middle", &log))?;
                fx.adopt(fiber.take_disposer().unwrap())?;
                Ok(())
            })
            .unwrap()
            .dispose();
        quiet().await;
        assert_eq!(fiber.state(), FiberState::Unloading);
        log.assert(["of plugin:begin"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["of plugin:end", "middle", "of scope", "first"]);
        assert_eq!(fiber.state(), FiberState::Disposed);
    });
}

// K5: an adopted fiber that is disposed by its handle is started by that, and awaited by its chain
#[test]
fn disposing_an_adopted_fiber_starts_it_and_its_chain_awaits_it() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let fiber = Part::new("p").mount(&root);
        slow(&fiber.ctx(), "of plugin", &log, &gate);
        let outer = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(fiber.take_disposer().unwrap())?;
                fx.adopt(undo(&root, "last", &log))?;
                Ok(())
            })
            .unwrap();
        let by_handle = fiber.dispose();
        log.assert(["of plugin:begin"]);
        let teardown = outer.dispose();
        quiet().await;
        assert!(is_open(&teardown) && is_open(&by_handle));
        log.assert(["last"]);
        gate.open();
        teardown.await.unwrap();
        by_handle.await.unwrap();
        log.assert(["of plugin:end", "first"]);
    });
}

// K5
#[test]
fn an_adopted_fiber_that_has_ended_is_passed_over() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let fiber = Part::new("p").mount(&root);
        let outer = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(fiber.take_disposer().unwrap())?;
                Ok(())
            })
            .unwrap();
        fiber.dispose().await.unwrap();
        outer.dispose().await.unwrap();
        log.assert(["first"]);
        assert_eq!(kernel.inspect(), before);
    });
}

// K5: the parent's unload does not begin an adopted fiber before its turn
#[test]
fn an_adopted_fiber_is_not_unloaded_beside_its_chain() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let parent = Part::new("parent").mount(&kernel.root());
        let ctx = parent.ctx();
        let child = Part::new("child").mount(&ctx);
        undo(&child.ctx(), "child", &log);
        ctx.effect("outer", |fx| {
            fx.adopt(child.take_disposer().unwrap())?;
            fx.defer_async(slow_link("slow", &log, &gate));
            Ok(())
        })
        .unwrap();
        let teardown = parent.dispose();
        quiet().await;
        log.assert(["slow:begin"]);
        assert_eq!(child.state(), FiberState::Active);
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:end", "child"]);
    });
}

// K5: a task keeps its place too
#[test]
fn an_adopted_task_runs_until_its_turn_comes() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let line = log.clone();
        let task = root
            .spawn("task", move |cancel| async move {
                cancel.cancelled().await;
                line.push("task ends");
            })
            .unwrap();
        let teardown = root
            .effect("outer", |fx| {
                fx.adopt(undo(&root, "first", &log))?;
                fx.adopt(task)?;
                fx.defer_async(slow_link("slow", &log, &gate));
                Ok(())
            })
            .unwrap()
            .dispose();
        quiet().await;
        log.assert(["slow:begin"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:end", "task ends", "first"]);
    });
}

const DEEP: usize = 100_000;

fn nested(ctx: &Context, count: &Counter, links: usize) -> Disposer {
    let mut inner = ctx.effect("inmost", |_| Ok(())).unwrap();
    for _ in 0..links {
        let count = count.clone();
        let adopted = inner;
        inner = ctx
            .effect("layer", |fx| {
                fx.adopt(adopted)?;
                fx.defer(move || {
                    count.hit();
                });
                Ok(())
            })
            .unwrap();
    }
    inner
}

// K5
#[test]
fn chains_adopted_a_hundred_thousand_deep_unwind_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, count) = (Kernel::new(), Counter::new());
            let disposer = nested(&kernel.root(), &count, DEEP);
            disposer.dispose().await.unwrap();
            assert_eq!(count.get(), DEEP);
            assert_eq!(kernel.inspect().to_string(), "root [active]\n");
        });
    });
}

// K5
#[test]
fn a_deep_chain_is_dropped_without_being_undone_on_a_small_stack() {
    on_a_small_stack(|| {
        let (kernel, count) = (Kernel::new(), Counter::new());
        drop(nested(&kernel.root(), &count, DEEP));
        drop(kernel);
        assert_eq!(count.get(), 0);
    });
}

// K5: the inmost link is asynchronous, and every layer above waits for it
#[test]
fn a_deep_chain_with_an_asynchronous_end_goes_on_as_one_task() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, log, gate, count) = (Kernel::new(), Log::new(), Gate::new(), Counter::new());
            let root = kernel.root();
            let outer = root
                .effect("outer", |fx| {
                    fx.adopt(nested(&root, &count, DEEP / 2))?;
                    fx.adopt(slow(&root, "slow", &log, &gate))?;
                    fx.adopt(nested(&root, &count, DEEP / 2))?;
                    Ok(())
                })
                .unwrap();
            let teardown = outer.dispose();
            assert_eq!(count.take(), DEEP / 2);
            gate.open();
            teardown.await.unwrap();
            assert_eq!(count.take(), DEEP / 2);
        });
    });
}

// K5: many links of one effect, each asynchronous and ready at once
#[test]
fn a_hundred_thousand_asynchronous_links_unwind_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, count) = (Kernel::new(), Counter::new());
            let disposer = kernel.root().effect("wide", |fx| {
                for index in 0..DEEP {
                    let count = count.clone();
                    fx.defer_async(move || async move {
                        if index % 1000 == 0 {
                            tokio::task::yield_now().await;
                        }
                        count.hit();
                    });
                }
                Ok(())
            });
            disposer.unwrap().dispose().await.unwrap();
            assert_eq!(count.get(), DEEP);
        });
    });
}
