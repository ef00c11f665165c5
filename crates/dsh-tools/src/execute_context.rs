//! What a call is made with: for whom, until when, and who is asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::{Cancel, Context, ScopeKey};
use dsh_llm::ToolSchema;
use dsh_system_prompt::AssembleContext;

use crate::approval::Approver;
use crate::observer::CallObserver;

/// What calls are made with (T4). The same one serves all calls of a step.
///
/// Made of an [`AssembleContext`], it has its scope and its typed fields, so that what a prompt was assembled for and what its
/// tools run for is one thing.
///
/// ```
/// use dsh_system_prompt::RunContext;
/// use dsh_tools::ExecuteContext;
/// use std::time::Duration;
///
/// let cx = ExecuteContext::new().timeout(Duration::from_secs(120)).with(RunContext::new().cwd("/srv/harbour"));
/// # drop(cx);
/// ```
#[derive(Clone, Default)]
pub struct ExecuteContext {
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) observer: Option<Arc<dyn CallObserver>>,
    pub(crate) offered: Option<Arc<[ToolSchema]>>,
    pub(crate) part_of: Option<Context>,
    pub(crate) fields: AssembleContext,
}

impl ExecuteContext {
    /// For nobody in particular: the global tools, no limit, nobody to ask.
    pub fn new() -> Self {
        Self::default()
    }

    /// For this scope: its own tools too, and only what its restrictions leave. When it is being disposed, or gone, its calls are
    /// refused (`tools::scope_closed`).
    #[must_use]
    pub fn scope(mut self, key: ScopeKey) -> Self {
        self.scope = Some(key);
        self
    }

    /// A token that ends the calls when it is fired.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// How long each tool may run; the time in which somebody is asked does not count. A tool's own limit holds too.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Until when everything is to be over, on the kernel's clock ([`Clock::now`](dsh_kernel::Clock::now)): the time in which
    /// somebody is asked counts too.
    #[must_use]
    pub fn deadline(mut self, at: Duration) -> Self {
        self.deadline = Some(at);
        self
    }

    /// Who decides where a listener of `tools/pre-execute` asks. Without one, asking is a denial.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Who is told of each call as it begins and ends.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn CallObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The tools that the model was told of, as they stand in its request: a call of another is refused, also of one that there is
    /// and that a listener has taken out of the prompt or of the request (T3).
    #[must_use]
    pub fn offered(mut self, tools: Arc<[ToolSchema]>) -> Self {
        self.offered = Some(tools);
        self
    }

    /// Whose work the calls are a part of, where that cannot end before they have: a tool that waits for the end of this context's
    /// owner is told at once that it would wait for itself (`kernel::reentrant`, K8).
    #[must_use]
    pub fn part_of(mut self, ctx: &Context) -> Self {
        self.part_of = Some(ctx.clone());
        self
    }

    /// Whether the model was told of this tool, where anybody says what it was told of.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.offered.as_ref().is_none_or(|offered| offered.iter().any(|tool| tool.name() == name))
    }

    /// A typed field, which the tools find by its type; one of that type that is there already is replaced.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.fields = self.fields.with(value);
        self
    }

    /// The scope that it is for.
    pub fn scope_key(&self) -> Option<ScopeKey> {
        self.scope
    }

    /// The field of that type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.fields.get()
    }
}

impl From<AssembleContext> for ExecuteContext {
    fn from(fields: AssembleContext) -> Self {
        Self { scope: fields.scope(), fields, ..Self::default() }
    }
}

impl From<ScopeKey> for ExecuteContext {
    fn from(key: ScopeKey) -> Self {
        Self::new().scope(key)
    }
}

impl fmt::Debug for ExecuteContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecuteContext")
            .field("scope", &self.scope)
            .field("cancel", &self.cancel)
            .field("timeout", &self.timeout)
            .field("deadline", &self.deadline)
            .field("approver", &self.approver.is_some())
            .field("observer", &self.observer.is_some())
            .field("offered", &self.offered.as_ref().map(|offered| offered.len()))
            .field("part_of", &self.part_of)
            .finish_non_exhaustive()
    }
}
