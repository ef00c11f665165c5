//! Owners that leave in the midst of an assembly: all of a plugin or nothing of it (S8, K9).

use std::sync::Arc;

use dsh_kernel::{Context, Failure, Fiber, FiberState};
use dsh_system_prompt::{
    AssembleEvent, AssembledSection, ErrorKind, PromptAssembly, PromptSection, PromptVariable, SystemPromptExt,
    ToolProvider, render_prompt,
};
use dsh_testkit::{Counter, Gate, Log};

use crate::support::{Part, World, bare, schema, section, world};

/// A plugin with one of each part, and a hook that adds a section.
fn relay(ctx: &Context) -> Result<(), Failure> {
    let handle = ctx.system_prompt();
    handle.section(PromptSection::new("relay", 100, "Relay on {{desk}}."))?;
    handle.variable(PromptVariable::computed("desk", |_| "north"))?;
    handle.tools(ToolProvider::computed(|_| vec![schema("relay_send")]))?;
    ctx.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
        assembly.sections_mut().push(AssembledSection::new("relay hook", 0, "hooked"));
        next.run(assembly)
    })?;
    Ok(())
}

const ALL: &str = "Relay on north.\n\nhooked";

/// A listener, the last, that waits at a gate, so that an assembly is in flight.
pub(crate) fn stop_at(ctx: &Context, gate: &Gate) {
    let gate = gate.clone();
    ctx.on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
        let gate = gate.clone();
        async move {
            gate.wait().await;
            next.run(assembly).await
        }
    })
    .unwrap();
}

pub(crate) fn in_flight(world: &World) -> tokio::task::JoinHandle<Result<PromptAssembly, dsh_system_prompt::Error>> {
    let handle = world.root.system_prompt();
    tokio::spawn(async move { handle.assemble(bare()).await })
}

fn summary(assembly: &PromptAssembly) -> (String, usize, usize) {
    (render_prompt(assembly).unwrap().to_string(), assembly.tools().len(), assembly.variables().count())
}

/// S8
#[tokio::test]
async fn a_plugin_that_unloads_in_mid_assembly_leaves_nothing_in_it() {
    let (world, gate) = (world().await, Gate::new());
    let pack = world.mount("relay", relay).await;
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    pack.dispose().await.unwrap();
    gate.open();
    let assembly = flight.await.unwrap().unwrap();
    assert_eq!(summary(&assembly), (String::new(), 0, 0));
}

/// S8
#[tokio::test]
async fn a_plugin_that_stays_is_all_there() {
    let (world, gate) = (world().await, Gate::new());
    world.mount("relay", relay).await;
    let other = world.mount("other", |_| Ok(())).await;
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    other.dispose().await.unwrap();
    gate.open();
    assert_eq!(summary(&flight.await.unwrap().unwrap()), (ALL.to_owned(), 1, 1));
}

/// S8: a plugin that went and came back is there once, as it is now.
#[tokio::test]
async fn a_plugin_that_is_reloaded_in_mid_assembly_is_there_once() {
    let (world, gate, starts) = (world().await, Gate::new(), Counter::new());
    let part = {
        let starts = starts.clone();
        Part::new("relay", move |ctx| {
            let text = format!("start {}", starts.hit());
            ctx.system_prompt().section(PromptSection::new("relay", 1, text))?;
            Ok(())
        })
    };
    let pack = world.root.plugin_dyn(part.clone()).unwrap();
    pack.ready().await.unwrap();
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    pack.dispose().await.unwrap();
    world.root.plugin_dyn(part).unwrap().ready().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "start 2");
}

/// S8: what a listener of a plugin has added goes with the plugin too, though the plugin has registered no part.
#[tokio::test]
async fn a_listener_whose_plugin_unloads_leaves_no_edit_behind() {
    let (world, gate) = (world().await, Gate::new());
    let hook = world
        .mount("hook", |ctx| {
            ctx.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
                assembly.sections_mut().push(AssembledSection::new("a", 0, "hooked"));
                next.run(assembly)
            })?;
            Ok(())
        })
        .await;
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    hook.dispose().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "");
}

/// S8: so does one that edits when its plugin has gone already, and one that makes the assembly afresh.
#[tokio::test]
async fn a_listener_that_outlives_its_plugin_adds_nothing() {
    for fresh in [false, true] {
        let (world, gate) = (world().await, Gate::new());
        let slow = gate.clone();
        let hook = world
            .mount("hook", move |ctx| {
                let slow = slow.clone();
                ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
                    let slow = slow.clone();
                    async move {
                        slow.wait().await;
                        if fresh {
                            assembly = PromptAssembly::new();
                        }
                        assembly.sections_mut().push(AssembledSection::new("a", 0, "late"));
                        next.run(assembly).await
                    }
                })?;
                Ok(())
            })
            .await;
        let flight = in_flight(&world);
        gate.reached().await;
        hook.dispose().await.unwrap();
        gate.open();
        let assembly = flight.await.unwrap().unwrap();
        assert_eq!(&*render_prompt(&assembly).unwrap(), "");
        assert!(assembly.section("harness:identity").is_some());
    }
}

