//! What must hold of every log, whatever happened.

use std::collections::HashMap;
use std::sync::Arc;

use dsh_llm::{ContentBlock, Role};
use dsh_session::{Record, SessionEvent, derive, requests};

/// The kinds of a log's records, without its header.
pub(crate) fn kinds(records: &[Arc<Record>]) -> Vec<&'static str> {
    records.iter().skip(1).map(|record| record.event.kind()).collect()
}

/// That a log is whole: each turn ended, each call with exactly one result and started at most once, each request rebuilt to the
/// byte as the model got it.
pub(crate) fn assert_valid(records: &[Arc<Record>], asked: &[String]) {
    let mut open: HashMap<String, (bool, bool)> = HashMap::new();
    let mut in_turn = false;
    for record in records {
        match &record.event {
            SessionEvent::TurnStarted(_) => {
                assert!(!in_turn, "{record:?}");
                in_turn = true;
            }
            SessionEvent::TurnEnded(_) => {
                assert!(in_turn && open.values().all(|(_, ended)| *ended), "a call without a result: {open:?}");
                (in_turn, open) = (false, HashMap::new());
            }
            SessionEvent::Request(_) => {
                assert!(open.values().all(|(_, ended)| *ended), "asked while a call is open: {open:?}");
                open.clear();
            }
            SessionEvent::Answered(answered) => {
                let whole = answered.message.tool_calls().filter(|call| !answered.cut_calls.contains(call));
                open = whole.map(|call| (call.id.clone(), (false, false))).collect();
            }
            SessionEvent::CallStarted(started) => {
                let call = open.get_mut(&started.call_id).unwrap();
                assert_eq!(*call, (false, false), "started twice, or after its end");
                call.0 = true;
            }
            SessionEvent::CallEnded(ended) => {
                let call = open.get_mut(&ended.result.call_id).unwrap();
                assert!(!call.1, "a second result");
                call.1 = true;
            }
            _ => {}
        }
    }
    assert!(!in_turn, "the last turn has not ended: {:?}", kinds(records));
    let rebuilt: Vec<String> = requests(records).unwrap().iter().map(|rebuilt| rebuilt.request.to_json()).collect();
    // A request that was cancelled between the log and the model is in the log alone.
    let mut asked = asked.iter();
    let mut next = asked.next();
    for rebuilt in &rebuilt {
        if next == Some(rebuilt) {
            next = asked.next();
        }
    }
    assert_eq!(next, None, "the model got what the log does not have, in its order");
    assert_paired(records);
}

/// Each call in the messages has its result in the message after it.
fn assert_paired(records: &[Arc<Record>]) {
    let messages = derive(records);
    for (at, message) in messages.iter().enumerate() {
        let calls: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
        if calls.is_empty() {
            continue;
        }
        let results = messages.get(at + 1).filter(|next| next.role == Role::Tool).unwrap();
        let of: Vec<&str> = results
            .content
            .iter()
            .filter_map(
                |block| if let ContentBlock::ToolResult(result) = block { Some(&*result.call_id) } else { None },
            )
            .collect();
        assert_eq!(calls, of);
    }
}
