//! `enter`, the register-method: an exact effect whose undoing flushes (K4, K5, K8, A2).

use std::pin::Pin;
use std::sync::Arc;

use dsh_kernel::{BoxFuture, Context, Disposer, Failure, FiberState, Kernel, Plugin};
use dsh_session::{
    Error, ErrorKind, Listed, Log, MemoryStore, Opened, Record, Session, SessionId, SessionRegistry, SessionStore,
    SessionWriter, Sessions, SessionsExt, TurnStarted,
};
use dsh_testkit::{Gate, Log as Events};

use crate::support::id;

/// A store whose flushes end when the gate opens.
#[derive(Clone, Default)]
struct Slow {
    inner: MemoryStore,
    gate: Gate,
    fails: bool,
}

struct SlowWriter(Box<dyn SessionWriter>, Gate, bool);

impl SessionWriter for SlowWriter {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        self.0.append(record)
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Error>> {
        let (gate, fails) = (self.1.clone(), self.2);
        Box::pin(async move {
            gate.wait().await;
            if fails { Err(Error::new(ErrorKind::Io, "the disk is gone")) } else { Ok(()) }
        })
    }
}

impl SessionStore for Slow {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, Error> {
        Ok(Box::new(SlowWriter(self.inner.create(log)?, self.gate.clone(), self.fails)))
    }

    fn open(&self, id: &SessionId) -> Result<(Log, Box<dyn SessionWriter>), Error> {
        self.inner.open(id)
    }

    fn read(&self, id: &SessionId) -> Result<Log, Error> {
        self.inner.read(id)
    }

    fn list(&self) -> Result<Vec<Listed>, Error> {
        self.inner.list()
    }

    fn remove(&self, id: &SessionId) -> Result<(), Error> {
        self.inner.remove(id)
    }
}

struct World {
    _kernel: Kernel,
    root: Context,
    store: Slow,
}

async fn world(fails: bool) -> World {
    let (kernel, store) = (Kernel::new(), Slow { fails, ..Slow::default() });
    let root = kernel.root();
    root.plugin(Sessions::new(store.clone())).unwrap().ready().await.unwrap();
    World { _kernel: kernel, root, store }
}

impl World {
    fn session(&self, number: u128) -> Session {
        self.root.sessions().create(Opened::new(id(number))).unwrap()
    }

    fn entered(&self) -> Vec<String> {
        let entered = self.root.sessions().entered().unwrap();
        entered.into_iter().map(|(id, owner)| format!("{id} by {owner}")).collect()
    }

    fn is_free(&self, number: u128) -> bool {
        self.store.open(&id(number)).is_ok()
    }
}

/// A plugin that enters a session in its start.
struct Guest {
    session: Session,
}

impl Plugin for Guest {
    const NAME: &'static str = "guest";
    type Inject = (SessionRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.sessions().enter(&self.session)?;
        Ok(())
    }
}

/// K4
#[tokio::test]
async fn the_disposer_is_the_exact_one_of_the_effect() {
    let world = world(false).await;
    let session = world.session(1);
    let entered: Disposer = world.root.sessions().enter(&session).unwrap();
    assert_eq!(format!("{entered:?}"), format!("Disposer(session {} of root)", id(1)));
    assert_eq!(world.entered(), [format!("{} by root", id(1))]);

    // The session is left before `dispose` returns; the flush has begun.
    let mut end = Box::pin(entered.dispose());
    assert!(session.is_detached());
    assert_eq!(session.append(TurnStarted::new()).unwrap_err().code(), "session::detached");
    world.store.gate.reached().await;
    assert!(dsh_testkit::poll_once(&mut end).is_pending());
    assert!(!world.is_free(1), "nobody else may write while it is flushed");
    world.store.gate.open();
    end.await.unwrap();
    assert!(world.is_free(1));
    assert!(world.entered().is_empty());
    // It is left for good; whoever has the handle can still read.
    assert_eq!(session.len(), 1);
    assert_eq!(world.root.sessions().enter(&session).unwrap_err().code(), "session::detached");
}

/// K4: dropping the future or the disposer stops nothing, and undoes nothing.
#[tokio::test]
async fn a_dropped_disposer_leaves_the_session_entered() {
    let world = world(false).await;
    let session = world.session(1);
    drop(world.root.sessions().enter(&session).unwrap());
    session.append(TurnStarted::new()).unwrap();
    assert_eq!(world.entered().len(), 1);
}

