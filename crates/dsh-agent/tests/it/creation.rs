//! Creation is one composite, and its teardown the reverse (A2), told by log.

use std::sync::Arc;

use dsh_agent::{AgentCreated, AgentDisposed, AgentSessionStart, AgentsExt};
use dsh_session::SessionsExt;
use dsh_testkit::{Gate, poll_once};

use crate::support::{Fakes, World, bare, options, world};

/// Tells of each step together with what can be seen at it.
fn watch(world: &World) {
    let seen = |world: &World, what: &str| {
        let (root, log, what) = (world.root.clone(), world.log.clone(), what.to_owned());
        move || {
            let (listed, entered) = (root.agents().list().unwrap().len(), root.sessions().entered().unwrap().len());
            log.push(format!("{what} ({listed} listed, {entered} entered)"));
        }
    };
    let created = seen(world, "created");
    world.root.on(move |_: &AgentCreated| created()).unwrap();
    let disposed = seen(world, "disposed");
    world.root.on(move |_: &AgentDisposed| disposed()).unwrap();
    let start = seen(world, "session-start");
    world
        .root
        .on_serial(move |_: Arc<AgentSessionStart>| {
            start();
            std::future::ready(Ok(None))
        })
        .unwrap();
    world.tell_of_scopes();
}

// A2
#[tokio::test]
async fn an_agent_is_made_in_steps_and_undone_in_reverse() {
    let world = world().await;
    watch(&world);
    let before = world.kernel.inspect().to_string();
    let log = world.log.clone();
    let (of_setup, of_scope) = (world.root.clone(), world.log.clone());
    let handle = world
        .root
        .agents()
        .create(options("main").setup(move |ctx| async move {
            let (listed, entered) = (of_setup.agents().list()?.len(), of_setup.sessions().entered()?.len());
            log.push(format!("setup ({listed} listed, {entered} entered)"));
            ctx.effect("of the agent", move |fx| {
                fx.defer_async(move || async move { of_scope.push("scope unwound") });
                Ok(())
            })?;
            Ok(())
        }))
        .await
        .unwrap();
    world.log.assert([
        "session made",
        "make",
        "created (1 listed, 1 entered)",
        "setup (1 listed, 1 entered)",
        "session-start (1 listed, 1 entered)",
        "start main",
    ]);
    handle.dispose().await.unwrap();
    world.log.assert([
        "stop",
        "drained",
        "disposed (0 listed, 1 entered)",
        "flush",
        "session closed",
        "scope unwound",
        "scope gone",
    ]);
    world.assert_nothing_left(&before);
}

// A2, K5: each step of the teardown ends before the next begins.
#[tokio::test]
async fn each_step_of_the_teardown_waits_for_the_one_before() {
    let world = bare().await;
    let before = world.kernel.inspect().to_string();
    let (draining, unwinding) = (Gate::new(), Gate::new());
    let factory = Fakes { stopping: draining.clone(), ..Fakes::new(&world.log) };
    let factory = world.root.agents().set_factory(factory).unwrap();
    let of_scope = unwinding.clone();
    let made = options("main").setup(move |ctx| async move {
        ctx.effect("slow", move |fx| {
            fx.defer_async(move || async move { of_scope.wait().await });
            Ok(())
        })?;
        Ok(())
    });
    let handle = world.root.agents().create(made).await.unwrap();
    world.log.take();
    let mut teardown = handle.dispose();
    tokio::task::yield_now().await;
    assert!(poll_once(&mut teardown).is_pending());
    world.log.assert(["stop"]);
    assert_eq!((world.listed().len(), world.entered()), (1, 1), "the driver drains: all is still there");
    draining.open();
    unwinding.reached().await;
    world.log.assert(["drained", "flush", "session closed"]);
    assert_eq!((world.listed().len(), world.entered()), (0, 0));
    assert!(poll_once(&mut teardown).is_pending(), "the scope is unwound last");
    unwinding.open();
    teardown.await.unwrap();
    factory.dispose().await.unwrap();
    world.assert_nothing_left(&before);
}

// K4, K9
#[tokio::test]
async fn an_agent_leaves_with_the_fiber_that_made_it() {
    let world = world().await;
    let user = world.plugin("user").await;
    let handle = user.ctx().agents().create(options("main")).await.unwrap();
    drop(handle);
    assert_eq!(world.listed(), ["main"], "dropping the handle undoes nothing");
    user.dispose().await.unwrap();
    assert!(world.listed().is_empty());
    assert_eq!(world.entered(), 0);
}

// K4, K5
#[tokio::test]
async fn the_disposer_of_an_agent_nests_in_a_composite() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let handle = world.create("main").await;
    let log = world.log.clone();
    let office = world
        .root
        .effect("office", |fx| {
            let (outer, inner) = (log.clone(), log.clone());
            fx.defer(move || outer.push("outer"));
            fx.adopt(handle.into_disposer())?;
            fx.defer_async(move || async move { inner.push("inner") });
            Ok(())
        })
        .unwrap();
    world.log.take();
    office.dispose().await.unwrap();
    world.log.assert(["inner", "stop", "drained", "flush", "session closed", "outer"]);
    world.assert_nothing_left(&before);
}

// K3
#[tokio::test]
async fn a_creation_that_is_dropped_half_way_is_rolled_back() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let gate = Gate::new();
    let waits = gate.clone();
    let mut creation = world.root.agents().create(options("main").setup(move |_| async move {
        waits.wait().await;
        Ok(())
    }));
    assert!(poll_once(&mut creation).is_pending());
    assert_eq!(world.listed(), ["main"]);
    drop(creation);
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    world.assert_nothing_left(&before);
    assert!(world.root.sessions().list().unwrap().is_empty(), "the new session has gone");
}

// A1: each of many agents is found, and leaves alone.
#[tokio::test]
async fn agents_are_listed_in_order_of_registration_and_found_by_their_session() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let mut handles = Vec::new();
    for name in ["b", "a", "c"] {
        handles.push(world.create(name).await);
    }
    assert_eq!(world.listed(), ["b", "a", "c"]);
    let found = world.root.agents().get(&crate::support::id("a")).unwrap().unwrap();
    assert_eq!(&found, handles[1].agent());
    handles.remove(1).dispose().await.unwrap();
    assert_eq!(world.listed(), ["b", "c"]);
    assert!(world.root.agents().get(&crate::support::id("a")).unwrap().is_none());
    for handle in handles {
        handle.dispose().await.unwrap();
    }
    world.assert_nothing_left(&before);
}
