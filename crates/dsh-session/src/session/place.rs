//! Which event may come when, and what it may say.

use std::collections::HashSet;

use dsh_llm::{ContentBlock, Message};

use crate::error::{Error, ErrorKind};
use crate::event::{Attached, Compacted, Input, RequestMessages, SessionEvent, Via};
use crate::record::Record;
use crate::session::State;

/// Refuses an event that cannot come now, or whose message would break the rule that a call has one result.
pub(super) fn check(state: &State, event: &SessionEvent) -> Result<(), Error> {
    check_place(state, event)?;
    match event {
        SessionEvent::Input(Input { message, .. })
        | SessionEvent::Attached(Attached { message })
        | SessionEvent::Compacted(Compacted { summary: message, .. }) => check_said(event.kind(), message),
        SessionEvent::Answered(answered) => check_answer(&answered.message),
        SessionEvent::Opened(_)
        | SessionEvent::TurnStarted(_)
        | SessionEvent::Prompt(_)
        | SessionEvent::Request(_)
        | SessionEvent::StepFailed(_)
        | SessionEvent::CallStarted(_)
        | SessionEvent::CallEnded(_)
        | SessionEvent::TurnEnded(_)
        | SessionEvent::Repaired(_) => Ok(()),
    }
}

/// A call stands in an answer, and its result is a record of its own: neither is in anything else.
pub(crate) fn check_said(kind: &str, message: &Message) -> Result<(), Error> {
    let is_of_calls = |block: &ContentBlock| matches!(block, ContentBlock::ToolCall(_) | ContentBlock::ToolResult(_));
    if !message.content.iter().any(is_of_calls) {
        return Ok(());
    }
    let problem = format!("the message of `{kind}` has a tool call or a tool result in it");
    Err(Error::new(ErrorKind::InvalidMessage, problem)
        .with_help("say it as text; calls stand in answers, results in `call_ended`"))
}

fn check_answer(message: &Message) -> Result<(), Error> {
    let invalid = |problem: &str, help: &str| Err(Error::new(ErrorKind::InvalidMessage, problem).with_help(help));
    if message.content.iter().any(|block| matches!(block, ContentBlock::ToolResult(_))) {
        return invalid("an answer has a tool result in it", "a result is a record of its own, `call_ended`");
    }
    let mut ids = HashSet::new();
    if !message.tool_calls().all(|call| ids.insert(&*call.id)) {
        return invalid(
            "two calls of one answer have the same id",
            "give each call an id of its own before it is appended",
        );
    }
    Ok(())
}

fn check_place(state: &State, event: &SessionEvent) -> Result<(), Error> {
    let in_turn = || {
        let open = state.turn_open.then_some(());
        open.ok_or_else(|| out_of_place(event, "no turn is open", "append a `turn_started` first"))
    };
    let of_call = |id: &str, to_start: bool| {
        let open = state.derivation.is_open(id, to_start).then_some(());
        let what = if to_start { "no call of that id waits to be run" } else { "no call of that id is open" };
        let help = "a call of the last answer starts once and has one result, before the next request";
        open.ok_or_else(|| out_of_place(event, what, help))
    };
    match event {
        SessionEvent::Opened(_) => Err(out_of_place(event, "the log has its header", "make another session")),
        SessionEvent::TurnStarted(_) if state.turn_open => {
            Err(out_of_place(event, "a turn is open", "end it first, with `interrupt` where it was cut short"))
        }
        // What the host puts in need not wait for a turn.
        SessionEvent::TurnStarted(_)
        | SessionEvent::Compacted(_)
        | SessionEvent::Repaired(_)
        | SessionEvent::Input(Input { via: Via::Inject, .. }) => Ok(()),
        SessionEvent::CallStarted(started) => in_turn().and_then(|()| of_call(&started.call_id, true)),
        SessionEvent::CallEnded(ended) => in_turn().and_then(|()| of_call(&ended.result.call_id, false)),
        SessionEvent::Request(request) => {
            in_turn()?;
            if !state.derivation.open_calls().is_empty() {
                return Err(out_of_place(event, "calls are open", "give each of them its result first"));
            }
            if !state.prompts.contains_key(request.prompt.as_bytes()) {
                return Err(out_of_place(event, "its prompt is not in the log", "append the prompt first"));
            }
            if let RequestMessages::Through { seq, .. } = &request.messages
                && !usize::try_from(*seq).is_ok_and(|seq| seq < state.records.len())
            {
                return Err(out_of_place(event, "it speaks of records to come", "name the `seq` of one that is there"));
            }
            Ok(())
        }
        SessionEvent::Input(_)
        | SessionEvent::Prompt(_)
        | SessionEvent::Answered(_)
        | SessionEvent::StepFailed(_)
        | SessionEvent::Attached(_)
        | SessionEvent::TurnEnded(_) => in_turn(),
    }
}

fn out_of_place(event: &SessionEvent, why: &str, help: &str) -> Error {
    let problem = format!("`{}` cannot come now: {why}", event.kind());
    Error::new(ErrorKind::OutOfPlace, problem).with_help(help)
}

/// The records up to the end of this turn.
pub(super) fn through_turn(mut records: Vec<Record>, turn: u32) -> Result<Vec<Record>, Error> {
    let ended = |record: &Record| match turn {
        0 => record.seq == 0,
        _ => record.turn == turn && matches!(record.event, SessionEvent::TurnEnded(_)),
    };
    let Some(last) = records.iter().position(ended) else {
        let ended = records.iter().filter(|record| matches!(record.event, SessionEvent::TurnEnded(_)));
        let last = ended.map(|record| record.turn).max().unwrap_or(0);
        let problem = format!("turn {turn} is not there, or has not ended");
        return Err(
            Error::new(ErrorKind::TurnNotEnded, problem).with_help(format!("the last turn that has ended is {last}"))
        );
    };
    records.truncate(last + 1);
    Ok(records)
}
