//! From a log to messages, sentence by sentence (A3).

use dsh_llm::{ContentBlock, Message, Reasoning, ToolResult};
use dsh_session::{
    Answered, Attached, CallEnded, CallStarted, Compacted, Input, Record, Session, SessionEvent, StepFailed, TurnEnd,
    TurnEnded, TurnStarted, Via, derive,
};

use crate::support::{call, calls, in_memory, prompt_of, request, result, says, user};

fn started(text: &str) -> Session {
    let session = in_memory();
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of(text)).unwrap();
    session
}

/// The results of a message, each with its text.
fn texts(message: &Message) -> Vec<(&str, &str, bool)> {
    let results = message.content.iter().filter_map(|block| {
        let ContentBlock::ToolResult(ToolResult { call_id, content, is_error, .. }) = block else { return None };
        Some((call_id.as_str(), content[0].as_text().unwrap(), *is_error))
    });
    results.collect()
}

#[test]
fn results_stand_in_the_order_of_the_calls() {
    let session = started("go");
    session.append(Answered::new(1, calls("", &["a", "b", "c"]))).unwrap();
    for id in ["c", "a", "b"] {
        session.append(CallEnded::new(result(id))).unwrap();
    }
    let expected = Message::tool_results([result("a"), result("b"), result("c")]);
    assert_eq!(session.messages()[2], expected);
}

#[test]
fn what_is_said_while_calls_are_open_comes_after_their_results() {
    let session = started("go");
    session.append(Answered::new(1, calls("", &["a"]))).unwrap();
    session.append(Input::new(user("faster"), Via::Steer)).unwrap();
    session.append(Attached::new(user("a note"))).unwrap();
    session.append(CallEnded::new(result("a"))).unwrap();
    let messages = session.messages();
    assert_eq!(messages[2], Message::tool_results([result("a")]));
    assert_eq!(messages[3..], [user("faster"), user("a note")]);
}

#[test]
fn an_open_call_gets_an_error_result_that_says_whether_it_may_have_run() {
    let session = started("go");
    session.append(Answered::new(1, calls("", &["a", "b", "c"]))).unwrap();
    session.append(CallStarted::new("b")).unwrap();
    session.append(CallEnded::new(result("c"))).unwrap();
    let before = session.messages();
    let told = texts(&before[2]);
    assert_eq!(told[0], ("a", "Interrupted: the call was not run.", true));
    assert!(told[1].1.contains("It may have done all of its work") && told[1].2);
    assert_eq!(told[2], ("c", "saw c", false));
    // What the log says of them when the turn is interrupted is the same.
    session.interrupt(TurnEnd::Interrupted).unwrap();
    assert_eq!(session.messages(), before);
    let ended = session.records().iter().filter(|record| matches!(record.event, SessionEvent::CallEnded(_))).count();
    assert_eq!(ended, 3);
}

/// No session takes such an answer; a log that somebody else wrote may have one.
#[test]
fn two_calls_of_one_id_each_have_their_result() {
    let other = ToolResult::error("a", "second");
    let events: [SessionEvent; 4] = [
        TurnStarted::new().into(),
        Answered::new(1, calls("", &["a", "a"])).into(),
        CallEnded::new(result("a")).into(),
        CallEnded::new(other.clone()).into(),
    ];
    let log: Vec<Record> = (1..).zip(events).map(|(seq, event)| Record::new(seq, 1, 0, event)).collect();
    assert_eq!(derive(&log)[1], Message::tool_results([result("a"), other]));
}

#[test]
fn a_call_whose_arguments_were_cut_off_is_not_there() {
    let session = started("go");
    session.append(Answered::new(1, calls("Both.", &["a", "b"])).cut_calls([call("b")])).unwrap();
    session.append(CallEnded::new(result("a"))).unwrap();
    assert_eq!(session.append(CallStarted::new("b")).unwrap_err().code(), "session::out_of_place");
    assert_eq!(session.messages()[1..], [calls("Both.", &["a"]), Message::tool_results([result("a")])]);
    // With nothing else in it there is no message.
    let only = Message::assistant([ContentBlock::ToolCall(call("x"))]);
    session.append(Answered::new(2, only).cut_calls([call("x")])).unwrap();
    assert_eq!(session.messages().len(), 3);
}

