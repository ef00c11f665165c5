//! Code that was handed in: nobody keeps it longer than its registration, and nobody suffers from its destructor (K9, K13).

use std::panic::{AssertUnwindSafe, catch_unwind};

use dsh_kernel::{Context, Fiber};
use dsh_system_prompt::{
    AssembleContext, ErrorKind, PromptSection, PromptVariable, SystemPromptExt, ToolProvider, render,
};
use dsh_testkit::{Gate, Probes};

use crate::leaving::{in_flight, stop_at};
use crate::support::{World, bare, world};

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "bomb");
    }
}

/// Registers one provider of each kind, each of which holds what `make` makes.
async fn pack<T: Send + Sync + 'static>(world: &World, make: impl Fn() -> T + Send + Sync + 'static) -> Fiber {
    let register = move |ctx: &Context| {
        let (section, variable, tools) = (make(), make(), make());
        let handle = ctx.system_prompt();
        handle.section(PromptSection::computed("c", 1, move |_| {
            let _ = &section;
            "{{v}}"
        }))?;
        handle.variable(PromptVariable::computed("v", move |_| {
            let _ = &variable;
            "x"
        }))?;
        handle.tools(ToolProvider::computed(move |_| {
            let _ = &tools;
            vec![]
        }))?;
        Ok(())
    };
    world.mount("pack", register).await
}

/// K9
#[tokio::test]
async fn a_rendered_prompt_keeps_no_code_of_a_plugin_that_left() {
    let (world, probes) = (world().await, Probes::new());
    let made = probes.clone();
    let pack = pack(&world, move || made.probe()).await;
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    let view = world.root.system_prompt().view(None).unwrap();
    pack.dispose().await.unwrap();
    drop(pack);
    assert_eq!(probes.balance(), 0);
    assert_eq!((&**rendered.text(), rendered.parts().len()), ("x", 1));
    assert_eq!(view.sections().len(), 3);
}

/// K13: whoever lets go of a provider last.
#[tokio::test]
async fn a_panicking_destructor_of_a_provider_harms_no_reader_and_no_assembly() {
    let (world, gate) = (world().await, Gate::new());
    let pack = pack(&world, || Bomb).await;
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    stop_at(&world.root, &gate);
    let flight = in_flight(&world);
    gate.reached().await;
    pack.dispose().await.unwrap();
    drop(pack);
    gate.open();
    assert!(flight.await.unwrap().is_ok());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(rendered))).is_ok());
}

/// K13: what is refused is dropped, too.
#[tokio::test]
async fn a_panicking_destructor_of_what_is_refused_stays_inside() {
    let world = world().await;
    let handle = world.root.system_prompt();
    let section = |name: &'static str, order: f64| {
        let bomb = Bomb;
        PromptSection::computed(name, order, move |_| {
            let _ = &bomb;
            "x"
        })
    };
    let variable = |name: &'static str| {
        let bomb = Bomb;
        PromptVariable::computed(name, move |_| {
            let _ = &bomb;
            "x"
        })
    };
    let refusal =
        |refused: Result<_, dsh_system_prompt::Error>| refused.map(|_: dsh_kernel::Disposer| ()).unwrap_err().kind();
    assert_eq!(refusal(handle.section(section("a", f64::NAN))), ErrorKind::InvalidOrder);
    assert_eq!(refusal(handle.section(section("harness:identity", 0.0))), ErrorKind::DuplicateSection);
    assert_eq!(refusal(handle.variable(variable("No Name"))), ErrorKind::InvalidVariableName);
    drop(variable("never_registered"));
}

/// S10, K13
#[tokio::test]
async fn a_panicking_destructor_of_a_typed_field_stays_inside() {
    let world = world().await;
    let mut assembly = world.assemble(AssembleContext::new().with(Bomb).with(Bomb)).await.unwrap();
    assembly.set_extension(Bomb);
    assert!(assembly.extension::<Bomb>().is_some());
}
