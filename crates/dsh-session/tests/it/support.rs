//! What the tests share: short ways to make events, and logs of chance that a session has taken.

use std::sync::Arc;

use dsh_llm::{ContentBlock, Message, ModelRequest, ToolCall, ToolResult, ToolSchema};
use dsh_session::{
    Answered, Attached, CallEnded, CallStarted, Compacted, Input, MemoryStore, Opened, Record, Session, SessionId,
    StepFailed, TurnEnd, TurnEnded, TurnLimit, TurnStarted, Via,
};
use proptest::prelude::*;

pub(crate) fn id(number: u128) -> SessionId {
    SessionId::new(1_760_000_000_000, number)
}

pub(crate) fn in_memory() -> Session {
    Session::create(&MemoryStore::new(), Opened::new(id(1)).agent("main")).unwrap()
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(text)
}

pub(crate) fn says(text: &str) -> Message {
    Message::assistant([ContentBlock::text(text)])
}

pub(crate) fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "look", format!("{{\"at\":\"{id}\"}}"))
}

pub(crate) fn calls(text: &str, ids: &[&str]) -> Message {
    let calls = ids.iter().map(|id| ContentBlock::ToolCall(call(id)));
    Message::assistant([ContentBlock::text(text)].into_iter().chain(calls))
}

pub(crate) fn result(id: &str) -> ToolResult {
    ToolResult::new(id, [ContentBlock::text(format!("saw {id}"))])
}

pub(crate) fn prompt_of(text: &str) -> Input {
    Input::new(user(text), Via::Prompt)
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name, "Looks.", r#"{"type":"object","properties":{"n":{"default":1e2}}}"#).unwrap()
}

/// The request that a loop would make now.
pub(crate) fn request(session: &Session) -> ModelRequest {
    ModelRequest::new("scripted", session.messages()).system("You are dsh.").tools([schema("look")])
}

pub(crate) fn owned(records: &[Arc<Record>]) -> Vec<Record> {
    records.iter().map(|record| Record::clone(record)).collect()
}

/// A turn with a step of two calls, and a second one that is still asked.
pub(crate) fn lively(session: &Session) {
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of("What is \"here\"?\n🦀 \u{7f}\u{1}")).unwrap();
    session.append_request(1, &request(session)).unwrap();
    session.append(Answered::new(1, calls("Let me look.", &["a", "b"]))).unwrap();
    for id in ["b", "a"] {
        session.append(CallStarted::new(id)).unwrap();
        session.append(CallEnded::new(result(id))).unwrap();
    }
    session.append_request(2, &request(session)).unwrap();
    session.append(Answered::new(2, says("A crab."))).unwrap();
    session.append(TurnEnded::new(TurnEnd::Completed)).unwrap();
    session.append(TurnStarted::new()).unwrap();
    session.append(prompt_of("And now?")).unwrap();
    session.append_request(1, &request(session)).unwrap();
}

/// Something to try on a session.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Start,
    Input(String, Via),
    Ask { edited: bool, limit: Option<u64>, prompt: u8 },
    Answer { text: String, calls: Vec<u8>, cut: bool },
    Fail(Option<String>),
    CallStart(u8),
    CallEnd(u8, String),
    Attach(String),
    Compact(u8, String),
    End(u8),
    Interrupt,
}

