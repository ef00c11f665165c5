//! Whoever disposes from inside does not wait for itself, and nothing is left (K8).

use std::sync::{Arc, Mutex};

use dsh_agent::{AgentCreated, AgentHandle, AgentSessionStart, AgentsExt};

use crate::support::{options, world};

#[tokio::test]
async fn disposing_the_owner_from_inside_the_setup_undoes_the_agent() {
    let world = world().await;
    let user = world.plugin("user").await;
    let owner = user.clone();
    let made = user
        .ctx()
        .agents()
        .create(options("main").setup(move |_| async move {
            let end = owner.dispose().await.unwrap_err();
            assert_eq!(end.code(), "kernel::reentrant");
            Ok(())
        }))
        .await;
    assert_eq!(made.unwrap_err().code(), "kernel::inactive");
    user.dispose().await.unwrap();
    assert!(world.listed().is_empty());
    assert_eq!(world.entered(), 0);
}

#[tokio::test]
async fn disposing_the_owner_from_a_listener_of_the_creation_undoes_the_agent() {
    let world = world().await;
    let user = world.plugin("user").await;
    let owner = user.clone();
    world.root.on(move |_: &AgentCreated| drop(owner.dispose())).unwrap();
    let made = user.ctx().agents().create(options("main")).await;
    assert_eq!(made.unwrap_err().code(), "kernel::inactive");
    user.dispose().await.unwrap();
    assert!(world.listed().is_empty());
}

#[tokio::test]
async fn an_agent_can_be_disposed_from_a_listener_of_another_ones_creation() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let first: Arc<Mutex<Option<AgentHandle>>> = Arc::new(Mutex::new(Some(world.create("first").await)));
    let of_listener = Arc::clone(&first);
    let listener = world
        .root
        .on_serial(move |_: Arc<AgentSessionStart>| {
            let handle = of_listener.lock().unwrap().take();
            async move {
                if let Some(handle) = handle {
                    handle.dispose().await?;
                }
                Ok(None)
            }
        })
        .unwrap();
    let second = world.create("second").await;
    assert_eq!(world.listed(), ["second"]);
    second.dispose().await.unwrap();
    listener.dispose().await.unwrap();
    world.assert_nothing_left(&before);
}

// K13: the driver is foreign code.
#[tokio::test]
async fn a_driver_that_panics_is_contained() {
    let world = world().await;
    let handle = world.create("main").await;
    let error = handle.agent().send(dsh_llm::Message::user("panic")).unwrap_err();
    assert_eq!(error.code(), "agent::driver_failed");
    handle.agent().send(dsh_llm::Message::user("again")).unwrap();
    handle.dispose().await.unwrap();
}
