//! K6: in which order siblings, users and children are undone, on any stack.

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Emit, Event, FiberState, Kernel, Scope};
use dsh_testkit::{Counter, Gate, Log, Probes};

use crate::support::{
    Part, is_open, on_a_small_stack, paused_runtime, probe, quiet, run, slow, slow_link, traced, traced_provider, undo,
};

// K6: scenario siblings-concurrent
#[test]
fn siblings_are_undone_concurrently_started_in_reverse_order() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let fiber = Part::new("p").mount(&kernel.root());
        for (name, ms) in [("a", 30), ("b", 20), ("c", 10), ("d", 0)] {
            probe(&fiber.ctx(), name, ms, &log);
        }
        fiber.dispose().await.unwrap();
        log.assert(["d", "c:begin", "b:begin", "a:begin", "c:end", "b:end", "a:end"]);
    });
}

// K6
#[test]
fn all_of_an_unload_that_can_begin_has_begun_when_dispose_returns() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "a", &log, &gate);
        let child = Part::new("c").mount(&fiber.ctx());
        slow(&child.ctx(), "b", &log, &gate);
        let teardown = fiber.dispose();
        log.assert(["a:begin", "b:begin"]);
        assert_eq!((fiber.state(), child.state()), (FiberState::Unloading, FiberState::Unloading));
        gate.open();
        teardown.await.unwrap();
    });
}

// K6: scenario unload-breadth-first
#[test]
fn unloading_goes_breadth_first() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let a = Part::new("a").mount(&kernel.root());
        probe(&a.ctx(), "a1", 10, &log);
        let b = Part::new("b").mount(&a.ctx());
        probe(&b.ctx(), "b1", 20, &log);
        let c = Part::new("c").mount(&b.ctx());
        probe(&c.ctx(), "c1", 80, &log);
        probe(&b.ctx(), "b2", 40, &log);
        probe(&a.ctx(), "a2", 0, &log);
        let s = a.ctx().scope("s").unwrap();
        probe(s.ctx(), "s1", 0, &log);
        probe(&a.ctx(), "a3", 0, &log);
        a.dispose().await.unwrap();
        log.assert([
            "a3", "a2", "a1:begin", "s1", "b2:begin", "b1:begin", "c1:begin", "a1:end", "b1:end", "b2:end", "c1:end",
        ]);
    });
}

// K6: scenario service-users-and-children
#[test]
fn users_of_a_service_go_before_children_and_both_after_own_effects() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let srv = traced_provider("srv", "db", &log).mount(&root);
        traced("c1", &log).mount(&srv.ctx());
        traced("u1", &log).inject(["db"]).mount(&root);
        traced("c2", &log).mount(&srv.ctx());
        traced("u2", &log).inject(["db"]).mount(&root);
        log.assert(["start:srv", "start:c1", "start:u1", "start:c2", "start:u2"]);
        srv.dispose().await.unwrap();
        log.assert(["stop:srv", "stop:u1", "stop:u2", "stop:c2", "stop:c1"]);
        let again = root.provide_dyn("db", Arc::new(())).unwrap();
        log.assert(["start:u1", "start:u2"]);
        again.dispose().await.unwrap();
        log.assert(["stop:u1", "stop:u2"]);
    });
}

// K6: as the npm package has it, each plugin that loses a service brings the plugins that lose one by it
#[test]
fn users_of_users_and_children_of_users_are_undone_in_the_recorded_order() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let a = traced_provider("a", "a", &log).mount(&root);
        let b1 = traced_provider("b1", "b", &log).inject(["a"]).mount(&root);
        traced("c1", &log).inject(["b"]).mount(&root);
        traced("b2", &log).inject(["a"]).mount(&root);
        traced("ch", &log).mount(&a.ctx());
        traced("bch", &log).mount(&b1.ctx());
        log.assert(["start:a", "start:b1", "start:c1", "start:b2", "start:ch", "start:bch"]);
        a.dispose().await.unwrap();
        log.assert(["stop:a", "stop:b1", "stop:c1", "stop:b2", "stop:ch", "stop:bch"]);
    });
}

struct Change;

impl Event for Change {
    const NAME: &'static str = "test/change";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

// K6, K12: scenario scope-unload-order
#[test]
fn a_scope_is_undone_as_a_child_of_its_plugin() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let p = Part::new("p").mount(&root);
        let s = p.ctx().scope("s").unwrap();
        probe(s.ctx(), "a", 20, &log);
        probe(s.ctx(), "b", 10, &log);
        let heard = log.clone();
        root.on::<Change, _>(move |_| heard.push("change")).unwrap();
        for name in ["x", "y"] {
            let root = root.clone();
            s.ctx()
                .effect(name, |fx| {
                    fx.defer(move || root.emit(&Change, Audience::Everyone));
                    Ok(())
                })
                .unwrap();
        }
        p.dispose().await.unwrap();
        log.assert(["change", "change", "b:begin", "a:begin", "b:end", "a:end"]);
        assert_eq!(s.ctx().effect("z", |_| Ok(())).unwrap_err().code(), "kernel::inactive");
    });
}

