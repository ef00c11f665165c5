//! What the models share: a plugin made of a closure, and effects that log their end.

use std::sync::Arc;
use std::task::{Poll, Waker};

use dsh_kernel::{BoxFuture, Context, Disposer, DynPlugin, Error, Failure, Fiber, Fx, Name};
use dsh_testkit::Log;
use loom::sync::Mutex;

type Start = dyn Fn(Context) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync;

/// A plugin made of a closure.
pub(crate) struct Part {
    name: &'static str,
    inject: Vec<Name>,
    provides: Vec<Name>,
    start: Box<Start>,
}

impl Part {
    /// One whose start ends at once.
    pub(crate) fn new(
        name: &'static str,
        start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        let start = move |ctx: Context| {
            let result = start(&ctx);
            Box::pin(async { result }) as BoxFuture<'static, _>
        };
        Self { name, inject: Vec::new(), provides: Vec::new(), start: Box::new(start) }
    }

    /// One whose start waits at the gate.
    pub(crate) fn slow(
        name: &'static str,
        gate: &Gate,
        start: impl Fn(&Context) -> Result<(), Failure> + Clone + Send + Sync + 'static,
    ) -> Self {
        let gate = gate.clone();
        let start = move |ctx: Context| {
            let (start, gate) = (start.clone(), gate.clone());
            Box::pin(async move {
                gate.wait().await;
                start(&ctx)
            }) as BoxFuture<'static, _>
        };
        Self { name, inject: Vec::new(), provides: Vec::new(), start: Box::new(start) }
    }

    /// A plugin that provides `service`, with an effect under it that logs `close:NAME` when it is undone.
    pub(crate) fn provider(name: &'static str, service: &'static str, log: &Log) -> Self {
        let log = log.clone();
        let mut part = Self::new(name, move |ctx| {
            let log = log.clone();
            ctx.effect("provider", |fx| {
                fx.defer(move || log.push(format!("close:{name}")));
                fx.adopt(ctx.provide_dyn(service, Arc::new(()))?)?;
                Ok(())
            })?;
            Ok(())
        });
        part.provides = vec![Name::fixed(service)];
        part
    }

    /// A plugin that logs `start:NAME`, and `stop:NAME` when it is undone.
    pub(crate) fn traced(name: &'static str, log: &Log) -> Self {
        let log = log.clone();
        Self::new(name, move |ctx| {
            ctx.effect("trace", |fx| {
                log.push(format!("start:{name}"));
                tell(fx, format!("stop:{name}"), &log);
                Ok(())
            })?;
            Ok(())
        })
    }

    pub(crate) fn inject(mut self, service: &'static str) -> Self {
        self.inject.push(Name::fixed(service));
        self
    }

    pub(crate) fn mount(self, ctx: &Context) -> Result<Fiber, Error> {
        ctx.plugin_dyn(Arc::new(self))
    }
}

impl DynPlugin for Part {
    fn name(&self) -> Name {
        Name::fixed(self.name)
    }

    fn inject(&self) -> Vec<Name> {
        self.inject.clone()
    }

    fn provides(&self) -> Vec<Name> {
        self.provides.clone()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        (self.start)(ctx)
    }
}

/// Something to wait at until the model opens it. The testkit's gate clones wakers under a lock that the checker does not
/// know, where another thread could come to it.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((false, Vec::new()))))
    }

    pub(crate) fn open(&self) {
        let woken = {
            let mut gate = self.0.lock().unwrap();
            gate.0 = true;
            std::mem::take(&mut gate.1)
        };
        woken.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn wait(&self) -> impl Future<Output = ()> + Send + use<> {
        let gate = Arc::clone(&self.0);
        std::future::poll_fn(move |cx| {
            let mut gate = gate.lock().unwrap();
            if gate.0 {
                return Poll::Ready(());
            }
            gate.1.push(cx.waker().clone());
            Poll::Pending
        })
    }
}

/// An effect of one synchronous link that logs a line.
pub(crate) fn undo(ctx: &Context, label: &'static str, line: impl Into<String>, log: &Log) -> Result<Disposer, Error> {
    ctx.effect(label, |fx| {
        tell(fx, line, log);
        Ok(())
    })
}

/// A link that logs a line.
pub(crate) fn tell(fx: &mut Fx, line: impl Into<String>, log: &Log) {
    let (line, log) = (line.into(), log.clone());
    fx.defer(move || log.push(line));
}

/// How often a line stands in a log.
pub(crate) fn count(entries: &[String], line: &str) -> usize {
    entries.iter().filter(|entry| *entry == line).count()
}

/// Where a line stands in a log for the first time.
#[track_caller]
pub(crate) fn place(entries: &[String], line: &str) -> usize {
    entries.iter().position(|entry| entry == line).unwrap_or_else(|| panic!("no `{line}` in {entries:?}"))
}
