//! Tools that are ended: by their caller, by time, by the unload of their plugin (T4, K9, K14).

use std::time::Duration;

use dsh_kernel::{Canceller, Clock as _};
use dsh_llm::ToolCall;
use dsh_testkit::{Gate, Probes};
use dsh_tools::{ExecuteContext, Executed, Tool, ToolsExt};
use tokio::task::JoinHandle;

use crate::support::{World, anybody, shown, text, tool, until, world};

/// A tool that says that it has begun, and never ends by itself.
fn endless(gate: &Gate, probes: &Probes) -> Tool {
    let (gate, probes) = (gate.clone(), probes.clone());
    tool("endless", move |_| {
        let (gate, probe) = (gate.clone(), probes.probe());
        async move {
            gate.wait().await;
            probe.touch();
            std::future::pending().await
        }
    })
}

/// A tool that says that it has begun, and ends when it is asked to, with what it has.
fn polite(gate: &Gate) -> Tool {
    let gate = gate.clone();
    tool("polite", move |cx| {
        let gate = gate.clone();
        async move {
            let mut begun = gate.wait();
            let _arrived = dsh_testkit::poll_once(&mut begun);
            cx.cancel().cancelled().await;
            Ok("half of it".into())
        }
    })
}

fn begin(world: &World, name: &str, cx: ExecuteContext) -> JoinHandle<Executed> {
    tokio::spawn(world.root.tools().execute(ToolCall::new("c1", name, "{}"), cx))
}

const LIMIT: Duration = Duration::from_secs(30);

/// T4: a tool that does not end is aborted after the grace.
#[tokio::test]
async fn a_tool_that_never_ends_is_ended_by_its_limit() {
    let (world, gate, probes) = (world().await, Gate::new(), Probes::new());
    world.root.tools().register(endless(&gate, &probes).timeout(LIMIT)).unwrap();
    let before = world.kernel.inspect().to_string();
    let call = begin(&world, "endless", anybody());
    gate.reached().await;
    world.clock.advance(Duration::from_secs(29));
    tokio::task::yield_now().await;
    assert!(!call.is_finished());
    world.clock.advance(Duration::from_secs(1));
    until(|| world.kernel.inspect().to_string().contains("call endless")).await;
    assert!(!call.is_finished(), "the grace");
    let mut graces = 0;
    while !call.is_finished() {
        world.clock.advance(Duration::from_secs(5));
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        graces += 1;
        assert!(graces < 5, "aborted after the grace");
    }
    let executed = call.await.unwrap();
    assert_eq!(
        shown(&executed),
        (
            Some("tools::timed_out"),
            "`endless` had not answered after 30s and was stopped. It may have done a part of its work.".into()
        )
    );
    assert!(executed.began);
    assert_eq!(probes.balance(), 0);
    until(|| world.kernel.inspect().to_string() == before).await;
}

/// T4: the smaller of the tool's limit and the caller's holds, and the tool knows until when.
#[tokio::test]
async fn the_smaller_limit_holds() {
    let world = world().await;
    for (own, callers, deadline, expected) in
        [(9, Some(5), None, 5), (4, Some(5), None, 4), (9, None, None, 9), (9, Some(8), Some(3), 3)]
    {
        let seconds = Duration::from_secs;
        let asked = tool("asked", |cx| async move { Ok(format!("{:?}", cx.deadline()).into()) }).timeout(seconds(own));
        let registered = world.root.tools().register(asked).unwrap();
        let mut cx = anybody();
        if let Some(limit) = callers {
            cx = cx.timeout(seconds(limit));
        }
        if let Some(at) = deadline {
            cx = cx.deadline(world.clock.now() + seconds(at));
        }
        let until = world.clock.now() + seconds(expected);
        assert_eq!(shown(&world.call("asked", "{}", cx).await), (None, format!("Some({until:?})")));
        registered.dispose().await.unwrap();
        world.clock.advance(seconds(1));
    }
}

