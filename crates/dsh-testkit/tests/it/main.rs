//! The testkit, tested by itself: gates with wakers, balances of probes, order in logs.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::{future::Future, pin::Pin};

use dsh_testkit::{
    Counter, DropProbe, Gate, Log, Probes, Reached, Wait, assert_send_sync, block_on, poll_once, resident_bytes,
};

#[test]
fn public_types_cross_threads() {
    assert_send_sync::<Counter>();
    assert_send_sync::<DropProbe>();
    assert_send_sync::<Gate>();
    assert_send_sync::<Log>();
    assert_send_sync::<Probes>();
    assert_send_sync::<Reached>();
    assert_send_sync::<Wait>();
}

#[test]
fn a_log_keeps_the_order_of_pushes_across_clones_and_threads() {
    let log = Log::new();
    log.push("first");
    let other = log.clone();
    std::thread::spawn(move || other.push("second")).join().unwrap();
    assert_eq!(log.len(), 2);
    assert_eq!(log.entries(), ["first", "second"]);
    log.assert(["first", "second"]);
    assert!(log.is_empty());
}

#[test]
fn a_failed_log_assertion_names_both_sides() {
    let log = Log::new();
    log.push("here");
    let caught = std::panic::catch_unwind(|| log.assert(["there"])).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(message.contains("here") && message.contains("there"), "{message}");
}

#[test]
fn probes_balance_when_clones_go_in_any_order() {
    let (probes, log) = (Probes::new(), Log::new());
    let plain = probes.probe();
    let logged = probes.logged("b", &log);
    let copy = logged.clone();
    assert_eq!(probes.balance(), 3);
    drop(logged);
    drop(plain);
    assert_eq!((probes.balance(), probes.made()), (1, 3));
    drop(copy);
    assert_eq!(probes.balance(), 0);
    log.assert(["drop b", "drop b"]);
}

#[test]
fn a_gate_wakes_each_waiter_once_in_order_of_arrival() {
    let (gate, log) = (Gate::new(), Log::new());
    let (mut first, mut second) = (gate.wait(), gate.wait());
    assert!(poll_with(&mut second, &tell("second", &log)).is_pending());
    assert!(poll_with(&mut first, &tell("first", &log)).is_pending());
    // Polled again with another waker: the newest one is woken, and the place in the queue is kept.
    assert!(poll_with(&mut second, &tell("second again", &log)).is_pending());
    assert_eq!(gate.waiting(), 2);
    gate.open();
    log.assert(["second again", "first"]);
    assert_eq!(gate.waiting(), 0);
    assert!(poll_once(&mut first).is_ready() && poll_once(&mut second).is_ready());
    gate.open();
    log.assert([]);
}

#[test]
fn an_open_gate_holds_nobody() {
    let gate = Gate::new();
    assert!(!gate.is_open());
    gate.open();
    assert!(gate.is_open());
    block_on(gate.wait());
    block_on(gate.reached());
}

#[test]
fn a_dropped_wait_leaves_the_queue_and_is_not_woken() {
    let (gate, log) = (Gate::new(), Log::new());
    let (mut kept, mut dropped) = (gate.wait(), gate.wait());
    assert!(poll_with(&mut dropped, &tell("dropped", &log)).is_pending());
    assert!(poll_with(&mut kept, &tell("kept", &log)).is_pending());
    drop(dropped);
    assert_eq!(gate.waiting(), 1);
    gate.open();
    log.assert(["kept"]);
}

#[test]
fn reached_ends_with_the_first_arrival_and_not_before() {
    let (gate, log) = (Gate::new(), Log::new());
    let mut reached = gate.reached();
    assert!(poll_with(&mut reached, &tell("reached", &log)).is_pending());
    let mut wait = gate.wait();
    log.assert([]);
    assert!(poll_once(&mut wait).is_pending());
    log.assert(["reached"]);
    assert!(poll_once(&mut reached).is_ready());
}

#[test]
fn a_counter_counts_over_threads() {
    let counter = Counter::new();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let counter = counter.clone();
            std::thread::spawn(move || {
                for _ in 0..100 {
                    counter.hit();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(counter.take(), 400);
    assert_eq!(counter.get(), 0);
}

#[test]
fn resident_memory_is_known_on_linux_and_sees_a_large_allocation() {
    assert_eq!(resident_bytes().is_some(), cfg!(target_os = "linux"));
    let Some(before) = resident_bytes() else { return };
    let held = vec![1_u8; 64 << 20];
    let after = resident_bytes().unwrap();
    assert!(after > before + (32 << 20), "{before} then {after} with {} more", held.len());
}

struct Tell(&'static str, Log);

impl Wake for Tell {
    fn wake(self: Arc<Self>) {
        self.1.push(self.0);
    }
}

fn tell(name: &'static str, log: &Log) -> Waker {
    Waker::from(Arc::new(Tell(name, log.clone())))
}

fn poll_with<F: Future<Output = ()> + Unpin>(future: &mut F, waker: &Waker) -> Poll<()> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}
