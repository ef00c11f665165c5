//! Agent and scope come together or not at all (S10), and an agent's context is its own (A1).

use std::sync::Arc;

use dsh_agent::{Agent, AgentOptions, AgentsExt, CurrentAgent, NewSession, assemble_context_for};
use dsh_session::{MemoryStore, Opened, Session};
use dsh_system_prompt::{AssembleContext, RunContext};

use crate::support::{Fake, id, options, world};

struct Budget(u32);

#[tokio::test]
async fn the_context_of_an_agent_has_its_scope_the_agent_its_run_and_its_fields() {
    let world = world().await;
    let made = options("main").run(RunContext::new().cwd("/srv/shop")).with(Budget(3));
    let handle = world.root.agents().create(made).await.unwrap();
    let agent = handle.agent();
    let cx = assemble_context_for(agent);
    assert_eq!(cx.scope(), Some(agent.scope_key()));
    assert_eq!(cx.get::<CurrentAgent>().unwrap().agent(), agent);
    let run = cx.get::<RunContext>().unwrap();
    assert_eq!((run.model_name(), run.cwd_shown()), (Some("fake-1"), Some("/srv/shop")), "the model is the factory's");
    assert_eq!(cx.get::<Budget>().unwrap().0, 3);
    assert_eq!(agent.get::<Budget>().unwrap().0, 3);
    let opened = agent.session().opened();
    assert_eq!(
        (&*opened.agent, opened.model.as_deref(), opened.cwd.as_deref()),
        ("main", Some("fake-1"), Some("/srv/shop"))
    );
    handle.dispose().await.unwrap();
}

// S10
#[tokio::test]
async fn an_agent_in_a_context_without_its_scope_is_no_current_agent() {
    let world = world().await;
    let handle = world.create("main").await;
    let cx = AssembleContext::new().with(handle.agent().clone());
    assert!(cx.get::<CurrentAgent>().is_none());
    handle.dispose().await.unwrap();
}

// S10
#[tokio::test]
async fn an_agent_without_a_scope_cannot_be_made() {
    let world = world().await;
    let session = Session::create(&MemoryStore::new(), Opened::new(id("main"))).unwrap();
    let driver = Arc::new(Fake::new(&world.log));
    let error = Agent::new("main", &world.root, session, RunContext::new(), driver).unwrap_err();
    assert_eq!(error.code(), "agent::unscoped");
}

// K10: who makes agents injects the agents, and nothing else.
#[tokio::test]
async fn a_plugin_that_makes_agents_need_not_inject_the_sessions() {
    let world = world().await;
    let user = world.plugin("user").await;
    let handle = user.ctx().agents().create(options("main")).await.unwrap();
    assert_eq!(handle.agent().ctx().owner().to_string(), "user/main");
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_child_made_through_its_parents_context_leaves_with_it() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let parent = world.create("parent").await;
    let child = parent
        .agent()
        .ctx()
        .agents()
        .create(AgentOptions::new("child").session(NewSession::new().named(id("child"))))
        .await
        .unwrap();
    assert_ne!(child.agent().scope_key(), parent.agent().scope_key());
    drop(child);
    parent.dispose().await.unwrap();
    world.assert_nothing_left(&before);
}
