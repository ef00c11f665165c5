//! A model that makes summaries.

use std::sync::Arc;

use dsh_agent::AgentPreStep;
use dsh_kernel::Failure;
use dsh_llm::{Answer, Message, Model, ModelRequest, StopReason, Usage};
use dsh_session::StepFailed;
use futures_util::StreamExt as _;

use super::contained;
use crate::code;

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
    pub(super) async fn summarise(
        &self,
        request: ModelRequest,
        asking: &mut Asking<'_>,
    ) -> Result<(Message, Option<Usage>), Failure> {
        let mut stream = self.model.stream(request);
        let mut answer = Answer::new();
        while answer.stop().is_none()
            && let Some(piece) = stream.next().await
        {
            answer.push(piece?);
            asking.usage = answer.usage();
        }
        Ok((Message::user(format!("{HEADING}{}", whole(&answer)?)), answer.usage()))
    }
}

/// The text of an answer that has come to its end.
fn whole(answer: &Answer) -> Result<String, Failure> {
    match answer.stop() {
        Some(StopReason::EndTurn) => {}
        Some(other) => return Err(Failure::msg(format!("the model gave no whole summary ({other:?})"))),
        None => return Err(Failure::msg("the model gave no whole summary: its stream ended before it did")),
    }
    let text = answer.text();
    if text.trim().is_empty() { Err(Failure::msg("the model gave an empty summary")) } else { Ok(text) }
}

/// The asking for a summary: what it costs is charged to the turn when it ends, however that is. Where it came to nothing, the log says so.
pub(super) struct Asking<'a> {
    event: &'a AgentPreStep,
    usage: Option<Usage>,
    problem: Option<String>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(event: &'a AgentPreStep) -> Self {
        Self { event, usage: None, problem: Some("the asking for a summary was broken off".to_owned()) }
    }

    pub(super) fn ends(mut self, problem: Option<String>) {
        self.problem = problem;
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Some(usage) = self.usage {
            self.event.charge(usage);
        }
        let Some(problem) = self.problem.take() else { return };
        let agent = &self.event.agent;
        let failed = StepFailed::new(self.event.step, code::NO_SUMMARY, problem).usage(self.usage);
        // By the context, since a store may panic, and this may be dropped for a panic.
        if let Err(failure) = contained(agent.ctx(), || agent.session().append(failed)) {
            let failure = agent.ctx().shown(&failure);
            tracing::warn!(agent = %agent.id(), failure, "what came of a summary could not be written");
        }
    }
}
