//! `register` and `set_factory` as all register-methods: exact, single-shot, refused and gone as they should be (A1, K4 to K9).

use dsh_agent::{AgentRegistry, AgentsExt};
use dsh_kernel::{Context, Disposer, Service};
use dsh_testkit::{Gate, poll_once};

use crate::support::{Fakes, World, bare, id, options};

/// A register-method, and whether what it registered is there.
struct Row {
    name: &'static str,
    register: fn(&World, &Context) -> Result<Disposer, dsh_agent::Error>,
    is_there: fn(&World) -> bool,
}

const ROWS: [Row; 2] = [
    Row {
        name: "register",
        register: |world, ctx| {
            let agent = world.by_hand(&world.root, "by-hand");
            ctx.agents().register(&agent)
        },
        is_there: |world| world.root.agents().get(&id("by-hand")).unwrap().is_some(),
    },
    Row {
        name: "set_factory",
        register: |world, ctx| ctx.agents().set_factory(Fakes::new(&world.log)),
        is_there: |world| {
            // A second one is refused where there is one; the try leaves nothing.
            match world.root.agents().set_factory(Fakes::new(&world.log)) {
                Ok(disposer) => {
                    drop(disposer.dispose());
                    false
                }
                Err(error) => error.code() == "agent::duplicate_factory",
            }
        },
    },
];

#[test]
fn the_table_has_every_method_that_returns_a_disposer() {
    let of_service = AgentRegistry::METHODS.iter().filter(|method| method.signature.contains("Result<Disposer"));
    let names: Vec<_> = of_service.map(|method| method.name).collect();
    assert_eq!(names, ROWS.map(|row| row.name));
}

#[tokio::test]
async fn its_disposer_is_exact() {
    for row in ROWS {
        let world = bare().await;
        assert!(!(row.is_there)(&world), "{}", row.name);
        let disposer = (row.register)(&world, &world.root).unwrap();
        assert!((row.is_there)(&world), "{}", row.name);
        disposer.dispose().await.unwrap();
        assert!(!(row.is_there)(&world), "{}", row.name);
        // The name is free again.
        (row.register)(&world, &world.root).unwrap().dispose().await.unwrap();
    }
}

// K5: adopted, it is undone at its place: after the slow inner link, before the outer one.
#[tokio::test]
async fn it_nests_in_a_composite_at_its_place() {
    for row in ROWS {
        let world = bare().await;
        let (gate, log) = (Gate::new(), world.log.clone());
        let inner = (row.register)(&world, &world.root).unwrap();
        let composite = world
            .root
            .effect("composite", |fx| {
                let (outer, slow) = (log.clone(), gate.clone());
                fx.defer(move || outer.push("outer"));
                fx.adopt(inner)?;
                fx.defer_async(move || async move { slow.wait().await });
                Ok(())
            })
            .unwrap();
        let mut teardown = composite.dispose();
        tokio::task::yield_now().await;
        assert!(poll_once(&mut teardown).is_pending());
        assert!((row.is_there)(&world), "{} is still there while the inner link drains", row.name);
        log.assert([]);
        gate.open();
        teardown.await.unwrap();
        assert!(!(row.is_there)(&world), "{}", row.name);
        assert!(log.take().contains(&"outer".to_owned()));
    }
}

// K8
#[tokio::test]
async fn it_is_refused_on_an_inactive_owner() {
    for row in ROWS {
        let world = bare().await;
        let user = world.plugin("user").await;
        let ctx = user.ctx();
        user.dispose().await.unwrap();
        let error = (row.register)(&world, &ctx).unwrap_err();
        assert_eq!(error.code(), "kernel::inactive", "{}", row.name);
        assert!(!(row.is_there)(&world), "{}", row.name);
    }
}

// K9
#[tokio::test]
async fn it_is_gone_when_its_owner_has_unloaded() {
    for row in ROWS {
        let world = bare().await;
        let user = world.plugin("user").await;
        (row.register)(&world, &user.ctx()).unwrap();
        assert!((row.is_there)(&world), "{}", row.name);
        user.dispose().await.unwrap();
        assert!(!(row.is_there)(&world), "{}", row.name);
    }
}

// K7, K3
#[tokio::test]
async fn it_is_rolled_back_with_the_composite_that_fails() {
    for row in ROWS {
        let world = bare().await;
        let failed = world.root.effect("composite", |fx| {
            fx.adopt((row.register)(&world, &world.root)?)?;
            Err(dsh_kernel::Failure::msg("half way"))
        });
        failed.unwrap_err().teardown().unwrap().await.unwrap();
        assert!(!(row.is_there)(&world), "{}", row.name);
    }
}

// A1
#[tokio::test]
async fn a_second_one_is_refused_and_told_the_owner_of_the_first() {
    for row in ROWS {
        let world = bare().await;
        let user = world.plugin("user").await;
        (row.register)(&world, &user.ctx()).unwrap();
        let error = (row.register)(&world, &world.root).unwrap_err();
        assert_eq!(error.first_owner().unwrap().to_string(), "user", "{}: {error}", row.name);
    }
}

// K9: what the factory made is its code, and ends with it; the agents stay their owners'.
#[tokio::test]
async fn a_factory_that_leaves_stops_the_agents_that_it_drives() {
    let world = bare().await;
    let user = world.plugin("loops").await;
    let fakes = Fakes::new(&world.log);
    user.ctx().agents().set_factory(fakes).unwrap();
    let handle = world.root.agents().create(options("main")).await.unwrap();
    world.log.take();
    user.dispose().await.unwrap();
    world.log.assert(["stop", "drained"]);
    assert_eq!(world.listed(), ["main"]);
    assert_eq!(handle.agent().send(dsh_llm::Message::user("late")).unwrap_err().code(), "agent::stopped");
    assert_eq!(handle.agent().status(), dsh_agent::AgentStatus::Stopped);
    handle.dispose().await.unwrap();
    assert!(world.listed().is_empty());
}
