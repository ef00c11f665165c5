//! Tools and listeners that use the registry themselves (K8, K13).

use std::sync::{Arc, Mutex};

use dsh_kernel::{Disposer, Failure};
use dsh_llm::ToolCall;
use dsh_tools::{PreExecuteEvent, ToolChange, ToolsExt};

use crate::support::{World, anybody, echo, register, shown, tool, world};

/// K13: a tool calls another tool, and registers one.
#[tokio::test]
async fn a_tool_may_call_and_register_tools() {
    let world = world().await;
    register(&world.root, &["inner"]);
    let ctx = world.root.clone();
    let outer = tool("outer", move |_| {
        let ctx = ctx.clone();
        async move {
            ctx.tools().register(echo("made"))?;
            let inner = ctx.tools().execute(ToolCall::new("c2", "inner", "{}"), anybody()).await;
            Ok(format!("outer of {}", shown(&inner).1).into())
        }
    });
    world.root.tools().register(outer).unwrap();
    assert_eq!(shown(&world.call("outer", "{}", anybody()).await), (None, "outer of inner".into()));
    assert_eq!(shown(&world.call("made", "{}", anybody()).await), (None, "made".into()));
}

/// K8: a tool that disposes itself, and one whose plugin it disposes, end; nobody waits for ever.
#[tokio::test]
async fn a_tool_may_dispose_itself_and_its_plugin() {
    let world = world().await;
    let own: Arc<Mutex<Option<Disposer>>> = Arc::default();
    let slot = Arc::clone(&own);
    let suicide = tool("suicide", move |_| {
        let disposer = slot.lock().unwrap().take();
        async move {
            if let Some(disposer) = disposer {
                disposer.dispose().await?;
            }
            Ok("gone".into())
        }
    });
    *own.lock().unwrap() = Some(world.root.tools().register(suicide).unwrap());
    assert_eq!(shown(&world.call("suicide", "{}", anybody()).await), (None, "gone".into()));
    assert_eq!(world.call("suicide", "{}", anybody()).await.code, Some("tools::unknown_tool"));

    let fiber: Arc<Mutex<Option<dsh_kernel::Fiber>>> = Arc::default();
    let slot = Arc::clone(&fiber);
    let pack = world
        .mount("pack", move |ctx| {
            let slot = Arc::clone(&slot);
            ctx.tools().register(tool("unload", move |_| {
                let fiber = slot.lock().unwrap().take();
                async move {
                    let error = match fiber {
                        Some(fiber) => fiber.dispose().await.err(),
                        None => None,
                    };
                    Ok(error.map_or("no error", |error| error.code()).into())
                }
            }))?;
            Ok(())
        })
        .await;
    *fiber.lock().unwrap() = Some(pack);
    let executed = world.call("unload", "{}", anybody()).await;
    assert_eq!(executed.code, Some("tools::unloaded"));
    assert!(shown(&executed).1.ends_with("|kernel::reentrant"), "{:?}", shown(&executed));
    world.kernel.settled().await.unwrap();
    assert_eq!(world.call("unload", "{}", anybody()).await.code, Some("tools::unknown_tool"));
}

/// K13: listeners that register and dispose while they are told.
#[tokio::test]
async fn listeners_may_register_and_dispose() {
    let world = world().await;
    let ctx = world.root.clone();
    let once: Arc<Mutex<Option<()>>> = Arc::new(Mutex::new(Some(())));
    let told = move |_: &ToolChange| -> Result<(), Failure> {
        let first = once.lock().unwrap().take();
        if first.is_some() {
            ctx.tools().register(echo("from the listener"))?;
        }
        Ok(())
    };
    world.root.on(told).unwrap();
    register(&world.root, &["a"]);
    assert_eq!(world.visible(None).await, ["a", "from the listener"]);
}

/// T3: a listener that takes the tool away while it is asked: the tool does not run.
#[tokio::test]
async fn a_tool_that_a_listener_takes_away_does_not_run() {
    let world: World = world().await;
    let slot = Arc::new(Mutex::new(register(&world.root, &["t"])));
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(move |call, _, next| {
            let gone: Vec<Disposer> = slot.lock().unwrap().drain(..).collect();
            async move {
                for gone in gone {
                    gone.dispose().await?;
                }
                next.run(call).await
            }
        })
        .unwrap();
    let executed = world.call("t", "{}", anybody()).await;
    assert_eq!((executed.code, executed.began), (Some("tools::unknown_tool"), false));
}
