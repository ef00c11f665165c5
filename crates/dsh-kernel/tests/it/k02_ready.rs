//! K2: what `ready()` waits for, and what it ends with.

use std::sync::Arc;

use dsh_kernel::{ErrorKind, Failure, FiberState, Kernel};
use dsh_testkit::{Gate, poll_once};

use crate::support::{Marked, Part, quiet, run};

fn provider(name: &'static str, service: &'static str) -> Part {
    Part::new(name).provides([service]).start(move |ctx| {
        ctx.provide_dyn(service, Arc::new(()))?;
        Ok(())
    })
}

// K2
#[test]
fn ready_of_an_active_plugin_is_ready_at_once() {
    run(async {
        let kernel = Kernel::new();
        let fiber = Part::new("a").mount(&kernel.root());
        assert!(poll_once(&mut fiber.ready()).is_ready());
        fiber.ready().await.unwrap();
    });
}

// K2
#[test]
fn ready_waits_for_a_start_that_waits() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let wait = gate.clone();
        let fiber = Part::new("a").start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        let fiber = fiber.mount(&kernel.root());
        let ready = tokio::spawn(fiber.ready());
        quiet().await;
        assert!(!ready.is_finished());
        gate.open();
        ready.await.unwrap().unwrap();
    });
}

// K2
#[test]
fn ready_ends_with_the_failure_of_the_start() {
    run(async {
        let kernel = Kernel::new();
        let fiber = Part::new("a").start(|_| Err(Marked(5).into())).mount(&kernel.root());
        let error = fiber.ready().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StartFailed);
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(5)));
    });
}

// K2
#[test]
fn ready_ends_with_an_error_when_the_fiber_is_disposed_first() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        // A provider that is loading keeps the hope up, so that `ready()` waits.
        let wait = gate.clone();
        let slow = Part::new("slow").provides(["db"]).start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        slow.mount(&root);
        let fiber = Part::new("a").inject(["db"]).mount(&root);
        let ready = tokio::spawn(fiber.ready());
        quiet().await;
        assert!(!ready.is_finished());
        fiber.dispose().await.unwrap();
        assert_eq!(ready.await.unwrap().unwrap_err().kind(), ErrorKind::Disposed);
        assert_eq!(fiber.ready().await.unwrap_err().kind(), ErrorKind::Disposed);
        gate.open();
    });
}

// K2, K10
#[test]
fn ready_names_a_provider_that_no_mounted_plugin_is_and_the_fiber_starts_later() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let fiber = Part::new("user").inject(["db"]).mount(&root);
        let error = fiber.ready().await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::MissingProvider, "kernel::missing_provider"));
        assert_eq!(error.owner().unwrap(), &fiber.path());
        assert_eq!(error.label().unwrap().as_str(), "db");
        assert!(error.to_string().contains("`db`") && error.to_string().contains("`user`"), "{error}");
        assert_eq!(fiber.state(), FiberState::Pending);
        provider("srv", "db").mount(&root);
        fiber.ready().await.unwrap();
    });
}

// K2
#[test]
fn a_wait_that_has_begun_ends_when_the_last_hope_goes() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        let wait = gate.clone();
        let hope = Part::new("hope").provides(["db"]).start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Err(Failure::msg("no database"))
            }
        });
        let hope = hope.mount(&root);
        let fiber = Part::new("user").inject(["db"]).mount(&root);
        let ready = tokio::spawn(fiber.ready());
        quiet().await;
        assert!(!ready.is_finished());
        gate.open();
        let error = ready.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingProvider);
        assert!(error.to_string().contains("`hope`"), "names the provider that failed: {error}");
        assert_eq!(hope.state(), FiberState::Failed);
        assert_eq!(fiber.state(), FiberState::Pending);
    });
}

// K2
#[test]
fn a_chain_of_plugins_to_a_missing_service_names_what_is_missing_at_its_end() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let c = Part::new("c").inject(["b"]).mount(&root);
        let b = provider("b", "b").inject(["a"]).mount(&root);
        let error = c.ready().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingProvider);
        assert_eq!(error.label().unwrap().as_str(), "a");
        assert_eq!(error.owner().unwrap(), &c.path());
        provider("a", "a").mount(&root);
        c.ready().await.unwrap();
        assert_eq!(b.state(), FiberState::Active);
    });
}

