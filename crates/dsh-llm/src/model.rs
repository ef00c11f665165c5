//! The one trait of models, and what streams out of one (A6).

mod answer;
mod error;

use std::pin::Pin;

use futures_core::Stream;
use serde::{Deserialize, Serialize};

use crate::message::{StopReason, Usage};
use crate::request::ModelRequest;

pub use answer::Answer;
pub use error::{ModelError, ModelErrorKind};

/// A language model: it is asked, and its answer streams.
///
/// ```
/// use dsh_llm::{Message, Model, ModelEvent, ModelRequest, ModelStream, StopReason};
///
/// struct Parrot;
///
/// impl Model for Parrot {
///     fn name(&self) -> &str {
///         "parrot"
///     }
///
///     fn stream(&self, request: ModelRequest) -> ModelStream {
///         let last = request.messages.last().and_then(|message| message.content.first()?.as_text());
///         let words = ModelEvent::Text(last.unwrap_or("…").to_owned());
///         let events = [Ok(words), Ok(ModelEvent::Stop(StopReason::EndTurn))];
///         Box::pin(futures_util::stream::iter(events))
///     }
/// }
///
/// # use futures_util::StreamExt;
/// # futures_util::future::FutureExt::now_or_never(async {
/// let mut stream = Parrot.stream(ModelRequest::new("parrot", [Message::user("Hello")]));
/// assert_eq!(stream.next().await.unwrap().unwrap(), ModelEvent::Text("Hello".into()));
/// # }).unwrap();
/// ```
pub trait Model: Send + Sync + 'static {
    /// The model's name, as its provider knows it: what `{{model}}` says, and what a request asks for.
    fn name(&self) -> &str;

    /// Asks. Nothing needs to happen before the stream is polled; dropping the stream cancels the request.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

/// A model's answer as it comes: events until [`ModelEvent::Stop`], or an error, after which nothing comes. A stream that ends
/// without either has broken off.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A piece of a model's answer. In JSON an object whose `type` is the variant in `snake_case`.
///
/// Calls of one answer are told apart by their `index`, since several may be written at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelEvent {
    /// More text.
    Text(String),
    /// More of what the model thinks before it answers.
    Reasoning(String),
    /// The provider's proof of the reasoning so far, which ends that block.
    ReasoningSignature(String),
    /// A tool call begins.
    ToolCallStart {
        /// Which call of the answer, in the order of their beginnings.
        index: usize,
        /// What its result will refer to.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments.
    ToolCallArguments {
        /// Which call.
        index: usize,
        /// More JSON text.
        text: String,
    },
    /// A call's arguments are complete. A call without this was cut off, and is not run.
    ToolCallEnd {
        /// Which call.
        index: usize,
    },
    /// What the request cost so far; a later one replaces it.
    Usage(Usage),
    /// The answer is complete.
    Stop(StopReason),
}
