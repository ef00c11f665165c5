//! Listeners whose plugin leaves in the midst of an assembly: nothing that they had a say in is handed out (S8, K9, case 11).

use std::sync::Arc;

use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, FiberState, Method, Name, Service};
use dsh_system_prompt::{
    AssembleEvent, AssembledSection, PromptAssembly, PromptSection, SystemPromptExt, render_prompt,
};
use dsh_testkit::{Counter, Gate};

use crate::leaving::{in_flight, stop_at};
use crate::support::{bare, section, world};

/// S8: a departed listener that replaces the assembly by one that it has not touched.
#[tokio::test]
async fn a_replacement_by_a_departed_listener_does_not_stand() {
    let (world, gate) = (world().await, Gate::new());
    section(&world.root, "base", 1, "base");
    let slow = gate.clone();
    let hook = world
        .mount("hook", move |ctx| {
            let slow = slow.clone();
            ctx.on_waterfall::<AssembleEvent, _>(move |_, _, _| {
                let slow = slow.clone();
                async move {
                    slow.wait().await;
                    Ok(PromptAssembly::new())
                }
            })?;
            Ok(())
        })
        .await;
    let flight = in_flight(&world);
    gate.reached().await;
    hook.dispose().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "base");
}

/// A listener, outside of those that come later, that waits when it has got the assembly back; it may replace what it gave on.
fn wait_after(ctx: &Context, gate: &Gate, fresh: bool) {
    let gate = gate.clone();
    ctx.on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
        let gate = gate.clone();
        async move {
            let given = if fresh { PromptAssembly::new() } else { assembly };
            let back = next.run(given).await?;
            gate.wait().await;
            if !fresh {
                return Ok(back);
            }
            let mut copied = PromptAssembly::new();
            copied.sections_mut().extend(back.sections().cloned());
            Ok(copied)
        }
    })
    .unwrap();
}

/// S8: a listener that kept an inner one from the assembly, and left.
#[tokio::test]
async fn a_veto_of_a_departed_listener_does_not_stand() {
    let (world, gate) = (world().await, Gate::new());
    section(&world.root, "base", 1, "base");
    wait_after(&world.root, &gate, false);
    let veto = world
        .mount("veto", |ctx| {
            ctx.on_waterfall::<AssembleEvent, _>(|assembly, _, _| async move { Ok(assembly) })?;
            Ok(())
        })
        .await;
    world
        .root
        .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| async move {
            assembly.sections_mut().push(AssembledSection::new("inner", 2, "inner"));
            next.run(assembly).await
        })
        .unwrap();
    let flight = in_flight(&world);
    gate.reached().await;
    veto.dispose().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "base\n\ninner");
}

/// S8: an inner listener's words in an assembly that an outer one made afresh, and copied again.
#[tokio::test]
async fn a_departed_listener_inside_of_a_replaced_assembly_counts() {
    let (world, gate) = (world().await, Gate::new());
    wait_after(&world.root, &gate, true);
    let inner = world
        .mount("inner", |ctx| {
            ctx.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
                assembly.sections_mut().push(AssembledSection::new("inner", 2, "inner"));
                next.run(assembly)
            })?;
            Ok(())
        })
        .await;
    let flight = in_flight(&world);
    gate.reached().await;
    inner.dispose().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "");
}

