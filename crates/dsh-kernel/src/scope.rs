//! Scopes: a fresh key, a context tagged with it, and a fiber that owns what is registered through it (K12).

use std::fmt;

use crate::agenda::Agenda;
use crate::context::Context;
use crate::effect::Disposer;
use crate::error::Error;
use crate::fiber::core::FiberKind;
use crate::fiber::{Fiber, take_disposer};
use crate::name::Name;
use crate::owner::Owner;
use crate::scope_key::ScopeKey;
use crate::teardown::Teardown;
use crate::world::NewFiber;

/// An open scope. Dropping it undoes nothing: the owner of the context it was opened through still holds it.
///
/// ```
/// # use dsh_kernel::Kernel;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let scope = kernel.root().scope("reviewer")?;
/// assert_eq!(scope.ctx().scope_key(), Some(scope.key()));
/// scope.dispose().await?;
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
pub struct Scope {
    fiber: Fiber,
    ctx: Context,
    key: ScopeKey,
}

impl Scope {
    /// The context whose registrations are for this scope alone.
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// The key that layers and dispatches are filtered by.
    pub fn key(&self) -> ScopeKey {
        self.key
    }

    /// The scope's fiber: its state, its path, `dispose_within`.
    pub fn fiber(&self) -> &Fiber {
        &self.fiber
    }

    /// Undoes all that was registered through the scope.
    pub fn dispose(self) -> Teardown {
        self.fiber.dispose()
    }

    /// The exact disposer, to be adopted by an effect of the fiber that the scope was opened through (K12).
    pub fn into_disposer(self) -> Disposer {
        // The scope alone hands its disposer out, and it is consumed here, so it has not been taken.
        take_disposer(self.ctx.core()).unwrap_or_else(|| unreachable!("a scope's disposer is taken once"))
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({}, {})", self.ctx.owner(), self.ctx.state())
    }
}

impl Context {
    /// Opens a scope (K12). A scope within a scope has the nearer tag.
    ///
    /// # Errors
    ///
    /// `kernel::inactive` where the owner takes no registrations (K8).
    pub fn scope(&self, label: impl Into<Name>) -> Result<Scope, Error> {
        let key = ScopeKey::fresh();
        let mut agenda = Agenda::new();
        let fiber = self.mount(NewFiber::bare(label.into(), FiberKind::Scope), Some(key), &mut agenda)?;
        agenda.drain(self.shared());
        Ok(Scope { ctx: fiber.ctx(), fiber, key })
    }

    /// Whose the scope of a key is, for whoever has the key alone: its fiber, whose state says whether the scope is still open;
    /// `None` once it is gone. It gives no right to register there.
    ///
    /// ```
    /// # use dsh_kernel::{FiberState, Kernel};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let kernel = Kernel::new();
    /// let scope = kernel.root().scope("reviewer")?;
    /// let key = scope.key();
    /// assert_eq!(kernel.root().scope_owner(key).map(|owner| owner.state()), Some(FiberState::Active));
    /// scope.dispose().await?;
    /// assert!(kernel.root().scope_owner(key).is_none());
    /// # Ok::<(), dsh_kernel::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn scope_owner(&self, key: ScopeKey) -> Option<Owner> {
        let world = self.shared().world.lock();
        let fiber = world.scopes.get(&key).and_then(|fiber| world.fibers.get(*fiber))?;
        Some(fiber.core.owner())
    }
}
