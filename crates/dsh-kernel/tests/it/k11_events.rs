//! K11: events in their three modes.

use std::sync::{Arc, Mutex};

use dsh_kernel::{
    Audience, Context, Disposer, Emit, Error, ErrorKind, Event, Failure, Kernel, Owner, Serial, SerialEvent, Waterfall,
    WaterfallEvent,
};
use dsh_testkit::{Counter, Gate, Log, Probes, poll_once};

use crate::support::{Marked, Part, Slot, quiet, run};

struct Ping(u32);

impl Event for Ping {
    const NAME: &'static str = "test/ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

struct Ask;

impl Event for Ask {
    const NAME: &'static str = "test/ask";
    const DOC: &'static str = "A test.";
    type Mode = Serial;
}

impl SerialEvent for Ask {
    type Answer = String;
}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

/// A text that knows who has it, and so who wrote what.
#[derive(Debug, Default, PartialEq, Eq)]
struct Text {
    words: String,
    holder: String,
    edits: Vec<(String, String)>,
}

impl Text {
    fn new(text: &str) -> Self {
        Self { words: text.to_owned(), ..Self::default() }
    }

    fn add(&mut self, text: &str) {
        self.words.push_str(text);
        self.edits.push((self.holder.clone(), text.to_owned()));
    }
}

impl WaterfallEvent for Edit {
    type Value = Text;

    fn entering(&self, value: &mut Text, owner: &Owner) {
        value.holder = owner.to_string();
    }
}

fn ear(ctx: &Context, name: &'static str, log: &Log) -> Disposer {
    let log = log.clone();
    ctx.on::<Ping, _>(move |ping| log.push(format!("{name} {}", ping.0))).unwrap()
}

fn emit(ctx: &Context) -> Result<(), Error> {
    ctx.emit(&Ping(1), Audience::Everyone)
}

async fn edit(ctx: &Context, text: &str) -> Result<Text, Error> {
    ctx.waterfall(Arc::new(Edit), Text::new(text), Audience::Everyone).await
}

// K11
#[test]
fn every_listener_hears_in_order_of_registration() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    for name in ["a", "b", "c"] {
        ear(&root, name, &log);
    }
    emit(&root).unwrap();
    root.emit(&Ping(2), Audience::Everyone).unwrap();
    log.assert(["a 1", "b 1", "c 1", "a 2", "b 2", "c 2"]);
}

// K11
#[test]
fn an_event_that_nobody_listens_to_is_no_error() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        emit(&root).unwrap();
        assert!(root.serial(Arc::new(Ask), Audience::Everyone).await.unwrap().is_none());
        assert_eq!(edit(&root, "as it was").await.unwrap().words, "as it was");
        ear(&root, "a", &Log::new()).dispose().await.unwrap();
        emit(&root).unwrap();
    });
}

// K11 (D2)
#[test]
fn the_first_failure_of_an_emit_is_returned_after_all_have_heard() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let scope = root.scope("bad").unwrap();
    ear(&root, "a", &log);
    scope.ctx().on::<Ping, _>(|ping| Err::<(), _>(Marked(ping.0))).unwrap();
    root.on::<Ping, ()>(|_| panic!("second")).unwrap();
    ear(&root, "b", &log);
    let error = emit(&root).unwrap_err();
    log.assert(["a 1", "b 1"]);
    assert_eq!((error.kind(), error.code()), (ErrorKind::ListenerFailed, "kernel::listener_failed"));
    assert_eq!(error.owner(), Some(&scope.ctx().owner()));
    assert_eq!(error.label().unwrap().as_str(), "test/ping");
    assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(1)));
}

// K11
#[test]
fn a_prepended_listener_is_first_and_the_last_prepended_before_it() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        ear(&root, "a", &log);
        for name in ["p", "q"] {
            let log = log.clone();
            root.prepended().on::<Ping, _>(move |_| log.push(name)).unwrap();
        }
        ear(&root, "b", &log);
        emit(&root).unwrap();
        log.assert(["q", "p", "a 1", "b 1"]);

        root.on_serial::<Ask, _>(|_| async { Ok(Some("last".to_owned())) }).unwrap();
        root.prepended().on_serial::<Ask, _>(|_| async { Ok(Some("first".to_owned())) }).unwrap();
        assert_eq!(root.serial(Arc::new(Ask), Audience::Everyone).await.unwrap().as_deref(), Some("first"));

        root.on_waterfall::<Edit, _>(|mut value: Text, _, next| async move {
            value.words.push('a');
            next.run(value).await
        })
        .unwrap();
        root.prepended()
            .on_waterfall::<Edit, _>(|mut value: Text, _, next| async move {
                value.words.push('p');
                next.run(value).await
            })
            .unwrap();
        assert_eq!(edit(&root, "").await.unwrap().words, "pa");
    });
}

