//! Requests are rebuilt to the byte (A3).

use dsh_llm::{Message, ModelRequest};
use dsh_session::{Record, RequestMessages, SessionEvent, TurnStarted, derive, requests};

use crate::support::{in_memory, lively, owned, prompt_of, request, schema, user};

fn prompts(log: &[Record]) -> usize {
    log.iter().filter(|record| matches!(record.event, SessionEvent::Prompt(_))).count()
}

#[test]
fn a_prompt_is_kept_once_for_all_requests_that_have_it() {
    let session = in_memory();
    lively(&session);
    let log = owned(&session.records());
    assert_eq!(prompts(&log), 1);
    let rebuilt = requests(&log).unwrap();
    let steps: Vec<(u32, u32)> = rebuilt.iter().map(|request| (request.turn, request.step)).collect();
    assert_eq!(steps, [(1, 1), (1, 2), (2, 1)]);
    // Numbers in schemas keep their digits.
    assert!(rebuilt[0].request.to_json().contains(r#""default":1e2"#));

    let other = request(&session).system("You are another.");
    for asked in [&other, &request(&session), &other] {
        session.append_request(2, asked).unwrap();
    }
    let log = owned(&session.records());
    assert_eq!(prompts(&log), 2);
    let last = requests(&log).unwrap().pop().unwrap();
    assert_eq!(last.request.to_json(), other.to_json());
}

#[test]
fn a_request_that_a_listener_edited_is_in_the_log_as_it_was_sent() {
    let session = in_memory();
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of("go")).unwrap();
    let mut edited = request(&session).tools([schema("a"), schema("b")]).max_output_tokens(7);
    edited.messages.push(user("and mind the gap"));
    edited.model = "another".into();
    let record = session.append_request(1, &edited).unwrap();
    let SessionEvent::Request(asked) = &record.event else { panic!("{record:?}") };
    assert_eq!(asked.messages, RequestMessages::Edited(edited.messages.clone()));
    assert_eq!(requests(&session.records()).unwrap()[0].request, edited);
    // What was edited is of that request alone.
    assert_eq!(session.messages(), [user("go")]);
}

#[test]
fn a_rebuild_proves_itself() {
    let session = in_memory();
    lively(&session);
    let mut log = owned(&session.records());
    let SessionEvent::Input(input) = &mut log[2].event else { panic!("{:?}", log[2]) };
    input.message = Message::user("Something else.");
    let error = requests(&log).unwrap_err();
    assert_eq!(error.code(), "session::not_rebuilt");
    assert!(error.to_string().contains("`seq` 4 does not come out as it was"), "{error}");
    let error = requests(&log[4..]).unwrap_err();
    assert!(error.to_string().contains("is not there"), "{error}");
}

/// A3: who makes a summary is asked for what the log says, and the conversation knows nothing of it.
#[test]
fn a_request_for_a_summary_is_rebuilt_and_changes_no_other() {
    let session = in_memory();
    lively(&session);
    let answered = session.records().iter().position(|record| record.event.kind() == "turn_ended").unwrap();
    let through = u64::try_from(answered).unwrap();
    let mut asked = ModelRequest::new("small", derive(&session.records()[..=answered]));
    asked.messages.push(user("Summarise."));
    let before = session.messages();
    let record = session.append_summary_request(1, through, &asked).unwrap();
    let SessionEvent::Request(request) = &record.event else { panic!("{record:?}") };
    assert!(
        matches!(&request.messages, RequestMessages::Through { seq, then, .. } if *seq == through && then.len() == 1)
    );
    assert_eq!(session.messages(), before);
    // What it says of the log and the log does not say stands in it.
    asked.messages.remove(0);
    let record = session.append_summary_request(1, through, &asked).unwrap();
    let SessionEvent::Request(request) = &record.event else { panic!("{record:?}") };
    assert!(matches!(request.messages, RequestMessages::Edited(_)));
    let requests = requests(&session.records()).unwrap();
    assert_eq!(requests.last().unwrap().request.to_json(), asked.to_json());
    assert_eq!(requests[requests.len() - 2].request.messages.len(), asked.messages.len() + 1);
    // It cannot speak of what is not there yet.
    let Record { event: SessionEvent::Request(request), .. } = Record::clone(&record) else { unreachable!() };
    let early = request.through(1_000, Vec::new());
    assert_eq!(session.append(early).unwrap_err().code(), "session::out_of_place");
}
