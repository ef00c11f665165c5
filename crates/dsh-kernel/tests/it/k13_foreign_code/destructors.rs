//! The places where the kernel lets go of what was handed in, and so calls its destructor.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use dsh_kernel::{Audience, Context, Failure, Kernel};
use dsh_testkit::poll_once;

use super::{Ask, Code, Edit, Ping, Scene, Shows, Value};
use crate::support::{Part, quiet, undo};

/// Runs the code when it is dropped.
struct Held(Option<Code>);

impl Held {
    fn new(code: &Code) -> Self {
        Self(Some(code.clone()))
    }

    /// For closures that have to own it.
    fn keep(&self) {
        assert!(self.0.is_some());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(code) = self.0.take() {
            code.run();
        }
    }
}

/// A future by hand, which holds on to what it has when it is ready.
struct Holding<T> {
    _held: Held,
    polls: usize,
    output: Option<T>,
}

impl<T> Holding<T> {
    fn new(code: &Code, polls: usize, output: T) -> Self {
        Self { _held: Held::new(code), polls, output: Some(output) }
    }
}

impl<T: Unpin> Future for Holding<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<T> {
        if self.polls == 0 {
            return self.output.take().map_or(Poll::Pending, Poll::Ready);
        }
        self.polls -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn undone(ctx: &Context, collect: impl FnOnce(&mut dsh_kernel::Fx)) -> Shows {
    let made = ctx.effect("label", |fx| {
        collect(fx);
        Ok(())
    });
    drop(made.unwrap().dispose().await);
    Shows::Contained
}

pub(super) async fn drop_of_a_link(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    drop(scene.code);
    undone(&scene.ctx, |fx| fx.defer(move || held.keep())).await
}

pub(super) async fn drop_of_a_link_of_a_dropped_kernel(scene: Scene) -> Shows {
    let other = Kernel::new();
    let code = Code { ctx: other.root(), ..scene.code };
    let held = Held::new(&code);
    other
        .root()
        .effect("label", |fx| {
            fx.defer(move || held.keep());
            Ok(())
        })
        .unwrap();
    drop(other);
    Shows::Contained
}

pub(super) async fn drop_of_a_listener(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let listener = scene.ctx.on::<Ping, _>(move |_| held.keep()).unwrap();
    drop(listener.dispose().await);
    Shows::Contained
}

fn holder(code: &Code) -> Part {
    let held = Held::new(code);
    Part::new("holder").start(move |_| {
        held.keep();
        Ok(())
    })
}

pub(super) async fn drop_of_a_plugin(scene: Scene) -> Shows {
    let fiber = holder(&scene.code).mount(&scene.ctx);
    fiber.dispose().await.unwrap();
    Shows::Contained
}

pub(super) async fn drop_of_a_pending_plugin(scene: Scene) -> Shows {
    let fiber = holder(&scene.code).inject(["none"]).mount(&scene.ctx);
    fiber.dispose().await.unwrap();
    Shows::Contained
}

pub(super) async fn drop_of_a_service(scene: Scene) -> Shows {
    let provide = scene.ctx.provide_dyn("db", Arc::new(std::sync::Mutex::new(Held::new(&scene.code)))).unwrap();
    Part::new("user").inject(["db"]).mount(&scene.ctx);
    drop(provide.dispose().await);
    Shows::Contained
}

pub(super) async fn drop_of_a_link_future(scene: Scene) -> Shows {
    let future = Holding::new(&scene.code, 0, ());
    undone(&scene.ctx, |fx| fx.defer_async(move || future)).await
}

pub(super) async fn drop_of_a_link_future_later(scene: Scene) -> Shows {
    let future = Holding::new(&scene.code, 2, ());
    undone(&scene.ctx, |fx| fx.defer_async(move || future)).await
}

pub(super) async fn drop_of_a_start_future(scene: Scene) -> Shows {
    let code = scene.code;
    let part = Part::new("p").start_async(move |_| Holding::new(&code, 1, Ok(())));
    part.mount(&scene.ctx).ready().await.unwrap();
    Shows::Contained
}

pub(super) async fn drop_of_a_task_future(scene: Scene) -> Shows {
    let future = Holding::new(&scene.code, 1, ());
    scene.ctx.spawn("label", move |_| future).unwrap();
    quiet().await;
    Shows::Contained
}

pub(super) async fn drop_of_an_aborted_task(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let task = scene.ctx.spawn("label", move |_| async move {
        std::future::pending::<()>().await;
        held.keep();
    });
    quiet().await;
    let teardown = task.unwrap().dispose();
    quiet().await;
    scene.clock.advance(Duration::from_secs(5));
    assert!(teardown.await.is_err());
    Shows::Contained
}

pub(super) async fn drop_of_a_serial_future(scene: Scene) -> Shows {
    let code = scene.code;
    scene.ctx.on_serial::<Ask, _>(move |_| Holding::new(&code, 1, Ok(None))).unwrap();
    drop(scene.kernel.root().serial(Arc::new(Ask), Audience::Everyone).await);
    Shows::Contained
}

pub(super) async fn drop_of_a_serial_future_half_way(scene: Scene) -> Shows {
    let code = scene.code;
    scene.ctx.on_serial::<Ask, _>(move |_| Holding::new(&code, 9, Ok(None))).unwrap();
    let root = scene.kernel.root();
    let mut dispatch = Box::pin(root.serial(Arc::new(Ask), Audience::Everyone));
    assert!(poll_once(&mut dispatch).is_pending());
    drop(dispatch);
    Shows::Contained
}

pub(super) async fn drop_of_a_waterfall_future(scene: Scene) -> Shows {
    let code = scene.code;
    scene.ctx.on_waterfall::<Edit, _>(move |value, _, _| Holding::new(&code, 1, Ok(value))).unwrap();
    drop(scene.kernel.root().waterfall(Arc::new(Edit), Value::default(), Audience::Everyone).await);
    Shows::Contained
}

pub(super) async fn drop_of_an_async_body_half_way(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let log = dsh_testkit::Log::new();
    let line = log.clone();
    let mut body = Box::pin(scene.ctx.effect_async("label", async move |fx| {
        fx.defer(move || line.push("rolled back"));
        std::future::pending::<()>().await;
        held.keep();
        Ok(())
    }));
    assert!(poll_once(&mut body).is_pending());
    drop(body);
    log.assert(["rolled back"]);
    Shows::Contained
}

/// A context whose owner is gone.
async fn gone(scene: &Scene) -> Context {
    let gone = scene.ctx.scope("gone").unwrap();
    let ctx = gone.ctx().clone();
    gone.dispose().await.unwrap();
    ctx
}

pub(super) async fn drop_of_a_refused_body(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let refused = gone(&scene).await.effect("label", move |_| {
        held.keep();
        Ok(())
    });
    assert_eq!(refused.unwrap_err().code(), "kernel::inactive");
    Shows::Contained
}

pub(super) async fn drop_of_a_refused_listener(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let refused = gone(&scene).await.on::<Ping, _>(move |_| held.keep());
    assert_eq!(refused.unwrap_err().code(), "kernel::inactive");
    Shows::Contained
}

pub(super) async fn drop_of_a_refused_task(scene: Scene) -> Shows {
    let held = Held::new(&scene.code);
    let refused = gone(&scene).await.spawn("label", move |_| async move { held.keep() });
    assert_eq!(refused.unwrap_err().code(), "kernel::inactive");
    Shows::Contained
}

pub(super) async fn drop_of_a_refused_plugin(scene: Scene) -> Shows {
    let refused = gone(&scene).await.plugin_dyn(Arc::new(holder(&scene.code)));
    assert_eq!(refused.unwrap_err().code(), "kernel::inactive");
    Shows::Contained
}

pub(super) async fn drop_of_a_refused_service(scene: Scene) -> Shows {
    undo(&scene.ctx, "unrelated", &dsh_testkit::Log::new());
    scene.ctx.provide_dyn("db", Arc::new(())).unwrap();
    let refused = scene.ctx.provide_dyn("db", Arc::new(std::sync::Mutex::new(Held::new(&scene.code))));
    assert_eq!(refused.unwrap_err().code(), "kernel::duplicate_service");
    Shows::Contained
}

/// An error that holds something.
struct Holds(std::sync::Mutex<Held>);

impl Holds {
    fn failure(code: &Code) -> Failure {
        Failure::from(Self(std::sync::Mutex::new(Held::new(code))))
    }
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        assert!(!self.0.is_poisoned());
        f.write_str("Holds")
    }
}

