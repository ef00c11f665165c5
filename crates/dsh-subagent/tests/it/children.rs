//! The two shipped providers, and what a request may set (G2).

use std::path::Path;

use dsh_agent::{AgentOptions, AgentsExt};
use dsh_agent_loop::LoopOptions;
use dsh_kernel::Failure;
use dsh_llm::{Message, ScriptedModel};
use dsh_session::{SessionEvent, SessionStore as _, TurnLimit};
use dsh_subagent::{ChildOptions, Lineage, Spawn, SubagentRequest, SubagentResult, SubagentStop, SubagentsExt};
use dsh_system_prompt::{PromptSection, RunContext, SystemPromptExt};
use dsh_template::Text;
use dsh_tools::ToolFilter;
use std::sync::Arc;

use crate::support::{made, register, say, text_of, world, world_with};

const GOOD: &str = "
    [[rules]]
    contains = 'fail'
    answer = 'So far'
    fail = 'unauthorized'

    [[rules]]
    answer = 'Good: {{last}}'
    usage = { input = 10, output = 3 }
";

/// G2: a fresh child, which knows its prompt alone, and has a session of its own that notes its parent.
#[tokio::test]
async fn spawn_makes_a_fresh_child() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Remember 7.").await;
    let before = world.tree();
    let result = world.run("spawn", parent.agent(), SubagentRequest::new("Which?").name("helper")).await;
    assert_eq!((&result.stop, &*result.text, result.steps), (&SubagentStop::Completed, "Good: Which?", 1));
    assert_eq!((result.usage.input_tokens, result.usage.output_tokens), (10, 3));
    let asked = world.model.asked("Which?");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].messages, [Message::user("Which?")]);
    assert_eq!(&*asked[0].model, "test");
    let SessionEvent::Opened(opened) = &world.log(result.session.as_ref().unwrap())[0] else { panic!("no header") };
    assert_eq!((&*opened.agent, opened.parent.as_ref()), ("helper", Some(parent.agent().id())));
    assert_eq!(opened.forked_from, None);
    // The work of its parent has a place from its first child on.
    assert_eq!(world.tree().replace("    work [active]\n", ""), before.replace("    work [active]\n", ""));
    parent.dispose().await.unwrap();
    world.assert_closed();
}

/// G2: a child that begins with its parent's completed turns, and without the one under way.
#[tokio::test]
async fn fork_makes_a_child_that_knows_the_completed_turns() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Remember 7.").await;
    let gate = world.model.gate("Think.");
    parent.agent().send(Message::user("Think.")).unwrap();
    gate.reached().await;
    let result = world.run("fork", parent.agent(), SubagentRequest::new("Which?").context()).await;
    assert_eq!(result.text, "Good: Which?");
    let asked = &world.model.asked("Which?")[0];
    let texts: Vec<String> = asked.messages.iter().map(text_of).collect();
    assert_eq!(texts, ["Remember 7.", "Good: Remember 7.", "Which?"]);
    let SessionEvent::Opened(opened) = &world.log(result.session.as_ref().unwrap())[0] else { panic!("no header") };
    let origin = opened.forked_from.as_ref().unwrap();
    assert_eq!((&origin.session, origin.turn), (parent.agent().id(), 1));
    assert_eq!(opened.parent.as_ref(), Some(parent.agent().id()));
    gate.open();
    parent.agent().when_idle().await;
    // The child has left no trace in its parent.
    assert_eq!(parent.agent().session().messages().len(), 4);
    let again = world.run("fork", parent.agent(), SubagentRequest::new("And now?")).await;
    assert_eq!(again.text, "Good: And now?");
    assert_eq!(world.model.asked("And now?")[0].messages.len(), 5);
}

