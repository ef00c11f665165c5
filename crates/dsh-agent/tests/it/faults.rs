//! A failure at any step of a creation undoes the earlier ones (A2, K7).

use std::sync::Arc;

use dsh_agent::{AgentOptions, AgentSessionStart, AgentsExt, Error, ErrorKind};
use dsh_kernel::Failure;
use dsh_session::{MemoryStore, Opened, Session, SessionsExt};

use crate::support::{Fakes, World, bare, id, options, world};

/// Creates, expects a failure with this code, and waits for the rollback.
async fn refused(world: &World, options: AgentOptions, code: &str) -> Error {
    let error = world.root.agents().create(options).await.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    if let Some(teardown) = error.teardown() {
        teardown.await.unwrap();
    }
    error
}

#[tokio::test]
async fn without_a_factory_nothing_is_begun() {
    let world = bare().await;
    let before = world.kernel.inspect().to_string();
    refused(&world, options("main"), "agent::no_factory").await;
    world.log.assert([]);
    world.assert_nothing_left(&before);
}

#[tokio::test]
async fn without_a_name_for_the_session_nothing_is_begun() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let error = refused(&world, AgentOptions::new("main"), "agent::no_session_id").await;
    assert!(error.help().contains("AgentOptions::session"));
    world.assert_nothing_left(&before);
}

#[tokio::test]
async fn the_scope_is_refused_on_an_owner_that_is_gone() {
    let world = world().await;
    let user = world.plugin("user").await;
    let agents = user.ctx().agents();
    user.dispose().await.unwrap();
    let error = agents.create(options("main")).await.unwrap_err();
    assert_eq!(error.code(), "kernel::inactive");
    assert!(world.listed().is_empty());
    assert!(world.root.sessions().list().unwrap().is_empty());
}

#[tokio::test]
async fn a_session_of_that_name_undoes_the_scope() {
    let world = world().await;
    drop(world.root.sessions().create(Opened::new(id("main"))).unwrap());
    world.tell_of_scopes();
    let before = world.kernel.inspect().to_string();
    world.log.take();
    refused(&world, options("main"), "session::exists").await;
    world.log.assert(["scope gone"]);
    world.assert_nothing_left(&before);
    assert_eq!(world.root.sessions().list().unwrap().len(), 1, "the session that was there before stays");
}

#[tokio::test]
async fn a_session_that_somebody_has_entered_undoes_the_scope() {
    let world = world().await;
    let session = world.root.sessions().create(Opened::new(id("main"))).unwrap();
    let entered = world.root.sessions().enter(&session).unwrap();
    let error = refused(&world, AgentOptions::new("main").session(session), "session::already_entered").await;
    assert_eq!(error.first_owner().unwrap().to_string(), "root");
    assert!(world.listed().is_empty());
    entered.dispose().await.unwrap();
}

#[tokio::test]
async fn a_factory_that_fails_undoes_session_and_scope() {
    let world = bare().await;
    world.root.agents().set_factory(Fakes { fails_to_make: true, ..Fakes::new(&world.log) }).unwrap();
    let before = world.kernel.inspect().to_string();
    let error = refused(&world, options("main"), "kernel::body_failed").await;
    assert_eq!(error.failure().unwrap().to_string(), "no driver today");
    world.log.assert(["session made", "make", "flush", "session closed", "session removed"]);
    world.assert_nothing_left(&before);
}

#[tokio::test]
async fn an_agent_of_the_same_session_undoes_session_and_scope() {
    let world = world().await;
    let by_hand = world.by_hand(&world.root, "main");
    world.root.agents().register(&by_hand).unwrap();
    let error = refused(&world, options("main"), "agent::duplicate_agent").await;
    assert_eq!(error.first_owner().unwrap().to_string(), "root");
    assert_eq!((world.listed(), world.entered()), (vec!["main".to_owned()], 0));
}

#[tokio::test]
async fn a_setup_that_fails_or_panics_undoes_registration_session_and_scope() {
    for panics in [false, true] {
        let world = world().await;
        let before = world.kernel.inspect().to_string();
        let options = options("main").setup(move |_| async move {
            assert!(!panics, "the setup panics");
            Err(Failure::msg("the setup fails"))
        });
        let error = refused(&world, options, "kernel::body_failed").await;
        let failure = error.failure().unwrap();
        assert_eq!(failure.panic_message().is_some(), panics);
        world.log.assert(["session made", "make", "flush", "session closed", "session removed"]);
        world.assert_nothing_left(&before);
    }
}

#[tokio::test]
async fn a_listener_of_session_start_that_fails_or_panics_undoes_all_before_it() {
    for panics in [false, true] {
        let world = world().await;
        let log = world.log.clone();
        world
            .root
            .on_serial(move |_: Arc<AgentSessionStart>| {
                assert!(!panics, "the listener panics");
                std::future::ready(Err(Failure::msg("the listener fails")))
            })
            .unwrap();
        let before = world.kernel.inspect().to_string();
        refused(
            &world,
            options("main").setup(move |_| {
                log.push("setup");
                std::future::ready(Ok(()))
            }),
            "kernel::listener_failed",
        )
        .await;
        world.log.assert(["session made", "make", "setup", "flush", "session closed", "session removed"]);
        world.assert_nothing_left(&before);
    }
}

#[tokio::test]
async fn a_driver_that_does_not_start_is_stopped_and_all_undone() {
    let world = bare().await;
    world.root.agents().set_factory(Fakes { fails_to_start: true, ..Fakes::new(&world.log) }).unwrap();
    let before = world.kernel.inspect().to_string();
    refused(&world, options("main"), "kernel::body_failed").await;
    world.log.assert([
        "session made",
        "make",
        "start main",
        "stop",
        "drained",
        "flush",
        "session closed",
        "session removed",
    ]);
    world.assert_nothing_left(&before);
}

// A2: what was there before a failed creation stays.
#[tokio::test]
async fn a_failed_creation_leaves_a_session_that_was_handed_in() {
    let world = world().await;
    let store = MemoryStore::new();
    let session = Session::create(&store, Opened::new(id("main"))).unwrap();
    let failing = AgentOptions::new("main").session(session).setup(|_| async { Err(Failure::msg("no")) });
    refused(&world, failing, "kernel::body_failed").await;
    assert!(Session::open(&store, &id("main")).is_ok(), "it is there, and nobody writes to it");
}

#[tokio::test]
async fn a_factory_that_leaves_while_an_agent_is_made_undoes_it() {
    let world = bare().await;
    let factory = world.root.agents().set_factory(Fakes::new(&world.log)).unwrap();
    let before = world.kernel.inspect().to_string();
    let error = refused(
        &world,
        options("main").setup(move |_| async move {
            factory.dispose().await?;
            Ok(())
        }),
        "agent::no_factory",
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::NoFactory);
    drop(before);
    assert!(world.listed().is_empty());
    assert_eq!(world.entered(), 0);
}