// K11
#[test]
fn a_listener_is_an_effect() {
    run(async {
        let (kernel, log, probes) = (Kernel::new(), Log::new(), Probes::new());
        let root = kernel.root();
        let fiber = Part::new("p").mount(&root);
        let probe = probes.probe();
        fiber.ctx().on::<Ping, _>(move |_| probe.touch()).unwrap();
        ear(&fiber.ctx(), "p", &log);
        let own = ear(&root, "root", &log);
        assert!(kernel.inspect().to_string().contains("- test/ping"));
        emit(&root).unwrap();
        log.assert(["p 1", "root 1"]);
        fiber.dispose().await.unwrap();
        assert_eq!(probes.balance(), 0);
        emit(&root).unwrap();
        log.assert(["root 1"]);
        own.dispose().await.unwrap();
        emit(&root).unwrap();
        log.assert([]);
    });
}

// K11, K5
#[test]
fn a_listener_that_a_composite_adopted_hears_until_its_turn() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let listener = ear(&root, "adopted", &log);
        let wait = gate.clone();
        let composite = root.effect("e", |fx| {
            fx.adopt(listener)?;
            fx.defer_async(move || async move { wait.wait().await });
            Ok(())
        });
        let teardown = composite.unwrap().dispose();
        emit(&root).unwrap();
        log.assert(["adopted 1"]);
        gate.open();
        teardown.await.unwrap();
        emit(&root).unwrap();
        log.assert([]);
    });
}

// K11
#[test]
fn a_listener_added_during_a_dispatch_hears_the_next_one_only() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let (ctx, line, once) = (root.clone(), log.clone(), Counter::new());
    root.on::<Ping, _>(move |_| {
        line.push("adds");
        if once.hit() == 1 {
            ear(&ctx, "last", &line);
            let inner = line.clone();
            ctx.prepended().on::<Ping, _>(move |_| inner.push("first")).unwrap();
        }
    })
    .unwrap();
    emit(&root).unwrap();
    log.assert(["adds"]);
    emit(&root).unwrap();
    log.assert(["first", "adds", "last 1"]);
}

// K11 (D10)
#[test]
fn a_listener_removed_during_a_dispatch_is_skipped_if_its_turn_has_not_come() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let before = Slot::of(ear(&root, "before", &log));
        let after: Slot<Disposer> = Slot::new();
        let (line, first, last) = (log.clone(), before, after.clone());
        root.on::<Ping, _>(move |_| {
            line.push("removes");
            for slot in [&first, &last] {
                drop(slot.take().map(Disposer::dispose));
            }
        })
        .unwrap();
        after.put(ear(&root, "after", &log));
        emit(&root).unwrap();
        log.assert(["before 1", "removes"]);
        emit(&root).unwrap();
        log.assert(["removes"]);
    });
}

// K11: in the asynchronous modes too
#[test]
fn a_serial_or_waterfall_listener_that_comes_or_goes_while_another_waits() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let wait = gate.clone();
        root.on_serial::<Ask, _>(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(None)
            }
        })
        .unwrap();
        let gone = root.on_serial::<Ask, _>(|_| async { Ok(Some("gone".to_owned())) }).unwrap();
        let asking = tokio::spawn({
            let root = root.clone();
            async move { root.serial(Arc::new(Ask), Audience::Everyone).await }
        });
        gate.reached().await;
        gone.dispose().await.unwrap();
        let line = log.clone();
        root.on_serial::<Ask, _>(move |_| {
            line.push("new");
            async { Ok(Some("new".to_owned())) }
        })
        .unwrap();
        gate.open();
        assert_eq!(asking.await.unwrap().unwrap(), None);
        log.assert([]);
        assert_eq!(root.serial(Arc::new(Ask), Audience::Everyone).await.unwrap().as_deref(), Some("new"));
    });
}

// K11
#[test]
fn serial_awaits_one_by_one_and_the_first_answer_wins() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        for (name, answer) in [("a", None), ("b", Some("b")), ("c", Some("c"))] {
            let (line, wait) = (log.clone(), gate.clone());
            root.on_serial::<Ask, _>(move |_| {
                line.push(name);
                let wait = wait.clone();
                async move {
                    wait.wait().await;
                    Ok(answer.map(ToOwned::to_owned))
                }
            })
            .unwrap();
        }
        let asking = tokio::spawn({
            let root = root.clone();
            async move { root.serial(Arc::new(Ask), Audience::Everyone).await }
        });
        quiet().await;
        log.assert(["a"]);
        gate.open();
        assert_eq!(asking.await.unwrap().unwrap().as_deref(), Some("b"));
        log.assert(["b"]);
    });
}

