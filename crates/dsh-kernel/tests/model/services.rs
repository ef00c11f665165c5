//! The loss of a service against starts that need it (K2, K10).

use std::sync::Arc;

use dsh_kernel::{Context, ErrorKind, FiberState, Kernel};
use dsh_testkit::Log;

use crate::explore::{beside, block_on, explore, explore_to};
use crate::parts::{Gate, Part, count, place, undo};

// K2, K10
#[test]
fn a_plugin_whose_service_leaves_while_it_starts_has_started_and_stopped_or_waits() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let provider = Part::provider("provider", "s", &log).mount(&root).unwrap();
        block_on(provider.ready()).unwrap();
        let (ctx, theirs) = (root.clone(), log.clone());
        let mounted = beside(move || {
            let user = Part::traced("user", &theirs).inject("s").mount(&ctx).unwrap();
            let ready = block_on(user.ready());
            (user, ready)
        });
        block_on(provider.dispose()).unwrap();
        let entries = log.entries();
        // The user has stopped before the provider has closed what it stands on.
        assert_eq!(count(&entries, "start:user"), count(&entries, "stop:user"), "{entries:?}");
        assert_eq!(count(&entries, "close:provider"), 1, "{entries:?}");
        if count(&entries, "stop:user") == 1 {
            assert!(place(&entries, "stop:user") < place(&entries, "close:provider"), "{entries:?}");
        }
        let (user, ready) = mounted.join().unwrap();
        assert_eq!(log.entries(), entries, "it does not start without its service");
        if let Err(error) = ready {
            assert_eq!(error.kind(), ErrorKind::MissingProvider);
        }
        assert_eq!(user.state(), FiberState::Pending);
        block_on(kernel.settled()).unwrap();
        // The name is free again, and the user starts when it is taken.
        root.provide_dyn("s", Arc::new(())).unwrap();
        block_on(user.ready()).unwrap();
        block_on(user.dispose()).unwrap();
        assert_eq!(count(&log.entries(), "start:user"), count(&log.entries(), "stop:user"));
    });
}

// K2, K10
#[test]
fn a_service_that_leaves_while_a_start_waits_lets_it_end_and_then_unloads_it() {
    explore_to(2, || {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let provider = Part::provider("provider", "s", &log).mount(&root).unwrap();
        block_on(provider.ready()).unwrap();
        let theirs = log.clone();
        let start = move |ctx: &Context| {
            // It can use its service until it has unloaded.
            ctx.get_dyn("s")?;
            theirs.push("start:user");
            undo(ctx, "trace", "stop:user", &theirs)?;
            Ok(())
        };
        let user = Part::slow("user", &gate, start).inject("s").mount(&root).unwrap();
        let opened = beside(move || gate.open());
        block_on(provider.dispose()).unwrap();
        log.assert(["start:user", "stop:user", "close:provider"]);
        opened.join().unwrap();
        block_on(kernel.settled()).unwrap();
        assert_eq!(user.state(), FiberState::Pending);
        assert!(user.error().is_none(), "{:?}", user.error());
    });
}

// K10
#[test]
fn a_service_provided_while_another_is_withdrawn_takes_its_name_or_is_told_who_has_it() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let (one, two) = (root.scope("one").unwrap(), root.scope("two").unwrap());
        let first = one.ctx().provide_dyn("s", Arc::new(1)).unwrap();
        let user = Part::traced("user", &log).inject("s").mount(&root).unwrap();
        block_on(user.ready()).unwrap();
        let ctx = two.ctx().clone();
        let second = beside(move || ctx.provide_dyn("s", Arc::new(2)));
        block_on(first.dispose()).unwrap();
        match second.join().unwrap() {
            Ok(_) => {
                block_on(user.ready()).unwrap();
                log.assert(["start:user", "stop:user", "start:user"]);
                assert_eq!(*root.get_dyn("s").unwrap().downcast::<i32>().unwrap(), 2);
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::DuplicateService);
                assert_eq!(error.owner().unwrap().to_string(), "one");
                log.assert(["start:user", "stop:user"]);
                block_on(kernel.settled()).unwrap();
                assert_eq!(user.state(), FiberState::Pending);
                assert_eq!(root.get_dyn("s").unwrap_err().kind(), ErrorKind::MissingService);
            }
        }
    });
}

// K10, K16
#[test]
fn two_plugins_that_one_service_wakes_both_start_whoever_else_is_mounted() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let first = Part::traced("first", &log).inject("s").mount(&root).unwrap();
        let (ctx, theirs) = (root.clone(), log.clone());
        let second = beside(move || Part::traced("second", &theirs).inject("s").mount(&ctx).unwrap());
        let service = root.provide_dyn("s", Arc::new(())).unwrap();
        let second = second.join().unwrap();
        block_on(first.ready()).unwrap();
        block_on(second.ready()).unwrap();
        block_on(kernel.settled()).unwrap();
        let entries = log.take();
        assert_eq!((count(&entries, "start:first"), count(&entries, "start:second")), (1, 1), "{entries:?}");
        block_on(service.dispose()).unwrap();
        assert_eq!(log.take().len(), 2);
    });
}
