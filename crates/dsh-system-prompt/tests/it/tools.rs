//! Tool providers (S5).

use std::sync::Arc;

use dsh_system_prompt::{AssembleContext, PartLayer, SystemPromptExt, ToolProvider, ToolProviderResult};
use dsh_testkit::Counter;

use crate::support::{bare, schema, tools, world};

/// S5
#[tokio::test]
async fn providers_are_asked_at_each_assembly_with_its_context() {
    let world = world().await;
    let asked = Counter::new();
    let counted = asked.clone();
    let provider = ToolProvider::computed(move |cx: &AssembleContext| {
        counted.hit();
        if cx.scope().is_some() { vec![schema("scoped")] } else { vec![schema("bare")] }
    });
    world.root.system_prompt().tools(provider).unwrap();
    let scope = world.root.scope("agent").unwrap();
    assert_eq!(world.tool_names(bare()).await, ["bare"]);
    assert_eq!(world.tool_names(scope.key()).await, ["scoped"]);
    assert_eq!(world.tool_names(bare()).await, ["bare"]);
    assert_eq!(asked.get(), 3);
}

/// S5
#[tokio::test]
async fn scoped_providers_are_asked_only_for_their_scope_and_say_whose_they_are() {
    let world = world().await;
    let plugin = world.plugin("pack").await;
    tools(&plugin, &["shared"]);
    let (one, two) = (plugin.scope("one").unwrap(), plugin.scope("two").unwrap());
    let asked = Counter::new();
    let counted = asked.clone();
    one.ctx()
        .system_prompt()
        .tools(ToolProvider::computed(move |_| {
            counted.hit();
            vec![schema("own")]
        }))
        .unwrap();
    assert_eq!(world.tool_names(two.key()).await, ["shared"]);
    assert_eq!(world.tool_names(bare()).await, ["shared"]);
    assert_eq!(asked.get(), 0);
    let assembly = world.assemble(one.key()).await.unwrap();
    let rows: Vec<_> = assembly
        .tools()
        .iter()
        .map(|tool| (tool.schema().name(), tool.owner().unwrap().to_string(), tool.layer()))
        .collect();
    let expected =
        [("own", "pack/one".to_owned(), PartLayer::Scope(one.key())), ("shared", "pack".to_owned(), PartLayer::Global)];
    assert_eq!(rows, expected);
}

/// S5, S8: an answer handed out again is the same block of tools, with nothing copied.
#[tokio::test]
async fn the_same_answer_gives_the_same_tools() {
    let world = world().await;
    let kept = ToolProviderResult::new([schema("b"), schema("a")]);
    world.root.system_prompt().tools(ToolProvider::computed(move |_| kept.clone())).unwrap();
    let first = world.assemble(bare()).await.unwrap();
    crate::support::section(&world.root, "other", 1, "x");
    let second = world.assemble(bare()).await.unwrap();
    let third = world.assemble(bare()).await.unwrap();
    assert!(std::ptr::eq(second.tools(), third.tools()));
    assert!(Arc::ptr_eq(&second.tools_json(), &third.tools_json()));
    assert_eq!(first.tools_json(), second.tools_json());
    assert_eq!(first.tools_fingerprint(), third.tools_fingerprint());
}

/// X5
#[tokio::test]
async fn the_tool_block_is_the_array_of_the_canonical_schemas() {
    let world = world().await;
    assert_eq!(&*world.assemble(bare()).await.unwrap().tools_json(), "[]");
    tools(&world.root, &["b", "a"]);
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(*assembly.tools_json(), format!("[{},{}]", schema("a").json(), schema("b").json()));
    assert_eq!(assembly.tools_fingerprint().to_hex().len(), 64);
    let mut edited = assembly.clone();
    edited.tools_mut().truncate(1);
    assert_eq!(*edited.tools_json(), format!("[{}]", schema("a").json()));
    assert_ne!(edited.tools_fingerprint(), assembly.tools_fingerprint());
}
