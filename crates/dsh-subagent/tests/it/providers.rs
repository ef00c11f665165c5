//! Who runs subagents, and what is refused before there is a child (G1).

use std::sync::atomic::Ordering;

use dsh_kernel::Audience;
use dsh_session::SessionStore as _;
use dsh_subagent::{
    Capabilities, Capability, ErrorKind, SubagentEnd, SubagentProviderAdded, SubagentProviderRemoved, SubagentRequest,
    SubagentResult, SubagentStart, SubagentStop, SubagentsExt,
};
use dsh_testkit::Log;
use dsh_tools::ToolFilter;
use serde_json::json;

use crate::support::{able, made, register, world};

/// G1: the shipped ones first.
#[tokio::test]
async fn providers_are_listed_in_order_of_registration() {
    let world = world("").await;
    let ctx = &world.root;
    let zoo = register(ctx, able("zoo", Capabilities::none()).0);
    register(ctx, able("ant", Capabilities::none().with(Capability::Depth)).0);
    let names = || ctx.subagents().list().unwrap().into_iter().map(|info| info.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(), ["spawn", "fork", "zoo", "ant"]);
    zoo.dispose().await.unwrap();
    assert_eq!(names(), ["spawn", "fork", "ant"]);
    register(ctx, able("zoo", Capabilities::none()).0);
    assert_eq!(names(), ["spawn", "fork", "ant", "zoo"]);
    let ant = ctx.subagents().get("ant").unwrap().unwrap();
    assert_eq!(ant.capabilities.iter().collect::<Vec<_>>(), [Capability::Depth]);
    assert_eq!(ant.owner.to_string(), "root");
    assert!(ctx.subagents().get("bee").unwrap().is_none());
}

/// G1
#[tokio::test]
async fn a_duplicate_is_refused_and_told_who_was_first() {
    let world = world("").await;
    let error = world.root.subagents().register_provider(able("spawn", Capabilities::none()).0).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::DuplicateProvider, "subagent::duplicate_provider"));
    assert_eq!(error.first_owner().unwrap().to_string(), "subagents");
    assert_eq!(error.owner().unwrap().to_string(), "root");
    assert!(error.to_string().contains("the first is of `subagents`"), "{error}");
}

/// G1
#[tokio::test]
async fn a_provider_that_is_not_there_is_named_beside_those_that_are() {
    let world = world("").await;
    let error = world.root.subagents().start("spwan", SubagentRequest::new("x")).unwrap_err();
    assert_eq!((error.code(), error.provider()), ("subagent::no_provider", Some("spwan")));
    assert_eq!(error.help(), "there are: `spawn`, `fork`");
}

/// G1: each asked-for capability is checked in order, and the first that is not met is named; nothing has been made by then.
#[tokio::test]
async fn the_first_unmet_capability_is_named_before_there_is_a_child() {
    let world = world("").await;
    let parent = world.agent("main").await;
    let (provider, runs) = able("bare", Capabilities::none().with(Capability::Persona));
    register(&world.root, provider);
    let (before, log) = (world.tree(), Log::new());
    let heard = log.clone();
    let listener = world.root.on::<SubagentStart, _>(move |_| heard.push("start")).unwrap();
    let all = || {
        let request = SubagentRequest::new("x").parent(parent.agent()).persona("p").depth(1);
        request.tools(ToolFilter::new().deny(["read"])).output_schema(json!(true))
    };
    let refused = [
        (all().context(), Capability::Context),
        (all(), Capability::ToolFilter),
        (SubagentRequest::new("x").depth(0).persona("p"), Capability::Depth),
        (SubagentRequest::new("x").output_schema(json!(false)), Capability::OutputSchema),
    ];
    for (request, first) in refused {
        let error = world.root.subagents().start("bare", request).unwrap_err();
        assert_eq!((error.code(), error.capability()), ("subagent::unsupported_capability", Some(first)));
        assert_eq!((error.provider(), error.owner().unwrap().to_string()), (Some("bare"), "root".to_owned()));
    }
    let error = world.root.subagents().start("spawn", SubagentRequest::new("x").context()).unwrap_err();
    assert_eq!(error.capability(), Some(Capability::Context));
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    log.assert([]);
    listener.dispose().await.unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(world.store.list().unwrap().len(), 1);
    // What it can do it is asked for.
    let run = world.root.subagents().start("bare", SubagentRequest::new("x").persona("p")).unwrap();
    assert_eq!(run.result().await.text, "done");
}

/// G1
#[tokio::test]
async fn a_schema_that_is_none_is_refused_at_once() {
    let world = world("").await;
    let request = SubagentRequest::new("x").output_schema(json!({"type": "thing"}));
    assert_eq!(world.root.subagents().start("spawn", request).unwrap_err().code(), "subagent::invalid_output_schema");
}

