//! The plugin that provides the sessions of one store.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Context, Failure, Name, Plugin, Service};

use crate::registry::SessionRegistry;
use crate::session::WallClock;
use crate::store::SessionStore;

/// The plugin `sessions`: provides the sessions of one store.
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_session::{MemoryStore, Opened, SessionId, Sessions, SessionsExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(Sessions::new(MemoryStore::new()).clock(|| 1_760_000_000_000))?.ready().await?;
///
/// let session = root.sessions().create(Opened::new(SessionId::new(1_760_000_000_000, 7)).agent("main"))?;
/// let entered = root.sessions().enter(&session)?;
/// assert_eq!(root.sessions().entered()?.len(), 1);
/// entered.dispose().await?; // flushed, and given back to the store
/// assert!(session.is_detached());
/// # Ok::<(), dsh_kernel::Failure>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Sessions {
    store: Arc<dyn SessionStore>,
    clock: Option<WallClock>,
}

impl Sessions {
    /// The plugin, over this store.
    pub fn new(store: impl SessionStore) -> Self {
        Self { store: Arc::new(store), clock: None }
    }

    /// The wall clock that records are dated by: milliseconds since the Unix epoch. Without one they have no date.
    #[must_use]
    pub fn clock(mut self, millis: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(millis));
        self
    }
}

impl Plugin for Sessions {
    const NAME: &'static str = "sessions";
    type Inject = ();

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(SessionRegistry::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.provide(SessionRegistry::new(Arc::clone(&self.store), self.clock.clone()))?;
        Ok(())
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions")
    }
}