/// G2: what was copied for a child goes where the child is not made, whatever ends it.
#[tokio::test]
async fn a_fork_that_is_ended_while_its_child_is_made_leaves_no_session() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Remember 7.").await;
    let gate = dsh_testkit::Gate::new();
    let waiting = gate.clone();
    let held = world.root.on_serial(move |_: Arc<dsh_agent::AgentSessionStart>| {
        let wait = waiting.wait();
        async move {
            wait.await;
            Ok(None)
        }
    });
    held.unwrap();
    for disposed in [false, true] {
        let request = SubagentRequest::new("Which?").parent(parent.agent());
        let scope = world.root.scope("starts").unwrap();
        let run = scope.ctx().subagents().start("fork", request).unwrap();
        let mut reached = Box::pin(gate.reached());
        crate::support::until(|| dsh_testkit::poll_once(&mut reached).is_ready()).await;
        crate::support::until(|| world.store.list().unwrap().len() == 2).await;
        if disposed {
            scope.dispose().await.unwrap();
        } else {
            run.cancel();
        }
        run.result().await;
        assert_eq!(world.store.list().unwrap().len(), 1, "{disposed}");
    }
}

/// G2: one that has no turn yet is forked with none; there has to be one.
#[tokio::test]
async fn a_fork_of_nothing_is_empty_and_of_nobody_fails() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    let result = world.run("fork", parent.agent(), SubagentRequest::new("Which?")).await;
    assert_eq!((result.stop.as_str(), world.model.asked("Which?")[0].messages.len()), ("completed", 1));
    let sessions = world.store.list().unwrap().len();
    let orphan = world.root.subagents().start("fork", SubagentRequest::new("x")).unwrap().result().await;
    assert!(matches!(&orphan.stop, SubagentStop::Failed { code, .. } if code == "subagent::no_parent"), "{orphan:?}");
    assert_eq!(world.store.list().unwrap().len(), sessions);
}

/// G2: a child that cannot be made leaves no session of its own, forked or not.
#[tokio::test]
async fn a_child_that_is_not_made_leaves_nothing() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Remember 7.").await;
    let (before, sessions) = (world.tree(), world.store.list().unwrap().len());
    for provider in ["spawn", "fork"] {
        let request = SubagentRequest::new("x").tools(ToolFilter::new().allow(["raed"]));
        let result = world.run(provider, parent.agent(), request).await;
        assert!(
            matches!(&result.stop, SubagentStop::Failed { code, .. } if code == "tools::unknown_tool"),
            "{result:?}"
        );
        assert_eq!(world.store.list().unwrap().len(), sessions, "{provider}");
    }
    assert_eq!(world.tree().replace("    work [active]\n", ""), before);
    assert!(world.model.asked("x").is_empty());
}

/// G2: a `deployment:persona` for the child alone; a raw one is never scanned.
#[tokio::test]
async fn a_persona_is_the_childs_alone() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    for provider in ["spawn", "fork"] {
        let request = SubagentRequest::new("Which?").persona(Text::raw("You count {{things}}."));
        assert!(world.run(provider, parent.agent(), request).await.is_completed());
    }
    say(parent.agent(), "And you?").await;
    let persona = |text: &str| world.model.asked(text).iter().map(|asked| asked.system.to_string()).collect::<Vec<_>>();
    for system in persona("Which?") {
        assert!(system.contains("You count {{things}}.") && !system.contains("You work."), "{system}");
    }
    assert!(persona("And you?")[0].contains("You work."));
    // One that is malformed fails the child's first step, and not the provider.
    let result = world.run("spawn", parent.agent(), SubagentRequest::new("x").persona("{{no_such}}")).await;
    assert!(
        matches!(&result.stop, SubagentStop::Failed { code, .. } if code == "prompt::unknown_variable"),
        "{result:?}"
    );
}

/// G2: a child that fails says so, with what it had said.
#[tokio::test]
async fn a_failing_child_resolves_with_its_reason() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    let result = world.run("spawn", parent.agent(), SubagentRequest::new("fail")).await;
    assert!(matches!(&result.stop, SubagentStop::Failed { code, .. } if code == "model::unauthorized"), "{result:?}");
    let limited = LoopOptions::new().limits(dsh_agent_loop::TurnLimits::new().steps(0));
    let tired = world.agent_with("tired", limited).await;
    let result = world.run("spawn", tired.agent(), SubagentRequest::new("x")).await;
    assert_eq!(result.stop, SubagentStop::limit(TurnLimit::Steps));
}

