//! What a turn may not have more of.

use std::time::Duration;

/// What one turn may not have more of. A turn that reaches a limit ends, and the log says which.
///
/// ```
/// use std::time::Duration;
/// use dsh_agent_loop::TurnLimits;
///
/// let limits = TurnLimits::new().steps(20).tokens(200_000).time(Duration::from_secs(600));
/// # drop(limits);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnLimits {
    pub(crate) steps: Option<u32>,
    pub(crate) tokens: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) same_calls: Option<u32>,
}

impl TurnLimits {
    /// 100 steps, and two identical calls in a row: the third ends the turn. No limit on tokens and time.
    pub fn new() -> Self {
        Self { steps: Some(100), tokens: None, time: None, same_calls: Some(3) }
    }

    /// How many steps; `None` for any number.
    #[must_use]
    pub fn steps(mut self, steps: impl Into<Option<u32>>) -> Self {
        self.steps = steps.into();
        self
    }

    /// How many tokens all its requests and answers may have together, as far as the provider counts them. It is looked at between
    /// steps: the step that goes over it is the last.
    #[must_use]
    pub fn tokens(mut self, tokens: impl Into<Option<u64>>) -> Self {
        self.tokens = tokens.into();
        self
    }

    /// How long it may take, on the kernel's clock. What is under way then is cancelled.
    #[must_use]
    pub fn time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Which identical call in a row (same tool, same arguments) ends the turn, and is not run; at least the second.
    #[must_use]
    pub fn same_calls(mut self, calls: impl Into<Option<u32>>) -> Self {
        self.same_calls = calls.into().map(|calls| calls.max(2));
        self
    }
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self::new()
    }
}
