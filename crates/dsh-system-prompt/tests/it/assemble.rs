//! Assembling: order of evaluation, failures, snapshots, isolation, typed fields (S8, S10).

use std::sync::Arc;

use dsh_kernel::Failure;
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, AssembledSection, Error, ErrorKind, PromptAssembly, PromptConfig, PromptSection,
    PromptVariable, SystemPromptExt, ToolProvider, render_prompt,
};
use dsh_testkit::Log;

use crate::support::{World, bare, schema, section, section_names, tools, variable, world, world_with};

fn logged(world: &dsh_kernel::Context, log: &Log, kind: char, name: &'static str, order: f64) {
    let (log, handle) = (log.clone(), world.system_prompt());
    match kind {
        'v' => handle.variable(PromptVariable::computed(name, move |_| {
            log.push(name);
            name
        })),
        't' => handle.tools(ToolProvider::computed(move |_| {
            log.push(name);
            vec![schema(name)]
        })),
        _ => handle.section(PromptSection::computed(name, order, move |_| {
            log.push(name);
            name
        })),
    }
    .unwrap();
}

/// S8
#[tokio::test]
async fn variables_come_first_then_tool_providers_then_texts_in_final_order_then_listeners() {
    let (world, log) = (world().await, Log::new());
    let scope = world.root.scope("agent").unwrap();
    let heard = log.clone();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            heard.push("listener");
            next.run(assembly)
        })
        .unwrap();
    for (ctx, tag) in [(scope.ctx(), "s"), (&world.root, "g")] {
        let name = |name: &str| -> &'static str { Box::leak(format!("{tag}_{name}").into_boxed_str()) };
        logged(ctx, &log, 's', name("late"), 9.0);
        logged(ctx, &log, 's', name("early"), 1.0);
        logged(ctx, &log, 't', name("tools"), 0.0);
        logged(ctx, &log, 'v', name("b"), 0.0);
        logged(ctx, &log, 'v', name("a"), 0.0);
    }
    world.assemble(scope.key()).await.unwrap();
    log.assert([
        "g_b", "g_a", "s_b", "s_a", "g_tools", "s_tools", "g_early", "s_early", "g_late", "s_late", "listener",
    ]);
}

/// S8: the first failure is returned and nothing after it runs.
#[tokio::test]
async fn the_first_failure_ends_it_and_names_owner_and_part() {
    for (failing, ran, part) in [
        ("variable", vec!["v"], "the variable `bad`"),
        ("tools", vec!["v", "v2", "t"], "a tool provider"),
        ("section", vec!["v", "v2", "t", "t2", "s"], "the text of the section `bad`"),
    ] {
        let (world, log) = (world().await, Log::new());
        let bad = world.plugin("bad").await;
        let handle = bad.system_prompt();
        logged(&world.root, &log, 'v', "v", 0.0);
        if failing == "variable" {
            handle.variable(PromptVariable::try_computed("bad", |_| Err::<&str, _>(Failure::msg("why")))).unwrap();
        }
        logged(&world.root, &log, 'v', "v2", 0.0);
        logged(&world.root, &log, 't', "t", 0.0);
        if failing == "tools" {
            handle.tools(ToolProvider::try_computed(|_| Err::<Vec<_>, _>(Failure::msg("why")))).unwrap();
        }
        logged(&world.root, &log, 't', "t2", 0.0);
        logged(&world.root, &log, 's', "s", 1.0);
        if failing == "section" {
            handle.section(PromptSection::try_computed("bad", 2, |_| Err::<&str, _>(Failure::msg("why")))).unwrap();
        }
        logged(&world.root, &log, 's', "s2", 3.0);
        let error = world.assemble(bare()).await.unwrap_err();
        assert_eq!(log.take(), ran);
        assert_eq!((error.kind(), error.code()), (ErrorKind::ProviderFailed, "prompt::provider_failed"));
        assert_eq!(error.owner().unwrap().to_string(), "bad");
        assert_eq!(error.to_string(), format!("{part} of `bad` failed: why"));
        assert_eq!(error.failure().unwrap().to_string(), "why");
        assert_eq!(error.section().or(error.name()), (failing != "tools").then_some("bad"));
    }
}

/// S8: tool order is checked after the texts, and before the listeners.
#[tokio::test]
async fn a_refused_tool_order_comes_after_the_texts_and_before_the_listeners() {
    let world = world_with(PromptConfig::new().tool_order(["nobody", dsh_system_prompt::TOOL_ORDER_REST])).await;
    let log = Log::new();
    logged(&world.root, &log, 's', "text", 1.0);
    let heard = log.clone();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            heard.push("listener");
            next.run(assembly)
        })
        .unwrap();
    assert_eq!(world.assemble(bare()).await.unwrap_err().kind(), ErrorKind::ToolOrderUnknown);
    log.assert(["text"]);
}

