//! The places where the kernel calls foreign code that was handed in to be called.

use std::sync::Arc;

use dsh_kernel::{
    Audience, BoxFuture, Context, DynPlugin, Error, Failure, Fx, Layer, Layers, Name, Outcome, Registered,
};

use super::{Ask, Code, Edit, Ping, Scene, Shows, Value};
use crate::support::{Part, quiet};

fn told<T>(result: Result<T, Error>) -> Shows {
    Shows::Told(result.err())
}

pub(super) async fn body(scene: Scene) -> Shows {
    told(scene.ctx.effect("label", |_| {
        scene.code.run();
        Ok(())
    }))
}

pub(super) async fn async_body(scene: Scene) -> Shows {
    let made = scene.ctx.effect_async("label", async |_| {
        scene.code.run();
        Ok(())
    });
    told(made.await)
}

pub(super) async fn async_body_later(scene: Scene) -> Shows {
    let made = scene.ctx.effect_async("label", async |_| {
        tokio::task::yield_now().await;
        scene.code.run();
        Ok(())
    });
    told(made.await)
}

/// Makes an effect, undoes it, and tells the end.
async fn undone(ctx: &Context, collect: impl FnOnce(&mut Fx)) -> Shows {
    let made = ctx.effect("label", |fx| {
        collect(fx);
        Ok(())
    });
    told(made.unwrap().dispose().await)
}

pub(super) async fn synchronous_link(scene: Scene) -> Shows {
    let code = scene.code;
    undone(&scene.ctx, |fx| fx.defer(move || code.run())).await
}

pub(super) async fn asynchronous_link_called(scene: Scene) -> Shows {
    let code = scene.code;
    undone(&scene.ctx, |fx| {
        fx.defer_async(move || {
            code.run();
            std::future::ready(())
        });
    })
    .await
}

pub(super) async fn asynchronous_link(scene: Scene) -> Shows {
    let code = scene.code;
    undone(&scene.ctx, |fx| fx.defer_async(move || async move { code.run() })).await
}

pub(super) async fn asynchronous_link_later(scene: Scene) -> Shows {
    let code = scene.code;
    undone(&scene.ctx, |fx| {
        fx.defer_async(move || async move {
            tokio::task::yield_now().await;
            code.run();
        });
    })
    .await
}

pub(super) async fn adopted_link(scene: Scene) -> Shows {
    let code = scene.code;
    let inner = scene.ctx.effect("inner", |fx| {
        fx.defer(move || code.run());
        Ok(())
    });
    undone(&scene.ctx, |fx| fx.adopt(inner.unwrap()).unwrap()).await
}

pub(super) async fn link_of_a_child(scene: Scene) -> Shows {
    let child = scene.ctx.scope("child").unwrap();
    let code = scene.code;
    let made = child.ctx().effect("label", |fx| {
        fx.defer(move || code.run());
        Ok(())
    });
    made.unwrap();
    told(child.dispose().await)
}

pub(super) async fn link_of_a_rollback(scene: Scene) -> Shows {
    let code = scene.code;
    let made = scene.ctx.effect("label", |fx| {
        fx.defer(move || code.run());
        Err(Failure::msg("so it is rolled back"))
    });
    told(made.unwrap_err().teardown().unwrap().await)
}

pub(super) async fn start_called(scene: Scene) -> Shows {
    struct Eager(Code);
    impl DynPlugin for Eager {
        fn name(&self) -> Name {
            Name::fixed("eager")
        }
        fn inject(&self) -> Vec<Name> {
            Vec::new()
        }
        fn start(self: Arc<Self>, _: Context) -> BoxFuture<'static, Result<(), Failure>> {
            self.0.run();
            Box::pin(async { Ok(()) })
        }
    }
    let fiber = scene.ctx.plugin_dyn(Arc::new(Eager(scene.code))).unwrap();
    told(fiber.ready().await)
}

pub(super) async fn start(scene: Scene) -> Shows {
    let code = scene.code;
    let part = Part::new("p").start_async(move |_| {
        let code = code.clone();
        async move {
            code.run();
            Ok(())
        }
    });
    told(part.mount(&scene.ctx).ready().await)
}

pub(super) async fn start_later(scene: Scene) -> Shows {
    let code = scene.code;
    let part = Part::new("p").start_async(move |_| {
        let code = code.clone();
        async move {
            tokio::task::yield_now().await;
            code.run();
            Ok(())
        }
    });
    told(part.mount(&scene.ctx).ready().await)
}