/// G2: otherwise a child is driven as its parent is: model, folder.
#[tokio::test]
async fn a_child_has_its_parents_model_and_folder() {
    let world = world(GOOD).await;
    let other = ScriptedModel::parse("name = 'other'\n[[rules]]\nanswer = 'From the other.'").unwrap();
    let options = AgentOptions::new("main").run(RunContext::new().cwd("/srv/shop"));
    let options = options.with(LoopOptions::new().model(Arc::new(other)));
    let parent = world.root.agents().create(options).await.unwrap();
    let (seen, ctx) = (Arc::new(std::sync::Mutex::new(None)), &world.root);
    let keep = Arc::clone(&seen);
    register(
        ctx,
        made("looks", move |job| {
            let keep = Arc::clone(&keep);
            async move {
                let child = job.agent(ChildOptions::new()).await?;
                let run = child.run().unwrap();
                *keep.lock().unwrap() = Some((run.model_name().map(str::to_owned), run.cwd_path().map(Path::to_owned)));
                job.converse(&child).await
            }
        }),
    );
    let result = world.run("looks", parent.agent(), SubagentRequest::new("x")).await;
    assert_eq!(result.text, "From the other.");
    let seen = seen.lock().unwrap().take().unwrap();
    assert_eq!(seen, (Some("other".to_owned()), Some(Path::new("/srv/shop").to_owned())));
}

/// G2: a kind of agent of the deployment's own; a request's persona stands before its.
#[tokio::test]
async fn a_named_spawn_is_a_kind_of_agent() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    let reviewer =
        Spawn::named("reviewer").description("reviews").persona("You review.").tools(ToolFilter::new().allow(["read"]));
    world.root.subagents().register_provider(reviewer).unwrap();
    assert!(world.run("reviewer", parent.agent(), SubagentRequest::new("one")).await.is_completed());
    let both = SubagentRequest::new("two").persona("You count.").tools(ToolFilter::new().deny(["write"]));
    assert!(world.run("reviewer", parent.agent(), both).await.is_completed());
    let seen = |text: &str| {
        let asked = world.model.asked(text).remove(0);
        let tools: Vec<String> = asked.tools.iter().map(|tool| tool.name().to_owned()).collect();
        (asked.system.to_string(), tools)
    };
    assert_eq!(seen("one"), ("You review.".to_owned(), vec!["read".to_owned()]));
    assert_eq!(seen("two"), ("You count.".to_owned(), vec!["read".to_owned()]));
}

/// A provider's own part in making a child comes after what bounds it, and its failure undoes the child.
#[tokio::test]
async fn a_provider_can_do_more_to_its_child() {
    let world = world(GOOD).await;
    let parent = world.agent("main").await;
    register(
        &world.root,
        made("more", |job| async move {
            let options = ChildOptions::new().setup(|ctx| async move {
                ctx.system_prompt().section(PromptSection::new("more", 50, "And more."))?;
                Ok(())
            });
            let child = job.agent(options).await?;
            assert_eq!(child.get::<Lineage>(), Some(job.lineage()));
            job.converse(&child).await
        }),
    );
    register(
        &world.root,
        made("less", |job| async move {
            let options = ChildOptions::new().setup(|_| async { Err(Failure::msg("not today")) });
            job.agent(options).await?;
            Ok(SubagentResult::completed("never"))
        }),
    );
    assert!(world.run("more", parent.agent(), SubagentRequest::new("one")).await.is_completed());
    assert!(world.model.asked("one")[0].system.contains("And more."));
    let result = world.run("less", parent.agent(), SubagentRequest::new("two")).await;
    assert!(
        matches!(&result.stop, SubagentStop::Failed { message, .. } if message.contains("not today")),
        "{result:?}"
    );
    assert_eq!(world.root.agents().list().unwrap().len(), 1);
}

/// A run for nobody: the host's own.
#[tokio::test]
async fn the_host_can_start_one_for_nobody() {
    let world =
        world_with(GOOD, dsh_subagent::SubagentsConfig::new().depth(1), dsh_agent_loop::TurnLimits::new()).await;
    let before = world.tree();
    let run = world.root.subagents().start("spawn", SubagentRequest::new("Which?")).unwrap();
    let result = run.result().await;
    assert_eq!(result.text, "Good: Which?");
    assert!(run.agent().is_none());
    let SessionEvent::Opened(opened) = &world.log(result.session.as_ref().unwrap())[0] else { panic!("no header") };
    assert_eq!((&*opened.agent, &opened.parent), ("spawn", &None));
    assert_eq!(world.tree(), before);
}
