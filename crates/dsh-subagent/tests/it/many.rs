//! Many at once (G3).

use dsh_agent_loop::TurnLimits;
use dsh_subagent::{SubagentRequest, SubagentStop, SubagentsConfig, SubagentsExt};

use crate::support::{until, world_with};

const GOOD: &str = "[[rules]]\ncontains = 'wait'\nanswer = 'waited'\n[[rules]]\nanswer = 'Good: {{last}}'";

/// G3: a hundred children of one parent, on threads; each has its own answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_children_work_side_by_side() {
    let world = world_with(GOOD, SubagentsConfig::new().width(100).total(100), TurnLimits::new()).await;
    let parent = world.agent("main").await;
    let start = |number: usize| {
        let provider = if number.is_multiple_of(2) { "spawn" } else { "fork" };
        world
            .root
            .subagents()
            .start(provider, SubagentRequest::new(format!("number {number}")).parent(parent.agent()))
            .unwrap()
    };
    let runs: Vec<_> = (0..100).map(start).collect();
    for (number, run) in runs.into_iter().enumerate() {
        let result = run.result().await;
        assert_eq!((&result.stop, &*result.text), (&SubagentStop::Completed, &*format!("Good: number {number}")));
    }
    until(|| world.root.subagents().running().unwrap().is_empty()).await;
    parent.dispose().await.unwrap();
    world.assert_closed();
}

/// G3: a hundred that are under way end with their parent.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_children_end_with_their_parent() {
    let world = world_with(GOOD, SubagentsConfig::new().width(100).total(100), TurnLimits::new()).await;
    let before = world.tree();
    let parent = world.agent("main").await;
    let gate = world.model.gate("wait");
    let start = |_| world.root.subagents().start("spawn", SubagentRequest::new("wait").parent(parent.agent())).unwrap();
    let runs: Vec<_> = (0..100).map(start).collect();
    // On threads, how often one looks says nothing of how far they are.
    while gate.waiting() < 100 {
        tokio::task::yield_now().await;
    }
    parent.dispose().await.unwrap();
    for run in runs {
        assert_eq!(run.result().await.stop, SubagentStop::Disposed);
    }
    assert_eq!(gate.waiting(), 0);
    assert_eq!(world.tree(), before);
    world.assert_closed();
}

/// K15 in small: many rounds leave nothing.
#[tokio::test]
async fn many_rounds_leave_nothing() {
    let world = world_with(GOOD, SubagentsConfig::new(), TurnLimits::new()).await;
    let parent = world.agent("main").await;
    world.run("spawn", parent.agent(), SubagentRequest::new("x")).await;
    let before = world.tree();
    for _ in 0..200 {
        let run = world.root.subagents().start("spawn", SubagentRequest::new("x").parent(parent.agent())).unwrap();
        run.cancel();
        run.result().await;
    }
    assert_eq!(world.tree(), before);
}