pub(super) async fn emit_listener(scene: Scene) -> Shows {
    let code = scene.code;
    scene.ctx.on::<Ping, _>(move |_| code.run()).unwrap();
    told(scene.kernel.root().emit(&Ping, Audience::Everyone))
}

async fn asked(scene: &Scene) -> Shows {
    told(scene.kernel.root().serial(Arc::new(Ask), Audience::Everyone).await)
}

pub(super) async fn serial_listener_called(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |_| {
        code.run();
        std::future::ready(Ok(None))
    };
    scene.ctx.on_serial::<Ask, _>(listener).unwrap();
    asked(&scene).await
}

pub(super) async fn serial_listener(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |_| {
        let code = code.clone();
        async move {
            code.run();
            Ok(None)
        }
    };
    scene.ctx.on_serial::<Ask, _>(listener).unwrap();
    asked(&scene).await
}

pub(super) async fn serial_listener_later(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |_| {
        let code = code.clone();
        async move {
            tokio::task::yield_now().await;
            code.run();
            Ok(None)
        }
    };
    scene.ctx.on_serial::<Ask, _>(listener).unwrap();
    asked(&scene).await
}

async fn edited(scene: &Scene) -> Shows {
    told(scene.kernel.root().waterfall(Arc::new(Edit), Value::default(), Audience::Everyone).await)
}

pub(super) async fn waterfall_listener_called(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |value, _, _| {
        code.run();
        std::future::ready(Ok(value))
    };
    scene.ctx.on_waterfall::<Edit, _>(listener).unwrap();
    edited(&scene).await
}

pub(super) async fn waterfall_listener(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |value, _, _| {
        let code = code.clone();
        async move {
            code.run();
            Ok(value)
        }
    };
    scene.ctx.on_waterfall::<Edit, _>(listener).unwrap();
    edited(&scene).await
}

pub(super) async fn waterfall_listener_later(scene: Scene) -> Shows {
    let code = scene.code.clone();
    let listener = move |value, _, next: dsh_kernel::Next<Edit>| {
        let code = code.clone();
        async move {
            let value = next.run(value).await?;
            tokio::task::yield_now().await;
            code.run();
            Ok(value)
        }
    };
    scene.ctx.on_waterfall::<Edit, _>(listener).unwrap();
    edited(&scene).await
}

pub(super) async fn inner_waterfall_listener(scene: Scene) -> Shows {
    let outer = scene.kernel.root();
    outer
        .on_waterfall::<Edit, _>(|value, _, next| async move {
            tokio::task::yield_now().await;
            next.run(value).await
        })
        .unwrap();
    waterfall_listener(scene).await
}

pub(super) async fn entering(scene: Scene) -> Shows {
    scene.ctx.on_waterfall::<Edit, _>(|value, _, next| next.run(value)).unwrap();
    let value = Value(Some(scene.code));
    told(scene.kernel.root().waterfall(Arc::new(Edit), value, Audience::Everyone).await)
}

pub(super) async fn fiber_listener(scene: Scene) -> Shows {
    let (code, once) = (scene.code, dsh_testkit::Counter::new());
    let listener = move |change: &dsh_kernel::FiberChanged| {
        if change.path.name().as_str() == "heard" && once.hit() == 1 {
            code.run();
        }
    };
    scene.ctx.on::<dsh_kernel::FiberChanged, _>(listener).unwrap();
    Part::new("heard").mount(&scene.kernel.root());
    Shows::Logged
}

pub(super) async fn task_called(scene: Scene) -> Shows {
    let code = scene.code;
    let task = move |_| {
        code.run();
        std::future::ready(())
    };
    scene.ctx.spawn("label", task).unwrap();
    Shows::Logged
}

pub(super) async fn task(scene: Scene) -> Shows {
    let code = scene.code;
    scene.ctx.spawn("label", move |_| async move { code.run() }).unwrap();
    Shows::Logged
}

pub(super) async fn task_later(scene: Scene) -> Shows {
    let code = scene.code;
    let task = move |cancel: dsh_kernel::Cancel| async move {
        cancel.cancelled().await;
        code.run();
    };
    let task = scene.ctx.spawn("label", task).unwrap();
    quiet().await;
    drop(task.dispose().await);
    Shows::Logged
}

