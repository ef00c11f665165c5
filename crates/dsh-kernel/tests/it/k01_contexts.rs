//! K1: a context is a cheap handle, and it alone decides who owns a registration and where it lands.

use std::sync::Arc;

use dsh_kernel::{
    Audience, BoxFuture, Cancel, Cancelled, Clock, Context, Disposer, DynPlugin, Emit, Error, ErrorKind, Event,
    EventInfo, Failure, Fiber, FiberChanged, FiberState, Fx, Handle, InspectedEffect, InspectedFiber, Inspection,
    Kernel, KernelBuilder, Layer, Layers, LinkFailure, ManualClock, Method, Name, Next, Owner, Prepended, Ready,
    Registered, Scope, ScopeKey, Service, ServiceInfo, Settled, Snapshot, Teardown, Waterfall, WaterfallEvent,
};
use dsh_testkit::{Log, assert_send, assert_send_sync};

use crate::support::{Part, run, undo};

#[derive(Clone, Default)]
struct Words(Vec<&'static str>);

impl Layer for Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct Db;

impl Service for Db {
    const NAME: &'static str = "db";
    const DOC: &'static str = "Rows.";
    const METHODS: &'static [Method] = &[];
}

const fn copies<T: Copy>() {}

const fn sends<T: Send>() {}

struct Edit;

impl Event for Edit {
    const NAME: &'static str = "test/edit";
    const DOC: &'static str = "A test.";
    type Mode = Waterfall;
}

impl WaterfallEvent for Edit {
    type Value = String;
}

// K1
#[test]
fn a_context_is_two_pointers_and_a_tag_at_most() {
    assert!(size_of::<Context>() <= 3 * size_of::<usize>());
    assert!(size_of::<ScopeKey>() <= size_of::<u64>());
    copies::<ScopeKey>();
}

// K3
#[test]
fn an_error_is_one_pointer() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Error>>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
}

// K1
#[test]
fn every_public_type_can_be_sent_and_shared() {
    assert_send_sync::<(Context, Owner, ScopeKey, Name, Kernel, KernelBuilder, Settled)>();
    assert_send_sync::<(Disposer, Teardown, Fiber, FiberState, Ready, Scope)>();
    assert_send_sync::<(Error, ErrorKind, LinkFailure, Failure)>();
    assert_send_sync::<(Audience, FiberChanged, Next<Edit>, Prepended<'_>, Emit)>();
    assert_send_sync::<(Handle<Db>, Layers<Words>, Snapshot<Words>, Registered)>();
    assert_send_sync::<(Inspection, InspectedFiber, InspectedEffect)>();
    assert_send_sync::<(Method, ServiceInfo, EventInfo)>();
    assert_send_sync::<(Cancel, Cancelled, ManualClock)>();
    assert_send_sync::<(Arc<dyn Clock>, Arc<dyn DynPlugin>)>();
    // A body has its `Fx` to itself, so that links need not be `Sync`.
    sends::<Fx>();
    sends::<BoxFuture<'_, ()>>();
}

// K1
#[test]
fn the_futures_of_the_kernel_can_be_sent() {
    let kernel = Kernel::new();
    let root = kernel.root();
    drop(assert_send(root.waterfall(Arc::new(Edit), String::new(), Audience::Everyone)));
    drop(assert_send(root.effect_async("e", async |fx| {
        tokio::task::yield_now().await;
        fx.defer(|| {});
        Ok(())
    })));
    drop(assert_send(kernel.settled()));
}

// K1, K12
#[test]
fn the_context_alone_decides_owner_and_layer() {
    let kernel = Kernel::new();
    let root = kernel.root();
    let layers = Arc::new(Layers::<Words>::new());
    let insert = |word: &'static str| {
        move |words: &mut Words| {
            words.0.push(word);
            Ok(move |words: &mut Words| words.0.retain(|known| *known != word))
        }
    };
    let scope = root.scope("scope").unwrap();
    layers.effect(&root, "word", insert("global"), |_| Ok(())).unwrap();
    layers.effect(scope.ctx(), "word", insert("scoped"), |_| Ok(())).unwrap();
    assert_eq!(layers.load().global().0, ["global"]);
    assert_eq!(layers.load().scope(scope.key()).unwrap().0, ["scoped"]);
    let tree = kernel.inspect().to_string();
    assert_eq!(tree, "root [active]\n  - word\n  scope [active]\n    - word\n");
}

// K1
#[test]
fn a_clone_of_a_context_registers_for_the_same_owner() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let scope = kernel.root().scope("scope").unwrap();
        let clone = scope.ctx().clone();
        assert_eq!(clone.owner(), scope.ctx().owner());
        assert_eq!(clone.scope_key(), Some(scope.key()));
        undo(&clone, "by clone", &log);
        scope.dispose().await.unwrap();
        log.assert(["by clone"]);
        assert_eq!(clone.state(), FiberState::Disposed);
    });
}

// K1: the owner's path (X3)
#[test]
fn an_owner_displays_as_its_path_and_siblings_of_one_name_are_counted() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        assert_eq!(root.owner().to_string(), "root");
        let first = Part::new("agent").mount(&root);
        let second = Part::new("agent").mount(&root);
        let inner = second.ctx().scope("desk").unwrap();
        assert_eq!(first.path().to_string(), "agent");
        assert_eq!(second.path().to_string(), "agent#2");
        assert_eq!(inner.ctx().owner().to_string(), "agent#2/desk");
        assert_eq!(inner.ctx().owner().name(), &Name::fixed("desk"));
        first.dispose().await.unwrap();
        assert_eq!(second.path().to_string(), "agent#2", "a path does not change while its fiber lives");
        assert_eq!(Part::new("agent").mount(&root).path().to_string(), "agent");
    });
}