// K6, K5: scenario composite-nests-in-order
#[test]
fn a_composite_is_one_sibling() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let p = Part::new("p").mount(&kernel.root());
        let ctx = p.ctx();
        let parts = [probe(&ctx, "outer", 15, &log), undo(&ctx, "section", &log), probe(&ctx, "inner", 25, &log)];
        ctx.effect("k", |fx| {
            for part in parts {
                fx.adopt(part)?;
            }
            Ok(())
        })
        .unwrap();
        probe(&ctx, "sib", 5, &log);
        p.dispose().await.unwrap();
        log.assert(["sib:begin", "inner:begin", "sib:end", "inner:end", "section", "outer:begin", "outer:end"]);
    });
}

// K6
#[test]
fn a_parent_ends_after_its_children() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let p = Part::new("p").mount(&kernel.root());
        let child = p.ctx().scope("child").unwrap();
        let grandchild = child.ctx().scope("grandchild").unwrap();
        slow(grandchild.ctx(), "slow", &log, &gate);
        let teardown = p.dispose();
        quiet().await;
        for state in [p.state(), child.ctx().state(), grandchild.ctx().state()] {
            assert_eq!(state, FiberState::Unloading);
        }
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        for state in [p.state(), child.ctx().state(), grandchild.ctx().state()] {
            assert_eq!(state, FiberState::Disposed);
        }
    });
}

// K6: links that register nothing but unload others do not change the order of the rest
#[test]
fn a_link_that_disposes_a_sibling_finds_it_undone_once() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        let elder = undo(scope.ctx(), "elder", &log);
        let line = log.clone();
        scope
            .ctx()
            .effect("younger", |fx| {
                fx.defer(move || {
                    line.push("younger:begin");
                    drop(elder.dispose());
                    line.push("younger:end");
                });
                Ok(())
            })
            .unwrap();
        scope.dispose().await.unwrap();
        log.assert(["younger:begin", "elder", "younger:end"]);
    });
}

const MANY: usize = 100_000;

/// A chain of scopes, each within the one before, each with a probe.
fn chain(ctx: &Context, probes: &Probes, count: &Counter) -> (Scope, Context) {
    let top = ctx.scope("link").unwrap();
    let mut last = top.ctx().clone();
    for _ in 1..MANY {
        last = last.scope("link").unwrap().ctx().clone();
        let (probe, count) = (probes.probe(), count.clone());
        last.effect("e", |fx| {
            fx.defer(move || {
                probe.touch();
                count.hit();
            });
            Ok(())
        })
        .unwrap();
    }
    (top, last)
}

/// A tree of scopes, each with ten children.
fn tree(ctx: &Context, probes: &Probes, count: &Counter) -> Scope {
    let top = ctx.scope("tree").unwrap();
    let mut level = vec![top.ctx().clone()];
    let mut made = 1;
    while made < MANY {
        let mut next = Vec::new();
        for parent in &level {
            for _ in 0..10 {
                let scope = parent.scope("node").unwrap();
                let (probe, count) = (probes.probe(), count.clone());
                scope
                    .ctx()
                    .effect("e", |fx| {
                        fx.defer(move || {
                            probe.touch();
                            count.hit();
                        });
                        Ok(())
                    })
                    .unwrap();
                next.push(scope.ctx().clone());
                made += 1;
            }
        }
        level = next;
    }
    top
}

// K6
#[test]
fn a_chain_of_a_hundred_thousand_fibers_unloads_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, probes, count) = (Kernel::new(), Probes::new(), Counter::new());
            let (top, last) = chain(&kernel.root(), &probes, &count);
            assert_eq!(last.owner().to_string().len(), MANY * "link/".len() - 1);
            top.dispose().await.unwrap();
            assert_eq!((count.get(), probes.balance()), (MANY - 1, 0));
            assert_eq!(kernel.inspect().fibers.len(), 1);
            drop(last);
        });
    });
}

// K6
#[test]
fn a_tree_of_a_hundred_thousand_fibers_unloads_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, probes, count) = (Kernel::new(), Probes::new(), Counter::new());
            let top = tree(&kernel.root(), &probes, &count);
            top.dispose().await.unwrap();
            assert_eq!(probes.balance(), 0);
            assert_eq!(count.get(), probes.made());
            assert_eq!(kernel.inspect().fibers.len(), 1);
        });
    });
}

