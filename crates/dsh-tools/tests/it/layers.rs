//! Layers, shadowing and look-up (T1, T3).

use dsh_system_prompt::PartLayer;
use dsh_tools::ToolsExt;

use crate::support::{anybody, echo, register, shown, tool, world};

/// T1: a scope's tool shadows everybody's of its name, for that scope alone; and goes with the scope.
#[tokio::test]
async fn a_scoped_tool_shadows_the_global_one_of_its_name() {
    let world = world().await;
    let pack = world.mount("pack", |ctx| {
        ctx.tools().register(echo("read"))?;
        ctx.tools().register(echo("write"))?;
        Ok(())
    });
    let pack = pack.await;
    let (one, two) = (world.root.scope("one").unwrap(), world.root.scope("two").unwrap());
    one.ctx().tools().register(tool("read", |_| async { Ok("read of one".into()) })).unwrap();
    register(one.ctx(), &["own"]);

    assert_eq!(world.visible(None).await, ["read", "write"]);
    assert_eq!(world.visible(Some(two.key())).await, ["read", "write"]);
    assert_eq!(world.visible(Some(one.key())).await, ["own", "read", "write"]);
    assert_eq!(shown(&world.call("read", "{}", one.key()).await), (None, "read of one".into()));
    assert_eq!(shown(&world.call("read", "{}", two.key()).await), (None, "read".into()));
    assert_eq!(shown(&world.call("read", "{}", anybody()).await), (None, "read".into()));

    let handle = world.root.tools();
    let found = handle.get("read", one.key()).unwrap().unwrap();
    let shadowed = found.shadows().map(ToString::to_string);
    assert_eq!(
        (found.owner().to_string(), found.layer(), shadowed.as_deref()),
        ("one".into(), PartLayer::Scope(one.key()), Some("pack"))
    );
    assert_eq!(handle.get("read", None).unwrap().unwrap().layer(), PartLayer::Global);

    let key = one.key();
    one.dispose().await.unwrap();
    assert_eq!(handle.get("read", key).unwrap().unwrap().layer(), PartLayer::Global, "its layer went with it");
    assert_eq!(
        world.call("read", "{}", key).await.code,
        Some("tools::scope_closed"),
        "and nobody calls for it any more"
    );
    pack.dispose().await.unwrap();
    assert_eq!(world.visible(None).await, [""; 0]);
}

/// T1
#[tokio::test]
async fn a_second_tool_of_one_name_in_a_layer_is_refused_and_told_the_owner_of_the_first() {
    let world = world().await;
    let first = world.mount("first", |ctx| ctx.tools().register(echo("read")).map(drop).map_err(Into::into)).await;
    let error = world.root.tools().register(echo("read")).unwrap_err();
    assert_eq!((error.code(), error.name()), ("tools::duplicate_tool", Some("read")));
    assert_eq!(error.first_owner().unwrap().to_string(), "first");
    assert_eq!(
        error.to_string(),
        "the tool `read` of `root` is registered already by `first`; register it through that agent's own context \
         (`agent.ctx()`) to override it for one agent, or dispose the first one"
    );
    let scope = world.root.scope("agent").unwrap();
    register(scope.ctx(), &["read"]);
    let error = scope.ctx().tools().register(echo("read")).unwrap_err();
    assert_eq!(error.first_owner().unwrap().to_string(), "agent");
    assert!(error.to_string().ends_with("dispose the first one of this scope, or rename it"), "{error}");
    // The name is free again when the first is gone (K7, I25).
    first.dispose().await.unwrap();
    register(&world.root, &["read"]);
}

/// S6: the name that stands for all others in `tool_order` is refused where it is registered.
#[tokio::test]
async fn the_reserved_name_is_refused() {
    let world = world().await;
    let error = world.root.tools().register(echo("<unlisted-tools>")).unwrap_err();
    assert_eq!(error.code(), "tools::reserved_name");
}

/// T3: the view lists by name, whatever the order of registration.
#[tokio::test]
async fn the_view_is_in_the_order_of_names() {
    let world = world().await;
    register(&world.root, &["zeta", "Alpha", "beta", "\u{10000}", "\u{ffee}"]);
    let view = world.root.tools().view(None).unwrap();
    let names: Vec<&str> = view.all().iter().map(dsh_tools::RegisteredTool::name).collect();
    // UTF-16 code units: a surrogate stands before U+FFEE.
    assert_eq!(names, ["Alpha", "beta", "zeta", "\u{10000}", "\u{ffee}"]);
    assert!(view.get("beta").is_some() && view.get("gamma").is_none());
}

/// K9: a view keeps no code of a plugin.
#[tokio::test]
async fn what_is_looked_up_keeps_nothing_of_the_tool_alive() {
    let (world, probes) = (world().await, dsh_testkit::Probes::new());
    let probe = probes.probe();
    let made = world.root.tools().register(tool("t", move |_| {
        probe.touch();
        async { Ok(().into()) }
    }));
    let (view, found) = (world.root.tools().view(None).unwrap(), world.root.tools().get("t", None).unwrap());
    let told = world.assemble(dsh_system_prompt::AssembleContext::new()).await;
    made.unwrap().dispose().await.unwrap();
    assert_eq!(probes.balance(), 0);
    assert_eq!((view.all().len(), found.unwrap().name(), told.tools().len()), (1, "t", 1));
}
