//! From a log to the messages that a model is sent: a pure function.

mod derivation;
mod piece;

use std::borrow::Borrow;

use dsh_llm::{Message, ToolCall};

use crate::record::Record;

pub(crate) use derivation::Derivation;
pub(crate) use piece::interrupted;

/// The messages that a log makes: what a request after its last record says, unless a listener changes it.
///
/// In their order:
///
/// * [`Input`](crate::Input) and [`Attached`](crate::Attached) are their message. While calls are open it comes after their results.
/// * [`Answered`](crate::Answered) is its message without the calls whose arguments were cut off; nothing, where nothing else is in it.
///   If calls are in it, one message with all their results comes next, in the order of the calls, whatever the order they ended in.
///   **Each call has exactly one result**: one that has none in the log gets an error result that says whether it may have run.
/// * [`StepFailed`](crate::StepFailed) is nothing while its turn goes on: a step that is tried again is asked the same. When the
///   turn ends with it, it is the texts of what had arrived, if there are any; never a call, nor reasoning, whose proof is not whole.
/// * [`TurnEnded`](crate::TurnEnded) with `Refused` takes away the inputs of its turn that no request had, but those that were put in
///   (`Via::Inject`).
/// * [`Compacted`](crate::Compacted) takes away all up to its `through_seq`, an earlier summary always, and puts its summary first. A
///   result goes or stays with its call; a call that is still open stays.
///
/// ```
/// use dsh_llm::{ContentBlock, Message, ToolCall, ToolResult};
/// use dsh_session::{Answered, CallEnded, Input, MemoryStore, Opened, Session, SessionId, TurnStarted, Via, derive};
///
/// let session = Session::create(&MemoryStore::new(), Opened::new(SessionId::new(0, 1)))?;
/// session.append(TurnStarted::new())?;
/// session.append(Input::new(Message::user("Which?"), Via::Prompt))?;
/// let calls = ["a", "b"].map(|id| ContentBlock::ToolCall(ToolCall::new(id, "look", "{}")));
/// session.append(Answered::new(1, Message::assistant(calls)))?;
/// session.append(CallEnded::new(ToolResult::new("b", [ContentBlock::text("B")])))?;
/// session.append(CallEnded::new(ToolResult::new("a", [ContentBlock::text("A")])))?;
///
/// let messages = derive(&session.records());
/// let results = [ToolResult::new("a", [ContentBlock::text("A")]), ToolResult::new("b", [ContentBlock::text("B")])];
/// assert_eq!(messages[2], Message::tool_results(results));
/// assert_eq!(messages, session.messages());
/// # Ok::<(), dsh_session::Error>(())
/// ```
pub fn derive<R: Borrow<Record>>(log: &[R]) -> Vec<Message> {
    let mut derivation = Derivation::new();
    for record in log {
        derivation.push(record.borrow());
    }
    derivation.messages()
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenCall {
    /// The call.
    pub call: ToolCall,
    /// Whether its tool may have run: then it is never run again.
    pub may_have_run: bool,
}

/// The calls of the last answer that have no result yet, in order; none, once the turn has gone on or ended.
///
/// ```
/// use dsh_llm::{ContentBlock, Message, ToolCall};
/// use dsh_session::{Answered, CallStarted, Record, TurnStarted, open_calls};
///
/// let calls = ["a", "b"].map(|id| ContentBlock::ToolCall(ToolCall::new(id, "look", "{}")));
/// let log = [
///     Record::new(1, 1, 0, TurnStarted::new()),
///     Record::new(2, 1, 0, Answered::new(1, Message::assistant(calls))),
///     Record::new(3, 1, 0, CallStarted::new("a")),
/// ];
/// let open: Vec<_> = open_calls(&log).into_iter().map(|open| (open.call.id, open.may_have_run)).collect();
/// assert_eq!(open, [("a".to_owned(), true), ("b".to_owned(), false)]);
/// ```
pub fn open_calls<R: Borrow<Record>>(log: &[R]) -> Vec<OpenCall> {
    let mut derivation = Derivation::new();
    for record in log {
        derivation.push(record.borrow());
    }
    derivation.open_calls()
}
