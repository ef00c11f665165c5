//! K12: scopes, their tags, and who hears what.

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Emit, Event, FiberState, Kernel, ScopeKey, Waterfall, WaterfallEvent};
use dsh_testkit::{Gate, Log};

use crate::support::{Part, Slot, is_open, run, slow, undo};

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
    type Value = String;
}

fn ear(ctx: &Context, name: &'static str, log: &Log) {
    let log = log.clone();
    ctx.on::<Ping, _>(move |_| log.push(name)).unwrap();
}

// K12
#[test]
fn a_scope_has_a_fresh_key_a_tagged_context_and_a_fiber_of_its_own() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        assert_eq!(root.scope_key(), None);
        let one = root.scope("same").unwrap();
        let two = root.scope("same").unwrap();
        assert_ne!(one.key(), two.key());
        assert_eq!(one.ctx().scope_key(), Some(one.key()));
        assert_ne!(one.ctx().owner(), root.owner());
        undo(one.ctx(), "of one", &log);
        undo(two.ctx(), "of two", &log);
        let two_ctx = two.ctx().clone();
        one.dispose().await.unwrap();
        log.assert(["of one"]);
        assert_eq!(two_ctx.state(), FiberState::Active);
        let again = root.scope("same").unwrap();
        assert_ne!(again.key(), two.key());
        assert_eq!(again.ctx().owner().to_string(), "same");
    });
}

// K12
#[test]
fn plugins_and_their_children_under_a_scope_keep_its_tag() {
    run(async {
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let seen: Slot<Option<ScopeKey>> = Slot::new();
        let part = Part::new("p").start({
            let seen = seen.clone();
            move |ctx| {
                seen.put(ctx.scope_key());
                Ok(())
            }
        });
        let fiber = part.mount(scope.ctx());
        assert_eq!(seen.take().unwrap(), Some(scope.key()), "in its start");
        let child = Part::new("child").mount(&fiber.ctx());
        assert_eq!(fiber.ctx().scope_key(), Some(scope.key()));
        assert_eq!(child.ctx().scope_key(), Some(scope.key()));
        assert_eq!(Part::new("outside").mount(&kernel.root()).ctx().scope_key(), None);
    });
}

// K12
#[test]
fn a_restarted_plugin_keeps_its_tag() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let key = scope.key();
        let part = Part::new("p").inject(["db"]).start({
            let log = log.clone();
            move |ctx| {
                log.push(if ctx.scope_key() == Some(key) { "tagged" } else { "untagged" });
                Ok(())
            }
        });
        part.mount(scope.ctx());
        root.provide_dyn("db", Arc::new(())).unwrap().dispose().await.unwrap();
        root.provide_dyn("db", Arc::new(())).unwrap();
        log.assert(["tagged", "tagged"]);
    });
}

// K12
#[test]
fn the_tag_of_a_nested_scope_is_the_nearer_one_and_wins() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let outer = root.scope("outer").unwrap();
    let inner = outer.ctx().scope("inner").unwrap();
    assert_eq!(inner.ctx().scope_key(), Some(inner.key()));
    ear(&root, "root", &log);
    ear(inner.ctx(), "inner", &log);
    ear(outer.ctx(), "outer", &log);
    root.emit(&Ping, Audience::Scope(outer.key())).unwrap();
    log.assert(["root", "outer"]);
    root.emit(&Ping, Audience::Scope(inner.key())).unwrap();
    log.assert(["root", "inner"]);
}

