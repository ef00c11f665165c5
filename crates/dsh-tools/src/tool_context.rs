//! What a running tool knows of its call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Cancel, Name, ScopeKey};
use dsh_system_prompt::AssembleContext;

/// What a tool is told beside its arguments. A clone is a few reference counts.
#[derive(Clone)]
pub struct ToolContext {
    call: Arc<CallFacts>,
    cancel: Cancel,
    deadline: Option<Duration>,
}

/// What is the same for as long as a call goes on.
pub(crate) struct CallFacts {
    pub(crate) call_id: String,
    pub(crate) tool: Name,
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) fields: AssembleContext,
}

impl ToolContext {
    pub(crate) fn new(call: CallFacts, cancel: Cancel, deadline: Option<Duration>) -> Self {
        Self { call: Arc::new(call), cancel, deadline }
    }

    /// The id of the call.
    pub fn call_id(&self) -> &str {
        &self.call.call_id
    }

    /// The name that the tool was called by.
    pub fn tool(&self) -> &str {
        self.call.tool.as_str()
    }

    /// The scope that it was called for: an agent's, in a running agent.
    pub fn scope(&self) -> Option<ScopeKey> {
        self.call.scope
    }

    /// Fired when the caller gives up, the time is over, or the tool's plugin unloads. A tool that goes on is aborted after the
    /// kernel's grace (K14).
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Until when it may run, on the kernel's clock.
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// A field that the caller has added, by its type, such as [`RunContext`](dsh_system_prompt::RunContext) for the working folder.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.call.fields.get()
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.call.call_id)
            .field("tool", &self.call.tool)
            .field("scope", &self.call.scope)
            .finish_non_exhaustive()
    }
}
