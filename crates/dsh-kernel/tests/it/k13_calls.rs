//! K13, K8, K9: callbacks that a registry keeps and awaits, called through `Context::call_async`.

use dsh_kernel::{ErrorKind, Kernel};
use dsh_testkit::{Gate, Log};

use crate::support::{Part, run, slow_link};

// K13: before its first await, after it, and in its destructor
#[test]
fn a_panic_of_an_awaited_callback_is_the_failure_of_the_call() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let made = root.call_async::<std::future::Ready<()>, _>(|| panic!("in making")).await;
        assert_eq!(made.unwrap_err().panic_message(), Some("in making"));
        let polled = root.call_async(|| async {
            tokio::task::yield_now().await;
            panic!("in a poll")
        });
        let polled: Result<(), _> = polled.await;
        assert_eq!(polled.unwrap_err().panic_message(), Some("in a poll"));
        assert_eq!(root.call_async(|| async { 7 }).await.unwrap(), 7);
    });
}

// K8: who waits inside for the owner's own end is told so
#[test]
fn an_awaited_callback_that_waits_for_its_owner_is_told_so() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        fiber
            .ctx()
            .effect("e", |fx| {
                fx.defer_async(slow_link("slow", &log, &gate));
                Ok(())
            })
            .unwrap();
        let own = fiber.clone();
        let result = fiber.ctx().call_async(|| async move {
            tokio::task::yield_now().await;
            own.dispose().await
        });
        assert_eq!(result.await.unwrap().unwrap_err().kind(), ErrorKind::Reentrant);
        gate.open();
        fiber.dispose().await.unwrap();
    });
}

// K9: no call begins when its owner is gone; one that is dropped half way ends there
#[test]
fn an_awaited_callback_begins_at_the_first_poll_and_never_after_its_owners_end() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        let (line, wait) = (log.clone(), gate.clone());
        let ctx = fiber.ctx();
        let call = ctx.call_async(move || async move {
            line.push("begun");
            wait.wait().await;
            line.push("ended");
        });
        log.assert([]);
        let late = fiber.ctx().call_async(|| async {});
        tokio::select! {
            biased;
            _ = call => {}
            () = tokio::task::yield_now() => {}
        }
        log.assert(["begun"]);
        gate.open();
        fiber.dispose().await.unwrap();
        assert!(late.await.is_err());
        log.assert([]);
    });
}
