//! What a model is asked.

use std::fmt;
use std::sync::Arc;

use crate::json::push_string;
use crate::message::Message;
use crate::schema::ToolSchema;

/// One request to a model: what it is told, which tools it has, and the conversation so far.
///
/// It says nothing of a provider. The prompt's text and the tools are shared, so that a step copies neither.
///
/// ```
/// use dsh_llm::{Message, ModelRequest, NO_PARAMETERS, ToolSchema};
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let request = ModelRequest::new("model-1", [Message::user("Look.")])
///     .system("You look.")
///     .tools([ToolSchema::new("look", "Looks.", NO_PARAMETERS)?])
///     .max_output_tokens(100);
/// assert!(request.to_json().starts_with(r#"{"max_output_tokens":100,"messages":[{"role":"user","#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The model's name, as its provider knows it.
    pub model: Arc<str>,
    /// The system prompt; empty where there is none.
    pub system: Arc<str>,
    /// The tools that the model may call, in the order in which it is told of them.
    pub tools: Arc<[ToolSchema]>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// At most so many tokens in the answer; the provider's own limit where `None`.
    pub max_output_tokens: Option<u64>,
}

impl ModelRequest {
    /// A request without a system prompt, tools or a limit.
    pub fn new(model: impl Into<Arc<str>>, messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            model: model.into(),
            system: "".into(),
            tools: [].into(),
            messages: messages.into_iter().collect(),
            max_output_tokens: None,
        }
    }

    /// The same with a system prompt.
    #[must_use]
    pub fn system(self, system: impl Into<Arc<str>>) -> Self {
        Self { system: system.into(), ..self }
    }

    /// The same with tools.
    #[must_use]
    pub fn tools(self, tools: impl IntoIterator<Item = ToolSchema>) -> Self {
        Self { tools: tools.into_iter().collect(), ..self }
    }

    /// The same with a limit on the answer.
    #[must_use]
    pub fn max_output_tokens(self, tokens: u64) -> Self {
        Self { max_output_tokens: Some(tokens), ..self }
    }

    /// The request as JSON: keys in order, tools by their canonical bytes. Equal requests have equal bytes, so a request that is
    /// rebuilt from a log can be compared to the byte (A3).
    pub fn to_json(&self) -> String {
        let tools_len: usize = self.tools.iter().map(|tool| tool.json().len() + 1).sum();
        let mut json = String::with_capacity(self.system.len() + tools_len + 256 * self.messages.len() + 128);
        json.push('{');
        if let Some(tokens) = self.max_output_tokens {
            json.push_str("\"max_output_tokens\":");
            json.push_str(&tokens.to_string());
            json.push(',');
        }
        json.push_str("\"messages\":");
        // Records of strings and lists, which is what a message is made of, are never refused.
        json.push_str(&serde_json::to_string(&self.messages).unwrap_or_default());
        json.push_str(",\"model\":");
        push_string(&mut json, &self.model);
        json.push_str(",\"system\":");
        push_string(&mut json, &self.system);
        json.push_str(",\"tools\":[");
        for (index, tool) in self.tools.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(tool.json());
        }
        json.push_str("]}");
        json
    }
}

/// Shows sizes alone: prompts and messages may hold secrets.
impl fmt::Debug for ModelRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (system, tools, messages) = (self.system.len(), self.tools.len(), self.messages.len());
        write!(f, "ModelRequest({}, {system} bytes of prompt, {tools} tools, {messages} messages)", self.model)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ModelRequest;
    use crate::{Message, NO_PARAMETERS, ToolSchema};

    #[test]
    fn the_json_of_a_request_holds_all_of_it() {
        let tool = ToolSchema::new("look", "Looks \"around\".", NO_PARAMETERS).unwrap();
        let request =
            ModelRequest::new("m", [Message::user("a\u{2028}b")]).system("line\nline").tools([tool.clone(), tool]);
        let value: serde_json::Value = serde_json::from_str(&request.to_json()).unwrap();
        let tool = json!({"name": "look", "description": "Looks \"around\".", "parameters": {"properties": {}, "type": "object"}});
        let message = json!({"role": "user", "content": [{"type": "text", "text": "a\u{2028}b"}]});
        let whole = json!({"model": "m", "system": "line\nline", "tools": [tool, tool], "messages": [message]});
        assert_eq!(value, whole);
        assert_ne!(request.clone().max_output_tokens(1).to_json(), request.to_json());
    }
}
