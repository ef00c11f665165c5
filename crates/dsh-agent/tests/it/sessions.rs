//! An agent goes on with a session, whatever an earlier process left open in it (A2, A3).

use dsh_agent::{AgentOptions, Agents, AgentsExt, ErrorKind, NewSession};
use dsh_llm::{ContentBlock, Message, ToolCall};
use dsh_session::{
    Answered, CallStarted, Opened, Origin, Session, SessionEvent, SessionId, SessionsExt, TurnEnd, TurnStarted,
};
use dsh_system_prompt::RunContext;

use crate::support::{Fakes, bare, id, world};

#[tokio::test]
async fn resuming_ends_what_was_left_open_before_the_agent_begins() {
    let world = world().await;
    let session = Session::create(&world.store, Opened::new(id("old"))).unwrap();
    session.append(TurnStarted::new()).unwrap();
    let calls = ["a", "b"].map(|id| ContentBlock::ToolCall(ToolCall::new(id, "look", "{}")));
    session.append(Answered::new(1, Message::assistant(calls))).unwrap();
    session.append(CallStarted::new("a")).unwrap();
    drop(session);

    let handle = world.root.agents().resume(id("old"), AgentOptions::new("main")).await.unwrap();
    let records = handle.agent().session().records();
    let ended: Vec<_> = records
        .iter()
        .filter_map(|record| {
            let SessionEvent::CallEnded(ended) = &record.event else { return None };
            Some((ended.result.call_id.clone(), ended.code.clone().unwrap()))
        })
        .collect();
    let code = "session::interrupted".to_owned();
    assert_eq!(ended, [("a".to_owned(), code.clone()), ("b".to_owned(), code)]);
    let last = &records.last().unwrap().event;
    assert!(matches!(last, SessionEvent::TurnEnded(ended) if ended.end == TurnEnd::Interrupted));
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn a_session_that_is_not_there_or_that_somebody_writes_to_is_refused() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let gone = world.root.agents().resume(id("gone"), AgentOptions::new("main")).await.unwrap_err();
    assert_eq!(gone.code(), "session::not_found");
    let held = Session::create(&world.store, Opened::new(id("held"))).unwrap();
    let locked = world.root.agents().resume(id("held"), AgentOptions::new("main")).await.unwrap_err();
    assert_eq!(locked.code(), "session::locked");
    drop(held);
    world.assert_nothing_left(&before);
}

#[tokio::test]
async fn an_agent_takes_a_session_that_was_forked() {
    let world = world().await;
    let first = world.create("first").await;
    let fork = world.root.sessions().fork(&id("first"), 0, id("second")).unwrap();
    let second = world.root.agents().create(AgentOptions::new("main").session(fork)).await.unwrap();
    assert_eq!(second.agent().id(), &id("second"));
    first.dispose().await.unwrap();
    second.dispose().await.unwrap();
}

/// A3: the header of a fork tells of the agent that it was made for, and of its source only where it comes from.
#[tokio::test]
async fn a_forks_header_is_that_of_its_own_agent() {
    let world = world().await;
    let header = Opened::new(id("first")).agent("main").model("another").cwd("/srv/shop").parent(id("above"));
    drop(Session::create(&world.store, header).unwrap());
    let fork = NewSession::fork(id("first"), 0).named(id("second")).parent(id("first"));
    let options = AgentOptions::new("reviewer").session(fork).run(RunContext::new().cwd("/srv/harbour"));
    let handle = world.root.agents().create(options).await.unwrap();
    let mut own = Opened::new(id("second")).agent("reviewer").model("fake-1").cwd("/srv/harbour").parent(id("first"));
    own.forked_from = Some(Origin::new(id("first"), 0));
    assert_eq!(*handle.agent().session().opened(), own);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn the_plugin_names_the_sessions_of_agents_whose_options_do_not() {
    let world = bare().await;
    let sessions: SessionId = id("a-name");
    let kernel = dsh_kernel::Kernel::new();
    let root = kernel.root();
    root.plugin(dsh_session::Sessions::new(world.store.clone())).unwrap().ready().await.unwrap();
    root.plugin(Agents::new().ids(move || sessions.clone())).unwrap().ready().await.unwrap();
    root.agents().set_factory(Fakes::new(&world.log)).unwrap();
    let handle = root.agents().create(AgentOptions::new("main")).await.unwrap();
    assert_eq!(handle.agent().id(), &id("a-name"));
    kernel.shutdown().await.unwrap();
}

/// A3: which session it is, and whose work, is said by the session that it goes on with.
#[tokio::test]
async fn options_that_name_another_session_are_refused_where_one_is_resumed() {
    let world = world().await;
    drop(Session::create(&world.store, Opened::new(id("old"))).unwrap());
    let other = Session::create(&world.store, Opened::new(id("open"))).unwrap();
    let options = [
        AgentOptions::new("main").session(NewSession::new().named(id("other"))),
        AgentOptions::new("main").session(other),
        AgentOptions::new("main").session(NewSession::fork(id("old"), 0)),
        AgentOptions::new("main").session(NewSession::new().parent(id("other"))),
    ];
    for options in options {
        let error = world.root.agents().resume(id("old"), options).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::SessionChosen, "agent::session_chosen"));
    }
    world.root.agents().resume(id("old"), AgentOptions::new("main")).await.unwrap().dispose().await.unwrap();
}

/// A4: what asks the model says which it is; nobody else can say another.
#[tokio::test]
async fn the_model_that_is_told_is_the_drivers() {
    let world = world().await;
    let options = AgentOptions::new("main")
        .session(NewSession::new().named(id("a")))
        .run(RunContext::new().model("another").cwd("/srv"));
    let handle = world.root.agents().create(options).await.unwrap();
    let run = handle.agent().run().unwrap();
    assert_eq!((run.model_name(), run.cwd_shown()), (Some("fake-1"), Some("/srv")));
    assert_eq!(handle.agent().session().opened().model.as_deref(), Some("fake-1"));
    handle.dispose().await.unwrap();
}
