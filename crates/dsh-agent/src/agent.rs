//! An agent, as everybody but its driver has it.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use dsh_kernel::{BoxFuture, Cancel, Context, Failure, Name, Quiet, ScopeKey};
use dsh_llm::Message;
use dsh_session::{Session, SessionId};
use dsh_system_prompt::{AssembleContext, RunContext};

use crate::driver::{AgentDriver, AgentStatus, TurnSummary};
use crate::error::{Error, ErrorKind};
use crate::work::Work;

/// An agent: a scope, a session, and something that drives it. A cheap handle, whose clones are the same agent.
///
/// It says nothing of how long the agent lives: whoever made it holds its [`AgentHandle`](crate::AgentHandle), which alone can
/// dispose it.
#[derive(Clone)]
pub struct Agent(Arc<Inner>);

struct Inner {
    name: Name,
    ctx: Context,
    scope: ScopeKey,
    session: Session,
    fields: AssembleContext,
    driver: OnceLock<Driver>,
    work: Work,
}

/// A driver, and whose code it is.
struct Driver {
    owner: Context,
    code: Quiet<Arc<dyn AgentDriver>>,
    /// Which factory made it.
    factory: Option<u64>,
}

impl Agent {
    /// An agent with a driver of one's own, to be [registered](crate::AgentsHandle::register). `ctx` is that of the agent's scope.
    ///
    /// # Errors
    ///
    /// `agent::unscoped` where `ctx` has no scope.
    pub fn new(
        name: impl Into<Name>,
        ctx: &Context,
        session: Session,
        run: RunContext,
        driver: Arc<dyn AgentDriver>,
    ) -> Result<Self, Error> {
        let name = name.into();
        let Some(scope) = ctx.scope_key() else {
            let error =
                Error::new(ErrorKind::Unscoped, format!("the agent `{}` has no scope", name.as_str().escape_debug()));
            return Err(error
                .with_help("open one with `ctx.scope(..)`, and make the agent with its context")
                .by(ctx.owner()));
        };
        let agent = Self::undriven(name, ctx, session, AssembleContext::for_scope(scope).with(run), scope);
        agent.set_driver(ctx.clone(), driver, None);
        Ok(agent)
    }

    /// An agent that gets its driver by [`set_driver`](Self::set_driver).
    pub(crate) fn undriven(
        name: Name,
        ctx: &Context,
        session: Session,
        fields: AssembleContext,
        scope: ScopeKey,
    ) -> Self {
        Self(Arc::new(Inner {
            name,
            ctx: ctx.clone(),
            scope,
            session,
            fields,
            driver: OnceLock::new(),
            work: Work::new(),
        }))
    }

    pub(crate) fn set_driver(&self, owner: Context, driver: Arc<dyn AgentDriver>, factory: Option<u64>) {
        // A second one is dropped: there is no way to it.
        drop(self.0.driver.set(Driver { owner, code: Quiet::new(driver), factory }));
    }

    /// Its name, which is that of its session: no two agents have one.
    pub fn id(&self) -> &SessionId {
        self.0.session.id()
    }

    /// What it is called: its kind, which other agents may have too.
    pub fn name(&self) -> &str {
        self.0.name.as_str()
    }

    /// The context of its scope: what is registered through it is for this agent alone, and leaves with it (A1).
    pub fn ctx(&self) -> &Context {
        &self.0.ctx
    }

    /// The context of what it has begun elsewhere, such as agents that work for it: what is registered through it ends before the agent
    /// does. It is undone first when the agent is disposed or unregistered: when its driver has been told to stop, and before that is
    /// awaited (G3). It is for effects and tasks; its scope is not the agent's.
    ///
    /// # Errors
    ///
    /// `agent::stopped` once the agent is being undone; `kernel::inactive`.
    pub fn work(&self) -> Result<Context, Error> {
        self.0.work.ctx(&self.0.ctx)?.ok_or_else(|| self.stopped())
    }

    /// A token that is fired when it is [cancelled](Self::cancel) next, whether it is idle or not: for what it has begun elsewhere.
    pub fn cancel_token(&self) -> Cancel {
        self.0.work.cancel_token()
    }

    /// The key of its scope.
    pub fn scope_key(&self) -> ScopeKey {
        self.0.scope
    }

    /// Its session. Whoever appends to it while a turn is under way has to know what may come when.
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// What its run knows of itself: model and working folder.
    pub fn run(&self) -> Option<&RunContext> {
        self.get()
    }

