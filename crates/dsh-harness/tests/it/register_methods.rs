//! K4, K5, K7, K8, K9, S9: every register-method of every shipped registry returns the exact disposer of what it did.
//!
//! [`cases`] has one case a method; that none is missing is checked against what the mounted services say of themselves, which the
//! catalog is made from. Each property is then one test over all of them.

mod cases;
mod world;

use std::collections::BTreeSet;

use dsh_harness::kernel::{CONTEXT_METHODS, FiberState};
use dsh_testkit::{Gate, Log};

use crate::run;
use cases::{CASES, Case, Listeners};
use world::World;

/// Calls the test with each case and a world of its own, the runtime running.
fn each(test: impl AsyncFn(&'static Case, World)) {
    for case in CASES {
        run(async {
            let world = World::new(case).await;
            test(case, world).await;
        });
    }
}

#[test]
fn every_method_of_the_catalog_has_a_case_and_no_case_is_of_anything_else() {
    run(async {
        let world = World::new(&CASES[0]).await;
        let of_services = world.kernel.services().into_iter().flat_map(|service| {
            service
                .methods
                .iter()
                .map(move |method| (service.name.to_owned(), method.name.to_owned()))
                .collect::<Vec<_>>()
        });
        let of_context = CONTEXT_METHODS.iter().map(|method| ("Context".to_owned(), method.name.to_owned()));
        let known: BTreeSet<(String, String)> = of_services.chain(of_context).collect();
        // A run of a subagent ends by itself; it is tested where it is made.
        let runs = ("subagents".to_owned(), "start".to_owned());
        assert!(known.contains(&runs));
        let covered: BTreeSet<(String, String)> =
            CASES.iter().map(|case| (case.of.to_owned(), case.method.to_owned())).collect();
        assert_eq!(covered.iter().chain([&runs]).cloned().collect::<BTreeSet<_>>(), known);
        assert_eq!(covered.len(), CASES.len());
    });
}

// K4: what the disposer undoes is what the method did, and nothing is left
#[test]
fn the_disposer_undoes_what_the_method_did_and_leaves_nothing() {
    each(async |case, world| {
        let before = world.inspected();
        assert!(!(case.is_there)(&world), "{case}: there before");
        let disposer = case.register(&world).await.unwrap();
        assert!((case.is_there)(&world), "{case}: not there");
        assert_ne!(world.inspected(), before, "{case}");
        disposer.dispose().await.unwrap();
        assert!(!(case.is_there)(&world), "{case}: still there");
        assert_eq!(world.inspected(), before, "{case}");
        // It can come again: its name is free.
        let again = case.register(&world).await.unwrap();
        assert!((case.is_there)(&world), "{case}: not there again");
        again.dispose().await.unwrap();
        assert_eq!(world.inspected(), before, "{case}");
    });
}

// K5: with links [outer, this, slow inner], this is there while the inner one drains, and gone before the outer one starts. It
// would fail for a closure round the disposer, whose effect would stay a sibling and be undone beside the chain.
#[test]
fn it_is_undone_at_its_place_in_a_composite_also_when_its_owner_unloads() {
    for by_owner in [false, true] {
        each(async |case, world| {
            let (log, gate) = (Log::new(), Gate::new());
            let disposer = case.register(&world).await.unwrap();
            let seen = {
                let (world, log) = (world.clone(), log.clone());
                move |at: &str| log.push(format!("{at}: {}", if (case.is_there)(&world) { "there" } else { "gone" }))
            };
            let (outer, inner, wait) = (seen.clone(), seen, gate.clone());
            let composite = world.ctx.effect("composite", move |fx| {
                fx.defer(move || outer("outer"));
                fx.adopt(disposer)?;
                fx.defer_async(move || async move {
                    inner("inner begins");
                    wait.wait().await;
                    inner("inner ends");
                });
                Ok(())
            });
            let composite = composite.unwrap_or_else(|error| panic!("{case}: {error}"));
            let teardown = if by_owner { world.owner.dispose() } else { composite.dispose() };
            gate.reached().await;
            gate.open();
            teardown.await.unwrap();
            let lines = log.take();
            // A service that its users have lost with their owner, is withdrawn by then.
            assert_eq!(
                lines,
                ["inner begins: there", "inner ends: there", "outer: gone"],
                "{case}, by owner: {by_owner}"
            );
        });
    }
}

// K9: it goes when its owner unloads, without anybody holding its disposer
#[test]
fn it_is_gone_when_its_owner_has_unloaded() {
    each(async |case, world| {
        drop(case.register(&world).await.unwrap());
        assert!((case.is_there)(&world), "{case}: dropping a disposer undoes nothing (K4)");
        world.owner.dispose().await.unwrap();
        assert!(!(case.is_there)(&world), "{case}");
        assert_eq!(world.owner.state(), FiberState::Disposed, "{case}");
        assert_eq!(world.inspected(), world.without_owner, "{case}");
    });
}

// K8
#[test]
fn it_is_refused_on_an_owner_that_is_inactive() {
    each(async |case, world| {
        world.owner.dispose().await.unwrap();
        let refused = case.register(&world).await.unwrap_err();
        assert!(refused.to_string().contains("disposed"), "{case}: {refused}");
        assert!(!(case.is_there)(&world), "{case}");
        assert_eq!(world.inspected(), world.without_owner, "{case}");
    });
}

// S9, T1, A1, G1: of prompt and tools a failing change listener takes the registration back; elsewhere it is contained
#[test]
fn a_failing_listener_takes_it_back_where_the_contract_says_so_and_changes_nothing_elsewhere() {
    each(async |case, world| {
        let before = world.inspected();
        match case.listeners {
            Listeners::None => {}
            Listeners::TakeBack(listen) => {
                let listener = listen(&world.kernel.root());
                let refused = case.register(&world).await.unwrap_err();
                assert!(refused.to_string().contains("no changes today"), "{case}: {refused}");
                assert!(!(case.is_there)(&world), "{case}");
                listener.dispose().await.unwrap();
                assert_eq!(world.inspected(), before, "{case}");
            }
            Listeners::Contained(listen) => {
                let listener = listen(&world.kernel.root());
                let disposer = case.register(&world).await.unwrap();
                assert!((case.is_there)(&world), "{case}");
                disposer.dispose().await.unwrap();
                assert!(!(case.is_there)(&world), "{case}");
                listener.dispose().await.unwrap();
                assert_eq!(world.inspected(), before, "{case}");
            }
        }
    });
}
