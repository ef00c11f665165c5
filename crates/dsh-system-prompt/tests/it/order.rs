//! The order of tools, and what is refused of it (S6, S7).

use dsh_kernel::{ErrorKind as KernelErrorKind, Kernel};
use dsh_system_prompt::{
    AssembleEvent, Error, ErrorKind, Identity, PromptConfig, SystemPrompt, SystemPromptExt, TOOL_ORDER_REST,
    ToolProvider, ToolProviderResult,
};

use crate::support::{World, bare, schema, tools, world, world_with};

async fn ordered(names: &[&'static str]) -> World {
    world_with(PromptConfig::new().identity(Identity::Omitted).tool_order(names.iter().copied())).await
}

async fn refused(names: &[&'static str]) -> Error {
    let kernel = Kernel::new();
    let config = PromptConfig::new().tool_order(names.iter().copied());
    let fiber = kernel.root().plugin(SystemPrompt::new(config)).unwrap();
    let error = fiber.ready().await.unwrap_err();
    assert_eq!(error.kind(), KernelErrorKind::StartFailed);
    error.failure().unwrap().downcast_ref::<Error>().unwrap().clone()
}

/// S6
#[tokio::test]
async fn a_list_is_refused_at_load_for_a_duplicate_first_then_for_no_rest_entry() {
    let error = refused(&["read", TOOL_ORDER_REST, "read"]).await;
    assert_eq!((error.kind(), error.code()), (ErrorKind::ToolOrderDuplicate, "prompt::tool_order_duplicate"));
    assert_eq!((error.name(), error.position()), (Some("read"), Some(2)));
    let error = refused(&[TOOL_ORDER_REST, "a", TOOL_ORDER_REST]).await;
    assert_eq!((error.kind(), error.position()), (ErrorKind::ToolOrderDuplicate, Some(2)));
    let error = refused(&["read", "zz_last"]).await;
    assert_eq!((error.kind(), error.code()), (ErrorKind::ToolOrderMissingRest, "prompt::tool_order_missing_rest"));
    assert!(error.to_string().contains(TOOL_ORDER_REST), "{error}");
    // Both are wrong here: the duplicate is named.
    assert_eq!(refused(&["a", "a"]).await.kind(), ErrorKind::ToolOrderDuplicate);
    assert_eq!(refused(&[]).await.kind(), ErrorKind::ToolOrderMissingRest);
}

/// S6: by UTF-16 code units a character beyond the basic plane stands before U+FFxx, by bytes or scalar values after it.
#[tokio::test]
async fn without_a_list_tools_stand_by_their_utf16_code_units() {
    let world = world().await;
    tools(&world.root, &["\u{ff01}", "b", "\u{1f600}", "a", "Z", "\u{e000}", "ab"]);
    assert_eq!(world.tool_names(bare()).await, ["Z", "a", "ab", "b", "\u{1f600}", "\u{e000}", "\u{ff01}"]);
}

/// S6
#[tokio::test]
async fn listed_tools_take_their_places_and_the_others_stand_at_the_rest_entry() {
    let world = ordered(&["read", TOOL_ORDER_REST, "zz_last", "approve"]).await;
    tools(&world.root, &["write", "approve", "zz_last"]);
    tools(&world.root, &["Zed", "read", "apply"]);
    assert_eq!(world.tool_names(bare()).await, ["read", "Zed", "apply", "write", "zz_last", "approve"]);
}

/// S6
#[tokio::test]
async fn a_known_tool_that_is_not_visible_is_a_normal_absence() {
    let world = ordered(&["hidden", TOOL_ORDER_REST]).await;
    let restricted = ToolProviderResult::new([schema("b"), schema("a")]).known_names(["a", "b", "hidden"]);
    world.root.system_prompt().tools(restricted).unwrap();
    assert_eq!(world.tool_names(bare()).await, ["a", "b"]);
}

/// S6
#[tokio::test]
async fn listed_names_that_nobody_knows_are_refused_all_at_once_with_the_nearest() {
    let world = ordered(&["raed", TOOL_ORDER_REST, "write", "wriet"]).await;
    tools(&world.root, &["read", "write"]);
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::ToolOrderUnknown, "prompt::tool_order_unknown"));
    let unknown: Vec<_> = error.unknown_tools().map(|tool| (tool.name, tool.position, tool.nearest)).collect();
    assert_eq!(unknown, [("raed", 0, Some("read")), ("wriet", 3, Some("write"))]);
    assert_eq!(error.known().map(dsh_kernel::Name::as_str).collect::<Vec<_>>(), ["read", "write"]);
    let message = error.to_string();
    assert!(message.contains("`raed` (place 1), perhaps `read`"), "{message}");
    assert!(message.contains("`wriet` (place 4), perhaps `write`"), "{message}");

    let world = ordered(&["a", TOOL_ORDER_REST]).await;
    assert!(world.assemble(bare()).await.unwrap_err().to_string().ends_with("known tools: (none)"));
    // What is visible is not known where the provider says what is.
    world.root.system_prompt().tools(ToolProviderResult::new([schema("a")]).known_names(["b"])).unwrap();
    assert_eq!(world.assemble(bare()).await.unwrap_err().kind(), ErrorKind::ToolOrderUnknown);
}

