//! What comes into a conversation beside the model's answers.

use dsh_llm::Message;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::session::place;

/// Somebody said something to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// Which way it came.
    pub via: Via,
    /// What was said.
    pub message: Message,
}

impl Input {
    /// A message and the way that it came.
    pub fn new(message: Message, via: Via) -> Self {
        Self { via, message }
    }

    /// Whether a session would take a message that somebody says: it has no tool call and no tool result in it.
    ///
    /// # Errors
    ///
    /// `session::invalid_message`.
    pub fn check(message: &Message) -> Result<(), Error> {
        place::check_said("input", message)
    }
}

/// Which way an input came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Via {
    /// It began the turn.
    Prompt,
    /// It was said while the turn ran.
    Steer,
    /// The host put it in, and began no turn for it.
    Inject,
    /// A way that only a later version knows.
    #[serde(other)]
    Other,
}

/// Something other than an input and an answer comes into the conversation: what a listener adds to a tool's result, or says so that
/// the turn goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attached {
    /// What it says. While calls are open it comes after their results.
    pub message: Message,
}

impl Attached {
    /// This message.
    pub fn new(message: Message) -> Self {
        Self { message }
    }
}
