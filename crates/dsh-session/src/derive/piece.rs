//! What one record adds to the conversation.

use std::borrow::Borrow;
use std::cell::OnceCell;

use dsh_llm::{ContentBlock, Message, ToolCall, ToolResult};

use crate::event::{Answered, Compacted, SessionEvent, StepFailed};
use crate::hash::Digest;
use crate::record::Record;

/// What a model reads of a call that was interrupted when it had begun.
const MAY_HAVE_RUN: &str = "Interrupted: the call had begun and its result is lost. It may have done all of its work, or a part; \
     look before you run it again.";
/// What a model reads of a call that was interrupted before it began.
const NOT_RUN: &str = "Interrupted: the call was not run.";

/// The error result of a call that has no other.
pub(crate) fn interrupted(call_id: &str, may_have_run: bool) -> ToolResult {
    ToolResult::error(call_id, if may_have_run { MAY_HAVE_RUN } else { NOT_RUN })
}

/// A message, with its digest once that has been asked for.
pub(super) struct Part {
    message: Message,
    digest: OnceCell<Digest>,
}

impl Part {
    fn new(message: Message) -> Self {
        Self { message, digest: OnceCell::new() }
    }

    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    pub(super) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of_message(&self.message))
    }
}

/// What one record adds: its message, and the results of the calls in it.
pub(super) struct Piece<R> {
    record: R,
    message: Option<Part>,
    /// One for each call of an answer that was not cut off.
    calls: Vec<CallState<R>>,
    /// The results as they stand: made when they are asked for, and anew when a call has begun or ended since.
    results: OnceCell<Part>,
}

pub(super) struct CallState<R> {
    pub(super) started: bool,
    ended: Option<R>,
}

impl<R> CallState<R> {
    pub(super) fn is_open(&self) -> bool {
        self.ended.is_none()
    }
}

impl<R: Borrow<Record>> Piece<R> {
    pub(super) fn new(record: R) -> Self {
        let event = &record.borrow().event;
        let message = said(event).map(Part::new);
        let calls = answered(event).into_iter().flat_map(calls_of).map(|_| CallState { started: false, ended: None });
        Self { message, calls: calls.collect(), results: OnceCell::new(), record }
    }

    pub(super) fn record(&self) -> &Record {
        self.record.borrow()
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = (&ToolCall, &CallState<R>)> {
        answered(&self.record().event).into_iter().flat_map(calls_of).zip(&self.calls)
    }

    /// A call of this id begins.
    pub(super) fn start(&mut self, id: &str) {
        if let Some(call) = self.call(id, |call| !call.started) {
            call.started = true;
        }
    }

    /// A call of this id has its result: of two, the one that has begun.
    pub(super) fn end(&mut self, id: &str, ended: R) {
        let has_begun = self.call(id, |call| call.started).is_some();
        if let Some(call) = self.call(id, |call| call.started || !has_begun) {
            call.ended = Some(ended);
        }
    }

    /// The first call of this id that has no result and fits, to be changed.
    fn call(&mut self, id: &str, fits: impl Fn(&CallState<R>) -> bool) -> Option<&mut CallState<R>> {
        self.results = OnceCell::new();
        let record: &Record = self.record.borrow();
        let mut named = answered(&record.event).into_iter().flat_map(calls_of).zip(&mut self.calls);
        named.find(|(call, state)| call.id == id && state.is_open() && fits(state)).map(|(_, state)| state)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let results = self.has_calls().then(|| self.results.get_or_init(|| Part::new(self.results())));
        self.message.iter().chain(results)
    }

    fn results(&self) -> Message {
        Message::tool_results(self.states().map(|(call, state)| {
            match state.ended.as_ref().map(|record| &record.borrow().event) {
                Some(SessionEvent::CallEnded(ended)) => ended.result.clone(),
                _ => interrupted(&call.id, state.started),
            }
        }))
    }
}

fn answered(event: &SessionEvent) -> Option<&Answered> {
    if let SessionEvent::Answered(answered) = event { Some(answered) } else { None }
}

/// What a record itself says.
fn said(event: &SessionEvent) -> Option<Message> {
    match event {
        SessionEvent::Input(input) => Some(input.message.clone()),
        SessionEvent::Attached(attached) => Some(attached.message.clone()),
        SessionEvent::Compacted(Compacted { summary, .. }) => Some(summary.clone()),
        SessionEvent::Answered(answered) => whole_part(answered),
        SessionEvent::StepFailed(failed) => texts(failed),
        SessionEvent::Opened(_)
        | SessionEvent::TurnStarted(_)
        | SessionEvent::Prompt(_)
        | SessionEvent::Request(_)
        | SessionEvent::CallStarted(_)
        | SessionEvent::CallEnded(_)
        | SessionEvent::TurnEnded(_)
        | SessionEvent::Repaired(_) => None,
    }
}

/// The calls of an answer that were not cut off.
fn calls_of(answered: &Answered) -> impl Iterator<Item = &ToolCall> {
    answered.message.tool_calls().filter(|call| !is_cut(answered, call))
}

fn is_cut(answered: &Answered, call: &ToolCall) -> bool {
    answered.cut_calls.contains(call)
}

/// An answer without the calls that were cut off.
fn whole_part(answered: &Answered) -> Option<Message> {
    let message = &answered.message;
    if message.content.is_empty() {
        return None;
    }
    if !message.tool_calls().any(|call| is_cut(answered, call)) {
        return Some(message.clone());
    }
    let whole = |block: &&ContentBlock| !block.as_tool_call().is_some_and(|call| is_cut(answered, call));
    let content: Vec<ContentBlock> = message.content.iter().filter(whole).cloned().collect();
    (!content.is_empty()).then(|| Message::new(message.role, content))
}

/// What can be kept of an answer that broke off.
fn texts(failed: &StepFailed) -> Option<Message> {
    let partial = failed.partial.as_ref()?;
    let said = |block: &&ContentBlock| block.as_text().is_some_and(|text| !text.is_empty());
    let content: Vec<ContentBlock> = partial.content.iter().filter(said).cloned().collect();
    (!content.is_empty()).then(|| Message::new(partial.role, content))
}
