//! Asking the host whether a call may run (T4).

use dsh_kernel::{BoxFuture, Owner, ScopeKey};
use dsh_llm::ToolCall;

/// The host's way to answer `ask`: a person at a terminal, a policy, a test.
///
/// It may be asked several things at once, since calls of one step run side by side; one that cannot puts them in a row itself.
/// The future is dropped when the call is cancelled or its deadline passes.
///
/// ```
/// use dsh_kernel::BoxFuture;
/// use dsh_tools::{Approval, ApprovalRequest, Approver};
///
/// struct OnlyReaders;
///
/// impl Approver for OnlyReaders {
///     fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Approval> {
///         let may = request.call.name.starts_with("read");
///         Box::pin(async move { if may { Approval::Allow } else { Approval::deny("only readers run here") } })
///     }
/// }
/// ```
pub trait Approver: Send + Sync + 'static {
    /// Decides on one call.
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Approval>;
}

/// What an [`Approver`] is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call as it would run: its arguments are checked.
    pub call: ToolCall,
    /// Whose tool it is.
    pub owner: Owner,
    /// The scope that it is for.
    pub scope: Option<ScopeKey>,
    /// Why it is asked, as the listener says that asks; empty where it says nothing.
    pub reason: String,
}

/// What an [`Approver`] answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// Run it.
    Allow,
    /// Do not run it.
    #[non_exhaustive]
    Deny {
        /// For the model; may be empty.
        reason: String,
    },
}

impl Approval {
    /// A denial with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}
