//! K13: whatever foreign code does, wherever it is called: it panics, it uses the kernel, others use the kernel meanwhile.
//!
//! Each place where the kernel calls foreign code is one function of [`places`], and has three tests.

mod destructors;
mod places;

use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{
    Audience, Context, Emit, Error, Event, FiberState, Kernel, ManualClock, Serial, SerialEvent, Waterfall,
    WaterfallEvent,
};
use dsh_testkit::Log;

use crate::support::alone::alone;
use crate::support::{Part, ears, manual_kernel, quiet, run};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

struct Ask;

impl Event for Ask {
    const NAME: &'static str = "test/ask";
    const DOC: &'static str = "A test.";
    type Mode = Serial;
}

impl SerialEvent for Ask {
    type Answer = ();
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

/// A value whose `entering` is foreign code as well.
#[derive(Default)]
struct Value(Option<Code>);

impl WaterfallEvent for Edit {
    type Value = Value;

    fn entering(&self, value: &mut Value, _: &dsh_kernel::Owner) {
        if let Some(code) = value.0.take() {
            code.run();
        }
    }
}

/// The foreign code of one test.
#[derive(Clone)]
struct Code {
    ctx: Context,
    call: Arc<dyn Fn(&Context) + Send + Sync>,
    log: Log,
}

impl Code {
    /// Runs once: what it does may well lead here again.
    fn run(&self) {
        if !self.log.is_empty() {
            return;
        }
        self.log.push("ran");
        (self.call)(&self.ctx);
    }
}

/// Where a place's code runs: a scope of a kernel.
struct Scene {
    kernel: Arc<Kernel>,
    clock: ManualClock,
    ctx: Context,
    code: Code,
}

/// How a panic in a place shows.
enum Shows {
    /// As the failure inside of an error.
    Told(Option<Error>),
    /// In the log.
    Logged,
    /// It is enough that it goes no further.
    Contained,
}

/// Everything that foreign code may ask of a kernel.
fn everything(ctx: &Context) {
    if let Ok(disposer) = ctx.effect("e", |fx| {
        fx.defer(|| ());
        Ok(())
    }) {
        drop(disposer.dispose());
    }
    let listener = ctx.on::<Ping, _>(|_| ());
    drop(ctx.emit(&Ping, Audience::Everyone));
    drop(listener.map(dsh_kernel::Disposer::dispose));
    let service = ctx.provide_dyn("s", Arc::new(()));
    drop(ctx.get_dyn("s"));
    drop(service.map(dsh_kernel::Disposer::dispose));
    if let Ok(scope) = ctx.scope("inner") {
        drop(scope.ctx().effect("e", |_| Ok(())));
        drop(ctx.spawn("t", |_| async {}));
        if let Ok(fiber) = scope.ctx().plugin_dyn(Arc::new(Part::new("inner").inject(["none"]))) {
            drop(fiber.dispose());
        }
        drop(scope.dispose());
    }
    assert!(!format!("{ctx:?}").is_empty());
}

/// Runs one place alone, and returns how it showed and what was logged.
fn act<P: AsyncFnOnce(Scene) -> Shows>(place: P, call: fn(&Context), check: fn(&Shows, &[String])) {
    alone(|| {
        run(async {
            let (heard, _guard) = ears::listen();
            let (kernel, clock) = manual_kernel();
            let kernel = Arc::new(kernel);
            let scope = kernel.root().scope("owner").unwrap();
            let ctx = scope.ctx().clone();
            let code = Code { ctx: ctx.clone(), call: Arc::new(call), log: Log::new() };
            let ran = code.log.clone();
            let scene = Scene { kernel: Arc::clone(&kernel), clock: clock.clone(), ctx, code };
            let shows = place(scene).await;
            quiet().await;
            ran.assert(["ran"]);
            check(&shows, &heard.take());
            // The kernel stays usable, and nobody waits for ever.
            let root = kernel.root();
            if root.state() == FiberState::Active {
                everything(&root);
                kernel.settled().await.unwrap();
                let fiber = Part::new("after").mount(&root);
                fiber.ready().await.unwrap();
                drop(scope.dispose().await);
                drop(kernel.shutdown().await);
                assert!(kernel.inspect().fibers.is_empty(), "{}", kernel.inspect());
            }
        });
    });
}

fn panics(shows: &Shows, heard: &[String]) {
    match shows {
        Shows::Told(error) => {
            let error = error.as_ref().unwrap();
            let failure = error.failure().unwrap();
            assert_eq!(failure.panic_message(), Some("boom"), "{error}");
            let link = error.links().first().map(|link| (link.owner.clone(), link.label.clone()));
            let (owner, label) = match link {
                Some((owner, label)) => (owner, Some(label)),
                None => (error.owner().unwrap().clone(), error.label().cloned()),
            };
            assert!(owner.to_string().starts_with("owner"), "{error:?}");
            assert!(label.is_some() || owner.to_string() != "owner", "names the label, or the plugin: {error:?}");
        }
        Shows::Logged => {
            let line = heard.iter().find(|line| line.contains("boom")).unwrap();
            assert!(line.contains("owner"), "{line}");
        }
        Shows::Contained => {}
    }
}

fn on_another_thread(ctx: &Context) {
    let ctx = ctx.clone();
    // Joined here and now: a lock that is held round this call would never be had over there.
    std::thread::spawn(move || everything(&ctx)).join().unwrap();
}

macro_rules! in_each {
    ($($module:ident: $($place:ident)*;)*) => {
        $($(
            mod $place {
                use super::{$module, act, everything, on_another_thread, panics};

                // K13
                #[test]
                fn a_panic_is_caught_and_told() {
                    act($module::$place, |_| panic!("boom"), panics);
                }

                // K13
                #[test]
                fn the_kernel_can_be_used() {
                    act($module::$place, everything, |_, _| ());
                }

                // K13
                #[test]
                fn no_lock_is_held() {
                    act($module::$place, on_another_thread, |_, _| ());
                }
            }
        )*)*
    };
}

in_each! {
    places:
        body async_body async_body_later
        synchronous_link asynchronous_link_called asynchronous_link asynchronous_link_later
        adopted_link link_of_a_child link_of_a_rollback
        start_called start start_later
        emit_listener serial_listener_called serial_listener serial_listener_later
        waterfall_listener_called waterfall_listener waterfall_listener_later
        inner_waterfall_listener entering
        fiber_listener
        task_called task task_later
        declaration
        layer_insert layer_undo layer_notification layer_removal
        outcome_of_a_task
        registry_callback
        display_of_a_link_failure display_of_a_start_failure;
    destructors:
        drop_of_a_link drop_of_a_link_of_a_dropped_kernel drop_of_a_listener drop_of_a_plugin drop_of_a_service
        drop_of_a_link_future drop_of_a_link_future_later drop_of_a_start_future
        drop_of_a_task_future drop_of_an_aborted_task
        drop_of_a_serial_future drop_of_a_serial_future_half_way drop_of_a_waterfall_future
        drop_of_an_async_body_half_way
        drop_of_a_refused_body drop_of_a_refused_listener drop_of_a_refused_task drop_of_a_refused_plugin
        drop_of_a_refused_service
        drop_of_a_link_failure drop_of_a_replaced_start_failure drop_of_a_disposed_plugins_failure
        drop_of_a_pending_plugin drop_of_an_event_value;
}

// K13: the value of a panic is foreign too
#[test]
fn a_panic_whose_value_panics_when_it_is_dropped_is_contained() {
    struct Worse;
    impl Drop for Worse {
        fn drop(&mut self) {
            panic!("worse");
        }
    }
    alone(|| {
        run(async {
            let kernel = Kernel::new();
            let root = kernel.root();
            let made = root.effect("e", |fx| {
                fx.defer(|| -> Result<(), dsh_kernel::Failure> { std::panic::panic_any(Worse) });
                std::panic::panic_any(Worse)
            });
            let error = made.unwrap_err();
            assert!(error.failure().unwrap().panic_message().is_some());
            assert!(error.teardown().unwrap().await.is_err());
            kernel.shutdown().await.unwrap();
        });
    });
}

// K13: several destructors that panic are several panics, each caught
#[test]
fn a_kernel_that_is_dropped_contains_every_destructor_that_panics() {
    struct Bad(Log);
    impl Drop for Bad {
        fn drop(&mut self) {
            self.0.push("bad");
            panic!("bad");
        }
    }
    alone(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        for _ in 0..2 {
            let scope = root.scope("s").unwrap();
            for _ in 0..2 {
                let (one, two, three) = (Bad(log.clone()), Bad(log.clone()), Bad(log.clone()));
                drop(scope.ctx().effect("e", |fx| {
                    fx.defer(move || drop(one));
                    fx.defer(move || drop(two));
                    Ok(())
                }));
                drop(scope.ctx().on::<Ping, _>(move |_| {
                    let _ = &three;
                }));
                let four = Bad(log.clone());
                Part::new("p")
                    .inject(["none"])
                    .start(move |_| {
                        let _ = &four;
                        Ok(())
                    })
                    .mount(scope.ctx());
            }
        }
        root.provide_dyn("a", Arc::new(Bad(log.clone()))).unwrap();
        root.provide_dyn("b", Arc::new(Bad(log.clone()))).unwrap();
        drop(kernel);
        assert_eq!(log.len(), 18);
    });
}

