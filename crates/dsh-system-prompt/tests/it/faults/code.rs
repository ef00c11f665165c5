//! The foreign code of a row: it goes wrong once, says what it was told, and behaves from then on.

#![expect(clippy::panic, reason = "that foreign code panics is what is tried")]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll};

use dsh_kernel::{Audience, Context, Disposer, Failure, Fiber, Kernel, Teardown};
use dsh_system_prompt::{PromptSection, SystemPromptExt};
use dsh_testkit::{Counter, DropProbe, Gate, Log, poll_once};

use super::scene::{Ask, Edit, Ping, summary};
use super::table::{Fault, Form, Site};
use super::told;
use crate::support::{Part, bare};

/// What the code of a row can lay its hands on.
pub(crate) struct Stage {
    pub(crate) site: Site,
    pub(crate) fault: Fault,
    pub(crate) kernel: Kernel,
    /// The parent of the culprit.
    pub(crate) host: OnceLock<Fiber>,
    /// Whose code it is.
    pub(crate) culprit: OnceLock<Fiber>,
    /// Somebody to be unloaded.
    pub(crate) victim: OnceLock<Fiber>,
    /// The disposer of what the code is registered by.
    pub(crate) own: Mutex<Option<Disposer>>,
    /// What the code saw.
    pub(crate) said: Log,
    /// What never ends, until the row is over.
    pub(crate) never: Gate,
    runs: Counter,
}

impl Stage {
    pub(crate) fn new(site: Site, fault: Fault, kernel: Kernel) -> Self {
        Self {
            site,
            fault,
            kernel,
            host: OnceLock::new(),
            culprit: OnceLock::new(),
            victim: OnceLock::new(),
            own: Mutex::default(),
            said: Log::new(),
            never: Gate::new(),
            runs: Counter::new(),
        }
    }

    pub(crate) fn ctx(&self) -> Context {
        self.culprit.get().unwrap().ctx()
    }

    pub(crate) fn keep(&self, own: Disposer) {
        *self.own.lock().unwrap() = Some(own);
    }

    pub(crate) fn take_own(&self) -> Disposer {
        self.own.lock().unwrap().take().unwrap()
    }
}

/// The code of one row. It is foreign to the kernel, and a probe tells whether all of it is gone.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) stage: Arc<Stage>,
    _probe: DropProbe,
}

impl Code {
    pub(crate) fn new(stage: &Arc<Stage>, probe: DropProbe) -> Self {
        Self { stage: Arc::clone(stage), _probe: probe }
    }

    fn is_first(&self) -> bool {
        let first = self.stage.runs.hit() == 1;
        if first {
            self.stage.said.push("ran");
        }
        first
    }

    /// A call that returns at once.
    pub(crate) fn call(&self) -> Result<(), Failure> {
        if self.is_first() { self.go_wrong() } else { Ok(()) }
    }

    /// A call that can only panic.
    pub(crate) fn make(&self) {
        assert!(self.call().is_ok(), "it cannot fail");
    }

    /// What a future does in its poll.
    pub(crate) async fn poll(&self) -> Result<(), Failure> {
        if !self.is_first() {
            return Ok(());
        }
        match self.stage.fault {
            Fault::PanicLater => {
                tokio::task::yield_now().await;
                panic!("boom")
            }
            Fault::NeverEnd => {
                self.stage.never.wait().await;
                Ok(())
            }
            _ => self.go_wrong(),
        }
    }

