//! What the registry keeps of each registration: facts that anybody may keep, and the code that only the registry may call.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Context, Name, Owner, ScopeKey};
use dsh_llm::ToolSchema;
use dsh_system_prompt::PartLayer;
use foldhash::fast::RandomState;

use crate::check::Checker;
use crate::filter::ToolFilter;
use crate::tool::Run;

/// A registered tool.
pub(crate) struct ToolEntry {
    pub(crate) facts: Arc<ToolFacts>,
    /// The context that it was registered through: whose task a call is.
    pub(crate) ctx: Context,
    pub(crate) run: Run,
    pub(crate) checker: Checker,
}

/// What is known of a registered tool. It holds no code and no context, so it may be kept for as long as anybody likes.
#[derive(Debug)]
pub(crate) struct ToolFacts {
    pub(crate) name: Name,
    /// Of the task that a call is.
    pub(crate) label: Name,
    pub(crate) schema: ToolSchema,
    pub(crate) owner: Owner,
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) exclusive: bool,
    pub(crate) timeout: Option<Duration>,
}

impl ToolFacts {
    pub(crate) fn layer(&self) -> PartLayer {
        self.scope.into()
    }
}

/// A registered restriction.
pub(crate) struct Restriction {
    pub(crate) owner: Owner,
    allow: Option<Names>,
    deny: Names,
}

type Names = HashSet<Name, RandomState>;

impl Restriction {
    pub(crate) fn new(owner: Owner, filter: ToolFilter) -> Self {
        let ToolFilter { allow, deny } = filter;
        Self { owner, allow: allow.map(Names::from_iter), deny: deny.into_iter().collect() }
    }

    /// Whether it hides a tool of everybody's: deny wins (T2).
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.deny.contains(name) || self.allow.as_ref().is_some_and(|allow| !allow.contains(name))
    }
}