// K11
#[test]
fn a_serial_listener_that_fails_ends_the_dispatch() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.on_serial::<Ask, _>(|_| async { Err(Marked(3).into()) }).unwrap();
        root.on_serial::<Ask, _>(|_| async { Ok(Some("never asked".to_owned())) }).unwrap();
        let error = root.serial(Arc::new(Ask), Audience::Everyone).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ListenerFailed);
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(3)));
    });
}

/// A waterfall listener that adds `name` on the way in and out.
fn editor(ctx: &Context, name: &'static str) {
    ctx.on_waterfall::<Edit, _>(move |mut value: Text, _, next| async move {
        value.add(name);
        let mut value = next.run(value).await?;
        value.add(&name.to_uppercase());
        Ok(value)
    })
    .unwrap();
}

// K11
#[test]
fn a_waterfall_goes_round_each_listener_the_first_registered_outermost() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        for name in ["a", "b", "c"] {
            editor(&root, name);
        }
        assert_eq!(edit(&root, "-").await.unwrap().words, "-abcCBA");
        assert_eq!(edit(&root, "-").await.unwrap().words, "-abcCBA", "a value is fresh each time");
    });
}

// K11
#[test]
fn a_waterfall_listener_may_replace_stop_and_look_without_next() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        editor(&root, "a");
        root.on_waterfall::<Edit, _>(|_, _, next| async move { next.run(Text::new("new")).await }).unwrap();
        editor(&root, "b");
        let line = log.clone();
        root.on_waterfall::<Edit, _>(move |mut value: Text, _, _| {
            line.push("stops");
            async move {
                value.words.push('.');
                Ok(value)
            }
        })
        .unwrap();
        let line = log.clone();
        root.on_waterfall::<Edit, _>(move |value, _, next| {
            line.push("never");
            next.run(value)
        })
        .unwrap();
        assert_eq!(edit(&root, "old").await.unwrap().words, "newb.BA");
        log.assert(["stops"]);
    });
}

// K11, X3
#[test]
fn entering_is_called_with_its_owner_before_each_listener_has_the_value() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let scope = root.scope("desk").unwrap();
        let plugin = Part::new("polish").mount(scope.ctx());
        editor(&root, "a");
        editor(&plugin.ctx(), "b");
        editor(scope.ctx(), "c");
        let value = edit(&root, "").await.unwrap();
        let edits: Vec<(&str, &str)> = value.edits.iter().map(|(who, what)| (who.as_str(), what.as_str())).collect();
        let expected =
            [("root", "a"), ("desk/polish", "b"), ("desk", "c"), ("desk", "C"), ("desk/polish", "B"), ("root", "A")];
        assert_eq!(edits, expected, "also for what is written after `next`");
    });
}

// K11
#[test]
fn a_waterfall_that_fails_names_the_listener_that_failed_first() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let scope = root.scope("crew").unwrap();
        editor(&root, "a");
        scope.ctx().on_waterfall::<Edit, _>(|_, _, _| async { Err(Marked(5).into()) }).unwrap();
        let error = edit(&root, "").await.unwrap_err();
        assert_eq!((error.kind(), error.owner()), (ErrorKind::ListenerFailed, Some(&scope.ctx().owner())));
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(5)));
    });
}

// K11
#[test]
fn an_outer_listener_may_make_good_what_an_inner_one_failed_at() {
    run(async {
        let (kernel, seen) = (Kernel::new(), Arc::new(Mutex::new(None)));
        let root = kernel.root();
        let kept = Arc::clone(&seen);
        root.on_waterfall::<Edit, _>(move |value: Text, _, next| {
            let kept = Arc::clone(&kept);
            async move {
                let text = value.words.clone();
                match next.run(value).await {
                    Ok(value) => Ok(value),
                    Err(failure) => {
                        *kept.lock().unwrap() = Some(failure);
                        Ok(Text::new(&text))
                    }
                }
            }
        })
        .unwrap();
        root.on_waterfall::<Edit, _>(|_, _, _| async { Err(Failure::msg("bad")) }).unwrap();
        assert_eq!(edit(&root, "kept").await.unwrap().words, "kept");
        let failure = seen.lock().unwrap().take().unwrap();
        let inner = failure.downcast_ref::<Error>().unwrap();
        assert_eq!((inner.kind(), inner.failure().unwrap().to_string()), (ErrorKind::ListenerFailed, "bad".to_owned()));
    });
}

