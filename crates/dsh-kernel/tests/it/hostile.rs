//! Numbers out of all measure: anything quadratic here takes long enough to be noticed, and anything that recurses would overflow its
//! small stack.

use std::sync::Arc;

use dsh_kernel::{
    Audience, Context, Emit, Event, Failure, FiberState, Kernel, Scope, Serial, SerialEvent, Waterfall, WaterfallEvent,
};
use dsh_testkit::{Counter, Gate, Probes, poll_once};

use crate::support::{Part, on_a_small_stack, paused_runtime, quiet};

const MANY: usize = 100_000;

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
    type Answer = usize;
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = usize;
}

/// Runs a test in a runtime of one thread, on a stack of two megabytes.
#[track_caller]
fn run_small<F: Future<Output = ()>>(test: impl FnOnce(Kernel) -> F + Send + 'static) {
    on_a_small_stack(move || paused_runtime().block_on(test(Kernel::new())));
}

/// A chain of scopes, each within the one before, with something in each.
fn chain(ctx: &Context, length: usize, each: impl Fn(&Context, usize)) -> Scope {
    let top = ctx.scope("link").unwrap();
    let mut last = top.ctx().clone();
    for number in 0..length {
        each(&last, number);
        if number + 1 < length {
            last = last.scope("link").unwrap().ctx().clone();
        }
    }
    top
}

// K11
#[test]
fn a_hundred_thousand_listeners_hear_one_emit_and_leave_one_by_one() {
    run_small(async |kernel| {
        let (root, count) = (kernel.root(), Counter::new());
        let scope = root.scope("s").unwrap();
        let mut all = Vec::new();
        for number in 0..MANY {
            let (count, ctx) = (count.clone(), if number % 2 == 0 { &root } else { scope.ctx() });
            let heard = ctx.on::<Ping, _>(move |_| {
                count.hit();
            });
            all.push(heard.unwrap());
        }
        root.emit(&Ping, Audience::Untagged).unwrap();
        assert_eq!(count.take(), MANY / 2);
        root.emit(&Ping, Audience::Scope(scope.key())).unwrap();
        assert_eq!(count.take(), MANY);
        for one in all {
            one.dispose().await.unwrap();
        }
        root.emit(&Ping, Audience::Everyone).unwrap();
        assert_eq!(count.get(), 0);
    });
}

// K11
#[test]
fn a_hundred_thousand_listeners_are_asked_in_turn() {
    run_small(async |kernel| {
        let (root, count) = (kernel.root(), Counter::new());
        for number in 0..MANY {
            let count = count.clone();
            root.on_serial(move |_: Arc<Ask>| {
                count.hit();
                async move { Ok((number + 1 == MANY).then_some(number)) }
            })
            .unwrap();
        }
        assert_eq!(root.serial(Arc::new(Ask), Audience::Untagged).await.unwrap(), Some(MANY - 1));
        assert_eq!(count.get(), MANY);
    });
}

// K11
#[test]
fn a_waterfall_goes_through_a_hundred_thousand_listeners() {
    run_small(async |kernel| {
        let root = kernel.root();
        for _ in 0..MANY {
            root.on_waterfall(|value, _: Arc<Edit>, next| async move { Ok(next.run(value + 1).await? + 1) }).unwrap();
        }
        assert_eq!(root.waterfall(Arc::new(Edit), 0, Audience::Untagged).await.unwrap(), 2 * MANY);
    });
}

// K11: let go of while the innermost listener waits
#[test]
fn a_waterfall_of_a_hundred_thousand_listeners_is_dropped_half_way() {
    run_small(async |kernel| {
        let (root, gate, probes) = (kernel.root(), Gate::new(), Probes::new());
        for number in 0..MANY {
            let (gate, probe) = (gate.clone(), probes.clone());
            root.on_waterfall(move |value, _: Arc<Edit>, next| {
                let (gate, probe) = (gate.clone(), probe.probe());
                async move {
                    if number + 1 == MANY {
                        gate.wait().await;
                    }
                    probe.touch();
                    next.run(value).await
                }
            })
            .unwrap();
        }
        let mut waterfall = Box::pin(root.waterfall(Arc::new(Edit), 0, Audience::Untagged));
        assert!(poll_once(&mut waterfall).is_pending());
        while gate.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(probes.made(), MANY);
        drop(waterfall);
        while probes.balance() > 0 {
            tokio::task::yield_now().await;
        }
    });
}

