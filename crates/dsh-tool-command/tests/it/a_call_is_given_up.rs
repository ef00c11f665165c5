//! Cancelled, timed out, unloaded, dropped: the whole group of processes goes.

use std::time::Duration;

use dsh_kernel::Canceller;
use dsh_tools::{ExecuteContext, code};

use crate::support::{Scene, Witness, text};

/// A shell that starts another one, which hears no `TERM`, and waits with it. Both hold the pipe.
const TWO: &str =
    "exec 9>witness; (trap '' TERM; echo ready >&9; while :; do read x </dev/zero; sleep 600; done) & wait";

/// So short a grace that no test waits for it.
const SHORT: Duration = Duration::from_millis(10);

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_kills_the_group_whole() {
    // T4
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    scene.mount(scene.shell(TWO).grace(SHORT)).await;
    let canceller = Canceller::new();
    let call = tokio::spawn(scene.execute(ExecuteContext::new().cancel(canceller.token())));
    let (witness, _) = Witness::heard(witness).await;
    canceller.cancel();
    let executed = call.await.unwrap();
    assert_eq!(executed.code, Some(code::CANCELLED));
    witness.alone().await;
}

#[test]
fn a_host_that_quits_without_waiting_kills_all_at_once() {
    // The commands of other tests are of this process, too.
    dsh_testkit::alone(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
        runtime.block_on(async {
            let scene = Scene::new().await;
            let witness = scene.pipe("witness");
            scene.mount(scene.shell(TWO).grace(Duration::from_mins(10))).await;
            let call = tokio::spawn(scene.execute(ExecuteContext::new()));
            let (witness, _) = Witness::heard(witness).await;
            dsh_tool_command::kill_all();
            witness.alone().await;
            assert!(text(&call.await.unwrap()).contains("signal"));
        });
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_takes_too_long_is_ended_and_what_it_said_is_told() {
    // T4
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    let tool = scene.shell("echo half an answer; exec 9>witness; echo ready >&9; exec sleep 600");
    scene.mount(tool.timeout(Duration::from_millis(300))).await;
    let call = tokio::spawn(scene.execute(ExecuteContext::new()));
    let (witness, _) = Witness::heard(witness).await;
    let executed = call.await.unwrap();
    assert_eq!(executed.code, Some(code::TIMED_OUT));
    assert!(text(&executed).ends_with("half an answer"), "{}", text(&executed));
    witness.alone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unloading_ends_it_before_the_unload_ends() {
    // K9, K14
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    let fiber = scene.mount(scene.shell(TWO).grace(SHORT)).await;
    let call = tokio::spawn(scene.execute(ExecuteContext::new()));
    let (witness, _) = Witness::heard(witness).await;
    fiber.dispose().await.unwrap();
    assert_eq!(call.await.unwrap().code, Some(code::UNLOADED));
    witness.alone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_future_of_the_call_ends_it() {
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    scene.mount(scene.shell(TWO).grace(SHORT)).await;
    let call = tokio::spawn(scene.execute(ExecuteContext::new()));
    let (witness, _) = Witness::heard(witness).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    witness.alone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_hears_the_wish_may_clean_up() {
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    let script = "exec 9>witness; trap 'echo cleaned >&9; echo so far; exit 0' TERM; echo ready >&9; while :; do sleep 0.01; done";
    scene.mount(scene.shell(script).grace(Duration::from_mins(1))).await;
    let canceller = Canceller::new();
    let call = tokio::spawn(scene.execute(ExecuteContext::new().cancel(canceller.token())));
    let (witness, _) = Witness::heard(witness).await;
    canceller.cancel();
    call.await.unwrap();
    assert_eq!(witness.alone().await, "cleaned\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_stopped_is_ended_too() {
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    scene
        .mount(scene.shell("exec 9>witness; echo ready >&9; kill -STOP $$; sleep 600").grace(Duration::from_mins(1)))
        .await;
    let canceller = Canceller::new();
    let call = tokio::spawn(scene.execute(ExecuteContext::new().cancel(canceller.token())));
    let (witness, _) = Witness::heard(witness).await;
    canceller.cancel();
    call.await.unwrap();
    witness.alone().await;
}

#[tokio::test]
async fn a_call_that_was_given_up_before_it_began_starts_nothing() {
    let scene = Scene::new().await;
    scene.mount(scene.shell("touch begun")).await;
    let canceller = Canceller::new();
    canceller.cancel();
    let executed = scene.execute(ExecuteContext::new().cancel(canceller.token())).await;
    assert_eq!(executed.code, Some(code::CANCELLED));
    assert!(!scene.path().join("begun").exists());
}
