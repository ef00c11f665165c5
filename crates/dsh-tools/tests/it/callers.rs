//! For whom a call is made: a scope that is open, and a model that was told of the tool (T3); and whose end it may wait for (K8).

use std::sync::{Arc, Mutex};

use dsh_kernel::{Context, Scope};
use dsh_llm::ToolCall;
use dsh_testkit::Gate;
use dsh_tools::{ExecuteContext, PreExecuteEvent, ToolsExt};

use crate::support::{anybody, deny, register, schema, shown, tool, world};

/// T3: without its scope a call would see what everybody sees, and no restriction.
#[tokio::test]
async fn a_call_for_a_scope_that_is_gone_is_refused() {
    let world = world().await;
    register(&world.root, &["patch", "write"]);
    let scope = world.root.scope("agent").unwrap();
    deny(scope.ctx(), &["patch"]);
    let (key, gate) = (scope.key(), Gate::new());
    let slow = gate.clone();
    scope
        .ctx()
        .effect("slow", move |fx| {
            fx.defer_async(move || async move { slow.wait().await });
            Ok(())
        })
        .unwrap();
    assert_eq!(shown(&world.call("write", "{}", key).await), (None, "write".into()));
    let end = scope.dispose();
    for _going_then_gone in 0..2 {
        for name in ["patch", "write", "nothing"] {
            let executed = world.call(name, "{}", key).await;
            let text = format!("the agent that calls `{name}` is gone, or going; it was not run");
            assert_eq!(shown(&executed), (Some("tools::scope_closed"), text));
            assert!(!executed.began);
        }
        gate.open();
        end.clone().await.unwrap();
    }
    let all = world.root.tools().execute_all([ToolCall::new("c1", "write", "{}")], ExecuteContext::from(key)).await;
    assert_eq!(all[0].code, Some("tools::scope_closed"));
}

/// T3: also where the scope goes while the listeners look at the call.
#[tokio::test]
async fn a_scope_that_goes_before_the_tool_is_run_keeps_it_from_running() {
    let world = world().await;
    register(&world.root, &["write"]);
    let scope = world.root.scope("agent").unwrap();
    let (key, slot) = (scope.key(), Mutex::new(Some(scope)));
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(move |call, _, next| {
            let scope: Option<Scope> = slot.lock().unwrap().take();
            drop(scope.map(Scope::dispose));
            next.run(call)
        })
        .unwrap();
    let executed = world.call("write", "{}", key).await;
    assert_eq!((executed.code, executed.began), (Some("tools::scope_closed"), false));
}

/// T3, case 06: what a listener has taken out of what the model is told is not run for it either.
#[tokio::test]
async fn a_call_of_what_was_not_offered_is_refused() {
    let world = world().await;
    register(&world.root, &["patch", "write", "hidden"]);
    let scope = world.root.scope("agent").unwrap();
    deny(scope.ctx(), &["hidden"]);
    let cx = ExecuteContext::from(scope.key()).offered(Arc::new([schema("write")]));
    assert_eq!(shown(&world.call("write", "{}", cx.clone()).await), (None, "write".into()));
    let executed = world.call("patch", "{}", cx.clone()).await;
    assert_eq!(
        shown(&executed),
        (Some("tools::unknown_tool"), "the tool `patch` was not offered in this step; it was not run".into())
    );
    assert!(!executed.began);
    // What the registry says of a tool goes before that.
    assert!(shown(&world.call("hidden", "{}", cx.clone()).await).1.contains("is denied for this agent"));
    assert!(shown(&world.call("ptch", "{}", cx).await).1.contains("there is no tool `ptch`"));
    let nothing = anybody().offered(Arc::new([]));
    assert_eq!(world.call("write", "{}", nothing).await.code, Some("tools::unknown_tool"));
}

/// A tool that disposes a scope and waits for the end; answers what the wait came to.
fn ends(
    scope: Scope,
) -> impl Fn(dsh_tools::ToolContext) -> dsh_kernel::BoxFuture<'static, Result<dsh_tools::ToolOutput, dsh_tools::ToolFailure>>
{
    let slot = Mutex::new(Some(scope));
    move |_| {
        let end = slot.lock().unwrap().take().map(Scope::dispose);
        Box::pin(async move {
            match end {
                Some(end) => Ok(end.await.map_or_else(|error| error.code(), |()| "ended").into()),
                None => Ok("nothing".into()),
            }
        })
    }
}

/// K8: whose work the call is a part of waits for the tool, so the tool does not wait for that.
#[tokio::test]
async fn a_tool_that_waits_for_the_end_of_what_it_is_a_part_of_is_told_so_at_once() {
    let world = world().await;
    let task_of = |ctx: &Context, cx: ExecuteContext| {
        let tools = world.root.tools();
        ctx.spawn("work", move |_| async move {
            tools.execute(ToolCall::new("c1", "end", "{}"), cx).await;
        })
        .unwrap()
    };
    let scope = world.root.scope("agent").unwrap();
    let (ctx, key) = (scope.ctx().clone(), scope.key());
    let answer = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&answer);
    world
        .root
        .on_waterfall::<dsh_tools::PostExecuteEvent, _>(move |result, _, next| {
            *told.lock().unwrap() = result.content().iter().filter_map(dsh_llm::ContentBlock::as_text).collect();
            next.run(result)
        })
        .unwrap();
    world.root.tools().register(tool("end", ends(scope))).unwrap();
    drop(task_of(&ctx, ExecuteContext::from(key).part_of(&ctx)));
    crate::support::until(|| !answer.lock().unwrap().is_empty()).await;
    assert_eq!(*answer.lock().unwrap(), "kernel::reentrant");
    assert_eq!(dsh_kernel::Clock::now(&world.clock), std::time::Duration::ZERO, "no grace was waited for");
}

/// A call that nobody's work waits for may wait for any end.
#[tokio::test]
async fn a_tool_that_is_no_part_of_a_scope_may_wait_for_its_end() {
    let world = world().await;
    let scope = world.root.scope("agent").unwrap();
    world.root.tools().register(tool("end", ends(scope))).unwrap();
    assert_eq!(shown(&world.call("end", "{}", anybody()).await), (None, "ended".into()));
}
