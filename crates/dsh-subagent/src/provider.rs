//! Who runs subagents.

use std::fmt;

use dsh_kernel::{BoxFuture, Failure, Name, Owner};

use crate::capability::Capabilities;
use crate::job::SubagentJob;
use crate::result::SubagentResult;

/// Runs subagents: in this process, or wherever it likes. The shipped ones are [`Spawn`](crate::Spawn) and [`Fork`](crate::Fork).
///
/// It is called as code of whoever registered it. A panic in it is contained; where it never ends, a cancel, a limit or a disposal
/// drops its future.
///
/// ```
/// use dsh_kernel::{BoxFuture, Failure};
/// use dsh_subagent::{Capabilities, SubagentJob, SubagentProvider, SubagentResult};
///
/// struct Parrot;
///
/// impl SubagentProvider for Parrot {
///     fn name(&self) -> &str {
///         "parrot"
///     }
///
///     fn description(&self) -> &str {
///         "says what it is told"
///     }
///
///     fn capabilities(&self) -> Capabilities {
///         Capabilities::none()
///     }
///
///     fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
///         let said = job.prompt().content.iter().filter_map(|block| block.as_text()).collect::<String>();
///         Box::pin(async move { Ok(SubagentResult::completed(said)) })
///     }
/// }
/// # drop(Parrot);
/// ```
pub trait SubagentProvider: Send + Sync + 'static {
    /// Its name, which requests go by. Asked for once, at its registration.
    fn name(&self) -> &str;

    /// What it is good for, for a model that chooses; on one line. Asked for once.
    #[expect(clippy::unnecessary_literal_bound, reason = "what overrides it need not be a literal")]
    fn description(&self) -> &str {
        ""
    }

    /// What a request may ask of it. Asked for once; a request that asks for more is refused before it gets here (G1).
    fn capabilities(&self) -> Capabilities;

    /// Runs one request to its end. What it makes through the [`SubagentJob`] goes when the future ends or is dropped.
    ///
    /// # Errors
    ///
    /// Any: the run has failed then, with the error's code where it is one of dsh's.
    fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>>;
}

/// What is known of a registered provider. It keeps no code of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderInfo {
    /// Its name.
    pub name: Name,
    /// What it is good for.
    pub description: Box<str>,
    /// What a request may ask of it.
    pub capabilities: Capabilities,
    /// Whose it is.
    pub owner: Owner,
}

impl fmt::Display for ProviderInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_str())?;
        if self.description.is_empty() { Ok(()) } else { write!(f, ": {}", self.description) }
    }
}
