//! Assembling and rendering, and what is registered for it.

use divan::{AllocProfiler, Bencher};
use dsh_bench::{Changes, Ours, Owned, Providers, Workload, runtime};
use dsh_kernel::{Context, Failure, Scope};
use dsh_system_prompt::{PromptSection, SystemPromptExt as _, render, render_prompt, wire_body};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() -> Result<(), Failure> {
    // Everything is called inside a runtime, as in a program.
    let runtime = runtime()?;
    let _inside = runtime.enter();
    divan::main();
    Ok(())
}

/// A kernel with the workload. What goes wrong here ends the benches, with what it was.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn start(providers: Providers, changes: Changes) -> Ours {
    Workload::load().and_then(|workload| Ours::start(&workload, providers, changes)).expect("the workload registers")
}

/// A kernel with the workload and an agent's scope.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn with_agent() -> (Ours, Scope) {
    let ours = start(Providers::Shared, Changes::OneVariable);
    let agent =
        Workload::load().and_then(|workload| ours.agent(&workload, "agent", Owned::Everything, Changes::OneVariable));
    (ours, agent.expect("the agent registers"))
}

/// Benches a call, which has to succeed.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn bench<T>(bencher: Bencher<'_, '_>, call: impl Fn() -> Result<T, Failure>) {
    bencher.bench_local(|| call().expect("what is measured succeeds"));
}

/// A section registered and disposed.
fn section_in_and_out(ctx: &Context) -> Result<(), Failure> {
    drop(ctx.system_prompt().section(PromptSection::new("extra", 150, "One more rule."))?.dispose());
    Ok(())
}

/// An assembly alone, one variable changed.
#[divan::bench(args = [Providers::Shared, Providers::Cloning])]
fn assemble(bencher: Bencher<'_, '_>, providers: Providers) {
    let ours = start(providers, Changes::OneVariable);
    bench(bencher, || ours.assemble(None));
}

/// Rendering alone, of an assembly that was never rendered.
#[divan::bench]
fn render_alone(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::OneVariable);
    bencher
        .with_inputs(|| ours.assemble(None))
        .bench_local_refs(|assembly| assembly.as_ref().is_ok_and(|assembly| render_prompt(assembly).is_ok()));
}

/// The same with the table of parts.
#[divan::bench]
fn render_with_parts(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::OneVariable);
    bencher.with_inputs(|| ours.assemble(None)).bench_local_refs(|assembly| {
        let rendered = assembly.as_ref().map(render);
        if let Ok(Ok(rendered)) = &rendered {
            divan::black_box(rendered.parts());
        }
        rendered.is_ok()
    });
}

/// Assembly and rendering, one variable changed.
#[divan::bench(args = [Providers::Shared, Providers::Cloning])]
fn step(bencher: Bencher<'_, '_>, providers: Providers) {
    let ours = start(providers, Changes::OneVariable);
    bench(bencher, || ours.step(None));
}

/// Down to the body of a request, one variable changed.
#[divan::bench]
fn step_to_wire_body(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::OneVariable);
    bench(bencher, || {
        let assembly = ours.assemble(None)?;
        Ok(wire_body(&render(&assembly)?, &assembly))
    });
}

/// Assembly and rendering, nothing changed.
#[divan::bench(args = [Providers::Fixed, Providers::Shared, Providers::Cloning])]
fn step_unchanged(bencher: Bencher<'_, '_>, providers: Providers) {
    let ours = start(providers, Changes::Nothing);
    bench(bencher, || ours.step(None));
}

/// Assembly and rendering for an agent that has registrations of its own.
#[divan::bench]
fn step_of_an_agent(bencher: Bencher<'_, '_>) {
    let (ours, agent) = with_agent();
    bench(bencher, || ours.step(Some(agent.key())));
}

/// Registering a section and disposing it: for everyone.
#[divan::bench]
fn section_for_everyone(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::Nothing);
    bench(bencher, || section_in_and_out(ours.root()));
}

/// The same in a scope.
#[divan::bench]
fn section_in_a_scope(bencher: Bencher<'_, '_>) {
    let (_ours, agent) = with_agent();
    bench(bencher, || section_in_and_out(agent.ctx()));
}

/// The same adopted by a composite, which is disposed.
#[divan::bench]
fn section_in_a_composite(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::Nothing);
    let ctx = ours.root();
    bench(bencher, || {
        let composite = ctx.effect("composite", |fx| {
            fx.adopt(ctx.system_prompt().section(PromptSection::new("extra", 150, "One more rule."))?)?;
            Ok(())
        })?;
        drop(composite.dispose());
        Ok(())
    });
}

/// A section that comes, a step, the section goes, a step: what a registration costs the steps after it.
#[divan::bench]
fn step_after_each_change(bencher: Bencher<'_, '_>) {
    let ours = start(Providers::Shared, Changes::Nothing);
    bench(bencher, || {
        let section = ours.prompt().section(PromptSection::new("extra", 150, "One more rule."))?;
        ours.step(None)?;
        drop(section.dispose());
        ours.step(None)?;
        Ok(())
    });
}