// K6: each link of the chain has an asynchronous effect, all of which end together
#[test]
fn a_chain_of_a_hundred_thousand_fibers_with_slow_links_unloads_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, gate, count) = (Kernel::new(), Gate::new(), Counter::new());
            let top = kernel.root().scope("link").unwrap();
            let mut last = top.ctx().clone();
            for index in 1..MANY {
                last = last.scope("link").unwrap().ctx().clone();
                if index % 100 == 0 || index + 1 == MANY {
                    let (gate, count) = (gate.clone(), count.clone());
                    last.effect("e", |fx| {
                        fx.defer_async(move || async move {
                            gate.wait().await;
                            count.hit();
                        });
                        Ok(())
                    })
                    .unwrap();
                }
            }
            let teardown = top.dispose();
            quiet().await;
            assert!(is_open(&teardown));
            gate.open();
            teardown.await.unwrap();
            assert_eq!(count.get(), MANY / 100);
        });
    });
}

// K6
#[test]
fn a_chain_and_a_tree_are_dropped_without_unloading_on_a_small_stack() {
    on_a_small_stack(|| {
        let (kernel, probes, count) = (Kernel::new(), Probes::new(), Counter::new());
        let (_, last) = chain(&kernel.root(), &probes, &count);
        tree(&kernel.root(), &probes, &count);
        drop(kernel);
        assert_eq!((count.get(), probes.balance()), (0, 0), "dropped, and not undone");
        assert_eq!(last.state(), FiberState::Disposed);
        drop(last);
    });
}

// K6: plugins, where each start mounts the next
#[test]
fn a_hundred_thousand_starts_that_mount_the_next_run_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            fn link(left: usize, count: Counter) -> Part {
                Part::new("link").start(move |ctx| {
                    count.hit();
                    if left > 1 {
                        link(left - 1, count.clone()).mount(ctx);
                    }
                    Ok(())
                })
            }
            let (kernel, count) = (Kernel::new(), Counter::new());
            let top = link(MANY, count.clone()).mount(&kernel.root());
            kernel.settled().await.unwrap();
            assert_eq!(count.get(), MANY);
            top.dispose().await.unwrap();
            assert_eq!(kernel.inspect().fibers.len(), 1);
        });
    });
}

// K6: and where each start awaits the next
#[test]
fn two_thousand_starts_that_await_the_next_run_on_a_small_stack() {
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            fn link(left: usize, count: Counter) -> Part {
                Part::new("link").start_async(move |ctx| {
                    let count = count.clone();
                    async move {
                        if left > 1 {
                            link(left - 1, count.clone()).mount(&ctx).ready().await?;
                        }
                        count.hit();
                        Ok(())
                    }
                })
            }
            let (kernel, count) = (Kernel::new(), Counter::new());
            let top = link(2_000, count.clone()).mount(&kernel.root());
            top.ready().await.unwrap();
            assert_eq!(count.get(), 2_000);
            top.dispose().await.unwrap();
        });
    });
}

// K6: a chain of services: each plugin injects what the one before provides
#[test]
fn a_long_chain_of_services_starts_and_unloads_on_a_small_stack() {
    const SERVICES: usize = 3_000;
    on_a_small_stack(|| {
        paused_runtime().block_on(async {
            let (kernel, count) = (Kernel::new(), Counter::new());
            let root = kernel.root();
            let mut fibers = Vec::new();
            for index in 1..SERVICES {
                let count = count.clone();
                let part = Part::new("p").inject([format!("s{}", index - 1)]).start(move |ctx| {
                    count.hit();
                    ctx.provide_dyn(format!("s{index}"), Arc::new(()))?;
                    Ok(())
                });
                fibers.push(part.mount(&root));
            }
            let first = root.provide_dyn("s0", Arc::new(())).unwrap();
            kernel.settled().await.unwrap();
            assert_eq!(count.get(), SERVICES - 1);
            first.dispose().await.unwrap();
            assert!(fibers.iter().all(|fiber| fiber.state() == FiberState::Pending));
        });
    });
}

// K6: composites of scopes within scopes
#[test]
fn adopted_scopes_unload_in_their_chains() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let outer = kernel.root().scope("outer").unwrap();
        let inner = outer.ctx().scope("inner").unwrap();
        undo(inner.ctx(), "inner", &log);
        outer
            .ctx()
            .effect("composite", |fx| {
                fx.adopt(inner.into_disposer())?;
                fx.defer_async(slow_link("slow", &log, &gate));
                Ok(())
            })
            .unwrap();
        undo(outer.ctx(), "own", &log);
        let teardown = outer.dispose();
        log.assert(["own", "slow:begin"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:end", "inner"]);
    });
}