// K15
#[test]
fn a_hundred_thousand_scopes_are_left_to_the_drop_of_the_kernel() {
    on_a_small_stack(|| {
        let (kernel, probes) = (Kernel::new(), Probes::new());
        let root = kernel.root();
        for _ in 0..MANY {
            let (scope, probe) = (root.scope("s").unwrap(), probes.probe());
            scope.ctx().on::<Ping, _>(move |_| probe.touch()).unwrap();
        }
        assert_eq!(kernel.inspect().fibers.len(), MANY + 1);
        assert_eq!(kernel.inspect().fibers[MANY].name, format!("s#{MANY}"));
        drop(kernel);
        assert_eq!(probes.balance(), 0);
        assert!(root.scope("s").is_err());
    });
}

// K5: as wide as deep
#[test]
fn a_hundred_thousand_scopes_adopted_by_one_effect_end_in_reverse() {
    run_small(async |kernel| {
        let (root, count) = (kernel.root(), Counter::new());
        let outer = root.effect("outer", |fx| {
            for number in 0..MANY {
                let (scope, count) = (root.scope("s")?, count.clone());
                scope.ctx().effect("e", |fx| {
                    fx.defer(move || assert_eq!(count.hit(), MANY - number));
                    Ok(())
                })?;
                fx.adopt(scope.into_disposer())?;
            }
            Ok(())
        });
        outer.unwrap().dispose().await.unwrap();
        assert_eq!(count.get(), MANY);
        assert_eq!(kernel.inspect().to_string(), "root [active]\n");
    });
}

// K6: an asynchronous link in every fiber of the chain
#[test]
fn a_chain_of_a_hundred_thousand_fibers_waits_for_each_of_its_links() {
    run_small(async |kernel| {
        let (opened, gate) = tokio::sync::watch::channel(false);
        let count = Counter::new();
        let top = chain(&kernel.root(), MANY, |ctx, _| {
            let (mut gate, count) = (gate.clone(), count.clone());
            let slow = ctx.effect("slow", |fx| {
                fx.defer_async(move || async move {
                    drop(gate.wait_for(|open| *open).await);
                    count.hit();
                });
                Ok(())
            });
            slow.unwrap();
        });
        let teardown = top.dispose();
        quiet().await;
        assert!(teardown.result().is_none());
        opened.send_replace(true);
        teardown.await.unwrap();
        assert_eq!(count.get(), MANY);
    });
}

// K7: every fiber of the chain hands on the failures of all below it
#[test]
fn the_failures_of_a_chain_of_a_hundred_thousand_fibers_come_back_together() {
    run_small(async |kernel| {
        let top = chain(&kernel.root(), MANY, |ctx, number| {
            let bad = ctx.effect("bad", |fx| {
                fx.defer(move || Err::<(), _>(Failure::msg(number.to_string())));
                Ok(())
            });
            bad.unwrap();
        });
        let error = top.dispose().await.unwrap_err();
        assert_eq!(error.links().len(), MANY);
        let in_order =
            error.links().iter().enumerate().all(|(number, link)| link.failure.to_string() == number.to_string());
        assert!(in_order, "in order of start: from the top of the chain down");
        let text = error.to_string();
        assert!(text.starts_with("100000 links failed while they were undone; `bad` of `link`: 0; "), "{text}");
        assert!(text.ends_with("; and 99976 more"), "{text}");
        drop(error);
        assert_eq!(kernel.inspect().to_string(), "root [active]\n");
    });
}

// K7, K13: the failures go one by one, and none is told twice
#[test]
fn one_failure_at_the_end_of_a_chain_is_handed_up_all_of_it() {
    run_small(async |kernel| {
        let top = chain(&kernel.root(), MANY, |ctx, number| {
            let link = ctx.effect("e", |fx| {
                fx.defer(move || if number + 1 == MANY { Err(Failure::msg("no")) } else { Ok(()) });
                Ok(())
            });
            link.unwrap();
        });
        let error = top.dispose().await.unwrap_err();
        assert_eq!(error.links().len(), 1);
        assert_eq!(error.owner().map(|owner| owner.to_string().len()), Some(MANY * "link/".len() - 1));
    });
}

