//! What holds of every log that a session has taken (A3).

use dsh_llm::{ContentBlock, Message, Role};
use dsh_session::{Compacted, Log, OpenCall, SessionEvent, derive, open_calls, requests};
use proptest::prelude::*;

use crate::support::{any_op, any_session, apply, in_memory, owned};

/// Each call has one result, in the message after it and in the order of the calls; there are no other results.
fn assert_paired(messages: &[Message]) {
    let mut rest = messages.iter().peekable();
    while let Some(message) = rest.next() {
        let asked: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
        assert!(message.role != Role::Tool, "results without calls");
        if asked.is_empty() {
            continue;
        }
        let results = rest.next().unwrap_or_else(|| panic!("the calls {asked:?} have no results"));
        let of: Vec<&str> = results.content.iter().map(result_id).collect();
        assert_eq!((results.role, of), (Role::Tool, asked));
    }
}

fn result_id(block: &ContentBlock) -> &str {
    let ContentBlock::ToolResult(result) = block else { panic!("{block:?} among results") };
    &result.call_id
}

proptest! {
    /// What grew record by record is what is derived from the whole, at each record; and every call has its one result.
    #[test]
    fn what_is_derived_step_by_step_is_what_is_derived_at_once(ops in prop::collection::vec(any_op(), 0..60)) {
        let session = in_memory();
        for op in &ops {
            apply(&session, op);
            let log = session.records();
            prop_assert_eq!(session.messages(), derive(&log));
            prop_assert_eq!(session.open_calls(), open_calls(&log));
            assert_paired(&session.messages());
        }
    }

    /// Each request comes out as it was made, also from a log that was written and read again.
    #[test]
    fn every_request_is_rebuilt_to_the_byte(session in any_session()) {
        let log = session.records();
        let asked = log.iter().filter(|record| matches!(record.event, SessionEvent::Request(_))).count();
        let rebuilt = requests(&log).unwrap();
        prop_assert_eq!(rebuilt.len(), asked);
        let lines = Log::new(owned(&log)).to_lines();
        let read = Log::from_lines(lines.as_bytes()).unwrap();
        prop_assert_eq!(&read.records, &owned(&log));
        prop_assert!(read.damage.is_empty());
        prop_assert_eq!(requests(&read.records).unwrap(), rebuilt);
    }

    /// A message that a request had stays as it was in all that is derived later, until a summary takes its place.
    #[test]
    fn what_a_model_has_seen_does_not_change_behind_its_back(session in any_session()) {
        let log = session.records();
        for (at, record) in log.iter().enumerate() {
            if !matches!(record.event, SessionEvent::Request(_)) {
                continue;
            }
            let seen = derive(&log[..at]);
            let after = log[at..].iter().position(|record| matches!(record.event, SessionEvent::Compacted(Compacted { .. })));
            let until = after.map_or(log.len(), |after| at + after);
            let later = derive(&log[..until]);
            prop_assert!(later.starts_with(&seen));
        }
    }

    /// An open call is told once, and a result makes it no longer open.
    #[test]
    fn an_interrupted_turn_leaves_no_call_open(session in any_session()) {
        let open = session.open_calls();
        let told = session.interrupt(dsh_session::TurnEnd::Cancelled).unwrap();
        prop_assert_eq!(&told, &open);
        prop_assert!(session.open_calls().is_empty() && !session.is_turn_open());
        let started = |id: &str| session.records().iter().any(|record| matches!(&record.event, SessionEvent::CallStarted(started) if started.call_id == id));
        for OpenCall { call, may_have_run, .. } in told {
            prop_assert!(!may_have_run || started(&call.id));
        }
    }
}