/// S8: three times anew, then it is given up.
#[tokio::test]
async fn an_assembly_that_never_settles_is_given_up_after_three_restarts() {
    let (world, attempts) = (world().await, Counter::new());
    let part = Part::new("restless", |ctx| {
        ctx.system_prompt().section(PromptSection::new("restless", 1, "x"))?;
        Ok(())
    });
    let current = std::sync::Mutex::new(world.root.plugin_dyn(part.clone()).unwrap());
    let (counted, ctx) = (attempts.clone(), world.root.clone());
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            counted.hit();
            let old = current.lock().unwrap().clone();
            drop(old.dispose());
            *current.lock().unwrap() = ctx.plugin_dyn(part.clone()).unwrap();
            next.run(assembly)
        })
        .unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Unsettled, "prompt::unsettled"));
    assert_eq!(error.owner().unwrap().name().as_str(), "restless");
    assert_eq!(attempts.get(), 4, "the first time and three times anew");
}

/// S8, K9: a provider whose owner left earlier in the same assembly is not called.
#[tokio::test]
async fn no_provider_of_an_owner_that_left_is_called() {
    let (world, log) = (world().await, Log::new());
    let victim: Arc<std::sync::Mutex<Option<Fiber>>> = Arc::default();
    let to_dispose = victim.clone();
    let killer = PromptVariable::computed("a", move |_| {
        let victim = to_dispose.lock().unwrap().take();
        drop(victim.map(|victim| victim.dispose()));
        "x"
    });
    world.root.system_prompt().variable(killer).unwrap();
    let called = log.clone();
    let fiber = world
        .mount("victim", move |ctx| {
            let (v, s, t) = (called.clone(), called.clone(), called.clone());
            let handle = ctx.system_prompt();
            handle.variable(PromptVariable::computed("b", move |_| {
                v.push("variable");
                "y"
            }))?;
            handle.section(PromptSection::computed("s", 1, move |_| {
                s.push("section");
                "y"
            }))?;
            handle.tools(ToolProvider::computed(move |_| {
                t.push("tools");
                vec![]
            }))?;
            Ok(())
        })
        .await;
    *victim.lock().unwrap() = Some(fiber.clone());
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(fiber.state(), FiberState::Disposed);
    log.assert([]);
    assert_eq!(assembly.variables().map(|variable| variable.name()).collect::<Vec<_>>(), ["a"]);
}

/// S8: a failure of a plugin that left is not the assembly's; the present state is assembled.
#[tokio::test]
async fn the_failure_of_an_owner_that_left_does_not_count() {
    let world = world().await;
    let own: Arc<std::sync::Mutex<Option<Fiber>>> = Arc::default();
    let held = own.clone();
    let fiber = world
        .mount("suicidal", move |ctx| {
            let held = held.clone();
            let text = move |_: &_| -> Result<&str, Failure> {
                let fiber = held.lock().unwrap().take();
                drop(fiber.map(|fiber| fiber.dispose()));
                Err(Failure::msg("its service is gone"))
            };
            ctx.system_prompt().section(PromptSection::try_computed("s", 1, text))?;
            Ok(())
        })
        .await;
    *own.lock().unwrap() = Some(fiber);
    assert_eq!(world.prompt(bare()).await, "");
}

/// S8, K5: what is still registered while its owner drains is part of the present state, and no reason to start anew for ever.
#[tokio::test]
async fn a_plugin_that_drains_is_assembled_with_what_it_still_has() {
    let (world, gate) = (world().await, Gate::new());
    let slow = gate.clone();
    let pack = world
        .mount("pack", move |ctx| {
            let slow = slow.clone();
            let own = ctx.clone();
            ctx.effect("pack", |fx| {
                fx.adopt(own.system_prompt().section(PromptSection::computed("s", 1, |_| "draining"))?)?;
                let hook = |mut assembly: PromptAssembly, _, next: dsh_kernel::Next<AssembleEvent>| {
                    assembly.sections_mut().push(AssembledSection::new("h", 0, "hook"));
                    next.run(assembly)
                };
                fx.adopt(own.on_waterfall::<AssembleEvent, _>(hook)?)?;
                fx.defer_async(move || async move { slow.wait().await });
                Ok(())
            })?;
            Ok(())
        })
        .await;
    let end = pack.dispose();
    gate.reached().await;
    assert_eq!(world.prompt(bare()).await, "draining\n\nhook");
    gate.open();
    end.await.unwrap();
    assert_eq!(world.prompt(bare()).await, "");
}

/// S8: the registry itself is an owner: a prompt is never made of a registry that has gone.
#[tokio::test]
async fn the_registry_that_leaves_in_mid_assembly_fails_it() {
    let (world, gate) = (world().await, Gate::new());
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    world.registry.dispose().await.unwrap();
    gate.open();
    assert_eq!(flight.await.unwrap().unwrap_err().code(), "kernel::missing_service");
}

/// S8: an agent's scope that ends in mid-assembly.
#[tokio::test]
async fn a_scope_that_ends_in_mid_assembly_leaves_nothing_in_it() {
    let (world, gate) = (world().await, Gate::new());
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "own", 1, "own");
    section(&world.root, "shared", 2, "shared");
    stop_at(&world.root, &gate);
    let (handle, key) = (world.root.system_prompt(), scope.key());
    let flight = tokio::spawn(async move { handle.assemble(key).await });
    gate.reached().await;
    scope.dispose().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "shared");
}
