//! What else than the table of register-methods of `dsh-harness` holds of `register` and `set_factory` (A1, K9).

use dsh_agent::AgentsExt;

use crate::support::{Fakes, bare, id, options};

// A1
#[tokio::test]
async fn a_second_one_is_refused_and_told_the_owner_of_the_first() {
    let world = bare().await;
    let user = world.plugin("user").await;
    let agent = world.by_hand(&world.root, "by-hand");
    user.ctx().agents().register(&agent).unwrap();
    let error = world.root.agents().register(&agent).unwrap_err();
    assert_eq!((error.code(), error.first_owner().unwrap().to_string()), ("agent::duplicate_agent", "user".to_owned()));
    assert!(world.root.agents().get(&id("by-hand")).unwrap().is_some(), "the first stays");
    user.ctx().agents().set_factory(Fakes::new(&world.log)).unwrap();
    let error = world.root.agents().set_factory(Fakes::new(&world.log)).unwrap_err();
    assert_eq!(
        (error.code(), error.first_owner().unwrap().to_string()),
        ("agent::duplicate_factory", "user".to_owned())
    );
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
