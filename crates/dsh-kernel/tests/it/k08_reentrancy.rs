//! K8: nothing waits for itself. A wait from inside code that it would have to wait for says so at once.

use std::future::Future;
use std::sync::Arc;

use dsh_kernel::{Context, Error, Failure, Fiber, Kernel, Service, Teardown};
use dsh_testkit::{Gate, Log, poll_once};

use crate::support::{Part, Slot, is_open, quiet, run, slow, undo};

/// Polls once, and logs what came of it.
fn told(log: &Log, what: &str, mut wait: impl Future<Output = Result<(), Error>> + Unpin) {
    match poll_once(&mut wait) {
        std::task::Poll::Pending => log.push(format!("{what}: pending")),
        std::task::Poll::Ready(Ok(())) => log.push(format!("{what}: ok")),
        std::task::Poll::Ready(Err(error)) => log.push(format!("{what}: {}", error.code())),
    }
}

const REENTRANT: &str = "own end: kernel::reentrant";

fn scene() -> (Kernel, Log, Fiber, Slot<Fiber>) {
    let kernel = Kernel::new();
    let fiber = Part::new("p").mount(&kernel.root());
    let slot = Slot::new();
    slot.put(fiber.clone());
    (kernel, Log::new(), fiber, slot)
}

// K8
#[test]
fn from_its_own_body() {
    run(async {
        let (_kernel, log, fiber, _) = scene();
        drop(fiber.ctx().effect("e", |_| {
            told(&log, "own end", fiber.dispose());
            Ok(())
        }));
        log.assert([REENTRANT]);
    });
}

// K8
#[test]
fn from_its_own_asynchronous_body() {
    run(async {
        let (_kernel, log, fiber, _) = scene();
        drop(
            fiber
                .ctx()
                .effect_async("e", async |_| {
                    tokio::task::yield_now().await;
                    log.push(fiber.dispose().await.unwrap_err().code());
                    Ok(())
                })
                .await,
        );
        log.assert(["kernel::reentrant"]);
    });
}

// K8
#[test]
fn from_its_own_synchronous_link() {
    run(async {
        let (_kernel, log, fiber, slot) = scene();
        let line = log.clone();
        let disposer = fiber.ctx().effect("e", |fx| {
            fx.defer(move || told(&line, "own end", slot.take().unwrap().dispose()));
            Ok(())
        });
        disposer.unwrap();
        fiber.dispose().await.unwrap();
        log.assert([REENTRANT]);
    });
}

// K8
#[test]
fn from_its_own_asynchronous_link_on_the_first_and_on_a_later_poll() {
    for yields in [0, 3] {
        run(async {
            let (_kernel, log, fiber, slot) = scene();
            let line = log.clone();
            let disposer = fiber.ctx().effect("e", |fx| {
                fx.defer_async(move || async move {
                    for _ in 0..yields {
                        tokio::task::yield_now().await;
                    }
                    line.push(slot.take().unwrap().dispose().await.unwrap_err().code());
                });
                Ok(())
            });
            disposer.unwrap();
            fiber.dispose().await.unwrap();
            log.assert(["kernel::reentrant"]);
        });
    }
}

// K8
#[test]
fn from_its_own_start() {
    run(async {
        let (kernel, log, slot) = (Kernel::new(), Log::new(), Slot::<Fiber>::new());
        let part = Part::new("p").start_async({
            let (log, slot) = (log.clone(), slot.clone());
            move |_| {
                let (log, slot) = (log.clone(), slot.clone());
                async move {
                    tokio::task::yield_now().await;
                    let fiber = slot.take().unwrap();
                    log.push(fiber.ready().await.unwrap_err().code());
                    log.push(fiber.dispose().await.unwrap_err().code());
                    Ok(())
                }
            }
        });
        let fiber = part.mount(&kernel.root());
        slot.put(fiber.clone());
        kernel.settled().await.unwrap();
        fiber.dispose().await.unwrap();
        log.assert(["kernel::reentrant", "kernel::reentrant"]);
    });
}

// K8
#[test]
fn from_its_own_task() {
    run(async {
        let (_kernel, log, fiber, slot) = scene();
        let line = log.clone();
        fiber
            .ctx()
            .spawn("t", move |_| async move {
                line.push(slot.take().unwrap().dispose().await.unwrap_err().code());
            })
            .unwrap();
        quiet().await;
        log.assert(["kernel::reentrant"]);
        fiber.dispose().await.unwrap();
    });
}

