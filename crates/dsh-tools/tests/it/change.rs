//! `tools/change` (T1, S9).

use dsh_kernel::Failure;
use dsh_testkit::Log;
use dsh_tools::{ChangeKind, ToolChange, ToolFilter, ToolsExt};

use crate::support::{allow, echo, register, world};

/// T1: unfiltered, for additions and removals; it says what, whose, and for whom.
#[tokio::test]
async fn every_change_is_told_to_everybody() {
    let (world, log) = (world().await, Log::new());
    let (one, two) = (world.root.scope("one").unwrap(), world.root.scope("two").unwrap());
    let heard = log.clone();
    // A listener of another scope hears it too.
    two.ctx()
        .on(move |change: &ToolChange| {
            let name = change.name.as_ref().map_or("-", |name| name.as_str());
            let scope = if change.scope.is_some() { "scoped" } else { "global" };
            heard.push(format!("{:?} {:?} {name} of {} {scope}", change.change, change.kind, change.owner));
        })
        .unwrap();
    let tools = register(&world.root, &["a"]);
    register(one.ctx(), &["b"]);
    allow(one.ctx(), &["a"]);
    log.assert(["Added Tool a of root global", "Added Tool b of one scoped", "Added Restriction - of one scoped"]);
    one.dispose().await.unwrap();
    let mut gone = log.take();
    gone.sort();
    assert_eq!(gone, ["Removed Restriction - of one scoped", "Removed Tool b of one scoped"]);
    for tool in tools {
        tool.dispose().await.unwrap();
    }
    log.assert(["Removed Tool a of root global"]);
    assert_ne!(ChangeKind::Tool, ChangeKind::Restriction);
}

/// S9: a listener that fails on a registration undoes it, and its caller gets the failure.
#[tokio::test]
async fn a_failing_listener_rolls_the_registration_back() {
    let world = world().await;
    register(&world.root, &["a"]);
    let scope = world.root.scope("agent").unwrap();
    let bomb = world.root.on(|_: &ToolChange| Err::<(), _>(Failure::msg("no more tools"))).unwrap();
    let error = world.root.tools().register(echo("b")).unwrap_err();
    assert_eq!(
        (error.code(), error.failure().unwrap().to_string().as_str()),
        ("kernel::listener_failed", "no more tools")
    );
    drop(error.teardown().unwrap().await);
    let error = scope.ctx().tools().restrict(ToolFilter::new().deny(["a"])).unwrap_err();
    assert_eq!(error.code(), "kernel::listener_failed");
    drop(error.teardown().unwrap().await);
    assert_eq!(world.visible(Some(scope.key())).await, ["a"]);
    bomb.dispose().await.unwrap();
    register(&world.root, &["b"]);
}

/// S9: on a removal, the removal stands and the failure is returned.
#[tokio::test]
async fn a_failing_listener_does_not_keep_what_goes() {
    let world = world().await;
    let tools = register(&world.root, &["a"]);
    world.root.on(|_: &ToolChange| Err::<(), _>(Failure::msg("stay"))).unwrap();
    for tool in tools {
        assert_eq!(
            tool.dispose().await.unwrap_err().failure().unwrap().downcast_ref::<dsh_kernel::Error>().unwrap().code(),
            "kernel::listener_failed"
        );
    }
    assert_eq!(world.visible(None).await, [""; 0]);
}
