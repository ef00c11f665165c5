//! K13, K8, K2, K4: nobody waits for ever, whatever happens to what he waits for.

use std::sync::Arc;

use dsh_kernel::{Audience, Event, Failure, FiberChanged, FiberState, Kernel, Waterfall, WaterfallEvent};
use dsh_testkit::{Counter, Gate, Log};

use crate::support::{Part, quiet, run};

// K13
#[test]
fn another_kernels_plugin_starts_though_code_of_this_one_runs() {
    run(async {
        let (outer, inner) = (Kernel::new(), Arc::new(Kernel::new()));
        let root = inner.root();
        let host = Part::new("host").start_async(move |_| {
            let root = root.clone();
            async move { Ok(Part::new("guest").mount(&root).ready().await?) }
        });
        host.mount(&outer.root()).ready().await.unwrap();
        inner.settled().await.unwrap();
    });
}

// K8: the child needs the parent to be active, and the parent's start waits for the child.
#[test]
fn a_start_that_awaits_a_child_of_its_own_service_is_told_so() {
    run(async {
        let kernel = Kernel::new();
        let parent = Part::new("parent").provides(["s"]).start_async(|ctx| async move {
            ctx.provide_dyn("s", Arc::new(()))?;
            let child = Part::new("child").inject(["s"]).mount(&ctx);
            let told = child.ready().await.unwrap_err();
            assert_eq!(told.code(), "kernel::reentrant");
            Ok(())
        });
        parent.mount(&kernel.root()).ready().await.unwrap();
        kernel.settled().await.unwrap();
        assert!(kernel.inspect().to_string().contains("child [active]"));
    });
}

// K8, K10
#[test]
fn a_start_that_awaits_a_plugin_behind_it_in_the_row_is_told_so() {
    run(async {
        let kernel = Kernel::new();
        let (root, second) = (kernel.root(), Arc::new(std::sync::Mutex::new(None::<dsh_kernel::Fiber>)));
        let (gate, behind) = (Gate::new(), Arc::clone(&second));
        let open = gate.clone();
        Part::new("first")
            .inject(["s"])
            .start_async(move |_| {
                let (gate, behind) = (open.clone(), behind.lock().unwrap().clone());
                async move {
                    gate.wait().await;
                    let told = behind.unwrap().ready().await.unwrap_err();
                    assert_eq!(told.code(), "kernel::reentrant");
                    Ok(())
                }
            })
            .mount(&root);
        *second.lock().unwrap() = Some(Part::new("second").inject(["s"]).mount(&root));
        root.provide_dyn("s", Arc::new(())).unwrap();
        assert!(kernel.inspect().to_string().contains("second [pending] waits for its turn after `first`"));
        gate.open();
        kernel.settled().await.unwrap();
        assert_eq!(second.lock().unwrap().as_ref().unwrap().state(), FiberState::Active);
    });
}

// K4
#[test]
fn a_runtime_that_ends_leaves_what_it_cut_to_the_next_one() {
    // Whether the tasks were polled before it ended, or never.
    for polled in [true, false] {
        what_a_runtime_cuts_goes_on_in_the_next(polled);
    }
}

fn what_a_runtime_cuts_goes_on_in_the_next(polled: bool) {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let first = runtime();
    let (teardown, slow, next) = first.block_on(async {
        let line = log.clone();
        let chain = root.effect("chain", |fx| {
            fx.defer(move || line.push("the rest"));
            fx.defer_async(std::future::pending::<()>);
            Ok(())
        });
        let teardown = chain.unwrap().dispose();
        let slow = Part::new("slow").inject(["s"]).start_async(|_| std::future::pending()).mount(&root);
        let next = Part::new("next").inject(["s"]).mount(&root);
        root.provide_dyn("s", Arc::new(())).unwrap();
        if polled {
            quiet().await;
        }
        (teardown, slow, next)
    });
    drop(first);
    log.assert([] as [&str; 0]);
    runtime().block_on(async {
        assert!(teardown.await.unwrap_err().to_string().contains("its runtime ended"));
        assert!(slow.ready().await.unwrap_err().to_string().contains("its runtime ended"));
        next.ready().await.unwrap();
        log.assert(["the rest"]);
        kernel.shutdown().await.unwrap();
    });
}

// K2
#[test]
fn a_wait_for_a_plugin_whose_last_hope_goes_is_told_so() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        // `holder` is active and declares `y`, which it may still provide: so there is hope.
        Part::new("holder").provides(["y"]).mount(&root);
        let middle = Part::new("middle").inject(["y"]).provides(["x"]).mount(&root);
        let user = Part::new("user").inject(["x"]).mount(&root);
        let wait = tokio::spawn(user.ready());
        quiet().await;
        assert!(!wait.is_finished());
        middle.dispose().await.unwrap();
        assert_eq!(wait.await.unwrap().unwrap_err().code(), "kernel::missing_provider");
    });
}