// K8
#[test]
fn from_a_task_that_is_to_be_awaited_by_a_wait_begun_elsewhere() {
    run(async {
        let (_kernel, log, fiber, _) = scene();
        let (gate, slot) = (Gate::new(), Slot::<Teardown>::new());
        let (line, handed, wait) = (log.clone(), slot.clone(), gate.clone());
        fiber
            .ctx()
            .spawn("t", move |_| async move {
                wait.wait().await;
                line.push(handed.take().unwrap().await.unwrap_err().code());
            })
            .unwrap();
        let teardown = fiber.dispose();
        slot.put(teardown.clone());
        gate.open();
        teardown.await.unwrap();
        log.assert(["kernel::reentrant"]);
    });
}

// K8
#[test]
fn from_a_listener_of_it() {
    run(async {
        let (kernel, log, fiber, _) = scene();
        let (line, inner) = (log.clone(), fiber.clone());
        fiber
            .ctx()
            .on::<dsh_kernel::FiberChanged, _>(move |change| {
                if change.path == inner.path() {
                    told(&line, "own end", inner.dispose());
                }
            })
            .unwrap();
        fiber.dispose().await.unwrap();
        assert_eq!(log.take().first().map(String::as_str), Some(REENTRANT));
        drop(kernel);
    });
}

// K8
#[test]
fn from_the_body_link_task_and_start_of_a_descendant() {
    run(async {
        let (_kernel, log, fiber, _) = scene();
        let child = fiber.ctx().scope("child").unwrap();
        let deep = child.ctx().scope("deep").unwrap();
        let line = |what: &'static str| {
            let (log, fiber) = (log.clone(), fiber.clone());
            move || told(&log, what, fiber.dispose())
        };
        let in_link = line("link");
        deep.ctx()
            .effect("link", |fx| {
                fx.defer(in_link);
                Ok(())
            })
            .unwrap();
        let in_task = line("task");
        deep.ctx()
            .spawn("task", move |cancel| async move {
                cancel.cancelled().await;
                in_task();
            })
            .unwrap();
        let (gate, in_start) = (Gate::new(), line("start"));
        let wait = gate.clone();
        let in_start = Arc::new(in_start);
        let part = Part::new("starting").start_async(move |_| {
            let (wait, in_start) = (wait.clone(), Arc::clone(&in_start));
            async move {
                wait.wait().await;
                in_start();
                Ok(())
            }
        });
        part.mount(deep.ctx());
        let in_body = line("body");
        drop(deep.ctx().effect("body", |_| {
            in_body();
            Ok(())
        }));
        gate.open();
        fiber.dispose().await.unwrap();
        let mut log = log.take();
        log.sort();
        let code = "kernel::reentrant";
        assert_eq!(
            log,
            [format!("body: {code}"), format!("link: {code}"), format!("start: {code}"), format!("task: {code}")]
        );
    });
}

struct Db;

impl Service for Db {
    const NAME: &'static str = "db";
    const DOC: &'static str = "Rows.";
    const METHODS: &'static [dsh_kernel::Method] = &[];
}

fn db(slot: &Slot<dsh_kernel::Disposer>) -> Part {
    let slot = slot.clone();
    Part::new("srv").start(move |ctx| {
        slot.put(ctx.provide(Db)?);
        Ok(())
    })
}

// K8
#[test]
fn from_a_user_of_its_services_and_from_a_descendant_of_a_user() {
    run(async {
        let (kernel, log, provide) = (Kernel::new(), Log::new(), Slot::new());
        let root = kernel.root();
        let srv = db(&provide).mount(&root);
        let user = Part::new("user").inject(["db"]).mount(&root);
        let below = user.ctx().scope("below").unwrap();
        for (what, ctx) in [("user", user.ctx()), ("below", below.ctx().clone())] {
            let (line, srv) = (log.clone(), srv.clone());
            ctx.effect("e", |fx| {
                fx.defer(move || told(&line, what, srv.dispose()));
                Ok(())
            })
            .unwrap();
        }
        srv.dispose().await.unwrap();
        log.assert(["user: kernel::reentrant", "below: kernel::reentrant"]);
    });
}

// K8
#[test]
fn the_end_of_a_provide_from_its_user() {
    run(async {
        let (kernel, log, provide) = (Kernel::new(), Log::new(), Slot::new());
        let root = kernel.root();
        db(&provide).mount(&root);
        let user = Part::new("user").inject(["db"]).mount(&root);
        let handed: Slot<Teardown> = Slot::new();
        let (line, inner) = (log.clone(), handed.clone());
        user.ctx()
            .effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    line.push(inner.take().unwrap().await.unwrap_err().code());
                });
                Ok(())
            })
            .unwrap();
        let teardown = provide.take().unwrap().dispose();
        handed.put(teardown.clone());
        teardown.await.unwrap();
        log.assert(["kernel::reentrant"]);
    });
}

