//! `docs/session-format.md` against the format: its example is what dsh writes, and all that a log can hold stands in it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use dsh_llm::{
    Answer, ContentBlock, Message, ModelEvent, ModelRequest, StopReason, ToolCall, ToolResult, ToolSchema, Usage,
};
use dsh_session::{
    Answered, Attached, CallEnded, CallStarted, Compacted, FORMAT_VERSION, Input, Log, MemoryStore, Opened, Repaired,
    Session, SessionId, Sessions, SessionsExt, StepFailed, TurnEnd, TurnEnded, TurnStarted, Via, derive, requests,
};

use crate::support::owned;

/// The page.
const PAGE: &str = include_str!("../../../../docs/session-format.md");

/// The example: one of each event.
async fn example() -> String {
    let kernel = dsh_kernel::Kernel::new();
    let root = kernel.root();
    let time = AtomicU64::new(1_760_000_000_000);
    let clock = move || time.fetch_add(250, Ordering::Relaxed);
    root.plugin(Sessions::new(MemoryStore::new()).clock(clock)).unwrap().ready().await.unwrap();
    let sessions = root.sessions();
    let source: SessionId = "first".parse().unwrap();
    drop(sessions.create(Opened::new(source.clone()).agent("main").model("scripted").cwd("/srv/shop")).unwrap());
    let session = sessions.fork(&source, 0, SessionId::new(1_760_000_000_000, 0x5eed)).unwrap();
    tell(&session);
    Log::new(owned(&session.records())).to_lines()
}