/// G1: all four events, each with what it is about, in order.
#[tokio::test]
async fn events_tell_of_providers_and_runs() {
    let world = world("[[rules]]\nanswer = \"Good.\"").await;
    let (log, root) = (Log::new(), &world.root);
    let parent = world.agent("main").await;
    let heard = log.clone();
    root.on::<SubagentProviderAdded, _>(move |event| heard.push(format!("+{} of {}", event.name, event.owner)))
        .unwrap();
    let heard = log.clone();
    root.on::<SubagentProviderRemoved, _>(move |event| heard.push(format!("-{}", event.name))).unwrap();
    let heard = log.clone();
    // For its parent: a scoped listener hears it.
    let ctx = parent.agent().ctx();
    ctx.on::<SubagentStart, _>(move |event| {
        let parent = event.parent.as_ref().unwrap().name().to_owned();
        heard.push(format!("{} start {} {} for {parent}: {}", event.id, event.provider, event.name, event.description));
    })
    .unwrap();
    let heard = log.clone();
    ctx.on::<SubagentEnd, _>(move |event| heard.push(format!("{} end {}", event.id, event.result.stop))).unwrap();
    let other = world.agent("other").await;
    other.agent().ctx().on::<SubagentEnd, _>(|_| -> () { panic!("not for this one") }).unwrap();

    let provider = register(root, able("p", Capabilities::none()).0);
    let request = SubagentRequest::new("x").parent(parent.agent()).name("child").description("does x");
    let run = root.subagents().start("p", request).unwrap();
    let id = run.id();
    assert_eq!(run.result().await.stop, SubagentStop::Completed);
    provider.dispose().await.unwrap();
    let (start, end) = (format!("{id} start p child for main: does x"), format!("{id} end completed"));
    assert_eq!(log.take(), ["+p of root", &start, &end, "-p"]);
}

/// G1: a failing listener of any of them, and a panicking one, changes nothing.
#[tokio::test]
async fn a_failing_listener_is_contained() {
    let world = world("[[rules]]\nanswer = \"Good.\"").await;
    let root = &world.root;
    root.on::<SubagentProviderAdded, _>(|_| Err(dsh_kernel::Failure::msg("no"))).unwrap();
    root.on::<SubagentProviderRemoved, _>(|_| -> () { panic!("no") }).unwrap();
    root.on::<SubagentStart, _>(|_| -> () { panic!("no") }).unwrap();
    root.on::<SubagentEnd, _>(|_| Err(dsh_kernel::Failure::msg("no"))).unwrap();
    let provider = register(root, able("p", Capabilities::none()).0);
    let parent = world.agent("main").await;
    for name in ["p", "spawn", "fork"] {
        let result = world.run(name, parent.agent(), SubagentRequest::new("x")).await;
        assert_eq!(result.stop, SubagentStop::Completed, "{name}");
    }
    provider.dispose().await.unwrap();
    assert_eq!(root.subagents().running().unwrap().len(), 0);
    assert!(root.subagents().get("p").unwrap().is_none());
}

/// K13: whatever a listener does inside of an event, no lock is held.
#[tokio::test]
async fn a_listener_may_start_and_look_and_cancel() {
    let world = world("[[rules]]\nanswer = \"Good.\"").await;
    let root = world.root.clone();
    world
        .root
        .on::<SubagentStart, _>(move |event| {
            if event.name.as_str() == "outer" {
                let inner = root.subagents().start("spawn", SubagentRequest::new("y").name("inner")).unwrap();
                assert_eq!(root.subagents().running().unwrap().len(), 2);
                inner.cancel();
            }
        })
        .unwrap();
    assert!(world.root.hears::<SubagentStart>(Audience::Everyone));
    let run = world.root.subagents().start("spawn", SubagentRequest::new("x").name("outer")).unwrap();
    assert_eq!(run.result().await.text, "Good.");
    crate::support::until(|| world.root.subagents().running().unwrap().is_empty()).await;
}

/// G2: a provider that fails or panics, at once or later, resolves the run's result.
#[tokio::test]
async fn a_provider_that_fails_or_panics_resolves_the_result() {
    let world = world("").await;
    let root = &world.root;
    register(root, made("fails", |_| async { Err(dsh_kernel::Failure::msg("no luck")) }));
    register(root, made("panics", |_| async { panic!("boom") }));
    register(root, made("panics-at-once", |_| -> std::future::Ready<_> { panic!("boom") }));
    let failed = |code: &str, message: &str| SubagentResult::failed(code, message);
    let parent = world.agent("main").await;
    let cases = [
        ("fails", failed("subagent::provider_failed", "no luck")),
        ("panics", failed("subagent::provider_panicked", "panicked: boom")),
        ("panics-at-once", failed("subagent::provider_panicked", "panicked: boom")),
    ];
    for (name, expected) in cases {
        assert_eq!(*world.run(name, parent.agent(), SubagentRequest::new("x")).await, expected, "{name}");
    }
    assert_eq!(root.subagents().running().unwrap().len(), 0);
}

/// It is told as what it is.
#[tokio::test]
async fn a_provider_that_panics_when_it_names_itself_has_panicked() {
    struct Nameless;
    impl dsh_subagent::SubagentProvider for Nameless {
        fn name(&self) -> &str {
            panic!("it has no name")
        }
        fn capabilities(&self) -> Capabilities {
            Capabilities::none()
        }
        fn run(
            &self,
            _: dsh_subagent::SubagentJob,
        ) -> dsh_kernel::BoxFuture<'static, Result<SubagentResult, dsh_kernel::Failure>> {
            unreachable!()
        }
    }
    let world = world("").await;
    let error = world.root.subagents().register_provider(Nameless).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::ProviderPanicked, "subagent::provider_panicked"));
}
