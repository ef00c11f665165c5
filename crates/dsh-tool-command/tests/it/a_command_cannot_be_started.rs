//! What the system does not start is a failure for the host, which says why.

use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_tool_command::{CommandTool, ErrorKind};

use crate::support::{Scene, refusal, text};

/// The kind and the words of what calling the tool is refused for.
async fn refused(scene: &Scene, tool: CommandTool) -> (ErrorKind, String) {
    let executed = scene.call(tool).await;
    // The model is not told what the machine looks like.
    assert!(!text(&executed).contains('/'), "{}", text(&executed));
    let error = refusal(&executed);
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_by_its_name() {
    let scene = Scene::new().await;
    let (kind, words) = refused(&scene, scene.tool(&["no-such-program"])).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(
        words,
        "the tool `t` was not run: there is no program `no-such-program` on the PATH that it is given; install it, or name it by its path"
    );
    let (kind, words) = refused(&scene, scene.tool(&["./none"])).await;
    assert_eq!((kind, words.as_str()), (ErrorKind::NotFound, "the tool `t` was not run: `./none` is not there"));
    scene.script("count", "#!/bin/sh\n");
    let (_, words) = refused(&scene, scene.tool(&["count"])).await;
    assert!(words.ends_with("write `./count` for the file of this name in its folder"), "{words}");
}

#[tokio::test]
async fn a_script_whose_interpreter_is_not_there_is_told_so() {
    let scene = Scene::new().await;
    scene.script("count", "#!/no/such/python -u\n");
    let (kind, words) = refused(&scene, scene.tool(&["./count"])).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(words.contains("`./count` is there, and the interpreter that its first line names"), "{words}");
}

#[tokio::test]
async fn what_may_not_be_run_or_is_no_program_is_told_so() {
    let scene = Scene::new().await;
    std::fs::write(scene.path().join("plain"), "text").unwrap();
    let (kind, words) = refused(&scene, scene.tool(&["./plain"])).await;
    assert_eq!(kind, ErrorKind::NotExecutable);
    assert!(words.contains("`./plain` is not executable"), "{words}");
    let (kind, _) = refused(&scene, scene.tool(&["/"])).await;
    assert_eq!(kind, ErrorKind::NotExecutable);
    scene.script("odd", "\u{1}\u{2} no program\n");
    let (kind, words) = refused(&scene, scene.tool(&["./odd"])).await;
    assert_eq!(kind, ErrorKind::NotExecutable, "{words}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_told_so() {
    let scene = Scene::new().await;
    let (kind, words) = refused(&scene, scene.shell("true").folder(scene.path().join("gone"))).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(words.ends_with("/gone` that it is to run in is not there"), "{words}");
}

#[test]
fn what_is_no_command_makes_no_tool() {
    let made = |words: &[&str]| CommandTool::new(ToolSchema::new("t", "", NO_PARAMETERS).unwrap(), words).map(drop);
    assert_eq!(made(&[]).unwrap_err().kind(), ErrorKind::EmptyCommand);
    assert_eq!(made(&["", "a"]).unwrap_err().kind(), ErrorKind::EmptyCommand);
    assert_eq!(made(&["a", "b\0"]).unwrap_err().kind(), ErrorKind::InvalidWord);
    assert_eq!(size_of::<dsh_tool_command::Error>(), size_of::<usize>());
}

#[test]
fn no_value_of_the_environment_is_shown() {
    // C3
    let tool = CommandTool::new(ToolSchema::new("t", "", NO_PARAMETERS).unwrap(), ["a"]).unwrap();
    let shown = format!("{:?}", tool.environment([("TOKEN", "s3cret-marker")]));
    assert!(!shown.contains("s3cret-marker"), "{shown}");
}