pub(super) async fn declaration(scene: Scene) -> Shows {
    struct Undeclared(Code);
    impl DynPlugin for Undeclared {
        fn name(&self) -> Name {
            Name::fixed("undeclared")
        }
        fn inject(&self) -> Vec<Name> {
            self.0.run();
            Vec::new()
        }
        fn start(self: Arc<Self>, _: Context) -> BoxFuture<'static, Result<(), Failure>> {
            Box::pin(async { Ok(()) })
        }
    }
    let mounted = scene.ctx.plugin_dyn(Arc::new(Undeclared(scene.code)));
    assert!(mounted.as_ref().err().is_none_or(|error| error.failure().unwrap().panic_message() == Some("boom")));
    Shows::Contained
}

#[derive(Clone, Default)]
struct Words(usize);

impl Layer for Words {
    fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

/// Writing a layer may be tried again, so the code runs in each try.
async fn written(scene: Scene, at_insert: bool) -> Shows {
    let layers = Arc::new(Layers::<Words>::new());
    let code = scene.code;
    let insert = move |words: &mut Words| {
        words.0 += 1;
        if at_insert {
            code.run();
        }
        let code = code.clone();
        Ok(move |words: &mut Words| {
            words.0 -= 1;
            if !at_insert {
                code.run();
            }
        })
    };
    match layers.effect(&scene.ctx, "label", insert, |_| Ok(())) {
        Ok(disposer) => told(disposer.dispose().await),
        Err(error) => Shows::Told(Some(error)),
    }
}

pub(super) async fn layer_insert(scene: Scene) -> Shows {
    written(scene, true).await
}

pub(super) async fn layer_undo(scene: Scene) -> Shows {
    written(scene, false).await
}

async fn notified(scene: Scene, when: Registered) -> Shows {
    let layers = Arc::new(Layers::<Words>::new());
    let insert = |words: &mut Words| {
        words.0 += 1;
        Ok(|words: &mut Words| words.0 -= 1)
    };
    let code = scene.code;
    let notify = move |what| {
        if what == when {
            code.run();
        }
        Ok(())
    };
    let shows = match layers.effect(&scene.ctx, "label", insert, notify) {
        Ok(disposer) => told(disposer.dispose().await),
        Err(error) => Shows::Told(Some(error)),
    };
    assert_eq!(layers.load().scope_count(), 0, "rolled back, or removed all the same");
    shows
}

pub(super) async fn layer_notification(scene: Scene) -> Shows {
    notified(scene, Registered::Added).await
}

pub(super) async fn layer_removal(scene: Scene) -> Shows {
    notified(scene, Registered::Removed).await
}

pub(super) async fn outcome_of_a_task(scene: Scene) -> Shows {
    struct Ends(Code);
    impl Outcome for Ends {
        fn into_outcome(self) -> Result<(), Failure> {
            self.0.run();
            Ok(())
        }
    }
    let code = scene.code;
    scene.ctx.spawn("label", move |_| async move { Ends(code) }).unwrap();
    quiet().await;
    let tree = scene.kernel.inspect().to_string();
    assert!(!tree.contains("- label"), "the task has left its owner's list:\n{tree}");
    Shows::Logged
}

pub(super) async fn registry_callback(scene: Scene) -> Shows {
    let code = scene.code;
    let failure = scene.ctx.call(move || code.run()).err();
    assert!(failure.is_none_or(|failure| failure.panic_message() == Some("boom")));
    Shows::Contained
}

/// An error that runs the code when it is displayed for the first time.
struct Shown(Code, dsh_testkit::Counter);

impl Shown {
    fn failure(code: &Code) -> Failure {
        Failure::from(Self(code.clone(), dsh_testkit::Counter::new()))
    }
}

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shown")
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.1.hit() == 1 {
            self.0.run();
        }
        f.write_str("shown")
    }
}

impl std::error::Error for Shown {}

pub(super) async fn display_of_a_link_failure(scene: Scene) -> Shows {
    let failure = Shown::failure(&scene.code);
    let child = scene.ctx.scope("child").unwrap();
    let made = child.ctx().effect("label", |fx| {
        fx.defer(move || Err::<(), _>(failure));
        Ok(())
    });
    made.unwrap();
    let error = child.dispose().await.unwrap_err();
    // Whoever displays it is the one to whom a panic belongs.
    drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| error.to_string())));
    Shows::Contained
}

pub(super) async fn display_of_a_start_failure(scene: Scene) -> Shows {
    let code = scene.code;
    let part = Part::new("p").provides(["db"]).start(move |_| Err(Shown::failure(&code)));
    part.mount(&scene.ctx);
    let user = Part::new("user").inject(["db"]).mount(&scene.ctx);
    let error = user.ready().await.unwrap_err();
    drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| error.to_string())));
    drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.kernel.inspect().to_string())));
    Shows::Contained
}
