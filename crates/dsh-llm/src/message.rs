//! What a conversation consists of, independent of any provider.
//!
//! These are record types: they derive serde, and their JSON form is stable, since session logs are made of it. The system
//! prompt is no message; it stands beside them in a request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The person, or whoever speaks for them.
    User,
    /// The model.
    Assistant,
    /// The tools: the message holds the results of the calls in the assistant's message before it.
    Tool,
}

/// One message.
///
/// ```
/// use dsh_llm::{ContentBlock, Message, ToolCall, ToolResult};
///
/// let talk = [
///     Message::user("What does main.rs do?"),
///     Message::assistant([ContentBlock::ToolCall(ToolCall::new("c1", "read", r#"{"path":"main.rs"}"#))]),
///     Message::tool_results([ToolResult::new("c1", [ContentBlock::text("fn main() {}")])]),
/// ];
/// assert_eq!(
///     serde_json::to_string(&talk[0]).unwrap(),
///     r#"{"role":"user","content":[{"type":"text","text":"What does main.rs do?"}]}"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What it says, in order. It is shared: a copy of a message copies no text, so that a conversation costs each step little.
    pub content: Arc<[ContentBlock]>,
}

impl Message {
    /// A message of any role and content.
    pub fn new(role: Role, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { role, content: content.into_iter().collect() }
    }

    /// A user's message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, [ContentBlock::text(text)])
    }

    /// A model's message.
    pub fn assistant(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// The results of a step's tool calls, in the order of the calls.
    pub fn tool_results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self::new(Role::Tool, results.into_iter().map(ContentBlock::ToolResult))
    }

    /// The tool calls in it, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(ContentBlock::as_tool_call)
    }
}

/// A part of a message. In JSON an object whose `type` is the variant: `text`, `image`, `resource`, `reasoning`, `tool_call`,
/// `tool_result`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image(Image),
    /// Something that has an address, as MCP's resources.
    Resource(Resource),
    /// What a model thought before it answered.
    Reasoning(Reasoning),
    /// A model's wish to run a tool.
    ToolCall(ToolCall),
    /// What came of a tool call.
    ToolResult(ToolResult),
}

impl ContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, of a text block.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text { text } = self { Some(text) } else { None }
    }

    /// The call, of a tool call.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }
}

/// A picture, held in the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// Its media type, for example `image/png`.
    pub media_type: String,
    /// Its bytes in base64 (RFC 4648 with padding).
    pub data: String,
}

impl Image {
    /// A picture from its media type and its bytes in base64.
    pub fn new(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), data: data.into() }
    }
}

/// Something that has an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its media type, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// How much of it is here.
    pub body: ResourceBody,
}

impl Resource {
    /// A resource of an unknown media type; set `media_type` where it is known.
    pub fn new(uri: impl Into<String>, body: ResourceBody) -> Self {
        Self { uri: uri.into(), media_type: None, body }
    }
}

/// How much of a [`Resource`] a message holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceBody {
    /// Nothing but the address.
    Link,
    /// The whole, as text.
    Text(String),
    /// The whole, as bytes in base64 (RFC 4648 with padding).
    Data(String),
}

/// What a model thought before it answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// What can be read of it; empty where the provider shows nothing.
    pub text: String,
    /// The provider's opaque proof of it, to be handed back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Reasoning {
    /// Reasoning without a signature.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), signature: None }
    }

    /// Reasoning that carries its provider's signature.
    pub fn signed(text: impl Into<String>, signature: impl Into<String>) -> Self {
        Self { text: text.into(), signature: Some(signature.into()) }
    }
}

/// A model's wish to run a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// What its result refers to; unique within a conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: JSON text, if the model made no mistake. Kept as text so that a replayed request
    /// has the same bytes, and so that a mistake can be shown.
    pub arguments: String,
}

impl ToolCall {
    /// A call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The [`id`](ToolCall::id) of the call.
    pub call_id: String,
    /// What the model gets to see: text, pictures, resources.
    pub content: Vec<ContentBlock>,
    /// Whether the call failed, and the content says how.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// The result of a call that went well.
    pub fn new(call_id: impl Into<String>, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { call_id: call_id.into(), content: content.into_iter().collect(), is_error: false }
    }

    /// The result of a call that failed, with what the model should know of it.
    pub fn error(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { call_id: call_id.into(), content: vec![ContentBlock::text(text)], is_error: true }
    }
}

/// The tokens that one request cost, as the provider counted them. What it does not say is `None`, which is not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// All tokens of the request, those from or into a cache included.
    pub input_tokens: u64,
    /// All tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Of `input_tokens`: read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Of `input_tokens`: written into a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Of `output_tokens`: spent on reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl std::ops::AddAssign for Usage {
    /// The cost of both; what one of them does not tell is what the other one tells.
    fn add_assign(&mut self, more: Self) {
        let add = |sum: Option<u64>, more: Option<u64>| match (sum, more) {
            (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
            (only, None) | (None, only) => only,
        };
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cache_read_tokens = add(self.cache_read_tokens, more.cache_read_tokens);
        self.cache_write_tokens = add(self.cache_write_tokens, more.cache_write_tokens);
        self.reasoning_tokens = add(self.reasoning_tokens, more.reasoning_tokens);
    }
}

impl Usage {
    /// Usage of which only the two totals are known.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It had said all.
    EndTurn,
    /// It wants tools to be run.
    ToolCalls,
    /// The limit on the answer's tokens was reached: the answer is cut.
    MaxTokens,
    /// It wrote one of the request's stop sequences.
    StopSequence,
    /// The model or its provider refused to answer, or to go on.
    Refusal,
    /// Anything else, a reason of a later version included.
    #[serde(other)]
    Other,
}
