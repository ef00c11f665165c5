//! What is left for want of a runtime against calls that have one (K4).

use dsh_kernel::{FiberState, Kernel};
use dsh_testkit::Log;

use crate::explore::{beside, block_on, explore, outside};
use crate::parts::{Part, place, tell};

// K4
#[test]
fn chains_left_outside_of_a_runtime_are_taken_up_once() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let root = kernel.root();
        let chain = |first: &'static str, second: &'static str| {
            let theirs = log.clone();
            let made = root.effect(first, |fx| {
                tell(fx, first, &log);
                fx.defer_async(move || async move { theirs.push(second) });
                Ok(())
            });
            made.unwrap()
        };
        let (one, two) = (chain("a", "b"), chain("c", "d"));
        let left = outside(move || [one.dispose(), two.dispose()]);
        block_on(kernel.settled()).unwrap();
        for teardown in left.join().unwrap() {
            block_on(teardown).unwrap();
        }
        let entries = log.take();
        assert_eq!(entries.len(), 4, "{entries:?}");
        assert!(
            place(&entries, "b") < place(&entries, "a") && place(&entries, "d") < place(&entries, "c"),
            "{entries:?}"
        );
        assert_eq!(kernel.inspect(), before);
    });
}

// K4, K9
#[test]
fn a_wait_inside_of_a_runtime_takes_up_what_a_thread_outside_of_one_leaves() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let theirs = log.clone();
        let effect = scope
            .ctx()
            .effect("e", |fx| {
                tell(fx, "first", &log);
                fx.defer_async(move || async move { theirs.push("second") });
                Ok(())
            })
            .unwrap();
        let left = outside(move || drop(effect.dispose()));
        // Whichever of the two has begun the chain, nobody but this wait is there to go on with it.
        block_on(scope.dispose()).unwrap();
        log.assert(["second", "first"]);
        left.join().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K2, K4
#[test]
fn a_start_left_outside_of_a_runtime_is_taken_up_once() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (root, theirs) = (kernel.root(), log.clone());
        let left = outside(move || Part::traced("p", &theirs).mount(&root).unwrap());
        let (root, other) = (kernel.root(), log.clone());
        let mounted = beside(move || Part::traced("q", &other).mount(&root).unwrap());
        let (fiber, second) = (left.join().unwrap(), mounted.join().unwrap());
        block_on(fiber.ready()).unwrap();
        block_on(second.ready()).unwrap();
        assert_eq!((fiber.state(), second.state()), (FiberState::Active, FiberState::Active));
        block_on(kernel.settled()).unwrap();
        assert_eq!(log.take().len(), 2);
    });
}
