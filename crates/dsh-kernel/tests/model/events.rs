//! Listeners that come and go against dispatch (K9, K11).

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Disposer, Emit, Error, Event, FiberChanged, Kernel};
use dsh_testkit::Log;
use loom::sync::atomic::{AtomicBool, Ordering};

use crate::explore::{beside, block_on, explore};
use crate::parts::{count, place};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

fn hear(ctx: &Context, line: &'static str, log: &Log) -> Result<Disposer, Error> {
    let log = log.clone();
    ctx.on(move |_: &Ping| log.push(line))
}

// K11
#[test]
fn a_listener_added_during_a_dispatch_hears_it_whole_or_not_and_the_next_one_surely() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        hear(&root, "first", &log).unwrap();
        let (ctx, theirs) = (scope.ctx().clone(), log.clone());
        let added = beside(move || hear(&ctx, "second", &theirs).unwrap());
        root.emit(&Ping, Audience::Scope(scope.key())).unwrap();
        let entries = log.take();
        assert!(entries == ["first"] || entries == ["first", "second"], "{entries:?}");
        let disposer = added.join().unwrap();
        root.emit(&Ping, Audience::Scope(scope.key())).unwrap();
        log.assert(["first", "second"]);
        block_on(disposer.dispose()).unwrap();
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert(["first"]);
    });
}

// K9, K11
#[test]
fn a_listener_whose_end_has_been_awaited_hears_no_dispatch_that_begins_then() {
    explore(|| {
        let (kernel, log, gone) = (Kernel::new(), Log::new(), Arc::new(AtomicBool::new(false)));
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        hear(scope.ctx(), "first", &log).unwrap();
        hear(&root, "second", &log).unwrap();
        let flag = Arc::clone(&gone);
        let disposed = beside(move || {
            block_on(scope.dispose()).unwrap();
            flag.store(true, Ordering::Release);
        });
        let late = gone.load(Ordering::Acquire);
        root.emit(&Ping, Audience::Everyone).unwrap();
        let entries = log.take();
        assert!(entries == ["second"] || (!late && entries == ["first", "second"]), "{late} {entries:?}");
        disposed.join().unwrap();
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert(["second"]);
    });
}

// K11
#[test]
fn a_listener_removed_by_an_earlier_one_of_a_dispatch_is_skipped_beside_another_dispatch() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let slot = Arc::new(std::sync::Mutex::new(None::<Disposer>));
        let (taken, mine) = (Arc::clone(&slot), log.clone());
        root.on(move |_: &Ping| {
            let disposer = taken.lock().unwrap().take();
            if let Some(disposer) = disposer {
                drop(disposer.dispose());
                mine.push("removed");
            }
        })
        .unwrap();
        *slot.lock().unwrap() = Some(hear(&root, "second", &log).unwrap());
        let ctx = root.clone();
        let other = beside(move || ctx.emit(&Ping, Audience::Everyone).unwrap());
        root.emit(&Ping, Audience::Everyone).unwrap();
        other.join().unwrap();
        // The dispatch that removes it skips it; the other may have come to it before.
        let entries = log.take();
        assert_eq!(count(&entries, "removed"), 1, "{entries:?}");
        assert!(count(&entries, "second") <= 1, "{entries:?}");
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert([]);
    });
}

// K11
#[test]
fn the_first_two_listeners_of_an_event_are_both_heard() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let (ctx, theirs) = (root.clone(), log.clone());
        // Whoever has registered is heard from then on, whatever the other has come to.
        let other = beside(move || {
            let theirs = hear(&ctx, "theirs", &theirs).unwrap();
            assert!(ctx.hears::<Ping>(Audience::Untagged));
            theirs
        });
        let mine = hear(&root, "mine", &log).unwrap();
        assert!(root.hears::<Ping>(Audience::Untagged));
        let theirs = other.join().unwrap();
        root.emit(&Ping, Audience::Untagged).unwrap();
        let entries = log.take();
        assert_eq!((entries.len(), count(&entries, "mine"), count(&entries, "theirs")), (2, 1, 1), "{entries:?}");
        // Both go at once, too.
        let other = beside(move || block_on(theirs.dispose()));
        block_on(mine.dispose()).unwrap();
        other.join().unwrap().unwrap();
        root.emit(&Ping, Audience::Everyone).unwrap();
        log.assert([]);
    });
}

// K2
#[test]
fn changes_of_state_are_told_once_each_and_in_their_order() {
    explore(|| {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let told = log.clone();
        root.on(move |change: &FiberChanged| told.push(format!("{} {}", change.path, change.to))).unwrap();
        let (one, two) = (root.scope("one").unwrap(), root.scope("two").unwrap());
        let other = beside(move || block_on(two.dispose()));
        block_on(one.dispose()).unwrap();
        other.join().unwrap().unwrap();
        let entries = log.take();
        assert_eq!(entries.len(), 4, "{entries:?}");
        for scope in ["one", "two"] {
            let (unloading, disposed) = (format!("{scope} unloading"), format!("{scope} disposed"));
            assert!(place(&entries, &unloading) < place(&entries, &disposed), "{entries:?}");
        }
    });
}
