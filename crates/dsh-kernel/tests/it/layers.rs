//! K1, K7, K13: the one helper that registries are built on.

use std::sync::Arc;

use dsh_kernel::{ErrorKind, Failure, Kernel, Layer, Layers, Registered};
use dsh_testkit::{Log, Probes};

use crate::support::{Marked, run};

#[derive(Clone, Default)]
struct Words(Vec<String>);

impl Layer for Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

type Undo = Box<dyn FnMut(&mut Words) + Send>;

/// Inserts a word, refuses a second of its name.
fn word(word: &str) -> impl FnMut(&mut Words) -> Result<Undo, Failure> + use<> {
    let word = word.to_owned();
    move |words| {
        if words.0.contains(&word) {
            return Err(Failure::msg("taken"));
        }
        words.0.push(word.clone());
        let word = word.clone();
        Ok(Box::new(move |words: &mut Words| words.0.retain(|known| *known != word)))
    }
}

fn logged(log: &Log) -> impl Fn(Registered) -> Result<(), Failure> + Send + Sync + use<> {
    let log = log.clone();
    move |what| {
        log.push(format!("{what:?}"));
        Ok(())
    }
}

// K1
#[test]
fn a_registration_lands_in_the_layer_of_its_context_and_leaves_it_with_its_owner() {
    run(async {
        let (kernel, log, layers) = (Kernel::new(), Log::new(), Arc::new(Layers::<Words>::new()));
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        layers.effect(&root, "w", word("a"), logged(&log)).unwrap();
        layers.effect(scope.ctx(), "w", word("a"), logged(&log)).unwrap();
        assert_eq!(layers.load().global().0, ["a"]);
        assert_eq!(layers.load().scope(scope.key()).unwrap().0, ["a"]);
        log.assert(["Added", "Added"]);
        let key = scope.key();
        scope.dispose().await.unwrap();
        log.assert(["Removed"]);
        assert!(layers.load().scope(key).is_none(), "a layer that empties is dropped");
        assert_eq!((layers.load().scope_count(), layers.load().global().0.len()), (0, 1));
    });
}

// K1
#[test]
fn the_global_generation_changes_with_the_global_layer_alone() {
    let (kernel, layers) = (Kernel::new(), Arc::new(Layers::<Words>::new()));
    let root = kernel.root();
    let scope = root.scope("s").unwrap();
    let generation = || layers.load().global_generation();
    let first = generation();
    layers.effect(scope.ctx(), "w", word("a"), |_| Ok(())).unwrap();
    assert_eq!(generation(), first);
    let own = layers.effect(&root, "w", word("a"), |_| Ok(())).unwrap();
    let second = generation();
    assert!(layers.effect(&root, "w", word("a"), |_| Ok(())).is_err());
    assert_eq!(generation(), second, "what was refused has changed nothing");
    drop(own.dispose());
    assert!(first != second && second != generation() && first != generation());
}

// K7
#[test]
fn a_refused_insert_and_a_failed_notification_leave_nothing() {
    run(async {
        let (kernel, log, layers) = (Kernel::new(), Log::new(), Arc::new(Layers::<Words>::new()));
        let root = kernel.root();
        let before = kernel.inspect();
        let line = log.clone();
        let failing = move |what| {
            line.push(format!("{what:?}"));
            if what == Registered::Added { Err(Marked(1).into()) } else { Ok(()) }
        };
        let error = layers.effect(&root, "w", word("a"), failing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BodyFailed);
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(1)));
        log.assert(["Added", "Removed"]);
        assert!(layers.load().global().0.is_empty());
        layers.effect(&root, "w", word("a"), logged(&log)).unwrap().dispose().await.unwrap();
        assert_eq!(kernel.inspect(), before);
    });
}

// K7
#[test]
fn a_failing_notification_of_a_removal_does_not_undo_it() {
    run(async {
        let (kernel, layers) = (Kernel::new(), Arc::new(Layers::<Words>::new()));
        let root = kernel.root();
        let failing = |what| if what == Registered::Removed { Err(Marked(2).into()) } else { Ok(()) };
        let disposer = layers.effect(&root, "w", word("a"), failing).unwrap();
        let error = disposer.dispose().await.unwrap_err();
        assert_eq!(error.failure().unwrap().downcast_ref::<Marked>(), Some(&Marked(2)));
        assert!(layers.load().global().0.is_empty());
    });
}

// K13
#[test]
fn an_insert_that_panics_leaves_the_layers_usable() {
    let (kernel, layers) = (Kernel::new(), Arc::new(Layers::<Words>::new()));
    let root = kernel.root();
    let panicking = |words: &mut Words| -> Result<Undo, Failure> {
        words.0.push("half".to_owned());
        panic!("boom")
    };
    let error = layers.effect(&root, "w", panicking, |_| Ok(())).unwrap_err();
    assert_eq!(error.failure().unwrap().panic_message(), Some("boom"));
    assert!(layers.load().global().0.is_empty());
    layers.effect(&root, "w", word("a"), |_| Ok(())).unwrap();
    assert_eq!(layers.load().global().0, ["a"]);
}

// K13: writers do not lock one another out, and none is lost
#[test]
fn writers_on_several_threads_lose_nothing() {
    const THREADS: usize = 4;
    const WORDS: usize = 200;
    let (kernel, layers) = (Kernel::new(), Arc::new(Layers::<Words>::new()));
    let root = kernel.root();
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (root, layers) = (root.clone(), Arc::clone(&layers));
            std::thread::spawn(move || {
                for number in 0..WORDS {
                    let name = format!("{thread} {number}");
                    let kept = layers.effect(&root, "w", word(&name), |_| Ok(())).unwrap();
                    assert!(layers.effect(&root, "w", word(&name), |_| Ok(())).is_err());
                    if number % 2 == 1 {
                        drop(kept.dispose());
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let mut words = layers.load().global().0.clone();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), THREADS * WORDS / 2);
    assert_eq!(layers.load().global().0.len(), words.len());
}

// K15
#[test]
fn a_snapshot_that_is_held_keeps_what_was_there_and_lets_go_of_it() {
    run(async {
        #[derive(Clone, Default)]
        struct Held(Vec<dsh_testkit::DropProbe>);
        impl Layer for Held {
            fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }
        let (kernel, probes, layers) = (Kernel::new(), Probes::new(), Arc::new(Layers::<Held>::new()));
        let probe = probes.probe();
        let insert = move |held: &mut Held| {
            held.0.push(probe.clone());
            Ok(|held: &mut Held| held.0.clear())
        };
        let disposer = layers.effect(&kernel.root(), "w", insert, |_| Ok(())).unwrap();
        let snapshot = Arc::clone(&layers.load());
        disposer.dispose().await.unwrap();
        assert_eq!((snapshot.global().0.len(), probes.balance()), (1, 1));
        drop(snapshot);
        assert_eq!(probes.balance(), 0);
    });
}
