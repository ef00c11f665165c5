//! The context: who registers, and in which layer (K1).

use std::fmt;
use std::future::Future;

use crate::clock::Clock;
use crate::error::{Error, ErrorKind};
use crate::failure::Failure;
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::frames::{self, Frame, Framed};
use crate::kernel::Shared;
use crate::owner::Owner;
use crate::quiet::Quiet;
use crate::scope_key::ScopeKey;
use crate::sync::Arc;

/// A cheap handle through which everything is registered.
///
/// It carries the owning fiber and at most one scope tag; these alone decide who owns a registration and which layer it
/// lands in. No registration method takes an owner or a scope (K1). A clone is one reference count.
#[derive(Clone)]
pub struct Context {
    core: Arc<FiberCore>,
    tag: Option<ScopeKey>,
}

impl Context {
    pub(crate) fn new(core: Arc<FiberCore>, tag: Option<ScopeKey>) -> Self {
        Self { core, tag }
    }

    /// The fiber that owns what is registered through this context.
    pub fn owner(&self) -> Owner {
        self.core.owner()
    }

    /// The scope whose layer registrations land in; `None` for the global layer (K12).
    pub fn scope_key(&self) -> Option<ScopeKey> {
        self.tag
    }

    /// The state of the owning fiber.
    pub fn state(&self) -> FiberState {
        self.core.state()
    }

    /// The kernel's monotonic clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.core.shared.clock)
    }

    /// Calls code of this context's owner, for a registry that keeps callbacks: a panic becomes a [`Failure`], and a wait
    /// inside knows where it stands (K8, K13).
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// let kernel = Kernel::new();
    /// let failure = kernel.root().call(|| panic!("no value today")).unwrap_err();
    /// assert_eq!(failure.panic_message(), Some("no value today"));
    /// ```
    ///
    /// # Errors
    ///
    /// The panic, or `kernel::inactive` where the owner is disposed: no call of its code begins any more (K9).
    pub fn call<R>(&self, code: impl FnOnce() -> R) -> Result<R, Failure> {
        if self.state() == FiberState::Disposed {
            return Err(self.disposed());
        }
        let frame = Frame::new(&self.core.shared, self.core.id, None);
        frames::call_and_settle(&self.core.shared, frame, code)
    }

    /// The text of what foreign code has made, a failure for example: to show it is foreign code too, which may panic (K13). Where it
    /// does, or where the owner is disposed, the text says so.
    ///
    /// ```
    /// # use dsh_kernel::{Failure, Kernel};
    /// let kernel = Kernel::new();
    /// assert_eq!(kernel.root().shown(&Failure::msg("the disk is full")), "the disk is full");
    /// ```
    pub fn shown(&self, what: &impl fmt::Display) -> String {
        self.call(|| what.to_string()).unwrap_or_else(|_| "(it cannot be shown)".to_owned())
    }

    /// As [`call`](Self::call), for code whose answer is a future: a panic in making it, or in any of its polls, becomes a
    /// [`Failure`], and each poll knows where it stands (K8, K13).
    ///
    /// Nothing runs before the first poll. Dropping what this returns drops the code's future, inside the owner's frame.
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let kernel = Kernel::new();
    /// let root = kernel.root();
    /// assert_eq!(root.call_async(|| async { 3 }).await.unwrap(), 3);
    /// let failure = root.call_async(|| async { panic!("no answer today") }).await.unwrap_err();
    /// assert_eq!(failure.panic_message(), Some("no answer today"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub fn call_async<F, C>(&self, code: C) -> impl Future<Output = Result<F::Output, Failure>> + Send + use<F, C>
    where
        F: Future<Output: Send> + Send,
        C: FnOnce() -> F + Send,
    {
        let ctx = self.clone();
        let code = Quiet::new(code);
        async move {
            let future = ctx.call(|| Box::pin(code.into_inner()()))?;
            let (shared, frame) = (ctx.shared(), Frame::new(ctx.shared(), ctx.core.id, None));
            Framed::new(shared, frame, future).await
        }
    }

    #[cold]
    fn disposed(&self) -> Failure {
        let owner = self.owner();
        let message = format!("`{owner}` is disposed: its code is not called any more");
        Error::from(Error::build(ErrorKind::Inactive, message).owner(owner)).into()
    }

    pub(crate) fn core(&self) -> &Arc<FiberCore> {
        &self.core
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.core.shared
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({}, {:?})", self.owner(), self.tag)
    }
}
