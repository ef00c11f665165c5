//! The shared cases, as far as they speak of tools: 06, 11, 12.

use std::sync::Arc;

use dsh_kernel::{Context, Failure};
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, PromptChange, PromptSection, PromptVariable, SystemPromptExt, render_prompt,
};
use dsh_testkit::Counter;
use dsh_tools::{ToolChange, ToolFilter, ToolsExt};

use crate::support::{World, deny, echo, register, shown, world};

/// Case 06
#[tokio::test]
async fn case_06_guidance_of_a_removed_tool_leaves_with_it() {
    let world = world().await;
    register(&world.root, &["patch", "write"]);
    let guide = PromptSection::new("tool:patch", 110, "Prefer patch for small edits.").requires_tools(["patch"]);
    world.root.system_prompt().section(guide).unwrap();
    let editing = "Use `write` for new files and `patch` for the rest. A dispatch may take a while.";
    world.root.system_prompt().section(PromptSection::new("editing", 120, editing)).unwrap();
    let scribe = world.root.scope("scribe").unwrap();
    deny(scribe.ctx(), &["patch"]);

    let assembly = world.assemble(scribe.key()).await;
    assert_eq!(assembly.tools().iter().map(|tool| tool.schema().name()).collect::<Vec<_>>(), ["write"]);
    assert_eq!(&*render_prompt(&assembly).unwrap(), editing);
    let left_out: Vec<_> =
        assembly.left_out().map(|left| (left.section.name().to_owned(), left.missing.to_owned())).collect();
    assert_eq!(left_out, [("tool:patch".into(), "patch".into())]);
    let others = world.assemble(AssembleContext::new()).await;
    assert_eq!(*render_prompt(&others).unwrap(), format!("Prefer patch for small edits.\n\n{editing}"));
    assert_eq!(others.left_out().count(), 0);

    let executed = world.call("patch", "{}", scribe.key()).await;
    assert!(shown(&executed).1.contains("denied for this agent") && !executed.began);
}

/// Case 06: a hook that drops the tool later takes the guidance with it.
#[tokio::test]
async fn case_06_a_hook_that_drops_the_tool_drops_its_guidance() {
    let world = world().await;
    register(&world.root, &["patch", "write"]);
    let guide = PromptSection::new("tool:patch", 110, "Prefer patch.").requires_tools(["patch"]);
    world.root.system_prompt().section(guide).unwrap();
    let edit_text = |mut assembly: dsh_system_prompt::PromptAssembly,
                     _: Arc<AssembleEvent>,
                     next: dsh_kernel::Next<AssembleEvent>| async move {
        for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "tool:patch") {
            section.append(" Truly.");
        }
        next.run(assembly).await
    };
    world.root.on_waterfall::<AssembleEvent, _>(edit_text).unwrap();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| async move {
            assembly.tools_mut().retain(|tool| tool.schema().name() != "patch");
            next.run(assembly).await
        })
        .unwrap();
    let assembly = world.assemble(AssembleContext::new()).await;
    assert_eq!(&*render_prompt(&assembly).unwrap(), "");
    assert_eq!(assembly.left_out().map(|left| left.section.name()).collect::<Vec<_>>(), ["tool:patch"]);
}

/// What `relay` registers, as one composite.
fn relay(hook: Counter, listener: Counter) -> impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static {
    move |ctx| {
        let (hook, listener) = (hook.clone(), listener.clone());
        ctx.effect("relay", |fx| {
            let prompt = ctx.system_prompt();
            fx.adopt(prompt.variable(PromptVariable::new("desk", "north"))?)?;
            fx.adopt(
                prompt
                    .section(PromptSection::new("relay", 100, "Relay on {{desk}}.").requires_tools(["relay_send"]))?,
            )?;
            fx.adopt(ctx.tools().register(echo("relay_send"))?)?;
            fx.adopt(ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
                hook.hit();
                async move {
                    for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "relay") {
                        section.append(".");
                    }
                    next.run(assembly).await
                }
            })?)?;
            let heard = listener.clone();
            fx.adopt(ctx.on(move |_: &ToolChange| {
                heard.hit();
            })?)?;
            fx.adopt(ctx.on(move |_: &PromptChange| {
                listener.hit();
            })?)?;
            Ok(())
        })?;
        Ok(())
    }
}

async fn prompt(world: &World) -> (String, Vec<String>) {
    let assembly = world.assemble(AssembleContext::new()).await;
    let names = assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect();
    (render_prompt(&assembly).unwrap().to_string(), names)
}

/// Case 11
#[tokio::test]
async fn case_11_nothing_of_a_reloaded_plugin_is_left() {
    let world = world().await;
    let before = world.kernel.inspect().to_string();
    let (hook, listener) = (Counter::new(), Counter::new());
    let mut late = None;
    for load in 1..=4 {
        let plugin = world.mount("relay", relay(hook.clone(), listener.clone())).await;
        let called = hook.get();
        assert_eq!(prompt(&world).await, ("Relay on north..".into(), vec!["relay_send".into()]), "load {load}");
        assert_eq!(hook.get(), called + 1, "once an assembly");
        let heard = listener.get();
        let other = register(&world.root, &["other"]);
        assert_eq!(listener.get(), heard + 1, "once a change");
        for other in other {
            other.dispose().await.unwrap();
        }
        late = Some(plugin.ctx());
        plugin.dispose().await.unwrap();
    }
    let called = (hook.get(), listener.get());
    assert_eq!(prompt(&world).await, (String::new(), Vec::new()));
    for after in register(&world.root, &["after"]) {
        drop(after.dispose());
    }
    assert_eq!((hook.get(), listener.get()), called);
    let refused = late.unwrap().tools().register(echo("late")).unwrap_err();
    assert_eq!(refused.code(), "kernel::inactive");
    assert_eq!(world.kernel.inspect().to_string(), before, "as before the first load");
}

/// Case 12
#[tokio::test]
async fn case_12_empty_and_mistyped_lists() {
    let world = world().await;
    register(&world.root, &["read", "write", "mcp__foo__query", "mcp__foo_bar__query"]);
    let agent = |name: &'static str, filter: Option<ToolFilter>| {
        let scope = world.root.scope(name).unwrap();
        let restricted = filter.map(|filter| scope.ctx().tools().restrict(filter));
        (scope, restricted)
    };
    let (a, _) = agent("a", None);
    assert_eq!(world.visible(Some(a.key())).await.len(), 4);
    let (b, restricted) = agent("b", Some(ToolFilter::new().allow([] as [&str; 0])));
    assert!(restricted.unwrap().is_ok(), "the run still starts");
    assert_eq!(world.visible(Some(b.key())).await, [""; 0]);
    let (_c, restricted) = agent("c", Some(ToolFilter::new().allow(["raed", "write"])));
    let error = restricted.unwrap().unwrap_err();
    assert_eq!((error.code(), error.name(), error.nearest()), ("tools::unknown_tool", Some("raed"), Some("read")));
    assert_eq!(error.owner().unwrap().to_string(), "c");
    // No patterns: an entry that would block nothing is an error.
    let (_e, restricted) = agent("e", Some(ToolFilter::new().deny(["mcp__foo_*"])));
    assert_eq!(restricted.unwrap().unwrap_err().code(), "tools::unknown_tool");
    let (f, restricted) = agent("f", Some(ToolFilter::new().allow(["read"]).deny(["read"])));
    assert!(restricted.unwrap().is_ok());
    assert_eq!(world.visible(Some(f.key())).await, [""; 0], "deny wins");
}
