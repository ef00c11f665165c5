//! K3: effects, their bodies, and how foreign code fails.

use std::sync::Arc;

use dsh_kernel::{Context, Error, ErrorKind, Failure, FiberState, Kernel, Plugin};
use dsh_testkit::{Gate, Log, Probes, poll_once};

use crate::support::{Marked, Part, is_open, quiet, run, slow_link, undo};

// K3
#[test]
fn a_body_runs_at_once_and_its_links_when_the_effect_ends() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let inner = log.clone();
    let disposer = kernel
        .root()
        .effect("e", |fx| {
            log.push("body");
            fx.defer(move || inner.push("link"));
            Ok(())
        })
        .unwrap();
    log.push("made");
    drop(disposer.dispose());
    log.assert(["body", "made", "link"]);
}

// K3
#[test]
fn links_return_nothing_or_a_result_of_any_error() {
    let kernel = Kernel::new();
    let disposer = kernel
        .root()
        .effect("e", |fx| {
            fx.defer(|| ());
            fx.defer(|| Ok::<(), std::fmt::Error>(()));
            fx.defer(|| Err::<(), _>(Marked(1)));
            fx.defer(|| Err::<(), _>(Failure::msg("plain")));
            fx.defer_async(|| async {});
            fx.defer_async(|| async { Err::<(), _>(Marked(2)) });
            Ok(())
        })
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = runtime.block_on(async { disposer.dispose().await }).unwrap_err();
    let failures: Vec<_> = error.links().iter().map(|link| link.failure.to_string()).collect();
    assert_eq!(failures, ["marked 2", "plain", "marked 1"]);
}

// K3: `?` in bodies and starts, with errors of every kind and the kernel's own
#[test]
fn every_error_becomes_a_failure_and_is_found_again_by_type() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let error = root.effect("parse", |_| {
            let _: u16 = "eighty".parse()?;
            Ok(())
        });
        let error = error.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::BodyFailed, "kernel::body_failed"));
        assert_eq!(error.label().unwrap().as_str(), "parse");
        assert_eq!(error.owner().unwrap(), &root.owner());
        assert!(error.failure().unwrap().downcast_ref::<std::num::ParseIntError>().is_some());
        assert!(error.failure().unwrap().downcast_ref::<Marked>().is_none());
        assert!(error.to_string().contains("`parse`") && error.to_string().contains("`root`"), "{error}");
        // The very error, through two layers of the kernel's own.
        let outer = root.effect("outer", |fx| {
            fx.adopt(root.effect("inner", |_| Err(Marked(9).into()))?)?;
            Ok(())
        });
        let outer = outer.unwrap_err();
        let inner = outer.failure().unwrap().downcast_ref::<Error>().unwrap();
        assert_eq!(inner.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(9)));
        // The failures' texts are in the error's own, so a printer of the chain does not tell them again.
        assert!(outer.to_string().contains(&inner.to_string()));
        assert!(std::error::Error::source(&outer).is_none());
    });
}

struct Typed(Log);

impl Plugin for Typed {
    const NAME: &'static str = "typed";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let log = self.0.clone();
        // The future of an asynchronous body can be sent, so a start can await it.
        let effect = ctx
            .effect_async("opened", async |fx| {
                tokio::task::yield_now().await;
                fx.defer(move || log.push("closed"));
                Ok(())
            })
            .await?;
        let log = self.0.clone();
        ctx.effect("composite", |fx| {
            fx.defer(move || log.push("after"));
            fx.adopt(effect)?;
            Ok(())
        })?;
        Ok(())
    }
}

// K3
#[test]
fn a_typed_plugin_awaits_an_asynchronous_body_in_its_start() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let fiber = kernel.root().plugin(Typed(log.clone())).unwrap();
        fiber.ready().await.unwrap();
        fiber.dispose().await.unwrap();
        log.assert(["closed", "after"]);
    });
}

// K3
#[test]
fn an_effect_stands_among_its_siblings_where_its_body_began() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("scope").unwrap();
        let ctx = scope.ctx().clone();
        undo(&ctx, "first", &log);
        let body = tokio::spawn({
            let (ctx, log, gate) = (ctx.clone(), log.clone(), gate.clone());
            async move {
                ctx.effect_async("async", async |fx| {
                    gate.wait().await;
                    fx.defer(move || log.push("async"));
                    Ok(())
                })
                .await
                .map(drop)
            }
        });
        gate.reached().await;
        undo(&ctx, "last", &log);
        gate.open();
        body.await.unwrap().unwrap();
        scope.dispose().await.unwrap();
        log.assert(["last", "async", "first"]);
    });
}

// K3: the body itself registers, so its effect is the elder
#[test]
fn an_effect_is_older_than_what_its_body_registers() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("scope").unwrap();
        let ctx = scope.ctx().clone();
        ctx.effect("outer", |fx| {
            undo(&ctx, "inner", &log);
            let log = log.clone();
            fx.defer(move || log.push("outer"));
            Ok(())
        })
        .unwrap();
        scope.dispose().await.unwrap();
        log.assert(["inner", "outer"]);
    });
}

