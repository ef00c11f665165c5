//! What is left for want of a runtime against calls that have one (K4).

use dsh_kernel::{FiberState, Kernel};
use dsh_testkit::Log;

use crate::explore::{beside, block_on, explore, outside};
use crate::parts::{Part, tell};

// K4
#[test]
fn a_chain_left_outside_of_a_runtime_is_taken_up_once() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let (root, theirs) = (kernel.root(), log.clone());
        let effect = root
            .effect("e", |fx| {
                tell(fx, "first", &log);
                fx.defer_async(move || async move { theirs.push("second") });
                tell(fx, "third", &log);
                Ok(())
            })
            .unwrap();
        let left = outside(move || effect.dispose());
        block_on(kernel.settled()).unwrap();
        let teardown = left.join().unwrap();
        block_on(teardown).unwrap();
        log.assert(["third", "second", "first"]);
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