/// S6
#[tokio::test]
async fn a_scope_that_cannot_see_a_provider_does_not_know_its_tools() {
    let world = ordered(&["own", TOOL_ORDER_REST]).await;
    let scope = world.root.scope("agent").unwrap();
    tools(scope.ctx(), &["own"]);
    assert_eq!(world.tool_names(scope.key()).await, ["own"]);
    assert_eq!(world.assemble(bare()).await.unwrap_err().kind(), ErrorKind::ToolOrderUnknown);
}

/// S6, S7: the reserved name, then unknown names, then two of one name.
#[tokio::test]
async fn the_refusals_come_in_their_order() {
    let world = ordered(&["nobody", TOOL_ORDER_REST]).await;
    tools(&world.root, &["twice", TOOL_ORDER_REST]);
    let bad = world.plugin("bad").await;
    let twice = tools(&bad, &["twice"]);
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::ReservedToolName, "prompt::reserved_tool_name"));
    assert_eq!(error.owner().unwrap().to_string(), "root");

    let world = ordered(&["nobody", TOOL_ORDER_REST]).await;
    tools(&world.root, &["twice", "twice"]);
    assert_eq!(world.assemble(bare()).await.unwrap_err().kind(), ErrorKind::ToolOrderUnknown);
    drop(twice);
}

/// S6: the reserved name is refused without a list too.
#[tokio::test]
async fn the_reserved_name_is_refused_without_a_list() {
    let world = world().await;
    tools(&world.root, &[TOOL_ORDER_REST]);
    assert_eq!(world.assemble(bare()).await.unwrap_err().kind(), ErrorKind::ReservedToolName);
}

/// S7
#[tokio::test]
async fn two_visible_tools_of_one_name_are_refused_naming_both_owners() {
    let world = world().await;
    let (first, second) = (world.plugin("first").await, world.plugin("second").await);
    tools(&first, &["a", "read"]);
    tools(&second, &["b", "read"]);
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code(), error.name()),
        (ErrorKind::DuplicateTool, "prompt::duplicate_tool", Some("read"))
    );
    assert_eq!(error.first_owner().unwrap().to_string(), "first");
    assert_eq!(error.owner().unwrap().to_string(), "second");
    let message = error.to_string();
    assert!(message.contains("`first`") && message.contains("`second`"), "{message}");
}

/// S7
#[tokio::test]
async fn a_duplicate_that_a_listener_makes_is_refused_after_the_listeners_naming_both_owners() {
    let world = world().await;
    let (pack, hook) = (world.plugin("pack").await, world.plugin("hook").await);
    tools(&pack, &["read"]);
    hook.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| async move {
        let mut assembly = {
            assembly.tools_mut().push(schema("read").into());
            next.run(assembly).await?
        };
        assembly.tools_mut().push(schema("write").into());
        Ok(assembly)
    })
    .unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.name()), (ErrorKind::DuplicateTool, Some("read")));
    assert_eq!(error.first_owner().unwrap().to_string(), "pack");
    assert_eq!(error.owner().unwrap().to_string(), "hook");
}

/// S6, S9: the order is applied before the listeners; what they do to the list stays.
#[tokio::test]
async fn what_a_listener_adds_is_not_sorted() {
    let world = world().await;
    tools(&world.root, &["b", "c"]);
    world
        .root
        .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| async move {
            let names: Vec<_> = assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect();
            assert_eq!(names, ["b", "c"]);
            assembly.tools_mut().push(schema("a").into());
            next.run(assembly).await
        })
        .unwrap();
    assert_eq!(world.tool_names(bare()).await, ["b", "c", "a"]);
}

/// S6
#[tokio::test]
async fn the_order_does_not_depend_on_who_registers_first() {
    let mut seen = Vec::new();
    for names in [["b", "a", "c"], ["c", "b", "a"], ["a", "c", "b"]] {
        let world = world().await;
        for name in names {
            let provider = ToolProvider::computed(move |_| vec![schema(name)]);
            world.root.system_prompt().tools(provider).unwrap();
        }
        seen.push(world.assemble(bare()).await.unwrap().tools_json());
    }
    assert!(seen.iter().all(|json| *json == seen[0]));
}

/// S6: the nearest names cost no more than a reader would look at, however long the two lists are.
#[tokio::test]
async fn a_thousand_unknown_names_against_a_thousand_known_ones_are_refused_at_once() {
    let listed = (0..1000).map(|index| format!("listed_by_the_configuration_of_the_deployment_number_{index:06}"));
    let config = PromptConfig::new().tool_order(listed.chain([TOOL_ORDER_REST.to_owned()]));
    let world = world_with(config).await;
    let known =
        (0..1000).map(|index| schema(&format!("known_to_some_server_that_was_reached_in_time_number_{index:06}")));
    world.root.system_prompt().tools(ToolProvider::new(known)).unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ToolOrderUnknown);
    let unknown: Vec<_> = error.unknown_tools().collect();
    assert!(unknown.len() == 1000 && unknown.iter().skip(8).all(|tool| tool.nearest.is_none()));
    assert!(error.to_string().contains("and 992 more; known tools:"), "{error}");
}
