//! Whoever keeps a log is told of each call at its two ends (T4).

use std::sync::Arc;

use dsh_kernel::{Canceller, Failure};
use dsh_llm::ToolCall;
use dsh_testkit::{Gate, Log};
use dsh_tools::{CallObserver, ExecuteContext, Executed, PostExecuteEvent, PreExecuteEvent, ToolContext, ToolsExt};

use crate::support::{World, anybody, register, shown, text, tool, world};

/// What an observer does when it is told of a beginning.
#[derive(Clone, Copy)]
enum Begins {
    Well,
    Fails,
    Panics,
}

struct Told {
    log: Log,
    begins: Begins,
    end_panics: bool,
}

impl CallObserver for Told {
    #[expect(clippy::panic, reason = "foreign code that panics is part of what is tested")]
    fn begins(&self, call: &ToolCall) -> Result<(), Failure> {
        self.log.push(format!("begins {} {}", call.id, call.arguments));
        match self.begins {
            Begins::Well => Ok(()),
            Begins::Fails => Err(Failure::msg("the disk is full")),
            Begins::Panics => panic!("the disk is full"),
        }
    }

    fn ended(&self, call: &ToolCall, executed: &Executed) {
        self.log.push(format!("ended {} {:?} {}", call.id, executed.code, executed.began));
        assert!(!self.end_panics, "the disk is full");
    }
}

fn told(log: &Log, begins: Begins, end_panics: bool) -> ExecuteContext {
    anybody().observer(Arc::new(Told { log: log.clone(), begins, end_panics }))
}

fn watched(log: &Log) -> ExecuteContext {
    told(log, Begins::Well, false)
}

/// A world with a tool that says in the log when it runs.
async fn logged() -> (World, Log) {
    let (world, log) = (world().await, Log::new());
    let ran = log.clone();
    let runs = move |_: ToolContext| {
        ran.push("runs");
        async { Ok("done".into()) }
    };
    world.root.tools().register(tool("t", runs)).unwrap();
    (world, log)
}

/// T4: after arguments, listeners and approval, and before the tool; and after the last listener has seen the result.
#[tokio::test]
async fn it_is_told_right_before_the_tool_and_when_the_result_is_final() {
    let (world, log) = logged().await;
    let (pre, post) = (log.clone(), log.clone());
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(move |mut call, _, next| {
            pre.push("pre");
            call.set_arguments("{ }");
            next.run(call)
        })
        .unwrap();
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(move |mut result, _, next| {
            post.push("post");
            result.block("no");
            next.run(result)
        })
        .unwrap();
    world.call("t", "{}", watched(&log)).await;
    log.assert(["pre", "begins c1 { }", "runs", "post", r#"ended c1 Some("tools::blocked") true"#]);
}

/// T4: a call whose tool is not run has an end and no beginning.
#[tokio::test]
async fn what_is_not_run_never_begins_and_ends_once() {
    let (world, log) = logged().await;
    world.call("u", "{}", watched(&log)).await;
    log.assert([r#"ended c1 Some("tools::unknown_tool") false"#]);
    world.call("t", "[]", watched(&log)).await;
    log.assert([r#"ended c1 Some("tools::invalid_arguments") false"#]);
    let canceller = Canceller::new();
    canceller.cancel();
    world.call("t", "{}", watched(&log).cancel(canceller.token())).await;
    log.assert([r#"ended c1 Some("tools::cancelled") false"#]);
    let denying = world.root.on_waterfall::<PreExecuteEvent, _>(|mut call, _, next| async move {
        call.ask("may it?");
        next.run(call).await
    });
    world.call("t", "{}", watched(&log)).await;
    log.assert([r#"ended c1 Some("tools::no_approver") false"#]);
    denying.unwrap().dispose().await.unwrap();
    world.tools.dispose().await.unwrap();
    world.call("t", "{}", watched(&log)).await;
    log.assert([r#"ended c1 Some("tools::unavailable") false"#]);
}

/// T4, K13: what cannot be noted does not happen; a panic is a failure as any.
#[tokio::test]
async fn a_beginning_that_fails_keeps_the_tool_from_running() {
    for begins in [Begins::Fails, Begins::Panics] {
        let (world, log) = logged().await;
        let executed = world.call("t", "{}", told(&log, begins, false)).await;
        assert_eq!((executed.code, executed.began), (Some("tools::hook_failed"), false));
        assert!(!text(&executed).contains("disk"), "no details for the model: {}", text(&executed));
        assert!(executed.failure().unwrap().to_string().contains("the disk is full"));
        log.assert(["begins c1 {}", r#"ended c1 Some("tools::hook_failed") false"#]);
    }
}

/// K13
#[tokio::test]
async fn an_end_that_panics_changes_no_result() {
    let (world, log) = logged().await;
    let executed = world.call("t", "{}", told(&log, Begins::Well, true)).await;
    assert_eq!(shown(&executed), (None, "done".into()));
    log.assert(["begins c1 {}", "runs", "ended c1 None true"]);
}

/// T5: each call of a step is told of for itself, its end as it comes and not when all have ended.
#[tokio::test]
async fn of_calls_side_by_side_each_end_is_told_when_it_comes() {
    let (world, log, gate) = (world().await, Log::new(), Gate::new());
    register(&world.root, &["quick"]);
    let wait = gate.clone();
    let slow = move |_: ToolContext| {
        let wait = wait.clone();
        async move {
            wait.wait().await;
            Ok("slow".into())
        }
    };
    world.root.tools().register(tool("slow", slow)).unwrap();
    let calls = [ToolCall::new("a", "slow", "{}"), ToolCall::new("b", "quick", "{}")];
    let all = tokio::spawn(world.root.tools().execute_all(calls, watched(&log)));
    gate.reached().await;
    crate::support::until(|| log.len() == 3).await;
    log.assert(["begins a {}", "begins b {}", "ended b None true"]);
    gate.open();
    assert_eq!(all.await.unwrap().len(), 2);
    log.assert(["ended a None true"]);
}
