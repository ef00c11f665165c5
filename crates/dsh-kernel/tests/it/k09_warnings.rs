//! K9: what does not end, or is slow, is named.

use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Audience, Context, Emit, Event};
use dsh_testkit::{Gate, Log};

use crate::support::{Part, ears, manual_kernel, quiet, run, slow, traced, undo};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

/// A link that hangs, in its several forms, and the label that it is named by.
type Hang = fn(&Context, &Log, &Gate);

fn hangs() -> Vec<(&'static str, Hang)> {
    vec![
        ("stuck", |ctx, log, gate| drop(slow(ctx, "stuck", log, gate))),
        ("stuck", |ctx, log, gate| {
            let inner = slow(ctx, "stuck", log, gate);
            drop(ctx.effect("outer", |fx| {
                fx.adopt(undo(ctx, "first", log))?;
                fx.adopt(inner)?;
                Ok(())
            }));
        }),
    ]
}

// K9
#[test]
fn a_link_that_does_not_end_is_named_after_ten_seconds_and_then_each_minute() {
    for (label, hang) in hangs() {
        run(async {
            let (heard, _guard) = ears::listen();
            let (kernel, clock) = manual_kernel();
            let (log, gate) = (Log::new(), Gate::new());
            let scope = kernel.root().scope("s").unwrap();
            hang(scope.ctx(), &log, &gate);
            let teardown = scope.dispose();
            let named = |waited: &str| {
                let lines = heard.take();
                assert_eq!(lines.len(), 1, "after {waited}: {lines:?}");
                let line = &lines[0];
                assert!(line.starts_with("WARN"), "{line}");
                for part in [&format!("label={label}"), "owner=s", waited] {
                    assert!(line.contains(part), "`{part}` in {line}");
                }
            };
            quiet().await;
            clock.advance(Duration::from_millis(9_999));
            quiet().await;
            heard.assert([]);
            clock.advance(Duration::from_millis(1));
            quiet().await;
            named("10s");
            for minute in 1..4 {
                clock.advance(Duration::from_secs(59));
                quiet().await;
                heard.assert([]);
                clock.advance(Duration::from_secs(1));
                quiet().await;
                named(&format!("{}s", 10 + 60 * minute));
            }
            let tree = kernel.inspect().to_string();
            assert!(tree.contains("s [unloading]") && tree.contains("`stuck` for 190s"), "{tree}");
            gate.open();
            teardown.await.unwrap();
            clock.advance(Duration::from_mins(10));
            quiet().await;
            heard.assert([]);
        });
    }
}

// K9: the ten seconds count from the link's beginning, not from the first look at the clock
#[test]
fn a_link_is_named_ten_seconds_after_it_began_even_if_its_task_was_slow_to_begin() {
    run(async {
        let (heard, _guard) = ears::listen();
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let teardown = slow(&kernel.root(), "stuck", &log, &gate).dispose();
        clock.advance(Duration::from_secs(10));
        quiet().await;
        let lines = heard.take();
        assert!(lines.len() == 1 && lines[0].contains("10s"), "{lines:?}");
        gate.open();
        teardown.await.unwrap();
    });
}

// K9, K10: waiting for users is a link's wait too
#[test]
fn a_provide_that_waits_for_its_users_is_named() {
    run(async {
        let (heard, _guard) = ears::listen();
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let root = kernel.root();
        let provide = root.provide_dyn("db", Arc::new(())).unwrap();
        let user = Part::new("user").inject(["db"]).mount(&root);
        slow(&user.ctx(), "stuck", &log, &gate);
        let teardown = provide.dispose();
        quiet().await;
        clock.advance(Duration::from_secs(10));
        quiet().await;
        let lines = heard.take();
        assert!(lines.iter().any(|line| line.contains("label=stuck") && line.contains("owner=user")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("label=db") && line.contains("owner=root")), "{lines:?}");
        gate.open();
        teardown.await.unwrap();
    });
}

// K9
#[test]
fn a_slow_synchronous_link_is_named_when_it_returns() {
    run(async {
        let (heard, _guard) = ears::listen();
        let (kernel, clock) = manual_kernel();
        let root = kernel.root();
        for (label, ms) in [("quick", 1_000), ("lazy", 1_001)] {
            let clock = clock.clone();
            let disposer = root.effect(label, |fx| {
                fx.defer(move || clock.advance(Duration::from_millis(ms)));
                Ok(())
            });
            disposer.unwrap().dispose().await.unwrap();
        }
        let lines = heard.take();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("label=lazy") && lines[0].contains("owner=root"), "{lines:?}");
        assert!(lines[0].contains("1.001s"), "{lines:?}");
    });
}

// K9
#[test]
fn a_slow_start_is_named_when_it_returns() {
    run(async {
        let (heard, _guard) = ears::listen();
        let (kernel, clock) = manual_kernel();
        let root = kernel.root();
        let moved = clock.clone();
        let part = Part::new("blocking").start(move |_| {
            moved.advance(Duration::from_secs(2));
            Ok(())
        });
        part.mount(&root);
        let lines = heard.take();
        assert!(lines.len() == 1 && lines[0].contains("owner=blocking") && lines[0].contains("2s"), "{lines:?}");
        let gate = Gate::new();
        let wait = gate.clone();
        let part = Part::new("waiting").start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        let fiber = part.mount(&root);
        clock.advance(Duration::from_secs(3));
        quiet().await;
        heard.assert([]);
        gate.open();
        fiber.ready().await.unwrap();
        let lines = heard.take();
        assert!(lines.len() == 1 && lines[0].contains("owner=waiting") && lines[0].contains("3s"), "{lines:?}");
        Part::new("quick").mount(&root).ready().await.unwrap();
        heard.assert([]);
    });
}

// K9: listeners are not timed
#[test]
fn a_slow_listener_is_not_named() {
    run(async {
        let (heard, _guard) = ears::listen();
        let (kernel, clock) = manual_kernel();
        let root = kernel.root();
        root.on::<Ping, _>(move |_| clock.advance(Duration::from_secs(5))).unwrap();
        root.emit(&Ping, Audience::Everyone).unwrap();
        heard.assert([]);
    });
}

// K9: the tree says what is left after a while, level by level
#[test]
fn the_tree_of_an_unload_under_way_shows_what_is_left() {
    run(async {
        let (kernel, clock) = manual_kernel();
        let (log, gate) = (Log::new(), Gate::new());
        let fiber = traced("p", &log).mount(&kernel.root());
        let child = fiber.ctx().scope("child").unwrap();
        slow(child.ctx(), "stuck", &log, &gate);
        let teardown = fiber.dispose();
        quiet().await;
        clock.advance(Duration::from_secs(12));
        assert_eq!(
            kernel.inspect().to_string(),
            "root [active]\n  p [unloading]\n    child [unloading]\n      - stuck (undoing `stuck` for 12s)\n"
        );
        gate.open();
        teardown.await.unwrap();
    });
}
