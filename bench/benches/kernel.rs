//! Scopes, plugins and waterfalls of the kernel.

use std::sync::Arc;

use divan::{AllocProfiler, Bencher};
use dsh_bench::{at_once, runtime};
use dsh_kernel::{Audience, Context, Event, Failure, Kernel, Plugin, Teardown, Waterfall, WaterfallEvent};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() -> Result<(), Failure> {
    // Everything is called inside a runtime, as in a program.
    let runtime = runtime()?;
    let _inside = runtime.enter();
    divan::main();
    Ok(())
}

/// Benches a call, which has to succeed.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn bench<T>(bencher: Bencher<'_, '_>, call: impl Fn() -> Result<T, Failure>) {
    bencher.bench_local(|| call().expect("what is measured succeeds"));
}

/// A teardown is over before the next round begins.
fn ended(teardown: Teardown) -> Result<(), Failure> {
    Ok(at_once(teardown)??)
}

/// A scope opened and disposed.
#[divan::bench]
fn scope_open_and_close(bencher: Bencher<'_, '_>) {
    let kernel = Kernel::new();
    let root = kernel.root();
    bench(bencher, || ended(root.scope("agent")?.dispose()));
}

/// The same with three effects in it.
#[divan::bench]
fn scope_with_three_effects(bencher: Bencher<'_, '_>) {
    let kernel = Kernel::new();
    let root = kernel.root();
    bench(bencher, || {
        let scope = root.scope("agent")?;
        for label in ["one", "two", "three"] {
            scope.ctx().effect(label, |fx| {
                fx.defer(|| divan::black_box(()));
                Ok(())
            })?;
        }
        ended(scope.dispose())
    });
}

/// An effect of one synchronous link, made and disposed.
#[divan::bench]
fn effect_in_and_out(bencher: Bencher<'_, '_>) {
    let kernel = Kernel::new();
    let root = kernel.root();
    bench(bencher, || {
        let effect = root.effect("effect", |fx| {
            fx.defer(|| divan::black_box(()));
            Ok(())
        })?;
        ended(effect.dispose())
    });
}

struct Lamp;

impl Plugin for Lamp {
    const NAME: &'static str = "lamp";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.effect("lamp", |fx| {
            fx.defer(|| divan::black_box(()));
            Ok(())
        })?;
        Ok(())
    }
}

/// A plugin of one effect, mounted and unloaded.
#[divan::bench]
fn plugin_mount_and_unload(bencher: Bencher<'_, '_>) {
    let kernel = Kernel::new();
    let root = kernel.root();
    bench(bencher, || {
        let fiber = root.plugin(Lamp)?;
        at_once(fiber.ready())??;
        ended(fiber.dispose())
    });
}

struct Polish;

impl Event for Polish {
    const NAME: &'static str = "bench/polish";
    const DOC: &'static str = "A number goes round.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Polish {
    type Value = u64;
}

/// A number through so many listeners, each of which adds one and hands it on.
#[divan::bench(args = [0, 1, 8])]
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn waterfall(bencher: Bencher<'_, '_>, listeners: usize) {
    let kernel = Kernel::new();
    let root = kernel.root();
    for _ in 0..listeners {
        root.on_waterfall::<Polish, _>(|value, _event, next| async move { next.run(value + 1).await })
            .expect("the root takes registrations");
    }
    let event = Arc::new(Polish);
    bench(bencher, || Ok(at_once(root.waterfall(Arc::clone(&event), 0, Audience::Everyone))??));
}
