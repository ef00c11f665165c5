//! K13: a waker is foreign code too. One that panics keeps nobody else waiting, and one that goes may use the kernel.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Wake, Waker};
use std::time::Duration;

use dsh_kernel::{Clock, Context, FiberState, Kernel, ManualClock};
use dsh_testkit::{Gate, Log};

use crate::support::alone::alone;
use crate::support::{Part, quiet, run, slow};

/// Panics when it wakes.
struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("boom");
    }
}

/// Uses the kernel when it is dropped, and panics after that.
struct Uses(Context, Log);

impl Wake for Uses {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Uses {
    fn drop(&mut self) {
        drop(self.0.effect("late", |_| Ok(())).unwrap().dispose());
        self.1.push("used");
        panic!("boom");
    }
}

fn is_pending<F: Future + Unpin>(future: &mut F, waker: &Waker) -> bool {
    Pin::new(future).poll(&mut TaskContext::from_waker(waker)).is_pending()
}

// K13
#[test]
fn a_waker_that_panics_keeps_nobody_else_waiting() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let fiber = Part::new("p").mount(&kernel.root());
        slow(&fiber.ctx(), "slow", &log, &gate);
        let (mut end, mut settled) = (fiber.dispose(), kernel.settled());
        let waker = Waker::from(Arc::new(Panics));
        assert!(is_pending(&mut end, &waker) && is_pending(&mut settled, &waker));
        gate.open();
        fiber.dispose().await.unwrap();
        kernel.settled().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Disposed);
        kernel.shutdown().await.unwrap();
    });
}

// K13, I20: of each kind of wait, when it is polled again with another waker, and when it is dropped
#[test]
fn a_waker_that_goes_may_use_the_kernel() {
    alone(|| {
        run(async {
            let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
            let root = kernel.root();
            let busy = Part::new("busy").mount(&root);
            slow(&busy.ctx(), "slow", &log, &gate);
            let end = busy.dispose();
            log.assert(["slow:begin"]);
            let stuck = Part::new("stuck").inject(["none"]).mount(&root);
            let uses = || Waker::from(Arc::new(Uses(root.clone(), log.clone())));
            let clock = ManualClock::new();

            let mut settled = kernel.settled();
            assert!(is_pending(&mut settled, &uses()) && log.is_empty());
            assert!(is_pending(&mut settled, &uses()));
            log.assert(["used"]);
            drop(settled);
            log.assert(["used"]);

            let mut sleep = clock.sleep(Duration::from_secs(1));
            assert!(is_pending(&mut sleep, &uses()) && log.is_empty());
            assert!(is_pending(&mut sleep, &uses()));
            log.assert(["used"]);
            drop(sleep);
            log.assert(["used"]);

            let mut ready = stuck.ready();
            assert!(is_pending(&mut ready, &uses()) && log.is_empty());
            drop(ready);
            gate.open();
            end.await.unwrap();
            stuck.dispose().await.unwrap();
            quiet().await;
            assert_eq!(
                log.take().iter().filter(|line| *line == "used").count(),
                1,
                "let go with the plugin at the latest"
            );
            kernel.shutdown().await.unwrap();
        });
    });
}