/// Tries it; what cannot come now is refused, and leaves nothing.
pub(crate) fn apply(session: &Session, op: &Op) {
    let name = |id: &u8| format!("c{id}");
    let before = session.len();
    let done = match op {
        Op::Start => session.append(TurnStarted::new()).map(drop),
        Op::Input(text, via) => session.append(Input::new(user(text), *via)).map(drop),
        Op::Ask { edited, limit, prompt } => {
            let mut request = request(session).system(format!("You are dsh. {prompt}"));
            request.max_output_tokens = *limit;
            if *edited {
                request.messages.insert(0, user("edited"));
            }
            session.append_request(1, &request).map(drop)
        }
        Op::Answer { text, calls: ids, cut } => {
            let mut known = std::collections::HashSet::new();
            let ids: Vec<String> = ids.iter().filter(|id| known.insert(**id)).map(name).collect();
            let mut message = calls(text, &ids.iter().map(String::as_str).collect::<Vec<_>>());
            let last = message.tool_calls().last().cloned();
            let cut: Vec<ToolCall> = last.into_iter().filter(|_| *cut).collect();
            if text.is_empty() {
                message = Message::new(message.role, message.content.iter().skip(1).cloned());
            }
            session.append(Answered::new(1, message).cut_calls(cut)).map(drop)
        }
        Op::Fail(partial) => {
            let partial = partial.as_deref().map(|text| calls(text, &["half"]));
            session.append(StepFailed::new(1, "model::broken_stream", "it broke").partial(partial)).map(drop)
        }
        Op::CallStart(id) => session.append(CallStarted::new(name(id))).map(drop),
        Op::CallEnd(id, text) => {
            session.append(CallEnded::new(ToolResult::new(name(id), [ContentBlock::text(text)]))).map(drop)
        }
        Op::Attach(text) => session.append(Attached::new(user(text))).map(drop),
        Op::Compact(back, text) => {
            let through = u64::try_from(before).unwrap().saturating_sub(u64::from(*back));
            session.append(Compacted::new(through, user(text))).map(drop)
        }
        Op::End(how) => {
            let end = match how % 7 {
                0 => TurnEnd::Completed,
                1 => TurnEnd::failed("model::other", "no"),
                2 => TurnEnd::Cancelled,
                3 => TurnEnd::Interrupted,
                4 => TurnEnd::limit(TurnLimit::Steps),
                5 => TurnEnd::refused("no"),
                _ => TurnEnd::ended("enough"),
            };
            session.append(TurnEnded::new(end)).map(drop)
        }
        Op::Interrupt => session.interrupt(TurnEnd::Interrupted).map(drop),
    };
    if let Err(error) = done {
        assert_eq!(error.code(), "session::out_of_place", "{error}");
    }
}

pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => prop::collection::vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect()),
        1 => Just("\\ud800 \",\"sum\":\"0000000000000000\"}\n\u{0}\u{2028}".to_owned()),
    ]
}

pub(crate) fn any_op() -> impl Strategy<Value = Op> {
    let via = prop_oneof![Just(Via::Prompt), Just(Via::Steer), Just(Via::Inject)];
    let ids = prop::collection::vec(0..4_u8, 0..4);
    prop_oneof![
        3 => Just(Op::Start),
        4 => (any_text(), via).prop_map(|(text, via)| Op::Input(text, via)),
        6 => (prop::bool::weighted(0.2), prop::option::of(any::<u64>()), 0..3_u8)
            .prop_map(|(edited, limit, prompt)| Op::Ask { edited, limit, prompt }),
        6 => (any_text(), ids, prop::bool::weighted(0.2)).prop_map(|(text, calls, cut)| Op::Answer { text, calls, cut }),
        2 => prop::option::of(any_text()).prop_map(Op::Fail),
        5 => (0..4_u8).prop_map(Op::CallStart),
        8 => (0..4_u8, any_text()).prop_map(|(id, text)| Op::CallEnd(id, text)),
        2 => any_text().prop_map(Op::Attach),
        1 => (0..20_u8, any_text()).prop_map(|(back, text)| Op::Compact(back, text)),
        2 => any::<u8>().prop_map(Op::End),
        1 => Just(Op::Interrupt),
    ]
}

/// A session in memory whose log came of chance.
pub(crate) fn any_session() -> impl Strategy<Value = Session> {
    prop::collection::vec(any_op(), 0..60).prop_map(|ops| {
        let session = in_memory();
        for op in &ops {
            apply(&session, op);
        }
        session
    })
}
