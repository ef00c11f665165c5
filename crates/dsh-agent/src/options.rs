//! What an agent is made with.

use std::fmt;

use dsh_kernel::{BoxFuture, Context, Failure, Name, Quiet};
use dsh_system_prompt::{AssembleContext, RunContext};

use crate::new_session::AgentSession;

/// The caller's part in making an agent.
pub(crate) type Setup = Quiet<Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<(), Failure>> + Send>>;
type Field = Quiet<Box<dyn FnOnce(AssembleContext) -> AssembleContext + Send>>;

/// What an agent is made with.
///
/// ```
/// use dsh_agent::{AgentOptions, NewSession};
/// use dsh_session::SessionId;
/// use dsh_system_prompt::{PromptSection, RunContext, SystemPromptExt};
///
/// let options = AgentOptions::new("reviewer")
///     .session(NewSession::new().named(SessionId::new(1_760_000_000_000, 7)))
///     .run(RunContext::new().cwd("/srv/shop"))
///     .setup(|ctx| async move {
///         // What is registered here is for this agent alone, and leaves with it.
///         ctx.system_prompt().section(PromptSection::new("deployment:persona", 0, "You review."))?;
///         Ok(())
///     });
/// # drop(options);
/// ```
#[must_use = "an agent is made by `ctx.agents().create(options)`"]
pub struct AgentOptions {
    pub(crate) name: Name,
    pub(crate) session: Option<AgentSession>,
    pub(crate) run: RunContext,
    pub(crate) setup: Option<Setup>,
    fields: Vec<Field>,
}

impl AgentOptions {
    /// An agent of this name: the label of its scope, and what its session is told of it.
    pub fn new(name: impl Into<Name>) -> Self {
        Self { name: name.into(), session: None, run: RunContext::new(), setup: None, fields: Vec::new() }
    }

    /// Its session: a [`NewSession`](crate::NewSession), or one that is open and that nobody has entered. Without this a new one. To go on with one of the
    /// store is [`resume`](crate::AgentsHandle::resume).
    pub fn session(mut self, session: impl Into<AgentSession>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// What its run knows of itself: the working folder. The model is what its driver says that it asks; one that is given here is told
    /// only where the factory of drivers says none.
    pub fn run(mut self, run: RunContext) -> Self {
        self.run = run;
        self
    }

    /// The caller's part in making it, called with the agent's own context when it is registered (A2). Where it fails, the agent is
    /// undone.
    pub fn setup<F>(mut self, setup: impl FnOnce(Context) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.setup = Some(Quiet::new(Box::new(|ctx| Box::pin(setup(ctx)))));
        self
    }

    /// A typed field, which everything that the agent assembles and runs finds by its type, and its driver too
    /// ([`Agent::get`](crate::Agent::get)).
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.fields.push(Quiet::new(Box::new(|cx| cx.with(value))));
        self
    }

    /// Puts the fields into a context.
    pub(crate) fn fill(&mut self, cx: AssembleContext) -> AssembleContext {
        self.fields.drain(..).fold(cx, |cx, field| field.into_inner()(cx))
    }
}

impl fmt::Debug for AgentOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentOptions")
            .field("name", &self.name)
            .field("session", &self.session)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