/// S8, S10: a typed field that a departed listener set, and the failure of one.
#[tokio::test]
async fn neither_a_field_nor_a_failure_of_a_departed_listener_stands() {
    struct Mark;
    for fails in [false, true] {
        let (world, gate) = (world().await, Gate::new());
        if fails {
            // Round the gate, so that the failure comes when the plugin has gone.
            let slow = gate.clone();
            let hook = world
                .mount("hook", move |ctx| {
                    let slow = slow.clone();
                    ctx.on_waterfall::<AssembleEvent, _>(move |_, _, _| {
                        let slow = slow.clone();
                        async move {
                            slow.wait().await;
                            Err(Failure::msg("its service is gone"))
                        }
                    })?;
                    Ok(())
                })
                .await;
            let flight = in_flight(&world);
            gate.reached().await;
            hook.dispose().await.unwrap();
            gate.open();
            assert!(flight.await.unwrap().is_ok());
            continue;
        }
        let hook = world
            .mount("hook", |ctx| {
                ctx.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
                    assembly.set_extension(Mark);
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
        assert!(flight.await.unwrap().unwrap().extension::<Mark>().is_none());
    }
}

struct Dep;

impl Service for Dep {
    const NAME: &'static str = "dep";
    const DOC: &'static str = "What the hook needs.";
    const METHODS: &'static [Method] = &[];
}

/// Makes the assembly afresh and says which instance of it did.
struct Hook(Gate, Counter);

impl DynPlugin for Hook {
    fn name(&self) -> Name {
        "hook".into()
    }

    fn inject(&self) -> Vec<Name> {
        vec!["system-prompt".into(), "dep".into()]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            let (instance, gate) = (self.1.hit(), self.0.clone());
            ctx.on_waterfall::<AssembleEvent, _>(move |_, _, next| {
                let gate = gate.clone();
                async move {
                    gate.wait().await;
                    let mut fresh = PromptAssembly::new();
                    fresh.sections_mut().push(AssembledSection::new("hook", 0, format!("instance {instance}")));
                    next.run(fresh).await
                }
            })?;
            Ok(())
        })
    }
}

/// S8: a plugin that is back is not the one that was called.
#[tokio::test]
async fn a_listener_of_an_instance_that_was_reloaded_does_not_count() {
    let (world, gate) = (world().await, Gate::new());
    let dep = world.root.provide(Dep).unwrap();
    let hook = world.root.plugin_dyn(Arc::new(Hook(gate.clone(), Counter::new()))).unwrap();
    hook.ready().await.unwrap();
    let flight = in_flight(&world);
    gate.reached().await;
    dep.dispose().await.unwrap();
    assert_eq!(hook.state(), FiberState::Pending);
    let _dep = world.root.provide(Dep).unwrap();
    hook.ready().await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "instance 2");
}

/// S8: what a listener hands in from another scope's assembly is to be whole as well.
#[tokio::test]
async fn an_assembly_handed_in_from_another_scope_is_checked() {
    let (world, gate) = (world().await, Gate::new());
    let scope = world.root.scope("other").unwrap();
    let key = scope.key();
    section(scope.ctx(), "theirs", 1, "theirs");
    wait_after_outer(&world.root, &gate);
    let root = world.root.clone();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, event, _| {
            let handle = root.system_prompt();
            let is_outer = event.context().scope().is_none();
            async move { if is_outer { Ok(handle.assemble(key).await?) } else { Ok(assembly) } }
        })
        .unwrap();
    let flight = in_flight(&world);
    gate.reached().await;
    scope.dispose().await.unwrap();
    gate.open();
    assert!(flight.await.unwrap().unwrap().section("theirs").is_none());
}

fn wait_after_outer(ctx: &Context, gate: &Gate) {
    let gate = gate.clone();
    ctx.on_waterfall::<AssembleEvent, _>(move |assembly, event, next| {
        let gate = gate.clone();
        let is_outer = event.context().scope().is_none();
        async move {
            let back = next.run(assembly).await?;
            if is_outer {
                gate.wait().await;
            }
            Ok(back)
        }
    })
    .unwrap();
}

/// S8, K5: a plugin that drains already when the assembly starts, and whose part goes before it ends.
#[tokio::test]
async fn a_part_of_a_draining_plugin_that_goes_in_mid_assembly_is_not_in_it() {
    let (world, drained, gate) = (world().await, Gate::new(), Gate::new());
    let slow = drained.clone();
    let pack = world
        .mount("pack", move |ctx| {
            let (slow, own) = (slow.clone(), ctx.clone());
            ctx.effect("pack", |fx| {
                fx.adopt(own.system_prompt().section(PromptSection::new("s", 1, "draining"))?)?;
                fx.defer_async(move || async move { slow.wait().await });
                Ok(())
            })?;
            Ok(())
        })
        .await;
    stop_at(&world.root, &gate);
    let end = pack.dispose();
    drained.reached().await;
    let flight = in_flight(&world);
    gate.reached().await;
    drained.open();
    end.await.unwrap();
    gate.open();
    assert_eq!(&*render_prompt(&flight.await.unwrap().unwrap()).unwrap(), "");
    assert_eq!(world.prompt(bare()).await, "");
}
