//! What may come when: an event that cannot is refused, and leaves no trace.

use dsh_llm::Message;
use dsh_session::{
    Answered, Attached, CallEnded, CallStarted, Compacted, Digest, Input, Opened, Repaired, Request, SessionEvent,
    TurnEnd, TurnEnded, TurnStarted, Via,
};

use crate::support::{calls, id, in_memory, prompt_of, request, result, says, user};

#[test]
fn outside_of_a_turn_only_a_turn_begins() {
    let session = in_memory();
    let outside: [SessionEvent; 6] = [
        prompt_of("a").into(),
        Answered::new(1, says("a")).into(),
        CallStarted::new("a").into(),
        CallEnded::new(result("a")).into(),
        TurnEnded::new(TurnEnd::Completed).into(),
        Opened::new(id(2)).into(),
    ];
    for event in outside {
        let error = session.append(event.clone()).unwrap_err();
        assert_eq!(error.code(), "session::out_of_place", "{event:?}");
        assert!(error.to_string().contains(event.kind()), "{error}");
        assert_eq!(error.session(), Some(session.id()));
    }
    assert_eq!(session.len(), 1);
    session.append(Compacted::new(0, user("sum"))).unwrap();
    session.append(Repaired::new(1, 1)).unwrap();
    session.append(TurnStarted::new()).unwrap();
    assert_eq!(session.append(TurnStarted::new()).unwrap_err().code(), "session::out_of_place");
}

#[test]
fn a_request_waits_for_results_and_needs_its_prompt() {
    let session = in_memory();
    session.append(TurnStarted::new()).unwrap();
    let unknown = Request::new(1, "m", Digest::of(b"prompt"), Digest::of(b"request"));
    assert!(session.append(unknown).unwrap_err().to_string().contains("its prompt is not in the log"));
    session.append(Answered::new(1, calls("", &["a"]))).unwrap();
    let error = session.append_request(2, &request(&session)).unwrap_err();
    assert!(error.to_string().contains("calls are open"), "{error}");
    session.append(CallEnded::new(result("a"))).unwrap();
    session.append_request(2, &request(&session)).unwrap();
    // The calls of a step that is over have no more results.
    assert_eq!(session.append(CallEnded::new(result("a"))).unwrap_err().code(), "session::out_of_place");
}

/// A3, A4: only an answer has calls, and only `call_ended` a result (I81).
#[test]
fn a_call_or_a_result_outside_of_its_place_is_refused() {
    let session = in_memory();
    session.append(TurnStarted::new()).unwrap();
    let call = || calls("Look.", &["a"]);
    let result = || Message::tool_results([result("a")]);
    let twice = calls("", &["a", "b", "a"]);
    let refused: [SessionEvent; 8] = [
        Input::new(call(), Via::Prompt).into(),
        Input::new(result(), Via::Inject).into(),
        Attached::new(call()).into(),
        Attached::new(result()).into(),
        Compacted::new(1, call()).into(),
        Compacted::new(1, result()).into(),
        Answered::new(1, result()).into(),
        Answered::new(1, twice).into(),
    ];
    for event in refused {
        let error = session.append(event.clone()).unwrap_err();
        assert_eq!((error.code(), error.session()), ("session::invalid_message", Some(session.id())), "{event:?}");
        assert!(!error.help().is_empty());
    }
    assert_eq!(session.len(), 2);
    assert_eq!(Input::check(&call()).unwrap_err().code(), "session::invalid_message");
    Input::check(&user("Look.")).unwrap();
}

#[test]
fn a_call_starts_once_and_ends_once() {
    let session = in_memory();
    session.append(TurnStarted::new()).unwrap();
    session.append(Answered::new(1, calls("", &["a"]))).unwrap();
    session.append(CallStarted::new("a")).unwrap();
    assert_eq!(session.append(CallStarted::new("a")).unwrap_err().code(), "session::out_of_place");
    assert_eq!(session.append(CallEnded::new(result("b"))).unwrap_err().code(), "session::out_of_place");
    session.append(CallEnded::new(result("a"))).unwrap();
    assert_eq!(session.append(CallEnded::new(result("a"))).unwrap_err().code(), "session::out_of_place");
}

#[test]
fn turns_are_numbered_from_one() {
    let session = in_memory();
    assert_eq!((session.turn(), session.is_turn_open()), (0, false));
    for turn in 1..4 {
        session.append(TurnStarted::new()).unwrap();
        assert_eq!((session.turn(), session.is_turn_open()), (turn, true));
        let ended = session.append(TurnEnded::new(TurnEnd::Completed)).unwrap();
        assert_eq!(ended.turn, turn);
    }
    let seqs: Vec<u64> = session.records().iter().map(|record| record.seq).collect();
    assert_eq!(seqs, (0..7).collect::<Vec<_>>());
    assert_eq!(session.records_from(5).len(), 2);
    assert!(session.records_from(7).is_empty() && session.records_from(u64::MAX).is_empty());
}
