//! Registration against assembly, on a registry that is no more than [`Layers`] and an event: readers see all of a plugin or
//! nothing of it, and never half of a write (K1, K7, K9).

use std::sync::Arc;

use dsh_kernel::{
    Audience, Context, Disposer, Emit, Error, Event, Failure, FiberState, Kernel, Layer, Layers, Owner, Registered,
};
use dsh_testkit::Log;
use loom::sync::atomic::{AtomicBool, Ordering};

use crate::explore::{beside, block_on, explore};
use crate::parts::{Part, count};

/// A registry of words, each with its owner.
#[derive(Clone, Default)]
struct Words(Vec<(&'static str, Owner)>);

impl Layer for Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct Changed(Registered);

impl Event for Changed {
    const NAME: &'static str = "words/change";
    const DOC: &'static str = "A word came or went.";
    type Mode = Emit;
}

type Registry = Arc<Layers<Words>>;

/// Registers words as one registration; refuses what is taken.
fn register(registry: &Registry, ctx: &Context, words: &'static [&'static str]) -> Result<Disposer, Error> {
    let owner = ctx.owner();
    let insert = move |layer: &mut Words| {
        for word in words {
            if let Some((_, first)) = layer.0.iter().find(|(known, _)| known == word) {
                return Err(Failure::msg(format!("taken by {first}")));
            }
            layer.0.push((word, owner.clone()));
        }
        Ok(move |layer: &mut Words| layer.0.retain(|(known, _)| !words.contains(known)))
    };
    let teller = ctx.clone();
    registry.effect(ctx, "word", insert, move |what| Ok(teller.emit(&Changed(what), Audience::Everyone)?))
}

fn words(layer: &Words) -> Vec<&'static str> {
    layer.0.iter().map(|(word, _)| *word).collect()
}

/// The words of plugins that are whole: anew where one leaves meanwhile, as an assembly of prompts does it.
fn assemble(registry: &Registry) -> Option<Vec<&'static str>> {
    for _ in 0..3 {
        let snapshot = registry.load();
        let global = snapshot.global();
        let stays = |owner: &Owner| matches!(owner.state(), FiberState::Loading | FiberState::Active);
        let unloads: Vec<u64> = global.0.iter().map(|(_, owner)| owner.unloads()).collect();
        let seen = words(global);
        if global.0.iter().all(|(_, owner)| stays(owner))
            && global.0.iter().map(|(_, owner)| owner.unloads()).eq(unloads)
        {
            return Some(seen);
        }
    }
    None
}

// K1
#[test]
fn a_reader_sees_all_that_one_registration_inserts_or_nothing() {
    explore(|| {
        let (kernel, registry) = (Kernel::new(), Registry::default());
        let (root, theirs) = (kernel.root(), Arc::clone(&registry));
        let ctx = root.clone();
        let writer = beside(move || block_on(register(&theirs, &ctx, &["a", "b"]).unwrap().dispose()));
        for _ in 0..2 {
            let seen = words(registry.load().global());
            assert!(seen.is_empty() || seen == ["a", "b"], "{seen:?}");
        }
        writer.join().unwrap().unwrap();
        assert!(registry.load().global().is_empty());
        register(&registry, &root, &["b"]).unwrap();
    });
}

// K1, K12
#[test]
fn registrations_in_two_layers_at_once_are_both_there_and_leave_nothing() {
    explore(|| {
        let (kernel, registry) = (Kernel::new(), Registry::default());
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        let (theirs, ctx) = (Arc::clone(&registry), scope.ctx().clone());
        let scoped = beside(move || register(&theirs, &ctx, &["scoped"]).unwrap());
        let global = register(&registry, &root, &["global"]).unwrap();
        let scoped = scoped.join().unwrap();
        let snapshot = registry.load();
        assert_eq!(words(snapshot.global()), ["global"]);
        assert_eq!(snapshot.scope(scope.key()).map(|layer| words(layer)), Some(vec!["scoped"]));
        let other = beside(move || block_on(scoped.dispose()));
        block_on(global.dispose()).unwrap();
        other.join().unwrap().unwrap();
        assert!(registry.load().global().is_empty());
        assert_eq!(registry.load().scope_count(), 0);
    });
}

