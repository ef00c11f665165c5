//! What listeners may decide.

use dsh_llm::Message;

/// What becomes of a message that is to begin a turn: what goes through the listeners of
/// [`AgentPromptSubmit`](crate::AgentPromptSubmit).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptDecision {
    /// The model gets this.
    Submit(Message),
    /// The model gets nothing: the turn ends, refused.
    #[non_exhaustive]
    Block {
        /// For whoever sent it.
        reason: String,
    },
}

impl PromptDecision {
    /// Refuses the message.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block { reason: reason.into() }
    }
}

/// What a listener of [`AgentPreStep`](crate::AgentPreStep) answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PreStepDecision {
    /// The conversation is another one now: the session was compacted.
    Compacted,
    /// The turn ends before the model is asked.
    #[non_exhaustive]
    EndTurn {
        /// For the log, and whoever reads it.
        reason: String,
    },
}

impl PreStepDecision {
    /// Ends the turn.
    pub fn end_turn(reason: impl Into<String>) -> Self {
        Self::EndTurn { reason: reason.into() }
    }
}

/// What a listener of [`AgentStepResult`](crate::AgentStepResult) answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepDecision {
    /// The turn ends here: calls of the answer are not run.
    #[non_exhaustive]
    EndTurn {
        /// For the log, and whoever reads it.
        reason: String,
    },
    /// The turn goes on with one more step, in which the model reads this, after the results of the answer's calls.
    #[non_exhaustive]
    Continue {
        /// What it reads.
        message: Message,
    },
}

impl StepDecision {
    /// Ends the turn.
    pub fn end_turn(reason: impl Into<String>) -> Self {
        Self::EndTurn { reason: reason.into() }
    }

    /// Goes on with one more step.
    pub fn go_on(message: Message) -> Self {
        Self::Continue { message }
    }
}

/// What a listener of [`AgentTurnContinuation`](crate::AgentTurnContinuation) answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Continuation {
    /// The turn goes on with one more step, in which the model reads this.
    Continue(Message),
}
