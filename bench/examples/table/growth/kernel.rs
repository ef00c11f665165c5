//! Over what the kernel holds: listeners, fibers, how deep they are, effects, adopted links, plugins.

use std::sync::Arc;

use dsh_bench::at_once;
use dsh_kernel::{
    Audience, BoxFuture, Context, Disposer, DynPlugin, Emit, Event, Failure, Kernel, Name, Waterfall, WaterfallEvent,
};

use super::world::dispose;
use super::{Curve, Growth, TO_10_000, TO_100_000, per_use};
use crate::round::Sample;
use crate::timing::per_call;

pub(super) const CURVES: &[Curve] = &[
    Curve {
        id: "growth: emit over listeners",
        what: "an event is emitted",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: emits,
        function: "kernel.rs: emits",
    },
    Curve {
        id: "growth: waterfall over listeners",
        what: "a value goes through a waterfall",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: waterfalls,
        function: "kernel.rs: waterfalls",
    },
    Curve {
        id: "growth: listener in and out over listeners",
        what: "a listener in and out",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: listens,
        function: "kernel.rs: listens",
    },
    Curve {
        id: "growth: unload over fibers",
        what: "a scope with so many in it is unloaded",
        sizes: TO_100_000,
        growth: Growth::Linear,
        at: |count| Ok(unloads(move |ctx| wide(ctx, count))),
        function: "kernel.rs: wide",
    },
    Curve {
        id: "growth: unload over depth",
        what: "a chain of so many scopes, each in the one before, is unloaded",
        sizes: TO_100_000,
        growth: Growth::Linear,
        at: |count| Ok(unloads(move |ctx| deep(ctx, count))),
        function: "kernel.rs: deep",
    },
    Curve {
        id: "growth: unload with failures over depth",
        what: "such a chain is unloaded, and a link of each fails",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| Ok(fails(count)),
        function: "kernel.rs: fails",
    },
    Curve {
        id: "growth: unload over adopted links",
        what: "an effect that adopted one that adopted one, and so on, is undone",
        sizes: TO_100_000,
        growth: Growth::Linear,
        at: |count| Ok(unloads(move |ctx| adopted(ctx, count))),
        function: "kernel.rs: adopted",
    },
    Curve {
        id: "growth: unload over effects",
        what: "a scope with so many effects is unloaded",
        sizes: TO_100_000,
        growth: Growth::Linear,
        at: |count| Ok(unloads(move |ctx| effects(ctx, count))),
        function: "kernel.rs: effects",
    },
    Curve {
        id: "growth: drop over fibers",
        what: "a kernel with so many scopes is dropped",
        sizes: TO_100_000,
        growth: Growth::Linear,
        at: |count| Ok(drops(count)),
        function: "kernel.rs: drops",
    },
    Curve {
        id: "growth: start over plugins",
        what: "so many plugins that wait for one service start when it comes, and go with their kernel",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| Ok(starts(count)),
        function: "kernel.rs: starts",
    },
];

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "growth/ping";
    const DOC: &'static str = "Is heard.";
    type Mode = Emit;
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "growth/edit";
    const DOC: &'static str = "Is handed on.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = usize;
}

/// A kernel with so many listeners of an event that is emitted.
fn listeners(count: usize) -> Result<Kernel, Failure> {
    let kernel = Kernel::new();
    for _ in 0..count {
        kernel.root().on::<Ping, _>(|_| ())?;
    }
    Ok(kernel)
}

fn emits(count: usize) -> Result<Sample<'static>, Failure> {
    let kernel = listeners(count)?;
    Ok(Box::new(move |time| per_call(time, || Ok(kernel.root().emit(&Ping, Audience::Untagged)?))))
}

fn listens(count: usize) -> Result<Sample<'static>, Failure> {
    let kernel = listeners(count)?;
    Ok(Box::new(move |time| per_call(time, || dispose(kernel.root().on::<Ping, _>(|_| ())?))))
}

