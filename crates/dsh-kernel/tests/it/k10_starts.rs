//! K10: plugins that one cause wakes start in mount order, each settled before the next.

use std::sync::Arc;

use dsh_kernel::{Failure, FiberState, Kernel};
use dsh_testkit::{Gate, Log};

use crate::support::{Part, quiet, run, slow, traced, traced_provider};

fn gated(name: &'static str, log: &Log, gate: &Gate) -> Part {
    let (log, gate) = (log.clone(), gate.clone());
    Part::new(name).inject(["db"]).start_async(move |_| {
        let (log, gate) = (log.clone(), gate.clone());
        async move {
            log.push(format!("{name}:begin"));
            gate.wait().await;
            log.push(format!("{name}:end"));
            Ok(())
        }
    })
}

// K10
#[test]
fn plugins_woken_by_one_cause_start_in_mount_order_each_settled_before_the_next() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let gates = [Gate::new(), Gate::new(), Gate::new()];
        let root = kernel.root();
        for (name, gate) in ["a", "b", "c"].into_iter().zip(&gates) {
            gated(name, &log, gate).mount(&root);
        }
        root.provide_dyn("db", Arc::new(())).unwrap();
        quiet().await;
        log.assert(["a:begin"]);
        gates[1].open();
        quiet().await;
        log.assert([]);
        gates[0].open();
        quiet().await;
        log.assert(["a:end", "b:begin", "b:end", "c:begin"]);
        gates[2].open();
        kernel.settled().await.unwrap();
        log.assert(["c:end"]);
    });
}

/// Fails, after the gate if there is one, and has a slow link to undo.
fn failing(log: &Log, start: Option<&Gate>, rollback: &Gate) -> Part {
    let (log, start, rollback) = (log.clone(), start.cloned(), rollback.clone());
    Part::new("bad").inject(["db"]).start_async(move |ctx| {
        let (log, start, rollback) = (log.clone(), start.clone(), rollback.clone());
        async move {
            log.push("start:bad");
            slow(&ctx, "bad", &log, &rollback);
            if let Some(start) = start {
                start.wait().await;
            }
            Err(Failure::msg("no"))
        }
    })
}

// K10: "settled" includes the rollback of a start that fails
#[test]
fn a_start_that_fails_later_has_rolled_back_before_the_next_begins() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (start, rollback) = (Gate::new(), Gate::new());
        let root = kernel.root();
        let bad = failing(&log, Some(&start), &rollback).mount(&root);
        let good = traced("good", &log).inject(["db"]).mount(&root);
        root.provide_dyn("db", Arc::new(())).unwrap();
        start.open();
        quiet().await;
        log.assert(["start:bad", "bad:begin"]);
        assert_eq!((bad.state(), good.state()), (FiberState::Unloading, FiberState::Pending));
        rollback.open();
        kernel.settled().await.unwrap();
        log.assert(["bad:end", "start:good"]);
        assert_eq!((bad.state(), good.state()), (FiberState::Failed, FiberState::Active));
    });
}

// K10: a start that fails at once is rolled back as the npm package does it (a recorded trace outranks the clause, D9)
#[test]
fn a_start_that_fails_at_once_is_rolled_back_after_those_that_were_woken_with_it_had_their_turn() {
    run(async {
        let (kernel, log, rollback) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        failing(&log, None, &rollback).mount(&root);
        traced("good", &log).inject(["db"]).mount(&root);
        root.provide_dyn("db", Arc::new(())).unwrap();
        log.assert(["start:bad", "start:good", "bad:begin"]);
        rollback.open();
        kernel.settled().await.unwrap();
        log.assert(["bad:end"]);
    });
}

// K10
#[test]
fn what_a_woken_plugin_wakes_in_its_turn_starts_after_what_was_woken_before() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        traced("late", &log).inject(["b"]).mount(&root);
        traced_provider("b", "b", &log).inject(["db"]).mount(&root);
        traced("c", &log).inject(["db"]).mount(&root);
        root.provide_dyn("db", Arc::new(())).unwrap();
        let order = log.take();
        assert_eq!(order.len(), 3);
        let place = |line: &str| order.iter().position(|logged| logged == line).unwrap();
        assert!(place("start:b") < place("start:late"));
        assert!(place("start:b") < place("start:c"));
    });
}

// K10
#[test]
fn independent_plugins_do_not_wait_for_one_another() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (first, second) = (Gate::new(), Gate::new());
        let root = kernel.root();
        gated("slow", &log, &first).independent().mount(&root);
        gated("quick", &log, &second).independent().mount(&root);
        gated("last", &log, &second).mount(&root);
        second.open();
        root.provide_dyn("db", Arc::new(())).unwrap();
        quiet().await;
        log.assert(["slow:begin", "quick:begin", "quick:end", "last:begin", "last:end"]);
        first.open();
        kernel.settled().await.unwrap();
    });
}

// K10
#[test]
fn a_plugin_that_is_disposed_while_it_waits_for_its_turn_does_not_start() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        gated("first", &log, &gate).mount(&root);
        let second = traced("second", &log).inject(["db"]).mount(&root);
        let third = traced("third", &log).inject(["db"]).mount(&root);
        let db = root.provide_dyn("db", Arc::new(())).unwrap();
        second.dispose().await.unwrap();
        let withdrawn = db.dispose();
        gate.open();
        withdrawn.await.unwrap();
        kernel.settled().await.unwrap();
        log.assert(["first:begin", "first:end"]);
        assert_eq!(third.state(), FiberState::Pending);
    });
}