/// K5: in a composite the flush stands at its place: what was collected before waits for it.
#[tokio::test]
async fn a_composite_waits_for_the_last_flush_at_its_place() {
    let (world, log, inner) = (world(false).await, Events::new(), Gate::new());
    let session = world.session(1);
    let (ctx, before, after) = (world.root.clone(), log.clone(), log.clone());
    let (mine, slow) = (session.clone(), inner.clone());
    let composite = world.root.effect("agent", move |fx| {
        fx.defer(move || before.push("scope"));
        fx.adopt(ctx.sessions().enter(&mine)?)?;
        fx.defer_async(move || async move {
            slow.wait().await;
            after.push("loop drained");
        });
        Ok(())
    });
    let end = composite.unwrap().dispose();
    inner.reached().await;
    session.append(TurnStarted::new()).unwrap();
    assert_eq!(world.entered().len(), 1, "entered while the loop drains");
    inner.open();
    world.store.gate.reached().await;
    assert!(session.is_detached());
    log.assert(["loop drained"]);
    world.store.gate.open();
    end.await.unwrap();
    log.assert(["scope"]);
    assert!(world.is_free(1) && world.entered().is_empty());
}

/// K7
#[tokio::test]
async fn a_composite_that_fails_leaves_the_session() {
    let world = world(false).await;
    world.store.gate.open();
    let (session, ctx) = (world.session(1), world.root.clone());
    let mine = session.clone();
    let failed = world.root.effect("agent", move |fx| {
        fx.adopt(ctx.sessions().enter(&mine)?)?;
        Err(Failure::msg("setup failed"))
    });
    failed.unwrap_err().teardown().unwrap().await.unwrap();
    assert!(session.is_detached() && world.is_free(1) && world.entered().is_empty());
}

#[tokio::test]
async fn a_session_has_one_owner_at_a_time() {
    let world = world(false).await;
    let session = world.session(1);
    let guest = world.root.plugin(Guest { session: session.clone() }).unwrap();
    guest.ready().await.unwrap();
    let error = world.root.sessions().enter(&session).unwrap_err();
    assert_eq!((error.code(), error.kind()), ("session::already_entered", ErrorKind::AlreadyEntered));
    assert_eq!(error.first_owner().unwrap().to_string(), "guest");
    assert_eq!(error.owner().unwrap().to_string(), "root");
    error.teardown().unwrap().await.unwrap();
    // The one that was refused takes nothing away from the first.
    assert!(!session.is_detached());
    assert_eq!(world.entered().len(), 1);
}

/// K9: when the unload has been awaited, the session is flushed, closed and gone from the list.
#[tokio::test]
async fn a_session_goes_when_its_owner_unloads() {
    let world = world(false).await;
    let session = world.session(1);
    let guest = world.root.plugin(Guest { session: session.clone() }).unwrap();
    guest.ready().await.unwrap();
    let end = guest.dispose();
    world.store.gate.reached().await;
    assert_eq!(guest.state(), FiberState::Unloading);
    world.store.gate.open();
    end.await.unwrap();
    assert!(session.is_detached() && world.is_free(1) && world.entered().is_empty());
}

/// K8
#[tokio::test]
async fn a_disposed_owner_enters_nothing() {
    let world = world(false).await;
    let (session, scope) = (world.session(1), world.root.scope("agent").unwrap());
    let ctx = scope.ctx().clone();
    scope.dispose().await.unwrap();
    assert_eq!(ctx.sessions().enter(&session).unwrap_err().code(), "kernel::inactive");
    assert!(!session.is_detached());
    world.root.sessions().enter(&session).unwrap();
}

/// K7: a flush that fails is told by who undoes it, and the session is closed all the same.
#[tokio::test]
async fn a_last_flush_that_fails_is_told_and_closes_the_session() {
    let world = world(true).await;
    world.store.gate.open();
    let session = world.session(1);
    let error = world.root.sessions().enter(&session).unwrap().dispose().await.unwrap_err();
    assert_eq!(error.links()[0].label.as_str(), format!("session {}", id(1)));
    let own = error.failure().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(own.code(), "session::io");
    assert!(world.is_free(1) && world.entered().is_empty());
}

/// K10: where the service is not declared, each method says so.
#[tokio::test]
async fn an_undeclared_service_is_named() {
    struct Stranger;

    impl Plugin for Stranger {
        const NAME: &'static str = "stranger";
        type Inject = ();

        async fn start(&self, ctx: &Context) -> Result<(), Failure> {
            let error = ctx.sessions().list().unwrap_err();
            assert_eq!(error.code(), "kernel::undeclared_service");
            assert_eq!(ctx.sessions().read(&id(1)).unwrap_err().code(), "kernel::undeclared_service");
            Ok(())
        }
    }

    let world = world(false).await;
    world.root.plugin(Stranger).unwrap().ready().await.unwrap();
    let sent = Arc::new(world.root.sessions());
    drop(sent);
    let flush: Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> = Box::pin(world.session(2).flush());
    drop(flush);
}