fn tell(session: &Session) {
    let count =
        ToolSchema::new("count", "Counts words.", r#"{"type":"object","properties":{"path":{"type":"string"}}}"#);
    let tools = [count.unwrap()];
    let request = || ModelRequest::new("scripted", session.messages()).system("You are dsh.").tools(tools.clone());
    let append = |event: dsh_session::SessionEvent| session.append(event).unwrap();

    append(TurnStarted::new().into());
    append(Input::new(Message::user("How many words has notes.txt?"), Via::Prompt).into());
    session.append_request(1, &request().max_output_tokens(1000)).unwrap();
    let mut answer = Answer::new();
    for event in [
        ModelEvent::Text("Let me count.".to_owned()),
        ModelEvent::ToolCallStart { index: 0, id: "c1".to_owned(), name: "count".to_owned() },
        ModelEvent::ToolCallArguments { index: 0, text: r#"{"path":"notes.txt"}"#.to_owned() },
        ModelEvent::ToolCallEnd { index: 0 },
        ModelEvent::Usage(Usage::new(120, 16)),
        ModelEvent::Stop(StopReason::ToolCalls),
    ] {
        answer.push(event);
    }
    append(Answered::of(1, &answer).into());
    append(CallStarted::new("c1").into());
    append(CallEnded::new(ToolResult::new("c1", [ContentBlock::text("312")])).into());
    append(Attached::new(Message::user("(notes.txt was changed a minute ago)")).into());
    session.append_request(2, &request()).unwrap();
    let half = Message::assistant([ContentBlock::text("It has")]);
    append(
        StepFailed::new(2, "model::broken_stream", "the stream broke off")
            .partial(half)
            .usage(Usage::new(130, 3))
            .into(),
    );
    session.append_request(2, &request()).unwrap();
    append(
        Answered::new(2, Message::assistant([ContentBlock::text("It has 312 words.")]))
            .stop(StopReason::EndTurn)
            .into(),
    );
    let end = append(TurnEnded::new(TurnEnd::Completed).into()).seq;
    append(Repaired::new(end + 2, 17).into());
    append(TurnStarted::new().into());
    append(Input::new(Message::user("And todo.txt?"), Via::Prompt).into());
    let until = usize::try_from(end).unwrap() + 1;
    let mut summing = ModelRequest::new("scripted", derive(&session.records()[..until]));
    summing.messages.push(Message::user("Summarise."));
    session.append_summary_request(1, end, &summing).unwrap();
    let summary = Message::user("So far: notes.txt has 312 words.");
    append(Compacted::new(end, summary).usage(Usage::new(150, 12)).into());
    let mut edited = request();
    edited.messages.push(Message::user("Answer in one sentence."));
    session.append_request(1, &edited).unwrap();
    let call = |id: &str| ToolCall::new(id, "count", r#"{"path":"todo.txt"}"#);
    let message = Message::assistant([ContentBlock::ToolCall(call("c2"))]);
    append(
        Answered::new(1, message).stop(StopReason::MaxTokens).cut_calls([ToolCall::new("c3", "count", "{\"pa")]).into(),
    );
    let denied = ToolResult::error("c2", "Denied: todo.txt is private.");
    append(CallEnded::new(denied).code("tools::denied").denied(true).into());
    append(TurnEnded::new(TurnEnd::failed("model::network", "no route")).into());
}

/// The text between the fences of this language.
fn block(language: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[tokio::test]
async fn the_example_is_what_dsh_writes() {
    let example = example().await;
    assert_eq!(block("jsonl"), example, "the page should have:\n{example}");
    let log = Log::from_lines(example.as_bytes()).unwrap();
    assert!(log.damage.is_empty());
    assert_eq!(requests(&log.records).unwrap().len(), 5);
    assert_eq!(log.opened().unwrap().version, FORMAT_VERSION);
}

/// The names in code that stand in the first column of the page's tables.
fn told() -> BTreeSet<&'static str> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(name, _)| name).collect()
}

#[test]
fn the_page_explains_each_type_and_field_of_the_example_and_no_other_type() {
    let log = Log::from_lines(block("jsonl").as_bytes()).unwrap();
    let kinds: BTreeSet<&str> = log.records.iter().map(|record| record.event.kind()).collect();
    assert_eq!(kinds.len(), 13, "one of each");
    let told = told();
    assert_eq!(told.intersection(&kinds).count(), kinds.len(), "{told:?}");
    for line in block("jsonl").lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        for field in value.as_object().unwrap().keys() {
            assert!(PAGE.contains(&format!("`{field}`")), "{field} is not explained");
        }
    }
    assert!(PAGE.contains(&format!("version **{FORMAT_VERSION}**")));
}

/// Each value of the closed sets stands on the page, under the very name that the file has.
#[test]
fn the_page_names_each_value() {
    use dsh_session::{DamageKind, TurnLimit};
    let ends = [
        TurnEnd::Completed,
        TurnEnd::failed("", ""),
        TurnEnd::Cancelled,
        TurnEnd::Interrupted,
        TurnEnd::limit(TurnLimit::Steps),
        TurnEnd::refused(""),
        TurnEnd::ended(""),
    ];
    let limits = [TurnLimit::Steps, TurnLimit::Tokens, TurnLimit::Time, TurnLimit::SameCalls];
    let vias = [Via::Prompt, Via::Steer, Via::Inject];
    let mut names: Vec<serde_json::Value> = ends.iter().map(|end| serde_json::to_value(end).unwrap()).collect();
    names.extend(limits.iter().map(|limit| serde_json::to_value(limit).unwrap()));
    names.extend(vias.iter().map(|via| serde_json::to_value(via).unwrap()));
    for name in names {
        let of_object = name.as_object().and_then(|object| object.keys().next().map(String::as_str));
        let name = of_object.or_else(|| name.as_str()).unwrap();
        assert!(PAGE.contains(&format!("`{name}`")), "{name} is not explained");
    }
    let torn = dsh_session::Damage::new(1, DamageKind::NoLineEnd);
    for code in [torn.code(), "session::torn_end", "session::lone_surrogates", "session::invalid_utf8"] {
        assert!(PAGE.contains(code), "{code} is not explained");
    }
}
