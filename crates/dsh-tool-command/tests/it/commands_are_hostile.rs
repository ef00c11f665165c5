//! Commands that do not do what a well-behaved one does.

use std::time::Duration;

use dsh_llm::ToolCall;
use dsh_tools::ExecuteContext;
use dsh_tools::ToolsExt as _;

use crate::support::{Scene, Witness, text};

#[tokio::test]
async fn one_that_does_not_read_its_input_answers_all_the_same() {
    let scene = Scene::new().await;
    scene.mount(scene.shell("exec <&-; echo answered")).await;
    // More than a pipe holds.
    let call = ToolCall::new("c1", "t", format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20)));
    let executed = scene.kernel.root().tools().execute(call, ExecuteContext::new()).await;
    assert_eq!((executed.code, text(&executed).as_str()), (None, "answered"));
}

#[tokio::test]
async fn one_that_writes_megabytes_to_both_pipes_is_read_to_its_end() {
    let scene = Scene::new().await;
    let script = "head -c 3000000 /dev/zero | tr '\\0' e >&2 & head -c 5000000 /dev/zero | tr '\\0' o; wait";
    let executed = scene.call(scene.shell(script).output_limit(1000)).await;
    let said = text(&executed);
    let (mark, rest) = said.split_once('\n').unwrap();
    assert_eq!(mark, "[the command wrote 5000000 bytes; the first 1000 of them follow]");
    assert_eq!(rest, "o".repeat(1000));
}

#[tokio::test]
async fn one_that_leaves_processes_with_its_pipes_is_not_waited_for() {
    // What it has started ends with it, whether it hears the wish or not.
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    let script =
        "exec 9>witness; (trap '' TERM; echo ready >&9; sleep 600) & (sleep 600) & echo answered; read x <seen";
    let seen = scene.pipe("seen");
    scene.mount(scene.shell(script).grace(Duration::from_mins(10))).await;
    let call = tokio::spawn(scene.execute(ExecuteContext::new()));
    let (witness, _) = Witness::heard(witness).await;
    tokio::task::spawn_blocking(move || std::fs::write(seen, "x\n").unwrap()).await.unwrap();
    assert_eq!(text(&call.await.unwrap()), "answered");
    witness.alone().await;
}

#[tokio::test]
async fn one_whose_left_processes_hold_no_pipe_takes_them_along() {
    let scene = Scene::new().await;
    let witness = scene.pipe("witness");
    let script = "(exec 9>witness; trap '' TERM; echo ready >&9; sleep 600) >/dev/null 2>&1 </dev/null & read x <seen; echo answered";
    let seen = scene.pipe("seen");
    scene.mount(scene.shell(script)).await;
    let call = tokio::spawn(scene.execute(ExecuteContext::new()));
    let (witness, _) = Witness::heard(witness).await;
    tokio::task::spawn_blocking(move || std::fs::write(seen, "x\n").unwrap()).await.unwrap();
    assert_eq!(text(&call.await.unwrap()), "answered");
    witness.alone().await;
}

#[tokio::test]
async fn what_is_left_running_is_asked_to_end_before_it_is_killed() {
    let scene = Scene::new().await;
    let heard = scene.path().join("heard");
    let script = "(trap 'echo TERM >heard; exit' TERM; echo >ready; while :; do sleep 0.01; done) >/dev/null 2>&1 </dev/null & \
                  while ! test -e ready; do sleep 0.01; done; echo answered";
    assert_eq!(text(&scene.call(scene.shell(script)).await), "answered");
    assert_eq!(std::fs::read(heard).unwrap(), b"TERM\n");
}

#[tokio::test]
async fn one_that_closes_its_pipes_and_goes_on_is_waited_for() {
    let scene = Scene::new().await;
    let executed = scene.call(scene.shell("echo answered; exec >&- 2>&-; sleep 0.2; exit 7")).await;
    assert_eq!(text(&executed), "the command ended with exit status 7; its standard output:\nanswered");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_at_once_each_get_their_own_answer() {
    let scene = Scene::new().await;
    scene.mount(scene.tool(&["cat"])).await;
    let calls = (0..200).map(|number| ToolCall::new(format!("c{number}"), "t", format!("{{\"n\":{number}}}")));
    let executed = scene.kernel.root().tools().execute_all(calls, ExecuteContext::new()).await;
    for (number, executed) in executed.iter().enumerate() {
        assert_eq!(text(executed), format!("{{\"n\":{number}}}"));
    }
}