    fn go_wrong(&self) -> Result<(), Failure> {
        let stage = &self.stage;
        let ended = |teardown: &Teardown| match teardown.result() {
            None => "waits".to_owned(),
            Some(result) => told::kernel(result),
        };
        let heard = match stage.fault {
            Fault::Fail => return Err(Failure::msg("refused")),
            Fault::Panic => panic!("boom"),
            Fault::PanicInDestructor => return Ok(()),
            Fault::PanicLater | Fault::NeverEnd => panic!("only futures do so"),
            Fault::Register => {
                let section = PromptSection::new("extra", 60, "extra");
                told::prompt(stage.ctx().system_prompt().section(section).map(|extra| drop(extra.dispose())))
            }
            Fault::DisposeItself => ended(&stage.take_own().dispose()),
            Fault::DisposeOwner => ended(&stage.culprit.get().unwrap().dispose()),
            Fault::DisposeParent => ended(&stage.host.get().unwrap().dispose()),
            Fault::Assemble => {
                let root = stage.kernel.root();
                let handle = root.system_prompt();
                let mut assembly = Box::pin(handle.assemble(bare()));
                match poll_once(&mut assembly) {
                    Poll::Pending => "waits".to_owned(),
                    Poll::Ready(result) => told::prompt(result.map(|assembly| drop(summary(&assembly)))),
                }
            }
            Fault::Dispatch => self.dispatch(),
            Fault::Mount => told::kernel(stage.ctx().plugin_dyn(Part::new("child", |_| Ok(())))),
            Fault::Unload => ended(&stage.victim.get().unwrap().dispose()),
            Fault::Shutdown => ended(&stage.kernel.shutdown()),
            Fault::WaitForItsEnd => self.wait(),
        };
        stage.said.push(heard);
        Ok(())
    }

    fn dispatch(&self) -> String {
        let ctx = self.stage.ctx();
        let emitted = told::kernel(ctx.emit(&Ping, Audience::Everyone));
        let asked = match poll_once(&mut Box::pin(ctx.serial(Arc::new(Ask), Audience::Everyone))) {
            Poll::Pending => "waits".to_owned(),
            Poll::Ready(answer) => told::kernel(answer.map(|answer| assert_eq!(answer, Some("neighbour")))),
        };
        let edited = match poll_once(&mut Box::pin(ctx.waterfall(Arc::new(Edit), 1, Audience::Everyone))) {
            Poll::Pending => "waits".to_owned(),
            Poll::Ready(value) => told::kernel(value.map(|value| assert_eq!(value, 2))),
        };
        format!("{emitted} {asked} {edited}")
    }

    /// Asks for the end of its own owner, of what the kernel does, and in a start for that of the start.
    fn wait(&self) -> String {
        let culprit = self.stage.culprit.get().unwrap();
        let ready = self.stage.site.is_start().then(|| poll_once(&mut culprit.ready()));
        let ends = [Some(poll_once(&mut culprit.dispose())), Some(poll_once(&mut self.stage.kernel.settled())), ready];
        let code = |end: Poll<Result<(), dsh_kernel::Error>>| match end {
            Poll::Pending => "waits",
            Poll::Ready(Ok(())) => "ok",
            Poll::Ready(Err(error)) => error.code(),
        };
        ends.into_iter().flatten().map(code).collect::<Vec<_>>().join(" ")
    }

    /// Something that the code holds, and whose end is harmful in the rows that say so.
    pub(crate) fn bomb(&self) -> Bomb {
        Bomb(self.clone(), self.stage.fault == Fault::PanicInDestructor)
    }

    /// Something whose end is the site itself.
    pub(crate) fn dropped(&self) -> Dropped {
        assert_eq!(self.stage.site.form(), Form::Drop);
        Dropped(Some(self.clone()))
    }
}

/// See [`Code::bomb`].
pub(crate) struct Bomb(Code, bool);

impl Bomb {
    /// A closure that calls this owns the bomb.
    pub(crate) fn hold(&self) {
        assert!(Arc::strong_count(&self.0.stage) > 0, "it is alive");
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        if std::mem::take(&mut self.1) && self.0.stage.said.entries() == ["ran"] {
            self.0.stage.said.push("dropped");
            panic!("boom");
        }
    }
}

/// See [`Code::dropped`].
pub(crate) struct Dropped(Option<Code>);

impl Dropped {
    /// A closure that calls this owns it.
    pub(crate) fn hold(&self) {
        assert!(self.0.is_some(), "it is alive");
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(code) = self.0.take() {
            code.make();
        }
    }
}

/// A future that holds on to a bomb until it is dropped itself.
pub(crate) struct Holding<T> {
    future: Pin<Box<dyn Future<Output = T> + Send>>,
    _bomb: Bomb,
}

impl<T> Holding<T> {
    pub(crate) fn new(code: &Code, future: impl Future<Output = T> + Send + 'static) -> Self {
        Self { future: Box::pin(future), _bomb: code.bomb() }
    }
}

impl<T> Future for Holding<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<T> {
        self.future.as_mut().poll(cx)
    }
}
