//! The messages as they grow: one step for each record, so that a session never begins anew.

use std::borrow::{Borrow, Cow};

use dsh_llm::{ContentBlock, Message, ToolCall, ToolResult};

use crate::derive::OpenCall;
use crate::event::{Answered, Compacted, SessionEvent, StepFailed, TurnEnd};
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

/// What a log makes so far: pieces in the order of the messages, each a record that is shared with the log.
pub(crate) struct Derivation<R> {
    pieces: Vec<Piece<R>>,
    /// Which piece is the answer whose calls may still end.
    open: Option<usize>,
    /// Which piece is a failed step that its turn may still try again.
    failed: Option<usize>,
    /// The `seq` of the last request.
    asked: u64,
}

/// What one record adds to the conversation.
struct Piece<R> {
    record: R,
    /// One for each call of an answer that was not cut off.
    calls: Vec<CallState<R>>,
}

struct CallState<R> {
    started: bool,
    ended: Option<R>,
}

impl<R: Borrow<Record>> Derivation<R> {
    pub(crate) fn new() -> Self {
        Self { pieces: Vec::new(), open: None, failed: None, asked: 0 }
    }

    /// Goes on by a record; those that add nothing are let go of.
    pub(crate) fn push(&mut self, record: R) {
        let of: &Record = record.borrow();
        match &of.event {
            SessionEvent::Opened(_) | SessionEvent::Prompt(_) | SessionEvent::Repaired(_) => {}
            SessionEvent::TurnStarted(_) => self.settle(),
            SessionEvent::TurnEnded(ended) => {
                if matches!(ended.end, TurnEnd::Refused { .. }) {
                    self.refuse(of.turn);
                }
                self.settle();
            }
            SessionEvent::Request(_) => {
                self.asked = of.seq;
                self.open = None;
                self.forget_failed();
            }
            SessionEvent::Input(_) | SessionEvent::Attached(_) => self.add(record, 0),
            SessionEvent::Answered(answered) => {
                self.forget_failed();
                let calls = calls_of(answered).count();
                self.open = (calls > 0).then_some(self.pieces.len());
                self.add(record, calls);
            }
            SessionEvent::StepFailed(failed) => {
                if failed.partial.is_some() {
                    self.forget_failed();
                    self.failed = Some(self.pieces.len());
                    self.add(record, 0);
                }
            }
            SessionEvent::CallStarted(started) => {
                if let Some(call) = self.open_call(&started.call_id, |call| !call.started) {
                    call.started = true;
                }
            }
            SessionEvent::CallEnded(ended) => {
                let id = &ended.result.call_id;
                // Of two calls of one id, the result belongs to the one that has begun.
                let at = self.open_call(id, |call| call.started).is_some();
                if let Some(call) = self.open_call(id, |call| call.started || !at) {
                    call.ended = Some(record);
                }
            }
            SessionEvent::Compacted(compacted) => {
                self.compact(compacted.through_seq, of.seq);
                self.pieces.insert(0, Piece { record, calls: Vec::new() });
                self.open = self.open.map(|at| at + 1);
                self.failed = self.failed.map(|at| at + 1);
            }
        }
    }

    fn add(&mut self, record: R, calls: usize) {
        let calls = (0..calls).map(|_| CallState { started: false, ended: None }).collect();
        self.pieces.push(Piece { record, calls });
    }

    /// The first call of this id that has no result and fits.
    fn open_call(&mut self, id: &str, fits: impl Fn(&CallState<R>) -> bool) -> Option<&mut CallState<R>> {
        let Piece { record, calls } = self.pieces.get_mut(self.open?)?;
        let SessionEvent::Answered(answered) = &(*record).borrow().event else { return None };
        let mut named = calls_of(answered).zip(calls);
        named.find(|(call, state)| call.id == id && state.ended.is_none() && fits(state)).map(|(_, state)| state)
    }

    /// Whether an event may speak of this call: it is open, and, to start it, has not been started.
    pub(crate) fn is_open(&self, id: &str, to_start: bool) -> bool {
        self.open_states().any(|(call, state)| call.id == id && !(to_start && state.started))
    }

    fn open_states(&self) -> impl Iterator<Item = (&ToolCall, &CallState<R>)> {
        let piece = self.open.and_then(|at| self.pieces.get(at));
        piece.into_iter().flat_map(Piece::states).filter(|(_, state)| state.ended.is_none())
    }

    pub(crate) fn open_calls(&self) -> Vec<OpenCall> {
        let open = self.open_states();
        open.map(|(call, state)| OpenCall { call: call.clone(), may_have_run: state.started }).collect()
    }

