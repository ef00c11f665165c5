//! The handle: sessions as one context sees them.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Context, Disposer, Handle, Owner};

use crate::error::Error;
use crate::event::Opened;
use crate::id::SessionId;
use crate::registry::SessionRegistry;
use crate::session::Session;
use crate::store::{Listed, Log};

/// `ctx.sessions()`, on every [`Context`].
pub trait SessionsExt {
    /// The sessions as this context sees them. Making the handle never fails; its methods do, where the service is not in reach.
    fn sessions(&self) -> SessionsHandle;
}

impl SessionsExt for Context {
    fn sessions(&self) -> SessionsHandle {
        SessionsHandle { registry: self.get() }
    }
}

/// The sessions as one context sees them.
///
/// All methods fail with the kernel's own errors where the service is not in reach: `kernel::undeclared_service`,
/// `kernel::missing_service`, `kernel::inactive`. They may wait for a disk.
#[derive(Clone)]
pub struct SessionsHandle {
    registry: Handle<SessionRegistry>,
}

impl SessionsHandle {
    /// Makes a session.
    ///
    /// # Errors
    ///
    /// `session::exists`, `session::io`.
    pub fn create(&self, opened: Opened) -> Result<Session, Error> {
        let registry = self.registry.resolve()?;
        Session::create_at(&*registry.store, opened, registry.clock.clone())
    }

    /// Opens a session for writing. Where its end was torn, the log says so from now on; see [`Session::damage`].
    ///
    /// # Errors
    ///
    /// `session::locked`; those of [`read`](Self::read).
    pub fn open(&self, id: &SessionId) -> Result<Session, Error> {
        let registry = self.registry.resolve()?;
        Session::open_at(&*registry.store, id, registry.clock.clone())
    }

    /// Makes the session `new` of another's turns up to `turn`, which has ended; of none where it is 0. Somebody may be writing to
    /// the other one.
    ///
    /// # Errors
    ///
    /// `session::turn_not_ended`; those of [`read`](Self::read) and [`create`](Self::create).
    pub fn fork(&self, source: &SessionId, turn: u32, new: SessionId) -> Result<Session, Error> {
        self.fork_as(source, turn, Opened::new(new))
    }

    /// As [`fork`](Self::fork), for another agent or another working folder: the header has the name and the parent that this one has, and
    /// its `agent`, `model` and `cwd` where it has them; otherwise they are the source's.
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// # use dsh_session::{MemoryStore, Opened, SessionId, Sessions, SessionsExt};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let kernel = Kernel::new();
    /// # kernel.root().plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
    /// let sessions = kernel.root().sessions();
    /// let (source, new) = (SessionId::new(0, 1), SessionId::new(0, 2));
    /// drop(sessions.create(Opened::new(source.clone()).agent("main").cwd("/srv/shop"))?);
    /// let fork = sessions.fork_as(&source, 0, Opened::new(new).cwd("/srv/harbour"))?;
    /// assert_eq!((&*fork.opened().agent, fork.opened().cwd.as_deref()), ("main", Some("/srv/harbour")));
    /// # Ok::<(), dsh_kernel::Failure>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    pub fn fork_as(&self, source: &SessionId, turn: u32, new: Opened) -> Result<Session, Error> {
        let registry = self.registry.resolve()?;
        Session::fork_at(&*registry.store, source, turn, new, registry.clock.clone())
    }

    /// The sessions that there are, in the order of their names, which is that of their birth where nobody chose the names.
    ///
    /// # Errors
    ///
    /// `session::io`.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        self.registry.resolve()?.store.list()
    }

    /// Reads a session, which somebody may be writing to.
    ///
    /// # Errors
    ///
    /// `session::not_found`, `session::corrupt`, `session::newer_version`, `session::unknown_event`, `session::not_a_file`.
    pub fn read(&self, id: &SessionId) -> Result<Log, Error> {
        self.registry.resolve()?.store.read(id)
    }

    /// Removes a session.
    ///
    /// # Errors
    ///
    /// `session::not_found`; `session::locked` where somebody writes to it.
    pub fn remove(&self, id: &SessionId) -> Result<(), Error> {
        self.registry.resolve()?.store.remove(id)
    }

    /// Makes the context's owner the owner of the session, until the effect ends: then the session takes no more events, is flushed a last
    /// time, and is given back to its store (A2).
    ///
    /// # Errors
    ///
    /// `session::already_entered`, naming who was first; `session::detached`; `kernel::inactive` (K8).
    pub fn enter(&self, session: &Session) -> Result<Disposer, Error> {
        self.registry.resolve()?.enter(self.registry.ctx(), session)
    }

    /// The sessions that have been entered, in the order of their names, each with its owner.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn entered(&self) -> Result<Vec<(SessionId, Owner)>, Error> {
        Ok(Arc::clone(&self.registry.resolve()?).entered())
    }
}

impl fmt::Debug for SessionsHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionsHandle({:?})", self.registry.ctx())
    }
}