// K2
#[test]
fn a_failed_plugin_that_is_about_to_start_again_does_not_answer_with_its_old_failure() {
    run(async {
        let kernel = Kernel::new();
        let (root, gate, tries) = (kernel.root(), Gate::new(), Counter::new());
        let (starts, open) = (Counter::new(), gate.clone());
        let slow_the_second_time = move |_| {
            let (second, open) = (starts.hit() > 1, open.clone());
            async move {
                if second {
                    open.wait().await;
                }
                Ok(())
            }
        };
        Part::new("slow").inject(["s"]).start_async(slow_the_second_time).mount(&root);
        let fails_once = Part::new("fails once").inject(["s"]).start(move |_| match tries.hit() {
            1 => Err(Failure::msg("not yet")),
            _ => Ok(()),
        });
        let fails_once = fails_once.mount(&root);
        let service = root.provide_dyn("s", Arc::new(())).unwrap();
        assert_eq!(fails_once.state(), FiberState::Failed);
        service.dispose().await.unwrap();
        root.provide_dyn("s", Arc::new(())).unwrap();
        // It has failed, and stands in the row behind the slow one.
        assert_eq!(fails_once.state(), FiberState::Failed);
        let wait = tokio::spawn(fails_once.ready());
        quiet().await;
        assert!(!wait.is_finished());
        gate.open();
        wait.await.unwrap().unwrap();
    });
}

// K8
#[test]
fn settled_from_inside_an_active_plugin_is_told_when_that_begins_to_unload() {
    run(async {
        let (kernel, log) = (Arc::new(Kernel::new()), Log::new());
        let busy = Part::new("busy").start_async(|_| std::future::pending()).mount(&kernel.root());
        let scope = kernel.root().scope("s").unwrap();
        let (inner, line) = (Arc::clone(&kernel), log.clone());
        let task = move |_| async move { line.push(inner.settled().await.unwrap_err().code()) };
        scope.ctx().spawn("waits", task).unwrap();
        quiet().await;
        log.assert([] as [&str; 0]);
        scope.dispose().await.unwrap();
        log.assert(["kernel::reentrant"]);
        drop(busy);
    });
}

// K7
#[test]
fn a_failure_of_an_adopted_scope_is_told_once() {
    run(async {
        let kernel = Kernel::new();
        let parent = kernel.root().scope("parent").unwrap();
        let child = parent.ctx().scope("child").unwrap();
        let broken = child.ctx().effect("broken", |fx| {
            fx.defer(|| Err::<(), _>(Failure::msg("stuck")));
            Ok(())
        });
        broken.unwrap();
        let whole = parent.ctx().effect("whole", |fx| Ok(fx.adopt(child.into_disposer())?));
        whole.unwrap();
        let fiber = parent.fiber().clone();
        let first = parent.dispose().await.unwrap_err();
        assert_eq!(first.links().len(), 1, "{first}");
        // K2: whoever asks again is told the same.
        assert_eq!(fiber.dispose().await.unwrap_err().links().len(), 1);
    });
}

// K2
#[test]
fn changes_of_state_are_heard_in_their_order_though_a_listener_causes_more() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let victim: Arc<std::sync::OnceLock<dsh_kernel::Fiber>> = Arc::default();
        let target = Arc::clone(&victim);
        root.on(move |change: &FiberChanged| {
            if change.to == FiberState::Active
                && let Some(victim) = target.get()
            {
                drop(victim.dispose());
            }
        })
        .unwrap();
        let line = log.clone();
        root.on(move |change: &FiberChanged| line.push(format!("{}", change.to))).unwrap();
        let gate = Gate::new();
        let open = gate.clone();
        let fiber = Part::new("p").start_async(move |_| {
            let open = open.clone();
            async move {
                open.wait().await;
                Ok(())
            }
        });
        assert!(victim.set(fiber.mount(&root)).is_ok());
        gate.open();
        kernel.settled().await.unwrap();
        quiet().await;
        log.assert(["loading", "active", "unloading", "disposed"]);
    });
}

struct Long;

impl Event for Long {
    const NAME: &'static str = "test/long";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Long {
    type Value = usize;
}

// K11
#[test]
fn a_waterfall_of_thousands_of_listeners_fits_on_a_small_stack() {
    crate::support::on_a_small_stack(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let kernel = Kernel::new();
            let root = kernel.root();
            for _ in 0..3_000 {
                root.on_waterfall(|value, _: Arc<Long>, next| async move { Ok(next.run(value + 1).await? + 1) })
                    .unwrap();
            }
            assert_eq!(root.waterfall(Arc::new(Long), 0, Audience::Untagged).await.unwrap(), 6_000);
        });
    });
}