#[test]
fn a_step_that_is_tried_again_is_asked_the_same() {
    let session = started("go");
    session.append_request(1, &request(&session)).unwrap();
    let before = session.messages();
    session.append(StepFailed::new(1, "model::broken_stream", "broke").partial(says("Half of"))).unwrap();
    assert_eq!(session.messages(), before);
    session.append_request(1, &request(&session)).unwrap();
    session.append(Answered::new(1, says("All of it."))).unwrap();
    session.append(TurnEnded::new(TurnEnd::Completed)).unwrap();
    assert_eq!(session.messages(), [user("go"), says("All of it.")]);
}

#[test]
fn of_what_had_arrived_when_the_turn_ended_the_texts_stay() {
    let session = started("go");
    let partial = Message::assistant([
        ContentBlock::Reasoning(Reasoning::new("hm")),
        ContentBlock::text("Half of"),
        ContentBlock::text(""),
        ContentBlock::ToolCall(call("a")),
    ]);
    session.append(StepFailed::new(1, "model::network", "gone").partial(partial)).unwrap();
    session.append(TurnEnded::new(TurnEnd::Cancelled)).unwrap();
    assert_eq!(session.messages(), [user("go"), says("Half of")]);
    assert!(session.open_calls().is_empty());

    let nothing = started("go");
    nothing.append(StepFailed::new(1, "model::network", "gone").partial(calls("", &["a"]))).unwrap();
    nothing.append(TurnEnded::new(TurnEnd::Cancelled)).unwrap();
    assert_eq!(nothing.messages(), [user("go")]);
}

#[test]
fn an_input_that_was_refused_reaches_no_model() {
    let session = started("one");
    session.append(TurnEnded::new(TurnEnd::Completed)).unwrap();
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of("the secret")).unwrap();
    // Nobody has refused what was put in meanwhile.
    session.append(Input::new(user("a fact"), Via::Inject)).unwrap();
    session.append(TurnEnded::new(TurnEnd::refused("no secrets"))).unwrap();
    assert_eq!(session.messages(), [user("one"), user("a fact")]);
}

#[test]
fn an_input_that_a_request_had_stays_when_its_turn_is_refused() {
    let session = started("one");
    session.append_request(1, &request(&session)).unwrap();
    session.append(Answered::new(1, says("well"))).unwrap();
    session.append(Input::new(user("two"), Via::Steer)).unwrap();
    session.append(TurnEnded::new(TurnEnd::refused("no"))).unwrap();
    assert_eq!(session.messages(), [user("one"), says("well")]);
}

#[test]
fn an_input_whose_turn_failed_before_any_request_stays() {
    let session = started("one");
    session.append(StepFailed::new(1, "prompt::unknown_variable", "no `x`")).unwrap();
    session.append(TurnEnded::new(TurnEnd::failed("prompt::unknown_variable", "no `x`"))).unwrap();
    assert_eq!(session.messages(), [user("one")]);
}

#[test]
fn a_summary_takes_the_place_of_the_oldest_turns() {
    let session = started("one");
    session.append(Answered::new(1, says("1"))).unwrap();
    let end = session.append(TurnEnded::new(TurnEnd::Completed)).unwrap().seq;
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of("two")).unwrap();
    session.append(Compacted::new(end, user("so far: 1"))).unwrap();
    assert_eq!(session.messages(), [user("so far: 1"), user("two")]);
    // A later one stands for the earlier one too, however far it reaches.
    session.append(Compacted::new(1, user("so far: all"))).unwrap();
    assert_eq!(session.messages(), [user("so far: all"), user("two")]);
}

#[test]
fn a_summary_takes_a_call_with_its_results_or_leaves_both() {
    let session = started("one");
    let answer = session.append(Answered::new(1, calls("", &["a", "b"]))).unwrap().seq;
    session.append(CallEnded::new(result("a"))).unwrap();
    // One of its calls is open, so the answer stays.
    session.append(Compacted::new(answer, user("sum"))).unwrap();
    assert_eq!(session.messages()[..2], [user("sum"), calls("", &["a", "b"])]);
    session.append(CallEnded::new(result("b"))).unwrap();
    assert_eq!(session.messages()[2], Message::tool_results([result("a"), result("b")]));
    // Now it goes, and the results that stand after it in the log go with it.
    session.append(Compacted::new(answer, user("sum 2"))).unwrap();
    assert_eq!(session.messages(), [user("sum 2")]);
}

#[test]
fn a_log_of_nothing_makes_no_messages() {
    assert!(derive::<Record>(&[]).is_empty());
    assert!(in_memory().messages().is_empty());
}
