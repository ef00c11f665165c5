//! The calls of one step (T5).

use dsh_llm::ToolCall;
use dsh_testkit::{Gate, Log};
use dsh_tools::{Executed, Tool, ToolsConfig, ToolsExt};

use crate::support::{World, anybody, register, text, tool, until, world, world_with};

/// A tool that logs its begin and its end, and ends when its gate opens.
fn gated(name: &'static str, gate: &Gate, log: &Log) -> Tool {
    let (gate, log) = (gate.clone(), log.clone());
    tool(name, move |_| {
        let (gate, log) = (gate.clone(), log.clone());
        async move {
            log.push(format!("{name} begins"));
            gate.wait().await;
            log.push(format!("{name} ends"));
            Ok(name.into())
        }
    })
}

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().enumerate().map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}")).collect()
}

fn results(all: &[Executed]) -> Vec<(String, String)> {
    all.iter().map(|executed| (executed.result.call_id.clone(), text(executed))).collect()
}

fn row(id: &str, text: &str) -> (String, String) {
    (id.to_owned(), text.to_owned())
}

/// T5: side by side, results in the order of the calls whatever the order of their ends.
#[tokio::test]
async fn calls_run_side_by_side_and_results_stand_in_their_order() {
    let (world, log) = (world().await, Log::new());
    let (a, b, c) = (Gate::new(), Gate::new(), Gate::new());
    for (name, gate) in [("a", &a), ("b", &b), ("c", &c)] {
        world.root.tools().register(gated(name, gate, &log)).unwrap();
    }
    let step = tokio::spawn(world.root.tools().execute_all(calls(&["a", "b", "c", "missing"]), anybody()));
    for gate in [&a, &b, &c] {
        gate.reached().await;
    }
    log.assert(["a begins", "b begins", "c begins"]);
    for (gate, end) in [(&c, "c ends"), (&a, "a ends"), (&b, "b ends")] {
        gate.open();
        until(|| !log.is_empty()).await;
        log.assert([end]);
    }
    let all = step.await.unwrap();
    assert_eq!(
        results(&all),
        [
            row("c0", "a"),
            row("c1", "b"),
            row("c2", "c"),
            row("c3", "there is no tool `missing`; there are: `a`, `b`, `c`")
        ]
    );
}

/// T5: an exclusive call begins when all before it have ended, and those after it when it has.
#[tokio::test]
async fn an_exclusive_call_runs_alone() {
    let (world, log) = (world().await, Log::new());
    let (a, alone, b) = (Gate::new(), Gate::new(), Gate::new());
    world.root.tools().register(gated("a", &a, &log)).unwrap();
    world.root.tools().register(gated("alone", &alone, &log).exclusive()).unwrap();
    world.root.tools().register(gated("b", &b, &log)).unwrap();
    let step = tokio::spawn(world.root.tools().execute_all(calls(&["a", "a", "alone", "b"]), anybody()));
    until(|| a.waiting() == 2).await;
    settle().await;
    log.assert(["a begins", "a begins"]);
    a.open();
    alone.reached().await;
    settle().await;
    log.assert(["a ends", "a ends", "alone begins"]);
    alone.open();
    b.reached().await;
    log.assert(["alone ends", "b begins"]);
    b.open();
    assert_eq!(results(&step.await.unwrap()), [row("c0", "a"), row("c1", "a"), row("c2", "alone"), row("c3", "b")]);
}

/// T5: not more side by side than configured.
#[tokio::test]
async fn no_more_run_side_by_side_than_is_configured() {
    let (world, log, gate) = (world_with(ToolsConfig::new().concurrency(2)).await, Log::new(), Gate::new());
    world.root.tools().register(gated("a", &gate, &log)).unwrap();
    let step = tokio::spawn(world.root.tools().execute_all(calls(&["a"; 7]), anybody()));
    until(|| gate.waiting() == 2).await;
    settle().await;
    assert_eq!(log.len(), 2);
    gate.open();
    assert_eq!(step.await.unwrap().len(), 7);
}

/// T4, T5: one that fails or panics does nothing to the others.
#[tokio::test]
async fn one_call_that_breaks_down_costs_no_other() {
    let world: World = world().await;
    register(&world.root, &["well"]);
    world.root.tools().register(tool("bomb", |_| async { panic!("tool bomb") })).unwrap();
    let all = world.root.tools().execute_all(calls(&["bomb", "well", "bomb"]), anybody()).await;
    let codes: Vec<_> = all.iter().map(|executed| executed.code).collect();
    assert_eq!(codes, [Some("tools::panicked"), None, Some("tools::panicked")]);
}

/// T5: no calls, no results.
#[tokio::test]
async fn a_step_without_calls_has_no_results() {
    let world = world().await;
    assert!(world.root.tools().execute_all([], anybody()).await.is_empty());
}

async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
