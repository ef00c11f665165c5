//! The two waterfalls of a call (T4).

use dsh_kernel::Failure;
use dsh_llm::{ContentBlock, Message, ToolSchema};
use dsh_testkit::Log;
use dsh_tools::{Decision, PostExecuteEvent, PreExecuteEvent, Tool, ToolContext, ToolFailure, ToolsExt};

use crate::support::{anybody, register, shown, text, tool, world};

/// T4: arguments, pre-execute, tool, post-execute, in this order.
#[tokio::test]
async fn a_call_goes_its_way_in_order() {
    let (world, log) = (world().await, Log::new());
    let (pre, post, ran) = (log.clone(), log.clone(), log.clone());
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(move |call, event, next| {
            pre.push(format!("pre {} of {} {:?}", call.call().name, event.owner(), event.get::<u32>()));
            next.run(call)
        })
        .unwrap();
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(move |result, _, next| {
            post.push(format!("post {} {:?}", result.call().id, result.code()));
            next.run(result)
        })
        .unwrap();
    let run = move |cx: ToolContext| {
        ran.push(format!("runs {} {:?}", cx.tool(), cx.get::<u32>()));
        async { Ok("done".into()) }
    };
    world.root.tools().register(tool("t", run)).unwrap();
    assert_eq!(shown(&world.call("t", "{}", anybody().with(7_u32)).await), (None, "done".into()));
    log.assert(["pre t of root Some(7)", "runs t Some(7)", "post c1 None"]);
    // What is refused before the listeners is not theirs to hear.
    world.call("t", "[]", anybody()).await;
    world.call("u", "{}", anybody()).await;
    log.assert([]);
}

/// T4
#[tokio::test]
async fn a_listener_may_deny_with_a_reason() {
    let world = world().await;
    register(&world.root, &["t"]);
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(|mut call, _, next| async move {
            call.deny("not on a Sunday");
            next.run(call).await
        })
        .unwrap();
    // A listener after it cannot make an ask of a denial.
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(|mut call, _, next| async move {
            assert!(matches!(call.decision(), Decision::Deny { .. }));
            call.ask("really?");
            next.run(call).await
        })
        .unwrap();
    let executed = world.call("t", "{}", anybody()).await;
    assert_eq!(
        shown(&executed),
        (Some("tools::denied"), "the call was denied; it was not run: not on a Sunday".into())
    );
    assert!(!executed.began && !executed.denied_for_want_of_approver);
}

/// T4: arguments that a listener has changed are checked as the first were.
#[tokio::test]
async fn a_listener_may_change_the_arguments_within_the_schema() {
    let world = world().await;
    let schema = ToolSchema::new("t", "", r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#).unwrap();
    world
        .root
        .tools()
        .register(Tool::raw(schema, |arguments, _| async move { Ok(arguments.text().to_owned()) }))
        .unwrap();
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(|mut call, _, next| async move {
            let changed = call.call().arguments.replace('1', "2").replace('3', "\"x\"");
            call.set_arguments(changed);
            next.run(call).await
        })
        .unwrap();
    assert_eq!(shown(&world.call("t", r#"{"n":1}"#, anybody()).await), (None, r#"{"n":2}"#.into()));
    let executed = world.call("t", r#"{"n":3}"#, anybody()).await;
    assert_eq!((executed.code, executed.began), (Some("tools::invalid_arguments"), false));
}

/// T4
#[tokio::test]
async fn a_listener_may_replace_block_and_attach() {
    let world = world().await;
    register(&world.root, &["replaced", "blocked", "kept"]);
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(|mut result, _, next| async move {
            match result.call().name.as_str() {
                "replaced" => result.replace([ContentBlock::text("other words")]),
                "blocked" => result.block("do not rely on it: run the tests first"),
                _ => {}
            }
            result.attach(Message::user("by the way"));
            next.run(result).await
        })
        .unwrap();
    let replaced = world.call("replaced", "{}", anybody()).await;
    assert_eq!(shown(&replaced), (None, "other words".into()));
    assert_eq!(replaced.attached, [Message::user("by the way")]);
    let blocked = world.call("blocked", "{}", anybody()).await;
    assert_eq!(shown(&blocked), (Some("tools::blocked"), "do not rely on it: run the tests first".into()));
    assert!(blocked.began, "it has run");
    assert_eq!(shown(&world.call("kept", "{}", anybody()).await), (None, "kept".into()));
}

/// T4: a failing tool's result goes through the listeners too.
#[tokio::test]
async fn listeners_see_failures() {
    let (world, log) = (world().await, Log::new());
    let heard = log.clone();
    world.root.tools().register(tool("t", |_| async { Err(ToolFailure::model("no such file")) })).unwrap();
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(move |result, _, next| {
            heard.push(format!("{:?} {}", result.code(), result.is_error()));
            next.run(result)
        })
        .unwrap();
    assert_eq!(shown(&world.call("t", "{}", anybody()).await), (Some("tools::failed"), "no such file".into()));
    log.assert([r#"Some("tools::failed") true"#]);
}

/// K12: both are filtered by the scope of the call.
#[tokio::test]
async fn listeners_of_another_scope_do_not_hear() {
    let (world, log) = (world().await, Log::new());
    register(&world.root, &["t"]);
    let (one, two) = (world.root.scope("one").unwrap(), world.root.scope("two").unwrap());
    for scope in [&one, &two] {
        let (pre, post, owner) = (log.clone(), log.clone(), scope.ctx().owner());
        let other = owner.clone();
        scope
            .ctx()
            .on_waterfall::<PreExecuteEvent, _>(move |call, _, next| {
                pre.push(format!("pre of {owner}"));
                next.run(call)
            })
            .unwrap();
        scope
            .ctx()
            .on_waterfall::<PostExecuteEvent, _>(move |result, _, next| {
                post.push(format!("post of {other}"));
                next.run(result)
            })
            .unwrap();
    }
    world.call("t", "{}", one.key()).await;
    log.assert(["pre of one", "post of one"]);
    world.call("t", "{}", anybody()).await;
    log.assert([]);
}

/// T4, K13: a listener that fails before the tool keeps it from running; one that fails after it withholds the result.
#[tokio::test]
async fn a_failing_listener_is_never_taken_for_consent() {
    for panics in [false, true] {
        let fail = move || if panics { panic!("listener bomb") } else { Failure::msg("listener bomb") };
        let (world, log) = (world().await, Log::new());
        let ran = log.clone();
        let secret = move |_| {
            ran.push("ran");
            async { Ok("a secret".into()) }
        };
        world.root.tools().register(tool("t", secret)).unwrap();
        let pre = world.root.on_waterfall::<PreExecuteEvent, _>(move |_, _, _| async move { Err(fail()) }).unwrap();
        let executed = world.call("t", "{}", anybody()).await;
        assert_eq!((executed.code, executed.began), (Some("tools::hook_failed"), false));
        assert!(!text(&executed).contains("bomb"), "no details for the model: {}", text(&executed));
        assert!(executed.failure().unwrap().to_string().contains("listener bomb"));
        log.assert([]);
        pre.dispose().await.unwrap();

        world.root.on_waterfall::<PostExecuteEvent, _>(move |_, _, _| async move { Err(fail()) }).unwrap();
        let executed = world.call("t", "{}", anybody()).await;
        assert_eq!((executed.code, executed.began), (Some("tools::hook_failed"), true));
        assert!(!text(&executed).contains("secret"), "withheld: {}", text(&executed));
        log.assert(["ran"]);
    }
}
