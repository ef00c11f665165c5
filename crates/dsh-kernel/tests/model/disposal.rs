//! Disposing against unloading: whoever begins it, what was registered is undone once, and everybody hears of the end (K2,
//! K4, K8, K9).

use dsh_kernel::{Context, ErrorKind, Failure, FiberState, Kernel};
use dsh_testkit::{Log, Probes};

use crate::explore::{beside, block_on, explore, explore_to};
use crate::parts::{Gate, Part, count, tell, undo};

// K4, K5, K9
#[test]
fn an_effect_disposed_while_its_owner_unloads_is_undone_once_and_in_reverse() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let effect = scope
            .ctx()
            .effect("e", |fx| {
                tell(fx, "first", &log);
                tell(fx, "second", &log);
                Ok(())
            })
            .unwrap();
        let disposed = beside(move || block_on(effect.dispose()));
        block_on(scope.dispose()).unwrap();
        // The owner has ended, and so all that it owned has.
        log.assert(["second", "first"]);
        disposed.join().unwrap().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K4, K5, K9
#[test]
fn the_rest_of_a_chain_that_waits_follows_in_its_order_whoever_has_begun_it() {
    explore(|| {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let (slow, waits) = (log.clone(), gate.clone());
        let effect = scope
            .ctx()
            .effect("e", |fx| {
                tell(fx, "first", &log);
                fx.defer_async(move || async move {
                    waits.wait().await;
                    slow.push("second");
                });
                Ok(())
            })
            .unwrap();
        let teardown = scope.dispose();
        let disposed = beside(move || block_on(effect.dispose()));
        gate.open();
        block_on(teardown).unwrap();
        log.assert(["second", "first"]);
        disposed.join().unwrap().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K2, K7
#[test]
fn two_disposals_of_one_fiber_await_the_same_end() {
    explore(|| {
        let kernel = Kernel::new();
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        scope
            .ctx()
            .effect("e", |fx| {
                fx.defer(|| Err::<(), _>(Failure::msg("torn")));
                Ok(())
            })
            .unwrap();
        let fiber = scope.fiber().clone();
        let other = beside(move || block_on(fiber.dispose()));
        let mine = block_on(scope.dispose()).unwrap_err();
        let theirs = other.join().unwrap().unwrap_err();
        for error in [mine, theirs] {
            assert_eq!(error.kind(), ErrorKind::LinksFailed);
            assert_eq!(error.links().len(), 1, "{error}");
        }
        assert_eq!(kernel.inspect(), before);
    });
}

// K3, K8, K9
#[test]
fn what_is_registered_while_its_owner_unloads_is_refused_or_undone() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let (ctx, theirs) = (scope.ctx().clone(), log.clone());
        let registered = beside(move || {
            let made = ctx.effect("e", |fx| {
                theirs.push("made");
                tell(fx, "undone", &theirs);
                Ok(())
            });
            let Err(error) = made else { return };
            assert_eq!(error.kind(), ErrorKind::Inactive);
            if let Some(teardown) = error.teardown() {
                block_on(teardown).unwrap();
                assert_eq!(count(&theirs.entries(), "undone"), 1);
            }
        });
        block_on(scope.dispose()).unwrap();
        let entries = log.entries();
        assert_eq!(count(&entries, "made"), count(&entries, "undone"), "{entries:?}");
        registered.join().unwrap();
        assert_eq!(log.entries(), entries, "nothing begins when the owner has ended");
        assert_eq!(kernel.inspect(), before);
    });
}

// K2, K9
#[test]
fn a_plugin_mounted_while_its_owner_unloads_is_refused_or_unloaded() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let (ctx, theirs) = (scope.ctx().clone(), log.clone());
        let mounted = beside(move || {
            let Ok(fiber) = Part::traced("p", &theirs).mount(&ctx) else { return None };
            drop(block_on(fiber.ready()));
            Some(fiber)
        });
        block_on(scope.dispose()).unwrap();
        let entries = log.entries();
        assert_eq!(count(&entries, "start:p"), count(&entries, "stop:p"), "{entries:?}");
        let fiber = mounted.join().unwrap();
        assert_eq!(log.entries(), entries, "nothing begins when the owner has ended");
        assert!(fiber.is_none_or(|fiber| fiber.state() == FiberState::Disposed));
        assert_eq!(kernel.inspect(), before);
    });
}

// K2, K8
#[test]
fn a_plugin_disposed_while_it_loads_takes_nothing_more_and_ends_when_its_start_has() {
    explore_to(3, || {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let before = kernel.inspect();
        let theirs = log.clone();
        let start = move |ctx: &Context| {
            let late = count(&theirs.entries(), "asked") == 1;
            undo(ctx, "e", "undone", &theirs)?;
            theirs.push(if late { "made late" } else { "made" });
            Ok(())
        };
        let fiber = Part::slow("p", &gate, start).mount(&kernel.root()).unwrap();
        let ready = fiber.ready();
        let opened = beside(move || {
            gate.open();
            block_on(ready)
        });
        let teardown = fiber.dispose();
        log.push("asked");
        block_on(teardown).unwrap();
        let entries = log.entries();
        assert_eq!(count(&entries, "made late"), 0, "{entries:?}");
        assert_eq!(count(&entries, "made"), count(&entries, "undone"), "{entries:?}");
        assert_eq!(fiber.state(), FiberState::Disposed);
        // It may have been active for a moment; nobody is left waiting for it.
        drop(opened.join().unwrap());
        block_on(kernel.settled()).unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K7, K13
#[test]
fn the_rollback_of_a_body_is_not_waited_for_in_vain_when_the_kernel_is_dropped_meanwhile() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (ctx, theirs) = (kernel.root(), log.clone());
        let failed = beside(move || {
            let made = ctx.effect("e", |fx| {
                tell(fx, "undone", &theirs);
                Err(Failure::msg("half way"))
            });
            let error = made.unwrap_err();
            // `kernel::inactive` where the kernel was gone before the body.
            error.teardown().map(|teardown| block_on(teardown))
        });
        drop(kernel);
        if failed.join().unwrap().is_some() {
            log.assert(["undone"]);
        }
    });
}

// K2, K13
#[test]
fn whoever_waits_is_told_when_the_kernel_is_dropped() {
    explore(|| {
        let (kernel, probes) = (Kernel::new(), Probes::new());
        let scope = kernel.root().scope("s").unwrap();
        let (probe, gate) = (probes.probe(), Gate::new());
        scope
            .ctx()
            .effect("e", |fx| {
                fx.defer(move || drop(probe));
                Ok(())
            })
            .unwrap();
        let waiting = Part::slow("p", &gate, |_| Ok(())).inject("nowhere").mount(&kernel.root()).unwrap();
        let dropped = beside(move || drop(kernel));
        drop(block_on(scope.dispose()));
        assert!(block_on(waiting.ready()).is_err());
        dropped.join().unwrap();
        drop(waiting);
        assert_eq!(probes.balance(), 0);
    });
}
