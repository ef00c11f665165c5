//! A model that makes summaries.

use std::sync::Arc;

use dsh_agent::AgentPreStep;
use dsh_kernel::Failure;
use dsh_llm::{Answer, Message, Model, ModelRequest, StopReason, Usage};
use futures_util::StreamExt as _;

/// What a model is asked for.
const INSTRUCTION: &str = "Summarise the conversation so far for yourself: you will go on from the summary alone. Keep what was \
    asked, what was decided, what was found out and done (names, paths, numbers to the letter), and what is still to do.";
/// What stands before a summary where the model reads it.
const HEADING: &str = "Summary of the conversation so far:\n\n";

/// Asks a model for a summary.
pub(super) struct ModelSummariser {
    model: Arc<dyn Model>,
    name: Arc<str>,
}

impl ModelSummariser {
    pub(super) fn new(model: Arc<dyn Model>) -> Self {
        Self { name: model.name().into(), model }
    }

    /// What it is asked, to summarise these messages.
    pub(super) fn request(&self, mut messages: Vec<Message>) -> ModelRequest {
        messages.push(Message::user(INSTRUCTION));
        ModelRequest::new(Arc::clone(&self.name), messages)
    }

    /// Asks. What stands for a conversation from now on has to be whole: an answer that was cut off or refused is none.
    pub(super) fn summarise(
        &self,
        request: ModelRequest,
        mut spending: Spending<'_>,
    ) -> impl Future<Output = Result<(Message, Option<Usage>), Failure>> {
        let mut stream = self.model.stream(request);
        async move {
            let mut answer = Answer::new();
            while answer.stop().is_none()
                && let Some(piece) = stream.next().await
            {
                answer.push(piece?);
                // By a method, so that all of it is moved in here, and its end is that of the asking.
                spending.note(answer.usage());
            }
            match answer.stop() {
                Some(StopReason::EndTurn) => {}
                Some(other) => return Err(Failure::msg(format!("the model gave no whole summary ({other:?})"))),
                None => return Err(Failure::msg("the model gave no whole summary: its stream ended before it did")),
            }
            let text = answer.text();
            if text.trim().is_empty() {
                return Err(Failure::msg("the model gave an empty summary"));
            }
            Ok((Message::user(format!("{HEADING}{text}")), answer.usage()))
        }
    }
}

/// What a summary costs: charged to the turn when it has ended, however that is.
pub(super) struct Spending<'a> {
    pub(super) event: &'a AgentPreStep,
    pub(super) usage: Option<Usage>,
}

impl Spending<'_> {
    fn note(&mut self, usage: Option<Usage>) {
        self.usage = usage;
    }
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        if let Some(usage) = self.usage {
            self.event.charge(usage);
        }
    }
}