    /// The turn is over: no call of it ends any more, and what a failed step had said stays.
    fn settle(&mut self) {
        self.open = None;
        self.failed = None;
    }

    /// The step is tried again, or the model has answered after all.
    fn forget_failed(&mut self) {
        if let Some(at) = self.failed.take()
            && at < self.pieces.len()
        {
            self.pieces.remove(at);
            self.open = self.open.map(|open| if open > at { open - 1 } else { open });
        }
    }

    /// Takes away the inputs of a refused turn that no request had.
    fn refuse(&mut self, turn: u32) {
        let asked = self.asked;
        self.retain(|_, record| {
            !(matches!(record.event, SessionEvent::Input(_)) && record.turn == turn && record.seq > asked)
        });
    }

    fn compact(&mut self, through_seq: u64, own_seq: u64) {
        let through = through_seq.min(own_seq);
        let open = self.open.filter(|_| self.open_states().next().is_some());
        self.open = open;
        self.retain(|at, record| {
            Some(at) == open || (record.seq > through && !matches!(record.event, SessionEvent::Compacted(_)))
        });
    }

    /// Keeps the pieces that fit, and finds the marked ones again.
    fn retain(&mut self, fits: impl Fn(usize, &Record) -> bool) {
        let (mut at, mut kept) = (0, 0);
        let (open, failed) = (self.open.take(), self.failed.take());
        self.pieces.retain(|piece| {
            let keep = fits(at, piece.record.borrow());
            if keep && Some(at) == open {
                self.open = Some(kept);
            }
            if keep && Some(at) == failed {
                self.failed = Some(kept);
            }
            at += 1;
            kept += usize::from(keep);
            keep
        });
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        self.parts().map(Cow::into_owned).collect()
    }

    /// Whether the messages are these; nothing is copied.
    pub(crate) fn is(&self, messages: &[Message]) -> bool {
        let mut given = messages.iter();
        self.parts().all(|part| given.next() == Some(&*part)) && given.next().is_none()
    }

    fn parts(&self) -> impl Iterator<Item = Cow<'_, Message>> {
        let shown = self.pieces.iter().enumerate().filter(|(at, _)| Some(*at) != self.failed);
        shown.flat_map(|(_, piece)| piece.message().into_iter().chain(piece.results()))
    }
}

impl<R: Borrow<Record>> Piece<R> {
    fn event(&self) -> &SessionEvent {
        &self.record.borrow().event
    }

    fn states(&self) -> impl Iterator<Item = (&ToolCall, &CallState<R>)> {
        let answered = if let SessionEvent::Answered(answered) = self.event() { Some(answered) } else { None };
        answered.into_iter().flat_map(calls_of).zip(&self.calls)
    }

    fn message(&self) -> Option<Cow<'_, Message>> {
        match self.event() {
            SessionEvent::Input(input) => Some(Cow::Borrowed(&input.message)),
            SessionEvent::Attached(attached) => Some(Cow::Borrowed(&attached.message)),
            SessionEvent::Compacted(Compacted { summary, .. }) => Some(Cow::Borrowed(summary)),
            SessionEvent::Answered(answered) => whole_part(answered),
            SessionEvent::StepFailed(failed) => texts(failed).map(Cow::Owned),
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

    fn results(&self) -> Option<Cow<'_, Message>> {
        if self.calls.is_empty() {
            return None;
        }
        let results =
            self.states().map(|(call, state)| match state.ended.as_ref().map(|record| &record.borrow().event) {
                Some(SessionEvent::CallEnded(ended)) => ended.result.clone(),
                _ => interrupted(&call.id, state.started),
            });
        Some(Cow::Owned(Message::tool_results(results)))
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
fn whole_part(answered: &Answered) -> Option<Cow<'_, Message>> {
    let message = &answered.message;
    if message.content.is_empty() {
        return None;
    }
    if !message.tool_calls().any(|call| is_cut(answered, call)) {
        return Some(Cow::Borrowed(message));
    }
    let whole = |block: &&ContentBlock| !block.as_tool_call().is_some_and(|call| is_cut(answered, call));
    let content: Vec<ContentBlock> = message.content.iter().filter(whole).cloned().collect();
    (!content.is_empty()).then(|| Cow::Owned(Message::new(message.role, content)))
}

/// What can be kept of an answer that broke off.
fn texts(failed: &StepFailed) -> Option<Message> {
    let partial = failed.partial.as_ref()?;
    let said = |block: &&ContentBlock| block.as_text().is_some_and(|text| !text.is_empty());
    let content: Vec<ContentBlock> = partial.content.iter().filter(said).cloned().collect();
    (!content.is_empty()).then(|| Message::new(partial.role, content))
}
