//! A turn from its message to its end: events, log and requests in their order (A4).

use std::sync::Arc;

use dsh_agent::{
    AgentOptions, AgentPreStep, AgentPromptSubmit, AgentRequest, AgentStatus, AgentStepResult, AgentStream,
    AgentToolCall, AgentToolResult, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart, CurrentAgent,
};
use dsh_llm::{ContentBlock, Message, ToolResult};
use dsh_session::{SessionEvent, TurnEnd, requests};
use dsh_system_prompt::{AssembleEvent, PromptSection, PromptVariable, RunContext, SystemPromptExt};
use dsh_tools::{PostExecuteEvent, PreExecuteEvent};

use crate::support::{Played, World, WorldBuilder, call, kinds, said};

// A4
#[tokio::test]
async fn a_turn_of_two_steps_goes_its_way_in_order() {
    let model = Played::answers([call([("c1", "look", "{}"), ("c2", "find", "{}")]), said("Done.")]);
    let world = World::new(model).await;
    world.tool("look");
    world.tool("find");
    let log = world.log.clone();
    let tell = |what: &'static str| {
        let log = log.clone();
        move || log.push(what)
    };
    macro_rules! emit {
        ($event:ty, $what:literal) => {{
            let tell = tell($what);
            world.root.on(move |_: &$event| tell()).unwrap();
        }};
    }
    macro_rules! serial {
        ($event:ty, $what:literal) => {{
            let tell = tell($what);
            world
                .root
                .on_serial(move |_: Arc<$event>| {
                    tell();
                    std::future::ready(Ok(None))
                })
                .unwrap();
        }};
    }
    macro_rules! waterfall {
        ($event:ty, $what:literal) => {{
            let tell = tell($what);
            world
                .root
                .on_waterfall::<$event, _>(move |value, _, next| {
                    tell();
                    next.run(value)
                })
                .unwrap();
        }};
    }
    emit!(AgentTurnStart, "turn-start");
    waterfall!(AgentPromptSubmit, "prompt-submit");
    waterfall!(AssembleEvent, "assemble");
    serial!(AgentPreStep, "pre-step");
    waterfall!(AgentRequest, "request");
    serial!(AgentStepResult, "step-result");
    emit!(AgentToolCall, "tool-call");
    waterfall!(PreExecuteEvent, "pre-execute");
    waterfall!(PostExecuteEvent, "post-execute");
    emit!(AgentToolResult, "tool-result");
    serial!(AgentTurnContinuation, "turn-continuation");
    emit!(AgentTurnEnd, "turn-end");
    let before = world.kernel.inspect().to_string();
    let handle = world.agent().await;
    assert_eq!(handle.agent().status(), AgentStatus::Idle);
    assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
    let step = ["assemble", "pre-step", "request", "step-result"];
    let entries = world.log.take();
    let mut expected = vec!["turn-start", "prompt-submit"];
    expected.extend(step);
    assert_eq!(entries[..6], expected);
    assert_eq!(entries[6..8], ["tool-call", "tool-call"]);
    let count = |what: &str| entries.iter().filter(|entry| *entry == what).count();
    assert_eq!((count("pre-execute"), count("post-execute"), count("tool-result")), (2, 2, 2));
    assert_eq!(entries[entries.len() - 6..], [&step[..], &["turn-continuation", "turn-end"]].concat());
    assert_eq!(
        kinds(&handle.agent().session().records()),
        [
            "turn_started",
            "input",
            "prompt",
            "request",
            "answered",
            "call_started",
            "call_started",
            "call_ended",
            "call_ended",
            "request",
            "answered",
            "turn_ended"
        ]
    );
    let summary = handle.agent().last_turn().unwrap();
    assert_eq!((summary.turn, summary.steps, summary.usage.input_tokens), (1, 2, 20));
    world.gone(handle, &before).await;
}

