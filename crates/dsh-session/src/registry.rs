//! The service: a store, a clock, and which sessions have been entered by whom.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_kernel::{Context, Disposer, Failure, Method, Name, Owner, Service};

use crate::error::Error;
use crate::id::SessionId;
use crate::session::{Session, WallClock};
use crate::store::SessionStore;

/// The service `sessions`; used through [`SessionsHandle`](crate::SessionsHandle).
pub struct SessionRegistry {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Option<WallClock>,
    entered: Arc<Mutex<BTreeMap<SessionId, Owner>>>,
}

impl Service for SessionRegistry {
    const NAME: &'static str = "sessions";
    const DOC: &'static str = "The logs of what happens in each session, and the store that keeps them.";
    const METHODS: &'static [Method] = &[Method::new(
        "enter",
        "(session: &Session) -> Result<Disposer, Error>",
        "Makes the context's owner the session's; leaving it closes the log and flushes it a last time.",
    )];
}

impl SessionRegistry {
    pub(crate) fn new(store: Arc<dyn SessionStore>, clock: Option<WallClock>) -> Self {
        Self { store, clock, entered: Arc::default() }
    }

    pub(crate) fn entered(&self) -> Vec<(SessionId, Owner)> {
        lock(&self.entered).iter().map(|(id, owner)| (id.clone(), owner.clone())).collect()
    }

    /// As [`SessionsHandle::enter`](crate::SessionsHandle::enter), for a service that makes agents for others: the effect is one of `ctx`,
    /// whose owner need not inject the sessions.
    ///
    /// Undone, the session takes no more events, then is flushed and closed, then is no longer listed.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn enter(&self, ctx: &Context, session: &Session) -> Result<Disposer, Error> {
        let label = Name::from(format!("session {}", session.id()));
        let effect = ctx.effect(label, |fx| {
            let owner = ctx.owner();
            session.enter(&owner)?;
            let (entered, id) = (Arc::clone(&self.entered), session.id().clone());
            lock(&entered).insert(id.clone(), owner);
            fx.defer(move || drop(lock(&entered).remove(&id)));
            let (last, left) = (session.clone(), session.clone());
            fx.defer_async(move || async move {
                let flushed = last.flush().await;
                last.close();
                flushed.map_err(Failure::from)
            });
            fx.defer(move || left.detach());
            Ok(())
        });
        effect.map_err(Error::of_effect)
    }
}

fn lock(entered: &Mutex<BTreeMap<SessionId, Owner>>) -> MutexGuard<'_, BTreeMap<SessionId, Owner>> {
    entered.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for SessionRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionRegistry({} entered)", lock(&self.entered).len())
    }
}
