//! Adopting against disposing: from its adoption on, an effect is undone at its place in the chain and nowhere else (K5).

use dsh_kernel::{Context, Disposer, Error, ErrorKind, Kernel};
use dsh_testkit::Log;

use crate::explore::{beside, block_on, explore};
use crate::parts::{count, place, tell, undo};

/// A composite of `outer`, the adopted effect and `over`, that logs its adoption.
fn composite(ctx: &Context, inner: Disposer, log: &Log) -> Result<Disposer, Error> {
    ctx.effect("composite", |fx| {
        tell(fx, "outer", log);
        fx.adopt(inner)?;
        log.push("adopted");
        tell(fx, "over", log);
        Ok(())
    })
}

// K5, K9
#[test]
fn what_is_adopted_while_its_owner_unloads_is_undone_at_its_place() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let ctx = scope.ctx().clone();
        let inner = undo(&ctx, "inner", "inner", &log).unwrap();
        // Undone after the composite and before `inner`, which so has not been begun as long as this one's line is missing.
        undo(&ctx, "between", "between", &log).unwrap();
        let theirs = log.clone();
        let adopted = beside(move || match composite(&ctx, inner, &theirs) {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Inactive);
                error.teardown().map_or(Ok(()), |teardown| block_on(teardown)).unwrap();
            }
        });
        block_on(scope.dispose()).unwrap();
        let entries = log.entries();
        assert_eq!(count(&entries, "inner"), 1, "{entries:?}");
        if count(&entries, "adopted") == 1 {
            for line in ["outer", "over"] {
                assert_eq!(count(&entries, line), 1, "{entries:?}");
            }
            assert!(place(&entries, "over") < place(&entries, "outer"), "{entries:?}");
            assert!(place(&entries, "inner") < place(&entries, "outer"), "{entries:?}");
            if place(&entries, "adopted") < place(&entries, "between") {
                assert!(place(&entries, "over") < place(&entries, "inner"), "{entries:?}");
            }
        }
        adopted.join().unwrap();
        assert_eq!(log.entries(), entries, "nothing begins when the owner has ended");
        assert_eq!(kernel.inspect(), before);
    });
}

// K5, K12
#[test]
fn a_scope_disposed_while_it_is_adopted_is_undone_once_and_the_composite_awaits_it() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        undo(scope.ctx(), "inner", "inner", &log).unwrap();
        let fiber = scope.fiber().clone();
        let disposed = beside(move || block_on(fiber.dispose()));
        let whole = composite(&root, scope.into_disposer(), &log).unwrap();
        block_on(whole.dispose()).unwrap();
        let entries = log.entries();
        for line in ["inner", "over", "outer"] {
            assert_eq!(count(&entries, line), 1, "{entries:?}");
        }
        assert!(place(&entries, "over") < place(&entries, "outer"), "{entries:?}");
        assert!(place(&entries, "inner") < place(&entries, "outer"), "{entries:?}");
        disposed.join().unwrap().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K5, K9
#[test]
fn a_composite_disposed_while_its_owner_unloads_is_undone_once_in_its_order() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let before = kernel.inspect();
        let scope = kernel.root().scope("s").unwrap();
        let inner = undo(scope.ctx(), "inner", "inner", &log).unwrap();
        let whole = composite(scope.ctx(), inner, &log).unwrap();
        log.assert(["adopted"]);
        let disposed = beside(move || block_on(whole.dispose()));
        block_on(scope.dispose()).unwrap();
        log.assert(["over", "inner", "outer"]);
        disposed.join().unwrap().unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K5
#[test]
fn a_scope_hands_its_disposer_out_once() {
    explore(|| {
        let kernel = Kernel::new();
        let fiber = kernel.root().scope("s").unwrap().fiber().clone();
        let other = fiber.clone();
        let theirs = beside(move || other.take_disposer().is_some());
        let mine = fiber.take_disposer().is_some();
        assert_ne!(mine, theirs.join().unwrap());
    });
}
