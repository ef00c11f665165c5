//! Disposing against unloading (K2, K4, K5, K9).

use dsh_kernel::Kernel;
use dsh_testkit::Log;

use crate::explore::{beside, block_on, explore};

// K4, K5, K9
#[test]
fn an_effect_that_is_disposed_while_its_owner_unloads_is_undone_once_and_in_reverse() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let (first, second) = (log.clone(), log.clone());
        let effect = scope
            .ctx()
            .effect("e", |fx| {
                fx.defer(move || first.push("first"));
                fx.defer(move || second.push("second"));
                Ok(())
            })
            .unwrap();
        let disposer = beside(move || block_on(effect.dispose()));
        let unloaded = block_on(scope.dispose());
        log.assert(["second", "first"]);
        unloaded.unwrap();
        disposer.join().unwrap().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}