/// S8, K3, K13
#[tokio::test]
async fn a_panicking_provider_is_an_error_with_owner_and_part_and_the_registry_stays_usable() {
    let world = world().await;
    let bad = world.plugin("bad").await;
    let boom = |_: &AssembleContext| -> &'static str { panic!("boom") };
    let parts = [
        bad.system_prompt().variable(PromptVariable::computed("v", boom)).unwrap(),
        bad.system_prompt().section(PromptSection::computed("s", 1, boom)).unwrap(),
        bad.system_prompt().tools(ToolProvider::computed(|_| -> Vec<_> { panic!("boom") })).unwrap(),
    ];
    let mut expected = ["the variable `v`", "a tool provider", "the text of the section `s`"].into_iter();
    let [v, s, t] = parts;
    for disposer in [v, t, s] {
        let error = world.assemble(bare()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ProviderFailed);
        assert_eq!(error.failure().unwrap().panic_message(), Some("boom"));
        assert!(error.to_string().starts_with(expected.next().unwrap()), "{error}");
        assert_eq!(error.owner().unwrap().to_string(), "bad");
        disposer.dispose().await.unwrap();
    }
    assert_eq!(world.prompt(bare()).await, "");
}

/// S8, K3: the very failure comes back, downcastable.
#[tokio::test]
async fn the_failure_of_a_provider_is_the_very_one() {
    let world = world().await;
    let parse = PromptSection::try_computed("s", 1, |_| Ok("x".parse::<u16>()?.to_string()));
    world.root.system_prompt().section(parse).unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert!(error.failure().unwrap().downcast_ref::<std::num::ParseIntError>().is_some());
    assert!(std::error::Error::source(&error).unwrap().is::<std::num::ParseIntError>());
}

/// S8
#[tokio::test]
async fn texts_are_resolved_but_not_interpolated_and_values_are_there() {
    let world = world().await;
    variable(&world.root, "v", "V");
    section(&world.root, "a", 1, "{{v}} and {{nobody}}");
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(assembly.section("a").unwrap().text().as_str(), "{{v}} and {{nobody}}");
    assert_eq!(assembly.variable("v").unwrap().value().unwrap().as_str(), "V");
    assert!(assembly.variable("nobody").is_none());
}

/// S8
#[tokio::test]
async fn what_anyone_does_to_an_assembly_never_reaches_the_registry_or_another_one() {
    let world = world().await;
    section(&world.root, "a", 1, "a {{v}}");
    section(&world.root, "b", 2, "b");
    variable(&world.root, "v", "V");
    tools(&world.root, &["t", "u"]);
    let mut one = world.assemble(bare()).await.unwrap();
    let two = one.clone();
    one.sections_mut().retain(|section| section.name() != "b");
    for section in one.sections_mut() {
        section.set_text("changed {{v}}");
    }
    one.set_variable("v", "W");
    one.set_variable("new", "N");
    let described = one.tools()[0].schema().with_description("other");
    one.tools_mut()[0].set_schema(described);
    one.tools_mut().pop();
    assert_eq!(&*render_prompt(&one).unwrap(), "changed W\n\nchanged W\n\nchanged W");
    for assembly in [two, world.assemble(bare()).await.unwrap()] {
        assert_eq!(&*render_prompt(&assembly).unwrap(), "a V\n\nb");
        assert_eq!(assembly.tools().len(), 2);
        assert_eq!(assembly.tools()[0].schema().description(), "does t");
        assert!(assembly.variable("new").is_none());
    }
}

/// S8: made from nothing.
#[test]
fn an_assembly_is_made_from_nothing() {
    let mut assembly = PromptAssembly::new();
    assert_eq!((assembly.sections().len(), assembly.tools().len(), assembly.variables().count()), (0, 0, 0));
    assert_eq!(&*render_prompt(&assembly).unwrap(), "");
    assembly.sections_mut().push(AssembledSection::new("a", 5, "x{{v}}"));
    assembly.set_variable("v", None::<&str>);
    assert_eq!(render_prompt(&assembly).unwrap_err().kind(), ErrorKind::ValuelessVariable);
    assembly.set_variable("v", "y");
    assert_eq!(&*render_prompt(&assembly).unwrap(), "xy");
    let section = assembly.section("a").unwrap();
    assert_eq!(
        (section.owner(), section.layer(), section.order()),
        (None, dsh_system_prompt::PartLayer::Assembly, 5.0)
    );
    assert_eq!(assembly.sections().rev().count(), 1);
}

/// S8: an assembly is a snapshot; a registration made while it runs shows in the next one.
#[tokio::test]
async fn a_registration_made_by_a_provider_shows_in_the_next_assembly() {
    let world = world().await;
    let ctx = world.root.clone();
    let registering = PromptVariable::computed("v", move |_| {
        drop(ctx.system_prompt().section(PromptSection::new("late", 9, "late")));
        drop(ctx.system_prompt().tools(ToolProvider::new([schema("late")])));
        "x"
    });
    let once = world.root.system_prompt().variable(registering).unwrap();
    let first = world.assemble(bare()).await.unwrap();
    assert_eq!(section_names(&first), Vec::<&str>::new());
    assert!(first.tools().is_empty());
    once.dispose().await.unwrap();
    let second = world.assemble(bare()).await.unwrap();
    assert_eq!((section_names(&second), second.tools().len()), (vec!["late"], 1));
}

