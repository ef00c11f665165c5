//! How long a message is, about.

use dsh_llm::{ContentBlock, Message, ResourceBody};

/// What is taken for a token: an estimate that is never far off for prose, code and JSON in Latin letters.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// What a message costs beside its content.
const PER_BLOCK: usize = 16;

pub(super) fn size_of(message: &Message) -> usize {
    message.content.iter().map(block).sum::<usize>().saturating_add(PER_BLOCK)
}

fn block(block: &ContentBlock) -> usize {
    let content = match block {
        ContentBlock::Text { text, .. } => text.len(),
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Resource(resource) => resource.uri.len().saturating_add(body(&resource.body)),
        ContentBlock::Reasoning(reasoning) => {
            reasoning.text.len() + reasoning.signature.as_ref().map_or(0, String::len)
        }
        ContentBlock::ToolCall(call) => call.id.len() + call.name.len() + call.arguments.len(),
        ContentBlock::ToolResult(result) => {
            result.call_id.len() + result.content.iter().map(self::block).sum::<usize>()
        }
        _ => 0,
    };
    content.saturating_add(PER_BLOCK)
}

fn body(body: &ResourceBody) -> usize {
    if let ResourceBody::Text(text) | ResourceBody::Data(text) = body { text.len() } else { 0 }
}