    /// A field of its options, by its type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.fields.get()
    }

    pub(crate) fn fields(&self) -> &AssembleContext {
        &self.0.fields
    }

    /// Says something to it: begins a turn, once those before it have ended. Where the log does not take it, the turn has failed, and it
    /// waits, with all behind it, for the next message that is sent.
    ///
    /// # Errors
    ///
    /// `agent::stopped`; `session::invalid_message` for one with a tool call or a tool result in it.
    pub fn send(&self, message: Message) -> Result<(), Error> {
        self.drive(|driver| driver.send(message))?
    }

    /// Says something to it while it works: the model reads it at the next step of the turn under way, or about to begin, which does not
    /// end before that. Where none is, it begins one, as [`send`](Self::send) does.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn steer(&self, message: Message) -> Result<(), Error> {
        self.drive(|driver| driver.steer(message))?
    }

    /// Puts something into its conversation without beginning a turn, or keeping one from its end: the model reads it at the next
    /// step, whenever that is.
    ///
    /// # Errors
    ///
    /// `agent::stopped`; those of the session.
    pub fn inject_message(&self, message: Message) -> Result<(), Error> {
        self.drive(|driver| driver.inject_message(message))?
    }

    /// Ends the turn under way, and forgets what waits for its turn (A5). Nothing where it is idle. What is in flight is dropped, tools
    /// are asked to end; await [`when_idle`](Self::when_idle) to see the end of it.
    pub fn cancel(&self) {
        self.0.work.cancel();
        if let Err(error) = self.drive(AgentDriver::cancel) {
            tracing::debug!(agent = self.name(), %error, "an agent without a driver was cancelled");
        }
    }

    /// Waits until no turn is under way and no message waits for one; at once, where it is stopped.
    ///
    /// Inside of its own turn (a tool, a listener) this would wait for itself: do not await it there.
    pub fn when_idle(&self) -> BoxFuture<'static, ()> {
        self.drive(AgentDriver::when_idle).unwrap_or_else(|_gone| Box::pin(std::future::ready(())))
    }

    /// What it does now.
    pub fn status(&self) -> AgentStatus {
        self.drive(AgentDriver::status).unwrap_or(AgentStatus::Stopped)
    }

    /// How its last turn went, of those since it was made.
    pub fn last_turn(&self) -> Option<TurnSummary> {
        self.drive(AgentDriver::last_turn).unwrap_or_default()
    }

    /// What the turn under way works with, by the type that its driver says it has: of the shipped one the budget. `None` while there is
    /// no turn.
    pub fn working_with<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.drive(AgentDriver::working_with).unwrap_or_default()?.downcast().ok()
    }

    /// Calls the driver as code of its owner.
    fn drive<R>(&self, code: impl FnOnce(&(dyn AgentDriver + 'static)) -> R) -> Result<R, Error> {
        let Some(driver) = self.0.driver.get() else { return Err(self.stopped()) };
        driver.owner.call(|| code(&**driver.code)).map_err(|failure| match failure.panic_message() {
            Some(_) => {
                Error::new(ErrorKind::DriverFailed, "the driver of an agent panicked").of(self).with_failure(failure)
            }
            None => self.stopped(),
        })
    }

    fn stopped(&self) -> Error {
        Error::stopped(self.id())
    }

    pub(crate) fn start(&self) -> Result<(), Failure> {
        self.drive(|driver| driver.start(self))?
    }

    /// Stops the driver, and undoes what was begun elsewhere before that is awaited (G3).
    pub(crate) async fn leave(&self) -> Result<(), Failure> {
        let mut stop = Box::pin(self.stop());
        // Told first, so that nothing new begins meanwhile.
        let stopped = std::future::poll_fn(|cx| Poll::Ready(stop.as_mut().poll(cx))).await;
        let ended = self.end_work().await;
        match stopped {
            Poll::Ready(stopped) => stopped?,
            Poll::Pending => stop.await?,
        }
        ended
    }

    pub(crate) async fn end_work(&self) -> Result<(), Failure> {
        self.0.work.end().await
    }

    /// Stops the driver; at once where its owner has gone, which has stopped it before.
    pub(crate) async fn stop(&self) -> Result<(), Failure> {
        let Some(driver) = self.0.driver.get() else { return Ok(()) };
        let code = Arc::clone(&*driver.code);
        match driver.owner.call_async(|| code.stop()).await {
            Ok(stopped) => stopped,
            Err(failure) if failure.panic_message().is_some() => Err(failure),
            Err(_gone) => Ok(()),
        }
    }

    /// Whether this factory made its driver.
    pub(crate) fn is_of(&self, factory: u64) -> bool {
        self.0.driver.get().is_some_and(|driver| driver.factory == Some(factory))
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Agent {}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({}, {})", self.name(), self.id())
    }
}