// K13: and so when an unload finds several
#[test]
fn an_unload_contains_every_link_that_panics() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("s").unwrap();
        for index in 0..4_u32 {
            let log = log.clone();
            scope
                .ctx()
                .effect("e", |fx| {
                    fx.defer(move || log.push(index.to_string()));
                    fx.defer_async(move || async move {
                        if index % 2 == 0 {
                            tokio::task::yield_now().await;
                        }
                        assert!(index > 9, "link {index}");
                    });
                    fx.defer(|| -> Result<(), dsh_kernel::Failure> { panic!("each") });
                    Ok(())
                })
                .unwrap();
        }
        let error = scope.dispose().await.unwrap_err();
        assert_eq!(error.links().len(), 8);
        let mut log = log.take();
        log.sort();
        assert_eq!(log, ["0", "1", "2", "3"]);
    });
}

// K13: from many threads at once
#[test]
fn many_threads_register_dispose_and_dispatch_at_once() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 400;
    crate::support::run_threads(2, async {
        let kernel = Arc::new(Kernel::new());
        let root = kernel.root();
        let runtime = tokio::runtime::Handle::current();
        let before = kernel.inspect();
        let threads: Vec<_> = (0..THREADS)
            .map(|index| {
                let (root, runtime, kernel) = (root.clone(), runtime.clone(), Arc::clone(&kernel));
                std::thread::spawn(move || {
                    let _entered = runtime.enter();
                    for round in 0..ROUNDS {
                        let scope = root.scope("s").unwrap();
                        let ctx = scope.ctx().clone();
                        everything(&ctx);
                        let part = Part::new("p").inject([format!("db{}", round % 3)]);
                        let fiber = part.mount(&ctx);
                        let service = root.provide_dyn(format!("db{}", round % 3), Arc::new(index));
                        drop(ctx.spawn("t", |cancel| async move { cancel.cancelled().await }));
                        drop(ctx.effect("e", |fx| {
                            fx.defer_async(tokio::task::yield_now);
                            Ok(())
                        }));
                        if round % 2 == 0 {
                            drop(fiber.dispose());
                        }
                        if round % 7 == 0 {
                            drop(kernel.inspect().to_string());
                        }
                        let end = scope.dispose();
                        if let Ok(service) = service {
                            drop(service.dispose());
                        }
                        runtime.block_on(end).unwrap();
                    }
                })
            })
            .collect();
        tokio::task::spawn_blocking(move || threads.into_iter().for_each(|thread| thread.join().unwrap()))
            .await
            .unwrap();
        kernel.settled().await.unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K13: two threads dispose the same things
#[test]
fn two_threads_that_dispose_the_same_fiber_see_one_end() {
    crate::support::run_threads(2, async {
        let kernel = Kernel::new();
        for _ in 0..300 {
            let fiber = Part::new("p").mount(&kernel.root());
            let log = Log::new();
            let line = log.clone();
            let effect = fiber.ctx().effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    line.push("undone");
                });
                Ok(())
            });
            let effect = effect.unwrap();
            let (one, two) = (fiber.clone(), fiber.clone());
            let ends = [
                tokio::spawn(async move { one.dispose().await }),
                tokio::spawn(async move { two.dispose().await }),
                tokio::spawn(async move { effect.dispose().await }),
            ];
            for end in ends {
                end.await.unwrap().unwrap();
            }
            log.assert(["undone"]);
        }
    });
}