// K7
#[test]
fn of_two_registrations_of_one_name_one_is_refused_and_told_the_owner_of_the_other() {
    explore(|| {
        let (kernel, registry) = (Kernel::new(), Registry::default());
        let root = kernel.root();
        let user = Part::new("p", |_| Ok(())).mount(&root).unwrap();
        block_on(user.ready()).unwrap();
        let (theirs, ctx) = (Arc::clone(&registry), user.ctx());
        let other = beside(move || register(&theirs, &ctx, &["a"]));
        let mine = register(&registry, &root, &["a"]);
        let theirs = other.join().unwrap();
        let (disposer, refused, owner) = match (mine, theirs) {
            (Ok(mine), Err(refused)) => (mine, refused, "root"),
            (Err(refused), Ok(theirs)) => (theirs, refused, "p"),
            other => panic!("{other:?}"),
        };
        assert_eq!(refused.failure().unwrap().to_string(), format!("taken by {owner}"));
        block_on(disposer.dispose()).unwrap();
        register(&registry, &root, &["a"]).unwrap();
    });
}

// K7, K9
#[test]
fn a_registration_whose_listener_fails_leaves_its_name_free() {
    explore(|| {
        let (kernel, registry, log) = (Kernel::new(), Registry::default(), Log::new());
        let root = kernel.root();
        let (told, fails) = (log.clone(), AtomicBool::new(true));
        root.on(move |Changed(what): &Changed| {
            told.push(format!("{what:?}"));
            if *what == Registered::Added && fails.swap(false, Ordering::Relaxed) {
                return Err(Failure::msg("not this one"));
            }
            Ok(())
        })
        .unwrap();
        let (theirs, ctx) = (Arc::clone(&registry), root.clone());
        let other = beside(move || register(&theirs, &ctx, &["a"]));
        let mine = register(&registry, &root, &["a"]);
        let theirs = other.join().unwrap();
        let made = usize::from(mine.is_ok()) + usize::from(theirs.is_ok());
        // Whoever was told first is rolled back; the other came before that, and was refused, or after it.
        assert!(made <= 1);
        let seen = words(registry.load().global());
        assert_eq!(seen.len(), made, "{seen:?}");
        let entries = log.take();
        assert_eq!(count(&entries, "Added"), made + 1, "{entries:?}");
        assert_eq!(count(&entries, "Removed"), 1, "{entries:?}");
        for disposer in mine.into_iter().chain(theirs) {
            block_on(disposer.dispose()).unwrap();
        }
        register(&registry, &root, &["a"]).unwrap();
    });
}

// K9, K10
#[test]
fn an_assembly_has_all_of_a_plugin_that_unloads_or_nothing_of_it() {
    explore(|| {
        let (kernel, registry) = (Kernel::new(), Registry::default());
        let before = kernel.inspect();
        let theirs = Arc::clone(&registry);
        let plugin = Part::new("p", move |ctx| {
            register(&theirs, ctx, &["a"])?;
            register(&theirs, ctx, &["b"])?;
            Ok(())
        });
        let fiber = plugin.mount(&kernel.root()).unwrap();
        block_on(fiber.ready()).unwrap();
        let unloaded = beside(move || block_on(fiber.dispose()));
        if let Some(seen) = assemble(&registry) {
            assert!(seen.is_empty() || seen == ["a", "b"], "{seen:?}");
        }
        unloaded.join().unwrap().unwrap();
        assert_eq!(assemble(&registry).unwrap(), [""; 0]);
        assert_eq!(kernel.inspect(), before);
    });
}