fn waterfalls(count: usize) -> Result<Sample<'static>, Failure> {
    let (runtime, kernel) = (dsh_bench::runtime()?, Kernel::new());
    for _ in 0..count {
        kernel.root().on_waterfall(|value, _: Arc<Edit>, next| async move { next.run(value + 1).await })?;
    }
    // Many listeners do not fit on one stack, so that this waits for tasks.
    let event = Arc::new(Edit);
    Ok(Box::new(move |time| {
        let through = || runtime.block_on(kernel.root().waterfall(Arc::clone(&event), 0, Audience::Untagged));
        per_call(time, || Ok(through()?))
    }))
}

/// Makes something in a kernel of its own, and disposes it.
fn unloads(make: impl Fn(&Context) -> Result<Disposer, Failure> + 'static) -> Sample<'static> {
    per_use(
        move || {
            let kernel = Kernel::new();
            let made = make(&kernel.root())?;
            Ok((kernel, made))
        },
        |(_kernel, made)| dispose(made),
    )
}

fn wide(ctx: &Context, count: usize) -> Result<Disposer, Failure> {
    let scope = ctx.scope("top")?;
    for _ in 0..count {
        effect(scope.ctx().scope("child")?.ctx())?;
    }
    Ok(scope.into_disposer())
}

fn deep(ctx: &Context, count: usize) -> Result<Disposer, Failure> {
    let top = ctx.scope("top")?;
    let mut last = top.ctx().clone();
    for _ in 0..count {
        last = last.scope("child")?.ctx().clone();
        effect(&last)?;
    }
    Ok(top.into_disposer())
}

fn effects(ctx: &Context, count: usize) -> Result<Disposer, Failure> {
    let scope = ctx.scope("top")?;
    for _ in 0..count {
        effect(scope.ctx())?;
    }
    Ok(scope.into_disposer())
}

fn effect(ctx: &Context) -> Result<Disposer, Failure> {
    Ok(ctx.effect("effect", |fx| {
        fx.defer(|| ());
        Ok(())
    })?)
}

fn adopted(ctx: &Context, count: usize) -> Result<Disposer, Failure> {
    let mut inner = effect(ctx)?;
    for _ in 0..count {
        let adopted = inner;
        inner = ctx.effect("layer", |fx| {
            fx.adopt(adopted)?;
            fx.defer(|| ());
            Ok(())
        })?;
    }
    Ok(inner)
}

fn fails(count: usize) -> Sample<'static> {
    let make = move || -> Result<_, Failure> {
        let kernel = Kernel::new();
        let top = kernel.root().scope("top")?;
        let mut last = top.ctx().clone();
        for _ in 0..count {
            last = last.scope("child")?.ctx().clone();
            last.effect("bad", |fx| {
                fx.defer(|| Err::<(), _>(Failure::msg("no")));
                Ok(())
            })?;
        }
        Ok((kernel, top))
    };
    per_use(make, move |(_kernel, top)| {
        let failures = top.dispose().result().and_then(Result::err);
        let all_came_back = failures.is_some_and(|error| error.links().len() == count);
        if all_came_back { Ok(()) } else { Err(Failure::msg("not every failure came back")) }
    })
}

fn drops(count: usize) -> Sample<'static> {
    let make = move || -> Result<Kernel, Failure> {
        let kernel = Kernel::new();
        wide(&kernel.root(), count)?;
        Ok(kernel)
    };
    per_use(make, |kernel| {
        drop(kernel);
        Ok(())
    })
}

/// A plugin that waits for a service, and does nothing with it.
struct User;

impl DynPlugin for User {
    fn name(&self) -> Name {
        Name::fixed("user")
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed("service")]
    }

    fn start(self: Arc<Self>, _ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}

fn starts(count: usize) -> Sample<'static> {
    let make = move || -> Result<Kernel, Failure> {
        let kernel = Kernel::new();
        for _ in 0..count {
            kernel.root().plugin_dyn(Arc::new(User))?;
        }
        Ok(kernel)
    };
    per_use(make, |kernel| {
        kernel.root().provide_dyn("service", Arc::new(()))?;
        Ok(at_once(kernel.settled())??)
    })
}
