//! Tools that fail, panic, or are left alone by their caller (T4, K13).

use dsh_kernel::{Canceller, FiberState};
use dsh_llm::ToolCall;
use dsh_testkit::{Gate, Probes};
use dsh_tools::{ToolFailure, ToolOutput, ToolsExt};

use crate::support::{anybody, register, shown, text, tool, until, world};

/// T4: what is for the model reaches it, what is for the host does not.
#[tokio::test]
async fn failures_are_for_the_model_or_for_the_host() {
    let world = world().await;
    let handle = world.root.tools();
    handle.register(tool("model", |_| async { Err(ToolFailure::model("line 3 is not there")) })).unwrap();
    handle.register(tool("host", |_| async { Err(ToolFailure::host("password is hunter2")) })).unwrap();
    handle
        .register(tool("io", |_| async {
            let text = String::from_utf8(vec![0xff])?;
            Ok(text.into())
        }))
        .unwrap();
    let executed = world.call("model", "{}", anybody()).await;
    assert_eq!(shown(&executed), (Some("tools::failed"), "line 3 is not there".into()));
    assert!(executed.failure().is_none() && executed.began);
    let executed = world.call("host", "{}", anybody()).await;
    assert_eq!(shown(&executed), (Some("tools::failed"), "the tool `host` failed; the host has been told why".into()));
    assert_eq!(executed.failure().unwrap().to_string(), "password is hunter2");
    let executed = world.call("io", "{}", anybody()).await;
    assert!(executed.failure().unwrap().downcast_ref::<std::string::FromUtf8Error>().is_some());
}

/// K13: a panic, in the making of the future or in a later poll, is a result; the registry and the tool stay usable.
#[tokio::test]
async fn a_panicking_tool_gives_a_result() {
    let world = world().await;
    let handle = world.root.tools();
    handle
        .register(tool("made", |cx| {
            assert_ne!(cx.call_id(), "c1", "tool bomb");
            async { Ok(ToolOutput::default()) }
        }))
        .unwrap();
    handle
        .register(tool("polled", |_| async {
            tokio::task::yield_now().await;
            panic!("tool bomb")
        }))
        .unwrap();
    register(&world.root, &["well"]);
    for name in ["made", "polled", "made", "polled"] {
        let executed = world.call(name, "{}", anybody()).await;
        assert_eq!(
            shown(&executed),
            (Some("tools::panicked"), format!("the tool `{name}` broke down; the host has been told why"))
        );
        assert!(executed.failure().unwrap().panic_message().unwrap().contains("tool bomb"));
    }
    assert_eq!(shown(&world.call("well", "{}", anybody()).await), (None, "well".into()));
    assert_eq!(world.root.state(), FiberState::Active);
}

/// A failure that cannot even be shown.
#[derive(Debug)]
struct Unshowable;

impl std::fmt::Display for Unshowable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::panic::resume_unwind(Box::new("display bomb"))
    }
}

impl std::error::Error for Unshowable {}

/// K13
#[tokio::test]
async fn a_failure_that_cannot_be_shown_is_a_result_too() {
    let world = world().await;
    world.root.tools().register(tool("t", |_| async { Err(Unshowable.into()) })).unwrap();
    assert_eq!(world.call("t", "{}", anybody()).await.code, Some("tools::failed"));
}

/// K14: dropping the future of a call cancels the tool, and leaves nothing.
#[tokio::test]
async fn a_call_whose_future_is_dropped_is_cancelled() {
    let (world, gate, probes) = (world().await, Gate::new(), Probes::new());
    let (held, counted) = (gate.clone(), probes.clone());
    world
        .root
        .tools()
        .register(tool("t", move |cx| {
            let (held, probe) = (held.clone(), counted.probe());
            async move {
                probe.touch();
                drop(held.wait());
                let mut wait = held.wait();
                let _arrived = dsh_testkit::poll_once(&mut wait);
                cx.cancel().cancelled().await;
                Ok(().into())
            }
        }))
        .unwrap();
    let before = world.kernel.inspect().to_string();
    let call = tokio::spawn(world.root.tools().execute(ToolCall::new("c1", "t", "{}"), anybody()));
    gate.reached().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    until(|| probes.balance() == 0).await;
    until(|| world.kernel.inspect().to_string() == before).await;
}

/// T4: a token that is fired already, and a deadline that has passed.
#[tokio::test]
async fn a_call_that_comes_too_late_is_not_begun() {
    let world = world().await;
    register(&world.root, &["t"]);
    let turn = Canceller::new();
    turn.cancel();
    let executed = world.call("t", "{}", anybody().cancel(turn.token())).await;
    assert_eq!((executed.code, executed.began), (Some("tools::cancelled"), false));
    world.clock.advance(std::time::Duration::from_secs(10));
    let executed = world.call("t", "{}", anybody().deadline(std::time::Duration::from_secs(9))).await;
    assert_eq!((executed.code, executed.began), (Some("tools::timed_out"), false));
    assert!(text(&executed).contains("it was not run"), "{}", text(&executed));
}

/// K10: a context that cannot use the registry gets a result, too.
#[tokio::test]
async fn a_registry_out_of_reach_is_a_result() {
    let world = world().await;
    register(&world.root, &["t"]);
    let handle = world.root.tools();
    world.tools.dispose().await.unwrap();
    let executed = handle.execute(ToolCall::new("c1", "t", "{}"), anybody()).await;
    assert_eq!((executed.code, executed.began), (Some("tools::unavailable"), false));
    let all = handle.execute_all([ToolCall::new("c1", "t", "{}")], anybody()).await;
    assert_eq!(all.len(), 1);
    assert_eq!(handle.register(crate::support::echo("u")).unwrap_err().code(), "kernel::missing_service");
}
