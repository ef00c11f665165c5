//! What the tests share: plugins made of closures, probes, a runtime with a watchdog, and an ear for log lines.

pub(crate) mod alone;
pub(crate) mod ears;
pub(crate) mod watchdog;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{
    BoxFuture, Context, Disposer, DynPlugin, Failure, Fiber, FiberChanged, Kernel, ManualClock, Name, Teardown,
};
use dsh_testkit::{Gate, Log};

use watchdog::Watchdog;

type Start = dyn Fn(Context) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync;

/// A plugin made of a closure.
pub(crate) struct Part {
    name: Name,
    inject: Vec<Name>,
    provides: Vec<Name>,
    independent: bool,
    start: Box<Start>,
}

impl Part {
    pub(crate) fn new(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            inject: Vec::new(),
            provides: Vec::new(),
            independent: false,
            start: Box::new(|_| Box::pin(async { Ok(()) })),
        }
    }

    pub(crate) fn inject<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.inject = names.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn provides<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.provides = names.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn independent(mut self) -> Self {
        self.independent = true;
        self
    }

    pub(crate) fn start(mut self, start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static) -> Self {
        self.start = Box::new(move |ctx| {
            let result = start(&ctx);
            Box::pin(async { result })
        });
        self
    }

    pub(crate) fn start_async<F>(mut self, start: impl Fn(Context) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.start = Box::new(move |ctx| Box::pin(start(ctx)));
        self
    }

    #[track_caller]
    pub(crate) fn mount(self, ctx: &Context) -> Fiber {
        ctx.plugin_dyn(Arc::new(self)).expect("the plugin is mounted")
    }
}

impl DynPlugin for Part {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn inject(&self) -> Vec<Name> {
        self.inject.clone()
    }

    fn provides(&self) -> Vec<Name> {
        self.provides.clone()
    }

    fn independent(&self) -> bool {
        self.independent
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        (self.start)(ctx)
    }
}

/// A plugin that logs `start:NAME` and makes an effect that logs `stop:NAME`, as `trace` does in the scenarios.
pub(crate) fn traced(name: &'static str, log: &Log) -> Part {
    let log = log.clone();
    Part::new(name).start(move |ctx| {
        trace(ctx, name, &log);
        Ok(())
    })
}

/// The same, and provides a service.
pub(crate) fn traced_provider(name: &'static str, service: &'static str, log: &Log) -> Part {
    let log = log.clone();
    Part::new(name).provides([service]).start(move |ctx| {
        trace(ctx, name, &log);
        ctx.provide_dyn(service, Arc::new(()))?;
        Ok(())
    })
}

pub(crate) fn trace(ctx: &Context, name: &'static str, log: &Log) {
    log.push(format!("start:{name}"));
    undo(ctx, &format!("stop:{name}"), log);
}

/// An effect of one synchronous link that logs its label.
#[track_caller]
pub(crate) fn undo(ctx: &Context, label: &str, log: &Log) -> Disposer {
    let log = log.clone();
    let line = label.to_owned();
    ctx.effect(label.to_owned(), |fx| {
        fx.defer(move || log.push(line));
        Ok(())
    })
    .expect("the effect is made")
}

/// An effect of one asynchronous link that logs `LABEL:begin`, waits at the gate, logs `LABEL:end`.
#[track_caller]
pub(crate) fn slow(ctx: &Context, label: &str, log: &Log, gate: &Gate) -> Disposer {
    let link = slow_link(label, log, gate);
    ctx.effect(label.to_owned(), |fx| {
        fx.defer_async(link);
        Ok(())
    })
    .expect("the effect is made")
}

/// The asynchronous link of [`slow`].
pub(crate) fn slow_link(label: &str, log: &Log, gate: &Gate) -> impl FnOnce() -> BoxFuture<'static, ()> + Send + use<> {
    let (label, log, gate) = (label.to_owned(), log.clone(), gate.clone());
    move || {
        Box::pin(async move {
            log.push(format!("{label}:begin"));
            gate.wait().await;
            log.push(format!("{label}:end"));
        })
    }
}

/// The probe of the scenarios: `ms` on the kernel's clock, 0 for a synchronous link.
#[track_caller]
pub(crate) fn probe(ctx: &Context, label: &str, ms: u64, log: &Log) -> Disposer {
    if ms == 0 {
        return undo(ctx, label, log);
    }
    let (clock, log, name) = (ctx.clock(), log.clone(), label.to_owned());
    ctx.effect(label.to_owned(), |fx| {
        fx.defer_async(move || async move {
            log.push(format!("{name}:begin"));
            clock.sleep(Duration::from_millis(ms)).await;
            log.push(format!("{name}:end"));
        });
        Ok(())
    })
    .expect("the effect is made")
}

/// Logs each transition of each fiber as `PATH FROM>TO`.
pub(crate) fn watch(kernel: &Kernel, log: &Log) {
    let log = log.clone();
    kernel
        .root()
        .on::<FiberChanged, _>(move |change| log.push(format!("{} {}>{}", change.path, change.from, change.to)))
        .expect("the root listens");
}

/// A kernel on a clock that the test moves.
pub(crate) fn manual_kernel() -> (Kernel, ManualClock) {
    let clock = ManualClock::new();
    (Kernel::builder().clock(Arc::new(clock.clone())).build(), clock)
}

/// Runs a test on a runtime of one thread whose time passes only when all wait.
#[track_caller]
pub(crate) fn run(test: impl Future<Output = ()>) {
    let watchdog = Watchdog::start();
    // On the heap: some of these futures are large.
    let test: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(test);
    paused_runtime().block_on(test);
    drop(watchdog);
}

/// A runtime of one thread whose time passes only when all wait.
pub(crate) fn paused_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Runs a test on a runtime of several threads.
#[track_caller]
pub(crate) fn run_threads(threads: usize, test: impl Future<Output = ()>) {
    let watchdog = Watchdog::start();
    let test: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(test);
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_time().build().unwrap().block_on(test);
    drop(watchdog);
}

/// Runs a test on a thread with a stack of two megabytes.
#[track_caller]
pub(crate) fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let watchdog = Watchdog::start();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
    drop(watchdog);
}

/// Lets every task of a runtime of one thread run until it waits.
pub(crate) async fn quiet() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}

/// Whether a teardown has not ended.
pub(crate) fn is_open(teardown: &Teardown) -> bool {
    teardown.result().is_none()
}

/// Where a test leaves something for foreign code to find.
pub(crate) struct Slot<T>(Arc<std::sync::Mutex<Option<T>>>);

impl<T> Slot<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn of(value: T) -> Self {
        let slot = Self::new();
        slot.put(value);
        slot
    }

    pub(crate) fn put(&self, value: T) {
        *self.0.lock().unwrap() = Some(value);
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().unwrap().take()
    }
}

impl<T: Clone> Slot<T> {
    pub(crate) fn get(&self) -> Option<T> {
        self.0.lock().unwrap().clone()
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// An error with a value that a test can find again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked(pub(crate) u32);

impl std::fmt::Display for Marked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "marked {}", self.0)
    }
}

impl std::error::Error for Marked {}