// K2, K10
#[test]
fn a_plugin_that_injects_what_it_provides_is_a_cycle_of_one() {
    run(async {
        let kernel = Kernel::new();
        let fiber = provider("self", "db").inject(["db"]).mount(&kernel.root());
        assert_eq!(fiber.ready().await.unwrap_err().kind(), ErrorKind::InjectionCycle);
    });
}

// K2, K10
#[test]
fn cycles_of_two_and_three_are_named_by_ready_and_inspect() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let one = provider("x", "x").inject(["y"]).mount(&root);
        let two = provider("y", "y").inject(["x"]).mount(&root);
        let first = provider("p", "p").inject(["q"]).mount(&root);
        let second = provider("q", "q").inject(["r"]).mount(&root);
        let third = provider("r", "r").inject(["p"]).mount(&root);
        let outside = Part::new("outside").inject(["x"]).mount(&root);
        for (fiber, others) in [
            (&one, vec!["`x`", "`y`"]),
            (&two, vec!["`x`", "`y`"]),
            (&first, vec!["`p`", "`q`", "`r`"]),
            (&second, vec!["`p`", "`q`", "`r`"]),
            (&third, vec!["`p`", "`q`", "`r`"]),
            (&outside, vec!["`x`", "`y`", "`outside`"]),
        ] {
            let error = fiber.ready().await.unwrap_err();
            assert_eq!((error.kind(), error.code()), (ErrorKind::InjectionCycle, "kernel::injection_cycle"));
            for other in others {
                assert!(error.to_string().contains(other), "{error}");
            }
            assert_eq!(fiber.state(), FiberState::Pending);
        }
        let tree = kernel.inspect();
        for name in ["x", "y", "p", "q", "r", "outside"] {
            let stuck = tree.fibers.iter().find(|fiber| fiber.name == name).unwrap().stuck.clone();
            assert!(stuck.is_some_and(|stuck| stuck.contains(" -> ")), "{tree}");
        }
    });
}

// K2
#[test]
fn a_cycle_starts_when_somebody_outside_of_it_provides() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let user = Part::new("user").provides(["x"]).inject(["y"]).mount(&root);
        let other = Part::new("other").provides(["y"]).inject(["x"]).mount(&root);
        assert_eq!(user.ready().await.unwrap_err().kind(), ErrorKind::InjectionCycle);
        provider("third", "y").mount(&root);
        user.ready().await.unwrap();
        assert_eq!(other.state(), FiberState::Pending, "`user` declares `x` but does not provide it");
    });
}

// K2
#[test]
fn a_plugin_with_another_provider_outside_of_the_cycle_is_not_in_one() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        let user = Part::new("user").inject(["x"]).provides(["y"]).mount(&root);
        Part::new("cyclic").provides(["x"]).inject(["y"]).mount(&root);
        let wait = gate.clone();
        let slow = Part::new("slow").provides(["x"]).start_async(move |ctx| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                ctx.provide_dyn("x", Arc::new(()))?;
                Ok(())
            }
        });
        slow.mount(&root);
        let ready = tokio::spawn(user.ready());
        quiet().await;
        assert!(!ready.is_finished());
        gate.open();
        ready.await.unwrap().unwrap();
    });
}

// K2
#[test]
fn a_failed_provider_counts_as_missing_and_is_named() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let srv = Part::new("srv").provides(["db"]).start(|_| Err(Failure::msg("disk full"))).mount(&root);
        let user = Part::new("user").inject(["db"]).mount(&root);
        let error = user.ready().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingProvider);
        assert!(error.to_string().contains("`srv`"), "{error}");
        srv.dispose().await.unwrap();
        provider("srv", "db").mount(&root);
        user.ready().await.unwrap();
    });
}

// K2
#[test]
fn ready_sees_through_an_unload_to_the_next_start() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        let one = root.provide_dyn("db", Arc::new(())).unwrap();
        let wait = gate.clone();
        let user = Part::new("user").inject(["db"]).start(move |ctx| {
            let wait = wait.clone();
            ctx.effect("slow", |fx| {
                fx.defer_async(move || async move { wait.wait().await });
                Ok(())
            })?;
            Ok(())
        });
        let user = user.mount(&root);
        let withdrawn = one.dispose();
        root.provide_dyn("db", Arc::new(())).unwrap();
        assert_eq!(user.state(), FiberState::Unloading);
        let ready = tokio::spawn(user.ready());
        quiet().await;
        assert!(!ready.is_finished());
        gate.open();
        ready.await.unwrap().unwrap();
        withdrawn.await.unwrap();
    });
}
