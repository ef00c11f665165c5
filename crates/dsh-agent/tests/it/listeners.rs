//! A failing listener of `agent/created` or `agent/disposed` is logged, and corrupts nothing (A1).

use dsh_agent::{AgentCreated, AgentDisposed, AgentsExt};
use dsh_kernel::Failure;

use crate::support::{options, world};

#[tokio::test]
async fn failing_and_panicking_listeners_of_coming_and_going_change_nothing() {
    for panics in [false, true] {
        let world = world().await;
        let log = world.log.clone();
        let fail = move |what: &str| {
            log.push(what);
            assert!(!panics, "a listener panics");
            Err::<(), _>(Failure::msg("a listener fails"))
        };
        let fails = fail.clone();
        world.root.on(move |_: &AgentCreated| fails("created")).unwrap();
        world.root.on(move |_: &AgentDisposed| fail("disposed")).unwrap();
        let before = world.kernel.inspect().to_string();
        let handle = world.create("main").await;
        assert_eq!(world.listed(), ["main"]);
        handle.dispose().await.unwrap();
        let entries = world.log.take();
        assert!(entries.contains(&"created".to_owned()) && entries.contains(&"disposed".to_owned()));
        world.assert_nothing_left(&before);
    }
}

// K12, A1: what an agent's own context listens to is its own.
#[tokio::test]
async fn the_events_of_an_agent_are_heard_by_everyone_and_by_its_own_scope() {
    let world = world().await;
    let listen = |log: &dsh_testkit::Log, who: &str| {
        let (log, who) = (log.clone(), who.to_owned());
        move |event: &AgentDisposed| log.push(format!("{who} hears {}", event.agent.name()))
    };
    world.root.on(listen(&world.log, "root")).unwrap();
    let mut handles = Vec::new();
    for name in ["one", "two"] {
        let listener = listen(&world.log, name);
        let setup = options(name).setup(move |ctx| async move {
            ctx.on(listener)?;
            Ok(())
        });
        handles.push(world.root.agents().create(setup).await.unwrap());
    }
    world.log.take();
    for handle in handles {
        handle.dispose().await.unwrap();
    }
    let heard: Vec<String> = world.log.take().into_iter().filter(|entry| entry.contains("hears")).collect();
    assert_eq!(heard, ["root hears one", "one hears one", "root hears two", "two hears two"]);
}