impl std::fmt::Display for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("holds")
    }
}

impl std::error::Error for Holds {}

pub(super) async fn drop_of_a_link_failure(scene: Scene) -> Shows {
    // The plugin loses its service, so nobody is told of the failure, and it is let go.
    let provide = scene.ctx.provide_dyn("db", Arc::new(())).unwrap();
    let code = scene.code;
    let part = Part::new("user").inject(["db"]).start(move |ctx| {
        let failure = Holds::failure(&code);
        ctx.effect("label", |fx| {
            fx.defer(move || Err::<(), _>(failure));
            Ok(())
        })?;
        Ok(())
    });
    part.mount(&scene.ctx);
    drop(provide.dispose().await);
    Shows::Contained
}

pub(super) async fn drop_of_a_replaced_start_failure(scene: Scene) -> Shows {
    let (code, starts) = (scene.code, dsh_testkit::Counter::new());
    let part = Part::new("user").inject(["db"]).start(move |_| match starts.hit() {
        1 => Err(Holds::failure(&code)),
        _ => Ok(()),
    });
    let fiber = part.mount(&scene.ctx);
    let provide = scene.ctx.provide_dyn("db", Arc::new(())).unwrap();
    provide.dispose().await.unwrap();
    scene.ctx.provide_dyn("db", Arc::new(())).unwrap();
    fiber.ready().await.unwrap();
    Shows::Contained
}

pub(super) async fn drop_of_a_disposed_plugins_failure(scene: Scene) -> Shows {
    let code = scene.code;
    let part = Part::new("user").start(move |_| Err(Holds::failure(&code)));
    let fiber = part.mount(&scene.ctx);
    fiber.dispose().await.unwrap();
    // The handle keeps the error, and is the last to do so: this drop is the test's own.
    drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(fiber))));
    Shows::Contained
}

pub(super) async fn drop_of_an_event_value(scene: Scene) -> Shows {
    struct Carries;
    impl dsh_kernel::Event for Carries {
        const NAME: &'static str = "test/carries";
        const DOC: &'static str = "A test.";
        type Mode = dsh_kernel::Waterfall;
    }
    impl dsh_kernel::WaterfallEvent for Carries {
        type Value = Held;
    }
    let listener = |value: Held, _, _| async move {
        drop(value);
        Ok(Held(None))
    };
    scene.ctx.on_waterfall::<Carries, _>(listener).unwrap();
    let value = Held::new(&scene.code);
    drop(scene.kernel.root().waterfall(Arc::new(Carries), value, Audience::Everyone).await);
    Shows::Contained
}
