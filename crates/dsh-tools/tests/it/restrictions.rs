//! Restrictions (T2).

use dsh_tools::{ErrorKind, ToolFilter, ToolsExt};

use crate::support::{allow, anybody, deny, register, shown, world};

/// T2
#[tokio::test]
async fn allow_leaves_only_its_list_and_deny_all_but_its_list() {
    let world = world().await;
    register(&world.root, &["a", "b", "c"]);
    let scope = world.root.scope("agent").unwrap();
    let key = Some(scope.key());
    let only = allow(scope.ctx(), &["a", "b"]);
    assert_eq!(world.visible(key).await, ["a", "b"]);
    let not = deny(scope.ctx(), &["b"]);
    assert_eq!(world.visible(key).await, ["a"], "several intersect");
    let other = allow(scope.ctx(), &["b", "c"]);
    assert_eq!(world.visible(key).await, [""; 0]);
    other.dispose().await.unwrap();
    only.dispose().await.unwrap();
    assert_eq!(world.visible(key).await, ["a", "c"]);
    not.dispose().await.unwrap();
    assert_eq!(world.visible(key).await, ["a", "b", "c"]);
    assert_eq!(world.visible(None).await, ["a", "b", "c"], "nobody else is restricted");
}

/// T2: within one filter, deny wins.
#[tokio::test]
async fn deny_wins_over_allow() {
    let world = world().await;
    register(&world.root, &["a", "b"]);
    let scope = world.root.scope("agent").unwrap();
    scope.ctx().tools().restrict(ToolFilter::new().allow(["a", "b"]).deny(["a"])).unwrap();
    assert_eq!(world.visible(Some(scope.key())).await, ["b"]);
}

/// T2: the scope's own tools are explicit grants.
#[tokio::test]
async fn the_scopes_own_tools_bypass_its_restrictions() {
    let world = world().await;
    register(&world.root, &["a", "b"]);
    let scope = world.root.scope("agent").unwrap();
    allow(scope.ctx(), &["a"]);
    register(scope.ctx(), &["own", "b"]);
    assert_eq!(world.visible(Some(scope.key())).await, ["a", "b", "own"]);
    let error = scope.ctx().tools().restrict(ToolFilter::new().deny(["own"])).unwrap_err();
    assert_eq!(error.code(), "tools::unknown_tool", "an entry that would block nothing is refused");
    assert!(error.to_string().contains("the scope's own, which no restriction touches"), "{error}");
}

/// T2
#[tokio::test]
async fn a_restriction_without_a_scope_or_without_a_word_is_refused() {
    let world = world().await;
    register(&world.root, &["a"]);
    let error = world.root.tools().restrict(ToolFilter::new().deny(["a"])).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::UnscopedRestriction, "tools::unscoped_restriction"));
    let scope = world.root.scope("agent").unwrap();
    for empty in [ToolFilter::new(), ToolFilter::new().deny([] as [&str; 0])] {
        let error = scope.ctx().tools().restrict(empty).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::EmptyFilter, "tools::empty_filter"));
    }
    assert_eq!(world.visible(Some(scope.key())).await, ["a"]);
}

/// T2
#[tokio::test]
async fn unknown_names_are_refused_with_the_nearest_one() {
    let world = world().await;
    register(&world.root, &["read", "write"]);
    let scope = world.root.scope("agent").unwrap();
    let filter = ToolFilter::new().allow(["raed", "write", "raed"]).deny(["quite-another"]);
    let error = scope.ctx().tools().restrict(filter).unwrap_err();
    assert_eq!((error.code(), error.name(), error.nearest()), ("tools::unknown_tool", Some("raed"), Some("read")));
    assert_eq!(error.unknown_names().collect::<Vec<_>>(), ["raed", "quite-another"]);
    assert_eq!(
        error.to_string(),
        "the restriction of `agent` names what is none of everybody's tools: `raed`, perhaps `read`, `quite-another`"
    );
    assert_eq!(world.visible(Some(scope.key())).await, ["read", "write"], "nothing of it holds");
}

/// T2: by name, for as long as it is registered: `allow` leaves only those, `deny` hides by name whenever it comes.
#[tokio::test]
async fn a_restriction_holds_for_what_is_registered_later() {
    let world = world().await;
    let known = register(&world.root, &["a", "b"]);
    let (careful, bold) = (world.root.scope("careful").unwrap(), world.root.scope("bold").unwrap());
    allow(careful.ctx(), &["a"]);
    deny(bold.ctx(), &["b"]);
    register(&world.root, &["c"]);
    assert_eq!(world.visible(Some(careful.key())).await, ["a"]);
    assert_eq!(world.visible(Some(bold.key())).await, ["a", "c"]);
    for tool in known {
        tool.dispose().await.unwrap();
    }
    assert_eq!(world.visible(Some(careful.key())).await, [""; 0]);
    register(&world.root, &["a", "b"]);
    assert_eq!(world.visible(Some(careful.key())).await, ["a"]);
    assert_eq!(world.visible(Some(bold.key())).await, ["a", "c"]);
}

/// T2: the view says who hides what.
#[tokio::test]
async fn the_view_names_whose_restrictions_hide_a_tool() {
    let world = world().await;
    register(&world.root, &["a", "b"]);
    let scope = world.root.scope("agent").unwrap();
    deny(scope.ctx(), &["a"]);
    allow(scope.ctx(), &["b"]);
    let view = world.root.tools().view(scope.key()).unwrap();
    let hidden: Vec<String> = view.get("a").unwrap().hidden_by().iter().map(ToString::to_string).collect();
    assert_eq!(hidden, ["agent", "agent"]);
    assert!(view.get("b").unwrap().is_visible());
    assert!(world.root.tools().view(None).unwrap().get("a").unwrap().is_visible());
}

/// T3: what is hidden is denied, what is not there is unknown; and only what the scope has is told of.
#[tokio::test]
async fn a_call_of_a_hidden_tool_says_that_it_is_denied() {
    let world = world().await;
    register(&world.root, &["patch", "write"]);
    let scope = world.root.scope("agent").unwrap();
    deny(scope.ctx(), &["patch"]);
    let denied = world.call("patch", "{}", scope.key()).await;
    assert_eq!(
        shown(&denied),
        (Some("tools::unknown_tool"), "the tool `patch` is denied for this agent; it was not run".into())
    );
    assert!(!denied.began);
    assert_eq!(
        shown(&world.call("ptch", "{}", scope.key()).await),
        (Some("tools::unknown_tool"), "there is no tool `ptch`; there are: `write`".into())
    );
    assert_eq!(
        shown(&world.call("ptch", "{}", anybody()).await),
        (
            Some("tools::unknown_tool"),
            "there is no tool `ptch`; perhaps `patch` is meant; there are: `patch`, `write`".into()
        )
    );
}