/// T4: what a tool has when its time is over reaches the model.
#[tokio::test]
async fn a_tool_that_ends_when_asked_may_say_what_it_has() {
    let (world, gate) = (world().await, Gate::new());
    world.root.tools().register(polite(&gate).timeout(LIMIT)).unwrap();
    let call = begin(&world, "polite", anybody());
    gate.reached().await;
    world.clock.advance(LIMIT);
    let executed = call.await.unwrap();
    assert_eq!(
        shown(&executed),
        (
            Some("tools::timed_out"),
            "`polite` had not answered after 30s and was stopped. It may have done a part of its work. What it had by \
             then:|half of it"
                .into()
        )
    );
}

/// T4: the caller's token.
#[tokio::test]
async fn a_cancelled_call_ends_its_tool() {
    let (world, gate, turn) = (world().await, Gate::new(), Canceller::new());
    world.root.tools().register(polite(&gate)).unwrap();
    let call = begin(&world, "polite", anybody().cancel(turn.token()));
    gate.reached().await;
    turn.cancel();
    let executed = call.await.unwrap();
    assert_eq!(
        shown(&executed),
        (
            Some("tools::cancelled"),
            "the call of `polite` was cancelled before it had answered. It may have done a part of its work.".into()
        )
    );
    assert!(executed.began);
}

/// T4: the caller's deadline, everything included.
#[tokio::test]
async fn the_callers_deadline_ends_the_tool() {
    let (world, gate) = (world().await, Gate::new());
    world.root.tools().register(polite(&gate)).unwrap();
    let call = begin(&world, "polite", anybody().deadline(LIMIT));
    gate.reached().await;
    world.clock.advance(LIMIT);
    let executed = call.await.unwrap();
    assert_eq!(executed.code, Some("tools::timed_out"));
    assert!(text(&executed).starts_with("the time was over before `polite` had answered."), "{}", text(&executed));
}

/// K9, K14: unloading a tool's plugin cancels its calls, awaits them, and aborts them after the grace.
#[tokio::test]
async fn unloading_the_owner_ends_its_calls() {
    let (world, gate, held, probes) = (world().await, Gate::new(), Gate::new(), Probes::new());
    let (polite_gate, endless_gate, counted) = (gate.clone(), held.clone(), probes.clone());
    let pack = world
        .mount("pack", move |ctx| {
            ctx.tools().register(polite(&polite_gate))?;
            ctx.tools().register(endless(&endless_gate, &counted))?;
            Ok(())
        })
        .await;
    let (one, two) = (begin(&world, "polite", anybody()), begin(&world, "endless", anybody()));
    gate.reached().await;
    held.reached().await;
    let end = pack.dispose();
    let executed = one.await.unwrap();
    assert_eq!((executed.code, executed.began), (Some("tools::unloaded"), true));
    assert!(text(&executed).ends_with("What it had by then:|half of it"), "{}", text(&executed));
    assert!(!two.is_finished());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    world.clock.advance(Duration::from_secs(5));
    let executed = two.await.unwrap();
    assert_eq!(
        shown(&executed),
        (
            Some("tools::unloaded"),
            "`endless` was taken away before it had answered. It may have done a part of its work.".into()
        )
    );
    drop(end.await);
    assert_eq!(probes.balance(), 0, "nothing of it runs when the unload has ended");
    assert_eq!(world.call("polite", "{}", anybody()).await.code, Some("tools::unknown_tool"));
}

/// K5, K8: a tool that is still registered while its plugin drains is not run any more.
#[tokio::test]
async fn a_tool_of_a_draining_plugin_is_not_begun() {
    let (world, gate) = (world().await, Gate::new());
    let slow = gate.clone();
    let pack = world
        .mount("pack", move |ctx| {
            let slow = slow.clone();
            ctx.effect("pack", |fx| {
                fx.adopt(ctx.tools().register(crate::support::echo("t"))?)?;
                fx.defer_async(move || async move { slow.wait().await });
                Ok(())
            })?;
            Ok(())
        })
        .await;
    let end = pack.dispose();
    gate.reached().await;
    let executed = world.call("t", "{}", anybody()).await;
    assert_eq!(shown(&executed), (Some("tools::unloaded"), "the tool `t` is being taken away; it was not run".into()));
    assert!(!executed.began);
    gate.open();
    end.await.unwrap();
}
