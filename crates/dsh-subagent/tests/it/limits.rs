//! How deep, how wide, and how much (G3).

use std::time::Duration;

use dsh_agent_loop::{LoopOptions, TurnLimits};
use dsh_session::{SessionEvent, TurnEnd, TurnLimit};
use dsh_subagent::{ErrorKind, SubagentRequest, SubagentStop, SubagentsConfig, SubagentsExt};
use dsh_testkit::Gate;

use crate::support::{last_text, made, register, say, until, world, world_with};

/// Goes down a level where it can.
const DOWN: &str = r#"
    [[rules]]
    from = "user"
    contains = "down"
    calls = [{ tool = "task", arguments = { description = "down", prompt = "Go down." } }]
    usage = { input = 8, output = 2 }

    [[rules]]
    from = "tool"
    answer = "[{{last}}]"
    usage = { input = 8, output = 2 }

    [[rules]]
    answer = "Good."
    usage = { input = 8, output = 2 }
"#;

/// G3
#[tokio::test]
async fn depth_is_limited_by_configuration_and_by_request() {
    for (config, asked, levels) in [(3, None, 3), (1, None, 1), (3, Some(0), 1), (3, Some(1), 2), (2, Some(9), 2)] {
        let world = world_with(DOWN, SubagentsConfig::new().depth(config), TurnLimits::new()).await;
        let parent = world.agent("main").await;
        let mut request = SubagentRequest::new("Go down.");
        if let Some(asked) = asked {
            request = request.depth(asked);
        }
        let result = world.run("spawn", parent.agent(), request).await;
        assert!(result.is_completed());
        // The last one calls what it is not offered, and reads that it is denied.
        let denied = format!("{}the tool `task` is denied", "[".repeat(levels));
        assert!(result.text.starts_with(&denied), "{config} {asked:?}: {}", result.text);
        assert_eq!(world.root.subagents().running().unwrap().len(), 0);
    }
    let world = world_with(DOWN, SubagentsConfig::new().depth(0), TurnLimits::new()).await;
    let parent = world.agent("main").await;
    let refused = world.root.subagents().start("spawn", SubagentRequest::new("x").parent(parent.agent())).unwrap_err();
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::TooDeep, "subagent::too_deep"));
}

/// G3: of one agent, and in all; a place is free again when a run is over.
#[tokio::test]
async fn width_is_limited_for_one_agent_and_in_all() {
    let world = world_with(DOWN, SubagentsConfig::new().width(2).total(3), TurnLimits::new()).await;
    let (gate, one, two) = (Gate::new(), world.agent("one").await, world.agent("two").await);
    let waits = gate.clone();
    register(
        &world.root,
        made("waits", move |_| {
            let wait = waits.wait();
            async move {
                wait.await;
                Ok(dsh_subagent::SubagentResult::completed("done"))
            }
        }),
    );
    let start = |agent: &dsh_agent::AgentHandle| {
        world.root.subagents().start("waits", SubagentRequest::new("x").parent(agent.agent()))
    };
    let runs = [start(&one).unwrap(), start(&one).unwrap()];
    let before = world.tree();
    let refused = start(&one).unwrap_err();
    assert_eq!(refused.code(), "subagent::too_many");
    assert!(refused.to_string().contains("2 subagents of this agent run already"), "{refused}");
    let third = start(&two).unwrap();
    let refused = start(&two).unwrap_err();
    assert!(refused.to_string().contains("3 subagents in all run already"), "{refused}");
    third.cancel();
    assert_eq!(third.result().await.stop, SubagentStop::Cancelled);
    assert_eq!(world.tree().replace("    work [active]\n", ""), before.replace("    work [active]\n", ""));
    start(&two).unwrap();
    gate.open();
    for run in runs {
        assert!(run.result().await.is_completed());
    }
    until(|| world.root.subagents().running().unwrap().is_empty()).await;
}

/// G3: the steps of a turn are those of all that is done on its behalf.
#[tokio::test]
async fn a_turns_steps_hold_for_all_under_it() {
    // Main, child, grandchild, and their answers: of each two steps but the last one's; the third level may not go down.
    for (steps, ends) in [(20, true), (3, false)] {
        let limits = TurnLimits::new().steps(steps).same_calls(None);
        let world = world_with(DOWN, SubagentsConfig::new().depth(2), limits).await;
        let parent = world.agent("main").await;
        say(parent.agent(), "Go down.").await;
        let last = parent.agent().last_turn().unwrap();
        let end = if ends { TurnEnd::Completed } else { TurnEnd::limit(TurnLimit::Steps) };
        assert_eq!(last.end, end, "{steps}");
        assert!(world.model.count() <= usize::try_from(steps).unwrap(), "{} requests", world.model.count());
        if !ends {
            assert_eq!(world.model.count(), 3);
        }
    }
}