// K9: the tree of a chain is no square of blanks
#[test]
fn the_tree_of_a_chain_of_a_hundred_thousand_fibers_is_a_line_each() {
    on_a_small_stack(|| {
        let kernel = Kernel::new();
        chain(&kernel.root(), MANY, |_, _| ());
        let tree = kernel.inspect().to_string();
        assert_eq!(tree.lines().count(), MANY + 1);
        assert_eq!(tree.lines().nth(64), Some(format!("{}link [active]", "  ".repeat(64)).as_str()));
        assert_eq!(tree.lines().nth(65), Some(format!("{}(65) link [active]", "  ".repeat(64)).as_str()));
        assert_eq!(tree.lines().last(), Some(format!("{}(100000) link [active]", "  ".repeat(64)).as_str()));
    });
}

// K4, K2: as many waits as one likes for one end
#[test]
fn as_many_waits_for_one_teardown_as_one_likes_all_end_with_it() {
    const WAITS: usize = 400_000;
    run_small(async |kernel| {
        let (gate, count) = (Gate::new(), Counter::new());
        let scope = kernel.root().scope("s").unwrap();
        let wait = gate.clone();
        let slow = scope.ctx().effect("slow", |fx| {
            fx.defer_async(move || async move { wait.wait().await });
            Ok(())
        });
        slow.unwrap();
        let teardown = scope.dispose();
        let waits: Vec<_> = (0..WAITS)
            .map(|number| {
                let (teardown, count) = (teardown.clone(), count.clone());
                tokio::spawn(async move {
                    teardown.await.unwrap();
                    assert_eq!(count.hit(), number + 1, "they are woken in the order in which they came");
                })
            })
            .collect();
        quiet().await;
        gate.open();
        for wait in waits {
            wait.await.unwrap();
        }
        assert_eq!(count.get(), WAITS);
    });
}

// K14
#[test]
fn a_hundred_thousand_tasks_are_cancelled_and_awaited() {
    run_small(async |kernel| {
        let (scope, count) = (kernel.root().scope("s").unwrap(), Counter::new());
        for _ in 0..MANY {
            let count = count.clone();
            let task = scope.ctx().spawn("t", |cancel| async move {
                cancel.cancelled().await;
                count.hit();
            });
            task.unwrap();
        }
        quiet().await;
        scope.dispose().await.unwrap();
        assert_eq!(count.get(), MANY);
    });
}

// K10: each starts on the service of the one before, and leaves with it
#[test]
fn twenty_thousand_plugins_in_a_chain_of_services_start_and_unload() {
    const LONG: usize = 20_000;
    run_small(async |kernel| {
        let root = kernel.root();
        let plugin = |number: usize| {
            let part =
                Part::new(format!("p{number}")).inject([format!("s{number}")]).provides([format!("s{}", number + 1)]);
            part.start(move |ctx| {
                ctx.provide_dyn(format!("s{}", number + 1), Arc::new(()))?;
                Ok(())
            })
        };
        let fibers: Vec<_> = (0..LONG).map(|number| plugin(number).mount(&root)).collect();
        let first = root.provide_dyn("s0", Arc::new(())).unwrap();
        kernel.settled().await.unwrap();
        assert!(fibers.iter().all(|fiber| fiber.state() == FiberState::Active));
        first.dispose().await.unwrap();
        assert!(fibers.iter().all(|fiber| fiber.state() == FiberState::Pending));
    });
}

// K1, X3
#[test]
fn names_of_a_megabyte_are_names() {
    run_small(async |kernel| {
        let (root, name) = (kernel.root(), "n".repeat(1 << 20));
        let (one, two) = (root.scope(name.clone()).unwrap(), root.scope(name.clone()).unwrap());
        assert!(one.ctx().owner().to_string() == name && two.ctx().owner().to_string() == format!("{name}#2"));
        let service = root.provide_dyn(name.clone(), Arc::new(())).unwrap();
        assert_eq!(root.provide_dyn(name.clone(), Arc::new(())).unwrap_err().code(), "kernel::duplicate_service");
        service.dispose().await.unwrap();
        drop(kernel);
    });
}
