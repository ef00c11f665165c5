//! Plugins whose name is known only at run time.

use std::sync::Arc;

use dsh_harness::agent::AgentRegistry;
use dsh_harness::kernel::{BoxFuture, Context, DynPlugin, Failure, Name, Service as _};
use dsh_harness::prompt::PromptRegistry;
use dsh_harness::session::SessionRegistry;
use dsh_harness::tools::ToolRegistry;

/// May use everything, and registers what its start says.
pub(crate) struct Part<S>(pub(crate) &'static str, pub(crate) S);

/// May use everything, and registers nothing by itself.
pub(crate) struct Bare(pub(crate) &'static str);

fn everything() -> Vec<Name> {
    [PromptRegistry::NAME, ToolRegistry::NAME, SessionRegistry::NAME, AgentRegistry::NAME].map(Name::fixed).into()
}

impl<S: Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static> DynPlugin for Part<S> {
    fn name(&self) -> Name {
        Name::fixed(self.0)
    }

    fn inject(&self) -> Vec<Name> {
        everything()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { (self.1)(&ctx) })
    }
}

impl DynPlugin for Bare {
    fn name(&self) -> Name {
        Name::fixed(self.0)
    }

    fn inject(&self) -> Vec<Name> {
        everything()
    }

    fn start(self: Arc<Self>, _ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}