/// G3: the same for tokens.
#[tokio::test]
async fn a_turns_tokens_hold_for_all_under_it() {
    let world = world_with(DOWN, SubagentsConfig::new().depth(2), TurnLimits::new().tokens(25)).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Go down.").await;
    assert_eq!(parent.agent().last_turn().unwrap().end, TurnEnd::limit(TurnLimit::Tokens));
    assert_eq!(world.model.count(), 3, "10 tokens each: the third goes over");
    let results = world
        .log(parent.agent().id())
        .into_iter()
        .filter_map(|event| if let SessionEvent::CallEnded(ended) = event { Some(ended.result) } else { None });
    let texts: Vec<String> =
        results.map(|result| crate::support::text_of(&dsh_llm::Message::tool_results([result]))).collect();
    assert!(texts[0].contains("the agent reached a limit: tokens"), "{texts:?}");
}

/// G3: a child's own limits hold too; a retry is a turn of its own, under the same budget.
#[tokio::test]
async fn a_childs_own_limit_ends_the_child_alone() {
    let world = world(DOWN).await;
    let parent = world.agent_with("main", LoopOptions::new().limits(TurnLimits::new().steps(2))).await;
    // Two steps for the parent's turn: the call, and what it makes of the result; the child takes one of them.
    assert!(!say(parent.agent(), "Go down.").await.is_empty());
    assert_eq!(parent.agent().last_turn().unwrap().end, TurnEnd::limit(TurnLimit::Steps));
}

/// G3: the time of a turn is the time of all under it; what is under way then ends.
#[tokio::test]
async fn a_turns_time_holds_for_all_under_it() {
    let limits = TurnLimits::new().time(Duration::from_mins(1));
    let world = world_with(DOWN, SubagentsConfig::new().depth(1), limits).await;
    let parent = world.agent("main").await;
    let gate = world.model.gate("denied");
    parent.agent().send(dsh_llm::Message::user("Go down.")).unwrap();
    gate.reached().await;
    assert_eq!(world.root.subagents().running().unwrap().len(), 1);
    world.clock.advance(Duration::from_secs(61));
    parent.agent().when_idle().await;
    assert_eq!(parent.agent().last_turn().unwrap().end, TurnEnd::limit(TurnLimit::Time));
    until(|| world.root.subagents().running().unwrap().is_empty()).await;
    assert!(!last_text(parent.agent()).is_empty());
}

/// A provider that never ends is ended by the budget's time.
#[tokio::test]
async fn a_provider_that_never_ends_is_ended_by_time() {
    let limits = TurnLimits::new().time(Duration::from_mins(1));
    let world = world_with(
        "[[rules]]\nfrom = 'user'\ncalls = [{ tool = 'task', arguments = { description = 'd', prompt = 'p', agent = 'endless' } }]\n[[rules]]\nanswer = 'x'",
        SubagentsConfig::new(),
        limits,
    )
    .await;
    let gate = Gate::new();
    let waits = gate.clone();
    register(
        &world.root,
        made("endless", move |_| {
            let wait = waits.wait();
            async move {
                wait.await;
                std::future::pending().await
            }
        }),
    );
    let parent = world.agent("main").await;
    parent.agent().send(dsh_llm::Message::user("Go.")).unwrap();
    gate.reached().await;
    let run = world.root.subagents().running().unwrap().remove(0);
    world.clock.advance(Duration::from_secs(61));
    let stop = run.result().await.stop.clone();
    assert!(matches!(stop, SubagentStop::Limit { which: TurnLimit::Time, .. } | SubagentStop::Cancelled), "{stop}");
    parent.agent().when_idle().await;
    assert_eq!(gate.waiting(), 0);
}

/// G3: also where whoever starts a child says only for whom.
#[tokio::test]
async fn a_child_takes_from_its_parents_turn_without_being_told_to() {
    let world = world(DOWN).await;
    let options = LoopOptions::new().limits(TurnLimits::new().steps(2));
    let parent = world.agent_with("main", options).await;
    let gate = world.model.gate("Hold.");
    parent.agent().send(dsh_llm::Message::user("Hold.")).unwrap();
    gate.reached().await;
    assert!(world.run("spawn", parent.agent(), SubagentRequest::new("One.")).await.is_completed());
    let second = world.run("spawn", parent.agent(), SubagentRequest::new("Two.")).await;
    assert_eq!(second.stop, SubagentStop::limit(TurnLimit::Steps));
    gate.open();
    parent.agent().when_idle().await;
    // Between turns there is nothing to take from.
    assert!(world.run("spawn", parent.agent(), SubagentRequest::new("Three.")).await.is_completed());
}

/// A step that is asked again is one step.
#[tokio::test]
async fn a_step_that_is_tried_again_counts_once() {
    let world = world("[[rules]]\nfail = 'overloaded'").await;
    let options = LoopOptions::new().retries(dsh_agent_loop::Retries::new().times(2));
    let parent = world.agent_with("main", options).await;
    let run = world.root.subagents().start("spawn", SubagentRequest::new("x").parent(parent.agent())).unwrap();
    let result = crate::support::patiently(&world.clock, Box::pin(run.result())).await;
    assert_eq!((world.model.count(), result.steps), (3, 1));
}