// K12, K11
#[test]
fn a_filtered_dispatch_is_heard_by_the_untagged_and_by_that_tag_in_order_of_registration() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let (a, b) = (root.scope("a").unwrap(), root.scope("b").unwrap());
    ear(a.ctx(), "a 1", &log);
    ear(&root, "root 1", &log);
    ear(b.ctx(), "b 1", &log);
    ear(a.ctx(), "a 2", &log);
    ear(&root, "root 2", &log);
    let line = log.clone();
    a.ctx().prepended().on::<Ping, _>(move |_| line.push("a 0")).unwrap();
    let line = log.clone();
    root.prepended().on::<Ping, _>(move |_| line.push("root 0")).unwrap();
    root.emit(&Ping, Audience::Scope(a.key())).unwrap();
    log.assert(["root 0", "a 0", "a 1", "root 1", "a 2", "root 2"]);
    root.emit(&Ping, Audience::Scope(b.key())).unwrap();
    log.assert(["root 0", "root 1", "b 1", "root 2"]);
    root.emit(&Ping, Audience::Untagged).unwrap();
    log.assert(["root 0", "root 1", "root 2"]);
    root.emit(&Ping, Audience::Everyone).unwrap();
    log.assert(["root 0", "a 0", "a 1", "root 1", "b 1", "a 2", "root 2"]);
    // It is the dispatch that is filtered, whatever context it goes through.
    b.ctx().emit(&Ping, Audience::Scope(a.key())).unwrap();
    log.assert(["root 0", "a 0", "a 1", "root 1", "a 2", "root 2"]);
}

// K12
#[test]
fn the_audience_of_an_optional_key() {
    let kernel = Kernel::new();
    let scope = kernel.root().scope("s").unwrap();
    assert_eq!(Audience::from(None), Audience::Untagged);
    assert_eq!(Audience::from(scope.ctx().scope_key()), Audience::Scope(scope.key()));
}

// K12
#[test]
fn a_key_of_a_scope_that_is_gone_is_heard_by_the_untagged_only() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let key = scope.key();
        ear(scope.ctx(), "scope", &log);
        ear(&root, "root", &log);
        scope.dispose().await.unwrap();
        root.emit(&Ping, Audience::Scope(key)).unwrap();
        log.assert(["root"]);
    });
}

// K12, K11: scenario rollback-and-listener-order
#[test]
fn a_scoped_waterfall_interleaves_tagged_and_untagged_listeners() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        for (ctx, name) in [(scope.ctx(), "s 1"), (&root, "global"), (scope.ctx(), "s 2")] {
            let log = log.clone();
            ctx.on_waterfall::<Edit, _>(move |value, _, next| {
                let log = log.clone();
                async move {
                    log.push(name);
                    let value = next.run(value).await;
                    log.push(format!("{name} out"));
                    value
                }
            })
            .unwrap();
        }
        root.waterfall(Arc::new(Edit), String::new(), Audience::Scope(scope.key())).await.unwrap();
        log.assert(["s 1", "global", "s 2", "s 2 out", "global out", "s 1 out"]);
        root.waterfall(Arc::new(Edit), String::new(), Audience::Untagged).await.unwrap();
        log.assert(["global", "global out"]);
    });
}

// K12
#[test]
fn the_disposer_of_a_scope_is_exact_too() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        slow(scope.ctx(), "slow", &log, &gate);
        undo(scope.ctx(), "quick", &log);
        let teardown = scope.into_disposer().dispose();
        log.assert(["quick", "slow:begin"]);
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["slow:end"]);
        assert_eq!(kernel.inspect().fibers.len(), 1);
    });
}

// K12: who has the key alone learns whether the scope is open, and nothing that it could register with
#[test]
fn the_owner_of_a_scope_is_known_by_its_key_until_it_is_gone() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let inner = scope.ctx().scope("inner").unwrap();
        let (key, inner_key) = (scope.key(), inner.key());
        let state = |key| root.scope_owner(key).map(|owner| owner.state());
        assert_eq!(root.scope_owner(inner_key).unwrap().to_string(), "s/inner");
        assert_eq!((state(key), state(inner_key)), (Some(FiberState::Active), Some(FiberState::Active)));
        slow(scope.ctx(), "slow", &log, &gate);
        let teardown = scope.dispose();
        assert_eq!(state(key), Some(FiberState::Unloading));
        gate.open();
        teardown.await.unwrap();
        assert_eq!((state(key), state(inner_key)), (None, None));
        assert_eq!(Kernel::new().root().scope_owner(key), None, "of another kernel nothing is known");
    });
}