// A3: what the model got is what the log makes, to the byte.
#[tokio::test]
async fn every_request_is_rebuilt_from_the_log_to_the_byte() {
    let model = Played::answers([call([("c1", "look", r#"{"at":"\u00e9"}"#)]), said("Done."), said("More.")]);
    let world = World::new(model.clone()).await;
    world.tool("look");
    world
        .root
        .on_waterfall::<AgentRequest, _>(|mut request, event, next| async move {
            if event.step == 2 {
                request.messages.push(Message::user("A listener adds this."));
                request.max_output_tokens = Some(7);
            }
            next.run(request).await
        })
        .unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    world.turn(handle.agent(), "On").await;
    let rebuilt = requests(&handle.agent().session().records()).unwrap();
    let rebuilt: Vec<String> = rebuilt.iter().map(|rebuilt| rebuilt.request.to_json()).collect();
    assert_eq!(rebuilt, model.asked());
    assert_eq!(rebuilt.len(), 3);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn the_results_come_to_the_model_in_the_order_of_the_calls() {
    let model = Played::answers([call([("slow", "slow", "{}"), ("quick", "quick", "{}")]), said("Done.")]);
    let world = World::new(model).await;
    let gate = dsh_testkit::Gate::new();
    let (wait, open) = (gate.clone(), gate.clone());
    world.tool_by("slow", move |_| wait.clone().wait());
    world.tool_by("quick", move |_| {
        open.open();
        std::future::ready(())
    });
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    let results = ["slow", "quick"].map(|id| ToolResult::new(id, [ContentBlock::text(format!("did {id}"))]));
    assert_eq!(handle.agent().session().messages()[2], Message::tool_results(results));
    handle.dispose().await.unwrap();
}

// A4: the prompt is put together anew at each step, once.
#[tokio::test]
async fn the_prompt_is_assembled_once_a_step_and_knows_model_and_folder() {
    let model = Played::answers([call([("c1", "look", "{}")]), said("Done.")]);
    let world = WorldBuilder::new(model.clone()).persona("{{model}} in {{cwd}}, {{count}}").build().await;
    world.tool("look");
    let count = std::sync::atomic::AtomicUsize::new(0);
    let counted =
        PromptVariable::computed("count", move |_| count.fetch_add(1, std::sync::atomic::Ordering::SeqCst).to_string());
    world.root.system_prompt().variable(counted).unwrap();
    let handle = world.create(AgentOptions::new("main").run(RunContext::new().cwd("/srv"))).await;
    world.turn(handle.agent(), "Go").await;
    let asked = model.asked();
    assert!(asked[0].contains("played-1 in /srv, 0") && asked[1].contains("played-1 in /srv, 1"), "{asked:?}");
    handle.dispose().await.unwrap();
}

// A1: what is registered through an agent's context is in its prompt alone.
#[tokio::test]
async fn an_agent_sees_its_own_scope_and_the_global_layer() {
    let model = Played::answers([said("Done.")]);
    let world = World::new(model.clone()).await;
    let handle = world
        .create(AgentOptions::new("main").setup(|ctx| async move {
            ctx.system_prompt().section(PromptSection::new("own", 5, "Only for main."))?;
            Ok(())
        }))
        .await;
    let other = dsh_agent::AgentsExt::agents(&world.root)
        .create(AgentOptions::new("other").session(dsh_agent::NewSession::new().named(crate::support::id("other"))))
        .await
        .unwrap();
    world.turn(handle.agent(), "Go").await;
    other.agent().send(Message::user("Go")).unwrap();
    other.agent().when_idle().await;
    let asked = model.asked();
    assert!(asked[0].contains("Only for main.") && !asked[1].contains("Only for main."));
    handle.dispose().await.unwrap();
    other.dispose().await.unwrap();
}

// S10: a tool, and a listener of an assembly, know which agent they work for.
#[tokio::test]
async fn tools_know_whose_they_are() {
    let world = World::new(Played::answers([call([("c1", "who", "{}")]), said("Done.")])).await;
    let log = world.log.clone();
    world.tool_by("who", move |cx| {
        log.push(format!("for {}", cx.get::<CurrentAgent>().unwrap().agent().name()));
        std::future::ready(())
    });
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    world.log.assert(["run who c1", "for main"]);
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn what_streams_is_told_piece_by_piece() {
    let world = World::new(Played::answers([said("Done.")])).await;
    let log = world.log.clone();
    world.root.on(move |event: &AgentStream| log.push(format!("{:?}", event.event))).unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    let entries = world.log.take();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0], "Text(\"Done.\")");
    handle.dispose().await.unwrap();
}

// A3: the log has what is about to happen before it does.
#[tokio::test]
async fn a_call_is_in_the_log_before_its_tool_runs_and_the_request_before_the_model_is_asked() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let session: Arc<std::sync::Mutex<Option<dsh_session::Session>>> = Arc::default();
    let look = {
        let (seen, session) = (Arc::clone(&seen), Arc::clone(&session));
        move || {
            let session = session.lock().unwrap().clone().unwrap();
            seen.lock().unwrap().push(session.records().last().unwrap().event.kind());
        }
    };
    let of_model = look.clone();
    let model = Played::by(move |_, before| {
        of_model();
        if before == 0 { call([("c1", "look", "{}")]) } else { said("Done.") }
    });
    let world = World::new(model).await;
    world.tool_by("look", move |_| {
        look();
        std::future::ready(())
    });
    let handle = world.agent().await;
    *session.lock().unwrap() = Some(handle.agent().session().clone());
    world.turn(handle.agent(), "Go").await;
    assert_eq!(*seen.lock().unwrap(), ["request", "call_started", "request"]);
    session.lock().unwrap().take();
    handle.dispose().await.unwrap();
}

#[tokio::test]
async fn what_a_listener_attaches_to_a_result_comes_after_the_results() {
    let world = World::new(Played::answers([call([("c1", "look", "{}")]), said("Done.")])).await;
    world.tool("look");
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(|mut value, _, next| async move {
            value.attach(Message::user("By the way."));
            next.run(value).await
        })
        .unwrap();
    let handle = world.agent().await;
    world.turn(handle.agent(), "Go").await;
    assert_eq!(handle.agent().session().messages()[3], Message::user("By the way."));
    let attached = |record: &&Arc<dsh_session::Record>| matches!(record.event, SessionEvent::Attached(_));
    assert_eq!(handle.agent().session().records().iter().filter(attached).count(), 1);
    handle.dispose().await.unwrap();
}

// I81: some local servers give every call an empty id.
#[tokio::test]
async fn calls_of_one_id_get_ids_of_their_own_and_each_its_result() {
    for given in [["", ""], ["c", "c"]] {
        let [first, second] = given;
        let model = Played::answers([call([(first, "slow", "{}"), (second, "fast", "{}")]), said("Done.")]);
        let world = World::new(model).await;
        let gate = dsh_testkit::Gate::new();
        let (waiting, opening) = (gate.clone(), gate.clone());
        let _slow = world.tool_by("slow", move |_| {
            let waiting = waiting.clone();
            async move { waiting.wait().await }
        });
        let _fast = world.tool_by("fast", |_| std::future::ready(()));
        // The second one has ended before the first.
        world.root.on(move |_: &AgentToolResult| opening.open()).unwrap();
        let handle = world.agent().await;
        assert_eq!(world.turn(handle.agent(), "Go").await, TurnEnd::Completed);
        let messages = handle.agent().session().messages();
        let ids: Vec<&str> = messages[1].tool_calls().map(|call| call.id.as_str()).collect();
        assert!(ids[0] != ids[1] && !ids.contains(&""), "{ids:?}");
        let results = [("slow", ids[0]), ("fast", ids[1])];
        let results = results.map(|(name, id)| ToolResult::new(id, [ContentBlock::text(format!("did {name}"))]));
        assert_eq!(messages[2], Message::tool_results(results));
        handle.dispose().await.unwrap();
    }
}

// A4: the loop registers what nobody else does.
#[tokio::test]
async fn the_variable_that_nobody_else_gives_is_there() {
    for theirs in ["model", "cwd", "neither"] {
        let kernel = dsh_kernel::Kernel::new();
        let root = kernel.root();
        let config = dsh_system_prompt::PromptConfig::new();
        root.plugin(dsh_system_prompt::SystemPrompt::new(config)).unwrap().ready().await.unwrap();
        root.plugin(dsh_tools::Tools::new(dsh_tools::ToolsConfig::new())).unwrap().ready().await.unwrap();
        let store = dsh_session::MemoryStore::new();
        root.plugin(dsh_session::Sessions::new(store)).unwrap().ready().await.unwrap();
        root.plugin(dsh_agent::Agents::new()).unwrap().ready().await.unwrap();
        if theirs != "neither" {
            root.system_prompt().variable(PromptVariable::computed(theirs, |_| "theirs".to_owned())).unwrap();
        }
        let config = dsh_agent_loop::LoopConfig::new(Arc::new(Played::answers([said("Good.")])));
        root.plugin(dsh_agent_loop::AgentLoop::new(config)).unwrap().ready().await.unwrap();
        let view = root.system_prompt().view(None).unwrap();
        let names: Vec<String> = view.variables().map(|variable| variable.name.to_string()).collect();
        assert!(names.contains(&"model".to_owned()) && names.contains(&"cwd".to_owned()), "{theirs}: {names:?}");
    }
}