// K3
#[test]
fn an_asynchronous_body_that_is_dropped_half_way_is_rolled_back() {
    run(async {
        let (kernel, log, gate, probes) = (Kernel::new(), Log::new(), Gate::new(), Probes::new());
        let root = kernel.root();
        let before = kernel.inspect();
        let mut body = Box::pin({
            let (log, probe) = (log.clone(), probes.probe());
            async move {
                root.effect_async("half", async |fx| {
                    let inner = log.clone();
                    fx.defer(move || inner.push("one"));
                    let inner = log.clone();
                    fx.defer(move || inner.push("two"));
                    gate.wait().await;
                    probe.touch();
                    Ok(())
                })
                .await
                .map(drop)
            }
        });
        assert!(poll_once(&mut body).is_pending());
        assert!(kernel.inspect().to_string().contains("half (its body runs)"));
        drop(body);
        log.assert(["two", "one"]);
        assert_eq!(probes.balance(), 0);
        assert_eq!(kernel.inspect(), before);
    });
}

// K3
#[test]
fn the_owners_unload_waits_for_the_rollback_of_a_dropped_body() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (body_gate, link_gate) = (Gate::new(), Gate::new());
        let scope = kernel.root().scope("scope").unwrap();
        let mut body = Box::pin({
            let (ctx, log) = (scope.ctx().clone(), log.clone());
            let (body_gate, link_gate) = (body_gate.clone(), link_gate.clone());
            async move {
                ctx.effect_async("half", async |fx| {
                    fx.defer_async(slow_link("link", &log, &link_gate));
                    body_gate.wait().await;
                    Ok(())
                })
                .await
                .map(drop)
            }
        });
        assert!(poll_once(&mut body).is_pending());
        let teardown = scope.dispose();
        quiet().await;
        assert!(is_open(&teardown), "it waits for the body");
        drop(body);
        quiet().await;
        assert!(is_open(&teardown), "it waits for the rollback");
        log.assert(["link:begin"]);
        link_gate.open();
        teardown.await.unwrap();
        log.assert(["link:end"]);
    });
}

// K3, K8
#[test]
fn a_body_that_ends_after_its_owner_was_asked_to_unload_is_undone_then() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let scope = kernel.root().scope("scope").unwrap();
        let body = tokio::spawn({
            let (ctx, log, gate) = (scope.ctx().clone(), log.clone(), gate.clone());
            async move {
                let made = ctx.effect_async("late", async |fx| {
                    gate.wait().await;
                    fx.defer(move || log.push("link"));
                    Ok(())
                });
                made.await.map(drop)
            }
        });
        gate.reached().await;
        let teardown = scope.dispose();
        gate.open();
        teardown.await.unwrap();
        log.assert(["link"]);
        let error = body.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Inactive);
        error.teardown().unwrap().await.unwrap();
    });
}

// K3, K7
#[test]
fn an_asynchronous_body_that_fails_gives_its_failure_and_the_end_of_its_rollback() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let link = slow_link("link", &log, &gate);
        let made = root.effect_async("bad", async |fx| {
            fx.defer_async(link);
            tokio::task::yield_now().await;
            Err(Marked(4).into())
        });
        let error = made.await.unwrap_err();
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(4)));
        let teardown = error.teardown().unwrap();
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["link:begin", "link:end"]);
    });
}

// K3
#[test]
fn an_asynchronous_body_that_is_never_polled_registers_nothing() {
    let kernel = Kernel::new();
    let before = kernel.inspect();
    drop(kernel.root().effect_async("never", async |_| Ok(())));
    assert_eq!(kernel.inspect(), before);
}

// K3
#[test]
fn an_effect_with_no_link_is_an_effect() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let disposer = root.effect("empty", |_| Ok(())).unwrap();
        assert_eq!(kernel.inspect().to_string(), "root [active]\n  - empty\n");
        disposer.dispose().await.unwrap();
        assert_eq!(kernel.inspect().to_string(), "root [active]\n");
    });
}

// K3: a failure of a start, and a service refused inside a body, keep their types
#[test]
fn the_kernels_own_errors_pass_through_a_start_unharmed() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide_dyn("db", Arc::new(())).unwrap();
        let fiber = Part::new("second")
            .start(|ctx| {
                ctx.provide_dyn("db", Arc::new(()))?;
                Ok(())
            })
            .mount(&root);
        assert_eq!(fiber.state(), FiberState::Failed);
        let error = fiber.error().unwrap();
        let inner = error.failure().unwrap().downcast_ref::<Error>().unwrap();
        assert_eq!(inner.kind(), ErrorKind::DuplicateService);
    });
}