// K8
#[test]
fn the_end_of_an_effect_from_its_own_link() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let handed: Slot<Teardown> = Slot::new();
        let (line, inner) = (log.clone(), handed.clone());
        let disposer = kernel.root().effect("e", |fx| {
            fx.defer_async(move || async move {
                tokio::task::yield_now().await;
                line.push(inner.take().unwrap().await.unwrap_err().code());
            });
            Ok(())
        });
        let teardown = disposer.unwrap().dispose();
        handed.put(teardown.clone());
        teardown.await.unwrap();
        log.assert(["kernel::reentrant"]);
    });
}

// K8
#[test]
fn the_end_of_a_task_from_the_task() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let slot: Slot<dsh_kernel::Disposer> = Slot::new();
        let (line, inner) = (log.clone(), slot.clone());
        let task = kernel.root().spawn("t", move |_| async move {
            line.push(inner.take().unwrap().dispose().await.unwrap_err().code());
        });
        slot.put(task.unwrap());
        quiet().await;
        log.assert(["kernel::reentrant"]);
        assert_eq!(kernel.inspect().to_string(), "root [active]\n");
    });
}

// K8
#[test]
fn the_end_of_a_composite_from_a_task_that_it_has_adopted() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let handed: Slot<Teardown> = Slot::new();
        let (line, inner) = (log.clone(), handed.clone());
        let task = root
            .spawn("t", move |cancel| async move {
                cancel.cancelled().await;
                line.push(inner.take().unwrap().await.unwrap_err().code());
            })
            .unwrap();
        let composite = root.effect("outer", |fx| Ok(fx.adopt(task)?)).unwrap();
        let teardown = composite.dispose();
        handed.put(teardown.clone());
        teardown.await.unwrap();
        log.assert(["kernel::reentrant"]);
    });
}

// K8: also before the turn of what it is inside of has come
#[test]
fn the_end_of_a_composite_from_a_fiber_whose_turn_is_still_to_come() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let handed: Slot<Teardown> = Slot::new();
        let (line, inner, opens) = (log.clone(), handed.clone(), gate.clone());
        let asked = Gate::new();
        let wait = asked.clone();
        scope
            .ctx()
            .spawn("t", move |_| async move {
                wait.wait().await;
                told(&line, "composite", inner.take().unwrap());
                opens.open();
            })
            .unwrap();
        let composite = root.effect("outer", |fx| {
            fx.adopt(scope.into_disposer())?;
            fx.adopt(slow(&root, "slow", &log, &gate))?;
            Ok(())
        });
        let teardown = composite.unwrap().dispose();
        handed.put(teardown.clone());
        asked.open();
        teardown.await.unwrap();
        log.assert(["slow:begin", "composite: kernel::reentrant", "slow:end"]);
    });
}

// K8
#[test]
fn settled_from_inside_what_is_starting_or_unloading() {
    run(async {
        let kernel = Arc::new(Kernel::new());
        let log = Log::new();
        let settled = |what: &'static str| {
            let (kernel, log) = (Arc::clone(&kernel), log.clone());
            move || told(&log, what, kernel.settled())
        };
        let in_start = settled("start");
        let (in_link, in_child) = (settled("link"), settled("child's start"));
        let (in_link, in_child) = (Slot::of(in_link), Arc::new(in_child));
        let part = Part::new("p").start(move |ctx| {
            in_start();
            let in_link = in_link.take().unwrap();
            ctx.effect("e", |fx| {
                fx.defer(in_link);
                Ok(())
            })?;
            let in_child = Arc::clone(&in_child);
            Part::new("child")
                .start(move |_| {
                    in_child();
                    Ok(())
                })
                .mount(ctx);
            Ok(())
        });
        let fiber = part.mount(&kernel.root());
        log.assert(["start: kernel::reentrant", "child's start: kernel::reentrant"]);
        fiber.dispose().await.unwrap();
        log.assert(["link: kernel::reentrant"]);
    });
}

// K8: it is about waiting for oneself, not about waiting inside of foreign code
#[test]
fn a_wait_for_others_from_inside_foreign_code_is_a_wait() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let other = Part::new("other").mount(&root);
        slow(&other.ctx(), "other", &log, &gate);
        let waiter = Part::new("waiter").mount(&root);
        let (line, inner) = (log.clone(), other.clone());
        waiter
            .ctx()
            .effect("e", |fx| {
                fx.defer_async(move || async move {
                    inner.dispose().await.unwrap();
                    line.push("waited");
                });
                Ok(())
            })
            .unwrap();
        let teardown = waiter.dispose();
        quiet().await;
        assert!(is_open(&teardown));
        gate.open();
        teardown.await.unwrap();
        log.assert(["other:begin", "other:end", "waited"]);
    });
}

