//! What came of a call.

use std::fmt;

use dsh_kernel::Failure;
use dsh_llm::{Message, ToolResult};

/// What came of one call: always a result that the model can read (T4).
#[non_exhaustive]
pub struct Executed {
    /// For the model, of bounded size.
    pub result: ToolResult,
    /// Of an error result, what kind it is of: `tools::unknown_tool` and so on, see [`code`](crate::code).
    pub code: Option<&'static str>,
    /// What listeners of `tools/post-execute` attached: messages for the model after the results of the step, of bounded size.
    pub attached: Vec<Message>,
    /// A listener asked, and there was nobody to answer: the host may want to say so (exit status 4 of `dsh run`).
    pub denied_for_want_of_approver: bool,
    /// Whether the tool's code was begun: then it may have done something, and must not be run again for the same call.
    pub began: bool,
    failure: Option<Failure>,
}

impl Executed {
    pub(crate) fn new(result: ToolResult) -> Self {
        Self {
            result,
            code: None,
            attached: Vec::new(),
            denied_for_want_of_approver: false,
            began: false,
            failure: None,
        }
    }

    pub(crate) fn error(call_id: &str, code: &'static str, text: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(ToolResult::error(call_id, text)) }
    }

    /// The tool's code was begun.
    pub(crate) fn begun(mut self) -> Self {
        self.began = true;
        self
    }

    pub(crate) fn with_failure(mut self, failure: Failure) -> Self {
        self.failure = Some(failure);
        self
    }

    /// The very failure, where it is one for the host: of the tool, of a listener, of an approver.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }
}

impl fmt::Debug for Executed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executed")
            .field("result", &self.result)
            .field("code", &self.code)
            .field("attached", &self.attached)
            .field("denied_for_want_of_approver", &self.denied_for_want_of_approver)
            .field("began", &self.began)
            .field("failure", &self.failure)
            .finish()
    }
}
