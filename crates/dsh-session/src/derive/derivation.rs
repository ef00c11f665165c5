//! The messages as they grow: one step for each record, so that a session never begins anew.

use std::borrow::Borrow;

use dsh_llm::{Message, ToolCall};

use super::OpenCall;
use super::piece::{CallState, Part, Piece};
use crate::event::{Request, RequestMessages, SessionEvent, TurnEnd, Via};
use crate::hash::Digest;
use crate::record::Record;

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

impl<R: Borrow<Record>> Derivation<R> {
    pub(crate) fn new() -> Self {
        Self { pieces: Vec::new(), open: None, failed: None, asked: 0 }
    }

    /// Goes on by a record; those that add nothing are let go of.
    pub(crate) fn push(&mut self, record: R) {
        let of: &Record = record.borrow();
        match &of.event {
            // To be asked for a summary is no part of the conversation.
            SessionEvent::Opened(_)
            | SessionEvent::Prompt(_)
            | SessionEvent::Request(Request { messages: RequestMessages::Through { .. }, .. })
            | SessionEvent::Repaired(_) => {}
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
            SessionEvent::Input(_) | SessionEvent::Attached(_) => self.pieces.push(Piece::new(record)),
            SessionEvent::Answered(_) => {
                self.forget_failed();
                let piece = Piece::new(record);
                self.open = piece.has_calls().then_some(self.pieces.len());
                self.pieces.push(piece);
            }
            SessionEvent::StepFailed(failed) => {
                if failed.partial.is_some() {
                    self.forget_failed();
                    self.failed = Some(self.pieces.len());
                    self.pieces.push(Piece::new(record));
                }
            }
            SessionEvent::CallStarted(started) => {
                if let Some(piece) = self.open_piece() {
                    piece.start(&started.call_id);
                }
            }
            SessionEvent::CallEnded(ended) => {
                // The record is handed on, and the borrow of it ends before.
                let id = ended.result.call_id.clone();
                if let Some(piece) = self.open_piece() {
                    piece.end(&id, record);
                }
            }
            SessionEvent::Compacted(compacted) => {
                self.compact(compacted.through_seq, of.seq);
                self.pieces.insert(0, Piece::new(record));
                self.open = self.open.map(|at| at + 1);
                self.failed = self.failed.map(|at| at + 1);
            }
        }
    }

    fn open_piece(&mut self) -> Option<&mut Piece<R>> {
        self.pieces.get_mut(self.open?)
    }

    /// Whether an event may speak of this call: it is open, and, to start it, has not been started.
    pub(crate) fn is_open(&self, id: &str, to_start: bool) -> bool {
        self.open_states().any(|(call, state)| call.id == id && !(to_start && state.started))
    }

    fn open_states(&self) -> impl Iterator<Item = (&ToolCall, &CallState<R>)> {
        let piece = self.open.and_then(|at| self.pieces.get(at));
        piece.into_iter().flat_map(Piece::states).filter(|(_, state)| state.is_open())
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

    /// Takes away the inputs of a refused turn that no request had, but what was put in: nobody has refused that.
    fn refuse(&mut self, turn: u32) {
        let asked = self.asked;
        let is_refused = |event: &SessionEvent| matches!(event, SessionEvent::Input(input) if input.via != Via::Inject);
        self.retain(|_, record| !(is_refused(&record.event) && record.turn == turn && record.seq > asked));
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
            let keep = fits(at, piece.record());
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
        self.parts().map(|part| part.message().clone()).collect()
    }

    /// The digest of each of these messages, and whether they are all that stand here. One that stands here in its place is not hashed
    /// again, and where it is the very same, its text is not looked at.
    pub(crate) fn digests(&self, messages: &[Message]) -> (Vec<Digest>, bool) {
        let (mut parts, mut are_these) = (self.parts(), true);
        let digest = |message| match parts.next() {
            Some(part) if part.message() == message => part.digest(),
            _ => {
                are_these = false;
                Digest::of_message(message)
            }
        };
        let digests = messages.iter().map(digest).collect();
        (digests, are_these && parts.next().is_none())
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        let shown = self.pieces.iter().enumerate().filter(|(at, _)| Some(*at) != self.failed);
        shown.flat_map(|(_, piece)| piece.parts())
    }
}
