//! What goes in, and what comes out.

use dsh_llm::ContentBlock;
use dsh_tools::code;

use crate::support::{Scene, text};

#[tokio::test]
async fn arguments_go_in_and_standard_output_is_the_answer() {
    // T4
    let scene = Scene::new().await;
    let executed = scene.call(scene.shell("cat; echo; echo not told >&2")).await;
    assert_eq!((executed.code, text(&executed).as_str()), (None, r#"{"a": "é"}"#));
}

#[tokio::test]
async fn the_environment_is_what_was_passed_in_and_the_folder_too() {
    let scene = Scene::new().await;
    let tool = scene.tool(&["/usr/bin/env"]).environment([("ONE", "1"), ("TWO", "a b")]);
    let executed = scene.call(tool).await;
    assert_eq!(text(&executed), "ONE=1\nTWO=a b");
    let executed = scene.call(scene.shell("pwd -P")).await;
    assert_eq!(text(&executed), scene.path().canonicalize().unwrap().to_str().unwrap());
}

#[tokio::test]
async fn a_program_of_the_folder_is_run_by_its_path() {
    let scene = Scene::new().await;
    scene.script("count", "#!/bin/sh\nwc -c | tr -d ' '\n");
    assert_eq!(text(&scene.call(scene.tool(&["./count"])).await), "11");
}

#[tokio::test]
async fn content_blocks_are_answered_as_they_are() {
    // T4
    let scene = Scene::new().await;
    let blocks =
        r#"{"content": [{"type": "text", "text": "a"}, {"type": "image", "media_type": "image/png", "data": "QQ=="}]}"#;
    let executed = scene.call(scene.shell(&format!("echo '{blocks}'"))).await;
    assert!(matches!(executed.result.content.as_slice(), [ContentBlock::Text { .. }, ContentBlock::Image(_)]));
    let executed = scene.call(scene.shell(r#"echo '{"content": [{"type": "video"}]}'"#)).await;
    assert_eq!(executed.code, Some(code::FAILED));
    assert_eq!(
        text(&executed),
        "content block 1 of the command's answer is of the type `video`, and a tool answers with text, image and resource"
    );
}

#[tokio::test]
async fn another_status_than_0_is_an_error_with_the_end_of_standard_error() {
    // T4
    let scene = Scene::new().await;
    let executed = scene.call(scene.shell("echo out; echo 'no such file: a' >&2; exit 3")).await;
    assert_eq!((executed.code, executed.result.is_error), (Some(code::FAILED), true));
    assert_eq!(text(&executed), "the command ended with exit status 3; its standard error:\nno such file: a");
    assert!(executed.failure().is_none());
    // Programs that say what is wrong on standard output are told, too.
    let executed = scene.call(scene.shell("echo '2 tests failed'; exit 1")).await;
    assert_eq!(text(&executed), "the command ended with exit status 1; its standard output:\n2 tests failed");
    assert_eq!(
        text(&scene.call(scene.shell("exit 4")).await),
        "the command ended with exit status 4, and wrote nothing"
    );
}

#[tokio::test]
async fn of_a_long_standard_error_the_end_is_told_from_a_line_on() {
    let scene = Scene::new().await;
    let script = "i=0; while [ $i -lt 2000 ]; do echo \"line $i\" >&2; i=$((i + 1)); done; exit 1";
    let said = text(&scene.call(scene.shell(script)).await);
    let (how, lines) = said.split_once('\n').unwrap();
    assert_eq!(how, "the command ended with exit status 1; the end of its standard error:");
    assert!(lines.len() < 4 << 10 && lines.starts_with("line ") && lines.ends_with("line 1999"), "{lines}");
}

#[tokio::test]
async fn a_command_that_is_ended_by_a_signal_is_told_which() {
    let scene = Scene::new().await;
    let executed = scene.call(scene.shell("echo bad >&2; kill -SEGV $$")).await;
    let said = text(&executed);
    assert!(
        said.starts_with("the command was ended by signal 11 (SIGSEGV)") && said.ends_with("standard error:\nbad"),
        "{said}"
    );
}