// K8
#[test]
fn a_parent_may_await_its_child_and_a_provider_its_user_and_a_user_its_fellow() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let srv = Part::new("srv").start(|ctx| {
            ctx.provide(Db)?;
            Ok(())
        });
        let srv = srv.mount(&root);
        let user = Part::new("user").inject(["db"]).mount(&root);
        let fellow = Part::new("fellow").inject(["db"]).mount(&root);
        let child = Part::new("child").mount(&srv.ctx());
        for fiber in [&user, &fellow, &child] {
            slow(&fiber.ctx(), "slow", &log, &gate);
        }
        let awaits = |ctx: Context, fiber: Fiber, what: &'static str| {
            let log = log.clone();
            let task = ctx.spawn(what, move |_| async move {
                fiber.dispose().await?;
                log.push(what);
                Ok::<(), Error>(())
            });
            task.unwrap();
        };
        awaits(srv.ctx(), child, "parent");
        awaits(srv.ctx(), user, "provider");
        awaits(root.scope("other").unwrap().ctx().clone(), fellow, "bystander");
        quiet().await;
        log.assert(["slow:begin", "slow:begin", "slow:begin"]);
        gate.open();
        quiet().await;
        let mut log = log.take();
        log.sort();
        assert_eq!(log, ["bystander", "parent", "provider", "slow:end", "slow:end", "slow:end"]);
    });
}

// K8: `ready()` of what has ended its start is no wait
#[test]
fn ready_of_an_active_plugin_from_inside_of_it_is_no_wait() {
    run(async {
        let (_kernel, log, fiber, _) = scene();
        let inner = fiber.clone();
        drop(fiber.ctx().effect("e", |_| {
            told(&log, "ready", inner.ready());
            Ok(())
        }));
        log.assert(["ready: ok"]);
    });
}

// K8: a start may await the plugins that it mounts
#[test]
fn a_start_may_await_the_readiness_of_its_children() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let part = Part::new("p").start_async({
            let log = log.clone();
            move |ctx| {
                let log = log.clone();
                async move {
                    let inner = log.clone();
                    let child = Part::new("child").start_async(move |_| {
                        let inner = inner.clone();
                        async move {
                            tokio::task::yield_now().await;
                            inner.push("child");
                            Ok(())
                        }
                    });
                    child.mount(&ctx).ready().await?;
                    log.push("parent");
                    Ok(())
                }
            }
        });
        part.mount(&kernel.root()).ready().await.unwrap();
        log.assert(["child", "parent"]);
    });
}

// K8: the parent's readiness from a child's start would wait for the child
#[test]
fn ready_of_the_parent_from_the_start_of_its_child() {
    run(async {
        let (kernel, log, slot) = (Kernel::new(), Log::new(), Slot::<Fiber>::new());
        let part = Part::new("p").start_async({
            let (log, slot) = (log.clone(), slot.clone());
            move |ctx| {
                let (log, slot) = (log.clone(), slot.clone());
                async move {
                    tokio::task::yield_now().await;
                    let child = Part::new("child").start_async(move |_| {
                        let (log, parent) = (log.clone(), slot.get().unwrap());
                        async move {
                            log.push(parent.ready().await.unwrap_err().code());
                            Err(Failure::msg("so it fails"))
                        }
                    });
                    let child = child.mount(&ctx);
                    child.ready().await.unwrap_err();
                    Ok(())
                }
            }
        });
        let fiber = part.mount(&kernel.root());
        slot.put(fiber.clone());
        fiber.ready().await.unwrap();
        log.assert(["kernel::reentrant"]);
    });
}

// K8: two kernels are two worlds
#[test]
fn a_wait_for_another_kernel_is_a_wait() {
    run(async {
        let (kernel, other, log, gate) = (Kernel::new(), Kernel::new(), Log::new(), Gate::new());
        let theirs = Part::new("p").mount(&other.root());
        slow(&theirs.ctx(), "slow", &log, &gate);
        let end = theirs.dispose();
        drop(kernel.root().effect("e", |_| {
            told(&log, "theirs", end.clone());
            Ok(())
        }));
        log.assert(["slow:begin", "theirs: pending"]);
        gate.open();
        end.await.unwrap();
        undo(&kernel.root(), "e", &log);
    });
}
