//! Exact disposers: what the seed is about (K4, K5, K6).

use dsh_kernel::{Context, Disposer, Failure, FiberState};
use dsh_system_prompt::{PromptSection, SystemPromptExt};
use dsh_testkit::{Gate, Log, assert_send_sync};

use crate::support::{World, bare, section, tools, variable, world};

/// K4: the type is the kernel's own disposer, not a closure round it.
#[tokio::test]
async fn every_register_method_returns_the_exact_disposer() {
    let world = world().await;
    let (ctx, handle) = (world.root.clone(), world.root.system_prompt());
    let all: [Disposer; 3] = [section(&ctx, "s", 1, "s"), variable(&ctx, "v", "v"), tools(&ctx, &["t"])];
    let labels: Vec<String> = all.iter().map(|disposer| format!("{disposer:?}")).collect();
    assert_eq!(labels, ["Disposer(section s of root)", "Disposer(variable v of root)", "Disposer(tools of root)"]);
    // Fire and forget: the synchronous undoing has run when `dispose` returns.
    for disposer in all {
        drop(disposer.dispose());
    }
    let view = handle.view(None).unwrap();
    assert_eq!((view.sections().count(), view.variables().count(), view.tool_providers().count()), (2, 0, 0));
    assert_send_sync::<Disposer>();
}

/// K4: dropping a disposer undoes nothing.
#[tokio::test]
async fn a_dropped_disposer_leaves_the_section_to_its_owner() {
    let world = world().await;
    let pack = world.mount("pack", |ctx| {
        drop(ctx.system_prompt().section(PromptSection::new("a", 1, "a"))?);
        Ok(())
    });
    let pack = pack.await;
    assert_eq!(world.prompt(bare()).await, "a");
    pack.dispose().await.unwrap();
    assert_eq!(world.prompt(bare()).await, "");
}

struct Composite {
    world: World,
    log: Log,
    inner: Gate,
    outer: Gate,
}

/// Which of the two ways a section's disposer goes into the composite.
#[derive(Clone, Copy)]
enum Nested {
    Adopted,
    Wrapped,
}

/// A plugin with one effect of the links [outer, section, slow inner].
async fn composite(nested: Nested) -> (Composite, dsh_kernel::Fiber) {
    let composite = Composite { world: world().await, log: Log::new(), inner: Gate::new(), outer: Gate::new() };
    let (log, inner, outer) = (composite.log.clone(), composite.inner.clone(), composite.outer.clone());
    let start = move |ctx: &Context| -> Result<(), Failure> {
        let (log, inner, outer, ctx) = (log.clone(), inner.clone(), outer.clone(), ctx.clone());
        let own = ctx.clone();
        ctx.effect("pack", move |fx| {
            let begun = log.clone();
            fx.defer_async(move || async move {
                begun.push("outer begins");
                outer.wait().await;
            });
            let section = own.system_prompt().section(PromptSection::new("guide", 1, "guide"))?;
            match nested {
                Nested::Adopted => fx.adopt(section)?,
                Nested::Wrapped => fx.defer(move || drop(section.dispose())),
            }
            fx.defer_async(move || async move {
                log.push("inner begins");
                inner.wait().await;
                log.push("inner ended");
            });
            Ok(())
        })?;
        Ok(())
    };
    let pack = composite.world.mount("pack", start).await;
    (composite, pack)
}

/// K5: the discriminating test. With the exact disposer the section is registered while the slow inner link drains, and gone
/// before the outer one begins.
#[tokio::test]
async fn an_adopted_section_goes_at_its_place_in_the_chain() {
    let (composite, pack) = composite(Nested::Adopted).await;
    let Composite { world, log, inner, outer } = &composite;
    let end = pack.dispose();
    inner.reached().await;
    assert_eq!(pack.state(), FiberState::Unloading);
    assert_eq!(world.prompt(bare()).await, "guide", "registered while the inner link drains");
    log.assert(["inner begins"]);
    inner.open();
    outer.reached().await;
    assert_eq!(world.prompt(bare()).await, "", "gone before the outer link begins");
    log.assert(["inner ended", "outer begins"]);
    outer.open();
    end.await.unwrap();
}

/// K5: its twin. A closure round the disposer leaves the section a sibling of the composite, so it goes at once, mid-drain. Were
/// this not to differ from the test above, that one would show nothing.
#[tokio::test]
async fn a_wrapped_disposer_lets_the_section_go_in_mid_drain() {
    let (composite, pack) = composite(Nested::Wrapped).await;
    let Composite { world, log, inner, outer } = &composite;
    let end = pack.dispose();
    inner.reached().await;
    assert_eq!(world.prompt(bare()).await, "", "gone while the inner link still drains");
    log.assert(["inner begins"]);
    inner.open();
    outer.open();
    end.await.unwrap();
}

/// K5: the same for variables and tools.
#[tokio::test]
async fn adopted_variables_and_tools_go_at_their_place_too() {
    let world = world().await;
    let (gate, ctx) = (Gate::new(), world.root.clone());
    let slow = gate.clone();
    let pack = world
        .root
        .effect("pack", |fx| {
            fx.adopt(variable(&ctx, "v", "v"))?;
            fx.adopt(tools(&ctx, &["t"]))?;
            fx.defer_async(move || async move { slow.wait().await });
            Ok(())
        })
        .unwrap();
    let end = pack.dispose();
    let there = |world: &World| {
        let view = world.root.system_prompt().view(None).unwrap();
        (view.variables().count(), view.tool_providers().count())
    };
    assert_eq!(there(&world), (1, 1));
    gate.open();
    end.await.unwrap();
    assert_eq!(there(&world), (0, 0));
}

/// K6
#[tokio::test]
async fn sections_of_one_plugin_go_in_reverse_order_of_registration() {
    let (world, log) = (world().await, Log::new());
    let heard = log.clone();
    world
        .root
        .on::<dsh_system_prompt::PromptChange, _>(move |change| {
            heard.push(format!("{:?} {}", change.change, change.name.as_ref().unwrap()));
        })
        .unwrap();
    let start = |ctx: &Context| -> Result<(), Failure> {
        for name in ["a", "b", "c"] {
            ctx.system_prompt().section(PromptSection::new(name, 1, name))?;
        }
        Ok(())
    };
    let pack = world.mount("pack", start).await;
    pack.dispose().await.unwrap();
    log.assert(["Added a", "Added b", "Added c", "Removed c", "Removed b", "Removed a"]);
}

/// K8
#[tokio::test]
async fn a_disposed_context_registers_nothing() {
    let world = world().await;
    let pack = world.mount("pack", |_| Ok(())).await;
    let scope = pack.ctx().scope("agent").unwrap();
    let (plugin, agent) = (pack.ctx(), scope.ctx().clone());
    pack.dispose().await.unwrap();
    for ctx in [plugin, agent] {
        let handle = ctx.system_prompt();
        assert_eq!(handle.section(PromptSection::new("a", 1, "a")).unwrap_err().code(), "kernel::inactive");
        assert_eq!(
            handle.variable(dsh_system_prompt::PromptVariable::new("v", "v")).unwrap_err().code(),
            "kernel::inactive"
        );
        assert_eq!(handle.tools(dsh_system_prompt::ToolProvider::new([])).unwrap_err().code(), "kernel::inactive");
    }
    let root_scope = world.root.scope("late").unwrap();
    let late = root_scope.ctx().clone();
    root_scope.dispose().await.unwrap();
    assert_eq!(late.system_prompt().section(PromptSection::new("a", 1, "a")).unwrap_err().code(), "kernel::inactive");
    assert_eq!(world.prompt(bare()).await, "");
}
