//! The plugin that provides the registry of agents.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Context, Failure, Name, Plugin, Service};
use dsh_session::{SessionId, SessionRegistry};

use crate::error::{Error, ErrorKind};
use crate::registry::AgentRegistry;

/// Makes names of sessions.
#[derive(Clone)]
pub(crate) struct IdSource {
    ctx: Option<Context>,
    make: Arc<dyn Fn() -> SessionId + Send + Sync>,
}

impl IdSource {
    pub(crate) fn next(&self) -> Result<SessionId, Error> {
        let Some(ctx) = &self.ctx else { return Ok((self.make)()) };
        ctx.call(|| (self.make)()).map_err(|failure| {
            Error::new(ErrorKind::NoSessionId, "the source of session names failed").with_failure(failure)
        })
    }
}

/// The plugin `agents`: provides an [`AgentRegistry`]. What drives agents comes from another plugin, such as that of
/// `dsh-agent-loop`.
#[derive(Clone, Default)]
pub struct Agents {
    ids: Option<IdSource>,
}

impl Agents {
    /// The plugin; each agent's options have to say what its session is called.
    pub fn new() -> Self {
        Self::default()
    }

    /// The plugin's own source of names for new sessions. This crate reads no clock and has no chance: the host passes both in.
    ///
    /// ```
    /// use dsh_agent::Agents;
    /// use dsh_session::SessionId;
    /// # fn now_ms() -> u64 { 0 }
    /// # fn random() -> u128 { 0 }
    ///
    /// let agents = Agents::new().ids(|| SessionId::new(now_ms(), random()));
    /// # drop(agents);
    /// ```
    #[must_use]
    pub fn ids(mut self, make: impl Fn() -> SessionId + Send + Sync + 'static) -> Self {
        self.ids = Some(IdSource { ctx: None, make: Arc::new(make) });
        self
    }
}

impl Plugin for Agents {
    const NAME: &'static str = "agents";
    type Inject = (SessionRegistry,);

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(AgentRegistry::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let ids = self.ids.clone().map(|ids| IdSource { ctx: Some(ctx.clone()), ..ids });
        ctx.provide(AgentRegistry::new(ctx.clone(), ids))?;
        Ok(())
    }
}

impl fmt::Debug for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agents").field("ids", &self.ids.is_some()).finish()
    }
}