// K13, K10: what foreign code wakes is started, wherever that code was called
#[test]
fn a_plugin_that_is_mounted_from_anywhere_is_started() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let mounts = |what: &'static str| {
            let root = root.clone();
            move || drop(Part::new(what).mount(&root))
        };
        drop(root.effect("e", |_| {
            mounts("body")();
            Ok(())
        }));
        let (link, async_link) = (mounts("link"), mounts("async link"));
        let disposer = root.effect("e", |fx| {
            fx.defer(link);
            fx.defer_async(move || {
                async_link();
                std::future::ready(())
            });
            Ok(())
        });
        drop(disposer.unwrap().dispose());
        let listener = mounts("listener");
        root.on::<Ping, _>(move |_| listener()).unwrap();
        root.emit(&Ping, Audience::Everyone).unwrap();
        let serial = mounts("serial");
        root.on_serial::<Ask, _>(move |_| -> std::future::Ready<Result<Option<()>, dsh_kernel::Failure>> {
            serial();
            panic!("and fails")
        })
        .unwrap();
        drop(root.serial(Arc::new(Ask), Audience::Everyone).await);
        let task = mounts("task");
        root.spawn("t", move |_| {
            task();
            async {}
        })
        .unwrap();
        // Nothing else is asked of the kernel on this thread from here on.
        let tree = kernel.inspect().to_string();
        for what in ["body", "link", "async link", "listener", "serial", "task"] {
            assert!(tree.contains(&format!("  {what} [active]")), "{what} in\n{tree}");
        }
        assert!(tokio::time::timeout(Duration::from_secs(1), kernel.settled()).await.is_ok());
    });
}
