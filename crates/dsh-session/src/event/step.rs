//! A step: a model is asked, and answers or does not.

use dsh_llm::{Answer, Message, ModelRequest, StopReason, ToolCall, Usage};
use serde::{Deserialize, Serialize};

use crate::hash::Digest;

/// A model is asked. With the records before it, this is the whole request, to the byte: see [`requests`](crate::requests).
///
/// [`Session::append_request`](crate::Session::append_request) makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// Which step of the turn, from 1.
    pub step: u32,
    /// The model.
    pub model: String,
    /// The hash of the [`Prompt`](crate::Prompt) with the system prompt and the tools.
    pub prompt: Digest,
    /// The messages.
    pub messages: RequestMessages,
    /// The most tokens that the answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// The BLAKE3 of all of it (see `docs/session-format.md`), so that a rebuilt one proves itself.
    pub digest: Digest,
}

impl Request {
    /// The BLAKE3 of a request: of a head with its model, its prompt and how many messages it has, and of the digest of each message.
    /// So a step hashes what is new in it, not the whole conversation.
    pub(crate) fn digest_of(request: &ModelRequest, prompt: Digest, messages: &[Digest]) -> Digest {
        #[derive(Serialize)]
        struct Head<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            max_output_tokens: Option<u64>,
            messages: usize,
            model: &'a str,
            prompt: Digest,
        }
        let head = Head {
            max_output_tokens: request.max_output_tokens,
            messages: messages.len(),
            model: &request.model,
            prompt,
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.reserve(messages.len() * 32);
        bytes.extend(messages.iter().flat_map(Digest::as_bytes));
        Digest::of(&bytes)
    }

    /// A request of derived messages.
    pub fn new(step: u32, model: impl Into<String>, prompt: Digest, digest: Digest) -> Self {
        let model = model.into();
        Self { step, model, prompt, messages: RequestMessages::Derived, max_output_tokens: None, digest }
    }

    /// The messages, where a listener changed them.
    #[must_use]
    pub fn edited(mut self, messages: Vec<Message>) -> Self {
        self.messages = RequestMessages::Edited(messages);
        self
    }

    /// What the records up to and including that of this `seq` make, and then these.
    #[must_use]
    pub fn through(mut self, seq: u64, then: Vec<Message>) -> Self {
        self.messages = RequestMessages::Through { seq, then };
        self
    }

    /// The most tokens that the answer may have.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: Option<u64>) -> Self {
        self.max_output_tokens = tokens;
        self
    }
}

/// The messages of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RequestMessages {
    /// What [`derive`](fn@crate::derive) makes of the records before it.
    Derived,
    /// These, since a listener changed the request.
    Edited(Vec<Message>),
    /// A summary is asked for: what the records up to a place make, and then these. The conversation goes on as if it had not been
    /// asked.
    #[non_exhaustive]
    Through {
        /// The `seq` of the last of those records.
        seq: u64,
        /// What is asked.
        then: Vec<Message>,
    },
}

/// The model has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answered {
    /// Which step of the turn.
    pub step: u32,
    /// The answer.
    pub message: Message,
    /// What it cost, where the provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Calls whose arguments were cut off: none of them is run, and none stands in what is derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut_calls: Vec<ToolCall>,
}

impl Answered {
    /// An answer.
    pub fn new(step: u32, message: Message) -> Self {
        Self { step, message, usage: None, stop: None, cut_calls: Vec::new() }
    }

    /// What a model's events came to.
    ///
    /// ```
    /// use dsh_llm::{Answer, Message, ModelEvent, StopReason};
    /// use dsh_session::Answered;
    ///
    /// let mut answer = Answer::new();
    /// answer.push(ModelEvent::Text("Hello".to_owned()));
    /// answer.push(ModelEvent::Stop(StopReason::EndTurn));
    /// assert_eq!(Answered::of(1, &answer).stop, Some(StopReason::EndTurn));
    /// ```
    pub fn of(step: u32, answer: &Answer) -> Self {
        let cut = answer.cut_calls().cloned();
        Self::new(step, answer.message()).usage(answer.usage()).stop(answer.stop()).cut_calls(cut)
    }

    /// What it cost.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<Option<Usage>>) -> Self {
        self.usage = usage.into();
        self
    }

    /// Why it ended.
    #[must_use]
    pub fn stop(mut self, stop: impl Into<Option<StopReason>>) -> Self {
        self.stop = stop.into();
        self
    }

    /// Calls whose arguments were cut off.
    #[must_use]
    pub fn cut_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.cut_calls = calls.into_iter().collect();
        self
    }
}

/// A step ended without an answer: the model failed, the stream broke, it was cancelled, or the prompt could not be put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepFailed {
    /// Which step of the turn.
    pub step: u32,
    /// The stable code of the error.
    pub code: String,
    /// Its text.
    pub message: String,
    /// What had arrived by then. Only its texts are derived, and only when the turn ends with it: a step that is tried again is asked
    /// the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Message>,
    /// What it cost nevertheless, as far as the provider had said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl StepFailed {
    /// A step failed, with the error's stable code and its text.
    pub fn new(step: u32, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { step, code: code.into(), message: message.into(), partial: None, usage: None }
    }

    /// What had arrived by then.
    #[must_use]
    pub fn partial(mut self, message: impl Into<Option<Message>>) -> Self {
        self.partial = message.into();
        self
    }

    /// What it cost nevertheless.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<Option<Usage>>) -> Self {
        self.usage = usage.into();
        self
    }
}