/// S8: what is disposed alone, its owner staying, is still in the assembly that has begun.
#[tokio::test]
async fn a_removal_by_its_disposer_shows_in_the_next_assembly() {
    let world = world().await;
    let disposer = section(&world.root, "a", 1, "a");
    let cell = std::sync::Mutex::new(Some(disposer));
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            let disposer = cell.lock().unwrap().take();
            drop(disposer.map(dsh_kernel::Disposer::dispose));
            next.run(assembly)
        })
        .unwrap();
    assert_eq!(world.prompt(bare()).await, "a");
    assert_eq!(world.prompt(bare()).await, "");
}

/// S10
#[tokio::test]
async fn context_and_assembly_carry_typed_fields() {
    struct Agent(&'static str);
    struct Tokens(usize);
    let world = world().await;
    let by_agent = PromptSection::computed("a", 1, |cx: &AssembleContext| {
        cx.get::<Agent>().map_or_else(|| "nobody".to_owned(), |agent| agent.0.to_owned())
    });
    world.root.system_prompt().section(by_agent).unwrap();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(|mut assembly, event, next| async move {
            assembly.set_extension(Tokens(event.context().get::<Agent>().map_or(0, |agent| agent.0.len())));
            next.run(assembly).await
        })
        .unwrap();
    let assembly = world.assemble(bare().with(Agent("old")).with(Agent("reviewer"))).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "reviewer");
    assert_eq!(assembly.extension::<Tokens>().unwrap().0, 8);
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "nobody");
    assert_eq!(assembly.extension::<Tokens>().unwrap().0, 0);
    assert!(assembly.extension::<Agent>().is_none());
}

/// S8, P3: an assembly that equals the last one of its scope hands out the same bytes, providers being asked all the same.
#[tokio::test]
async fn an_unchanged_assembly_renders_to_the_same_shared_bytes() {
    let world = world().await;
    let asked = dsh_testkit::Counter::new();
    let counted = asked.clone();
    world
        .root
        .system_prompt()
        .variable(PromptVariable::computed("v", move |_| {
            counted.hit();
            String::from("same")
        }))
        .unwrap();
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "own", 2, "own {{v}}");
    world.root.system_prompt().section(PromptSection::computed("a", 1, |_| String::from("{{v}}"))).unwrap();
    for cx in [bare(), scope.key().into()] {
        let first = render_prompt(&world.assemble(cx.clone()).await.unwrap()).unwrap();
        let second = render_prompt(&world.assemble(cx).await.unwrap()).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }
    assert_eq!(asked.get(), 4);
    // The two do not disturb each other.
    let (one, other) = (world.prompt(bare()).await, world.prompt(scope.key()).await);
    assert_eq!((&*one, &*other), ("same", "same\n\nown same"));
}

async fn look(world: &World) -> (String, Vec<String>) {
    (world.prompt(bare()).await, world.tool_names(bare()).await)
}

/// S8: what changes shows at once, whatever was remembered.
#[tokio::test]
async fn each_thing_that_can_change_shows_in_the_next_prompt() {
    let world = world().await;
    let state: Arc<std::sync::Mutex<[u32; 3]>> = Arc::default();
    let read = |index: usize| {
        let state = state.clone();
        move || state.lock().unwrap()[index]
    };
    let (v, s, t) = (read(0), read(1), read(2));
    let handle = world.root.system_prompt();
    handle.variable(PromptVariable::computed("first", |_| "1")).unwrap();
    handle.variable(PromptVariable::computed("v", move |_| v().to_string())).unwrap();
    handle.variable(PromptVariable::computed("last", |_| "9")).unwrap();
    handle
        .section(PromptSection::computed("s", 1, move |_| format!("{} {{{{first}}}}{{{{v}}}}{{{{last}}}}", s())))
        .unwrap();
    handle.tools(ToolProvider::computed(move |_| vec![schema(&format!("t{}", t()))])).unwrap();
    assert_eq!(look(&world).await, ("0 109".to_owned(), vec!["t0".to_owned()]));
    state.lock().unwrap()[0] = 7;
    assert_eq!(look(&world).await, ("0 179".to_owned(), vec!["t0".to_owned()]));
    state.lock().unwrap()[1] = 5;
    assert_eq!(look(&world).await, ("5 179".to_owned(), vec!["t0".to_owned()]));
    state.lock().unwrap()[2] = 3;
    assert_eq!(look(&world).await, ("5 179".to_owned(), vec!["t3".to_owned()]));
    let added = section(&world.root, "more", 0, "{{v}}");
    assert_eq!(look(&world).await.0, "7\n\n5 179");
    added.dispose().await.unwrap();
    assert_eq!(look(&world).await.0, "5 179");
}

/// S8: assembling is asynchronous and may run on any thread, many at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn assemblies_run_side_by_side() {
    let world = Arc::new(world().await);
    variable(&world.root, "v", "V");
    section(&world.root, "a", 1, "{{v}}");
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let world = world.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    let prompt: Result<_, Error> = crate::support::sent(world.assemble(bare())).await;
                    assert_eq!(&*render_prompt(&prompt.unwrap()).unwrap(), "V");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}
