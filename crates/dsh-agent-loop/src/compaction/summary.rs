//! A model that makes summaries.

use std::sync::Arc;

use dsh_kernel::{BoxFuture, Failure};
use dsh_llm::{Answer, ContentBlock, Message, Model, ModelRequest};
use futures_util::StreamExt as _;

use super::Summariser;

/// What a model is asked for.
const INSTRUCTION: &str = "Summarise the conversation so far for yourself: you will go on from the summary alone. Keep what was \
    asked, what was decided, what was found out and done (names, paths, numbers to the letter), and what is still to do.";
/// What stands before a summary where the model reads it.
const HEADING: &str = "Summary of the conversation so far:\n\n";

/// Asks a model for a summary.
pub(crate) struct ModelSummariser {
    model: Arc<dyn Model>,
    name: Arc<str>,
}

impl ModelSummariser {
    pub(crate) fn new(model: Arc<dyn Model>) -> Self {
        Self { name: model.name().into(), model }
    }
}

impl Summariser for ModelSummariser {
    fn summarise(&self, mut messages: Vec<Message>) -> BoxFuture<'static, Result<Message, Failure>> {
        messages.push(Message::user(INSTRUCTION));
        let request = ModelRequest::new(Arc::clone(&self.name), messages);
        let mut stream = self.model.stream(request);
        Box::pin(async move {
            let mut answer = Answer::new();
            while answer.stop().is_none()
                && let Some(piece) = stream.next().await
            {
                answer.push(piece?);
            }
            let text = answer.text();
            if answer.stop().is_none() || text.trim().is_empty() {
                return Err(Failure::msg("the model gave no whole summary"));
            }
            Ok(Message::new(dsh_llm::Role::User, [ContentBlock::text(format!("{HEADING}{text}"))]))
        })
    }
}