// K11
#[test]
fn a_waterfall_whose_future_is_dropped_half_way_leaves_the_kernel_as_it_was() {
    run(async {
        let (kernel, gate, probes) = (Kernel::new(), Gate::new(), Probes::new());
        let root = kernel.root();
        let (wait, made) = (gate.clone(), probes.clone());
        root.on_waterfall::<Edit, _>(move |value, _, next| {
            let (wait, probe) = (wait.clone(), made.probe());
            async move {
                wait.wait().await;
                probe.touch();
                next.run(value).await
            }
        })
        .unwrap();
        let mut dispatch = Box::pin(edit(&root, ""));
        assert!(poll_once(&mut dispatch).is_pending());
        drop(dispatch);
        assert_eq!((probes.balance(), gate.waiting()), (0, 0));
        gate.open();
        edit(&root, "").await.unwrap();
    });
}

// K11, K13
#[test]
fn a_listener_may_dispatch_the_event_that_it_hears() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let (ctx, line) = (root.clone(), log.clone());
    root.on::<Ping, _>(move |ping| {
        line.push(format!("down {}", ping.0));
        if ping.0 > 0 {
            ctx.emit(&Ping(ping.0 - 1), Audience::Everyone)?;
        }
        line.push(format!("up {}", ping.0));
        Ok::<(), Failure>(())
    })
    .unwrap();
    root.emit(&Ping(2), Audience::Everyone).unwrap();
    log.assert(["down 2", "down 1", "down 0", "up 0", "up 1", "up 2"]);
}

// K11
#[test]
fn many_listeners_that_come_and_go_keep_their_order() {
    let (kernel, log) = (Kernel::new(), Log::new());
    let root = kernel.root();
    let mut disposers: Vec<Option<Disposer>> = (0..100)
        .map(|index| {
            let log = log.clone();
            Some(root.on::<Ping, _>(move |_| log.push(index.to_string())).unwrap())
        })
        .collect();
    for index in (0..100).filter(|index| index % 3 != 0) {
        drop(disposers[index].take().unwrap().dispose());
    }
    emit(&root).unwrap();
    let expected: Vec<String> = (0..100).filter(|index| index % 3 == 0).map(|index| index.to_string()).collect();
    assert_eq!(log.take(), expected);
}

// K11, K12
#[test]
fn a_context_says_whether_anybody_would_hear() {
    let kernel = Kernel::new();
    let root = kernel.root();
    let (scope, other) = (root.scope("s").unwrap(), root.scope("o").unwrap());
    let heard = |audience| root.hears::<Ping>(audience);
    let (everyone, untagged) = (Audience::Everyone, Audience::Untagged);
    assert!(![everyone, untagged, Audience::Scope(scope.key())].map(heard).contains(&true));
    let listener = ear(scope.ctx(), "a", &Log::new());
    assert!(heard(everyone) && heard(Audience::Scope(scope.key())));
    assert!(!heard(untagged) && !heard(Audience::Scope(other.key())));
    drop(listener.dispose());
    assert!(!heard(everyone) && !heard(Audience::Scope(scope.key())));
    ear(&root, "b", &Log::new());
    assert!(heard(everyone) && heard(untagged) && heard(Audience::Scope(other.key())));
    assert!(!root.hears::<Ask>(everyone));
}

// K11: who has the value when
#[test]
fn a_value_leaves_one_listener_before_it_enters_the_next() {
    struct Passed;
    impl Event for Passed {
        const NAME: &'static str = "test/passed";
        const DOC: &'static str = "A test.";
        type Mode = Waterfall;
    }
    impl WaterfallEvent for Passed {
        type Value = Vec<String>;
        fn entering(&self, value: &mut Vec<String>, owner: &Owner) {
            value.push(format!("> {owner}"));
        }
        fn leaving(&self, value: &mut Vec<String>, owner: &Owner) {
            value.push(format!("< {owner}"));
        }
    }
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let (a, b) = (root.scope("a").unwrap(), root.scope("b").unwrap());
        for scope in [&a, &b] {
            scope.ctx().on_waterfall::<Passed, _>(|value, _, next| next.run(value)).unwrap();
        }
        let value = root.waterfall(Arc::new(Passed), Vec::new(), Audience::Everyone).await.unwrap();
        assert_eq!(value, ["> a", "< a", "> b", "< b", "> b", "< b", "> a", "< a"]);
    });
}
