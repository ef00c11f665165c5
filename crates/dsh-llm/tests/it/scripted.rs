//! The scripted model: rules, conditions, and what streams.

use std::time::Duration;

use dsh_llm::{
    Answer, ContentBlock, Message, Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ScriptedModel,
    StopReason, ToolCall, ToolResult, Usage,
};
use futures_util::{FutureExt, StreamExt};

/// What a script answers to a conversation, and the error that ended it.
#[expect(clippy::unwrap_used, reason = "a script that is wrong has failed the test")]
fn ask(script: &str, messages: &[Message]) -> (Answer, Option<ModelError>) {
    let model = ScriptedModel::parse(script).unwrap();
    let mut stream = model.stream(ModelRequest::new("scripted", messages.to_vec()).system("You are a test."));
    let mut answer = Answer::new();
    loop {
        // A delay without a clock lets others run, so the stream may have to be polled again.
        match stream.next().now_or_never() {
            None => {}
            Some(Some(Ok(event))) => answer.push(event),
            Some(Some(Err(error))) => return (answer, Some(error)),
            Some(None) => return (answer, None),
        }
    }
}

fn says(script: &str, messages: &[Message]) -> String {
    let (answer, error) = ask(script, messages);
    assert_eq!(error, None);
    answer.text()
}

fn call(id: &str, tool: &str) -> Message {
    Message::assistant([ContentBlock::ToolCall(ToolCall::new(id, tool, "{}"))])
}

const TALK: &str = r#"
name = "talker"

[[rules]]
system = "pirate"
answer = "Arr."

[[rules]]
equals = "ping"
answer = "pong"

[[rules]]
tool = "count"
error = true
answer = "It failed: {{last}}"

[[rules]]
tool = "count"
answer = "There are {{last}}."

[[rules]]
from = "user"
contains = "HOW MANY"
answer = "I count."
calls = [{ tool = "count", arguments = { path = "a.md", deep = { list = [1, 2.5, true] } } }]

[[rules]]
step = 2
answer = "Second."
"#;

#[test]
fn the_first_rule_that_fits_answers() {
    assert_eq!(says(TALK, &[Message::user(" ping\n")]), "pong");
    let (answer, _) = ask(TALK, &[Message::user("So: how many words?")]);
    let calls: Vec<&ToolCall> = answer.calls().collect();
    assert_eq!(calls, [&ToolCall::new("call_1", "count", r#"{"path":"a.md","deep":{"list":[1,2.5,true]}}"#)]);
    assert_eq!((answer.text().as_str(), answer.stop()), ("I count.", Some(StopReason::ToolCalls)));
    let asked = [Message::user("how many?"), call("call_1", "count")];
    let counted = Message::tool_results([ToolResult::new("call_1", [ContentBlock::text("3 words\n")])]);
    assert_eq!(says(TALK, &[asked[0].clone(), asked[1].clone(), counted]), "There are 3 words.");
    let failed = Message::tool_results([ToolResult::error("call_1", "{{no}} file")]);
    assert_eq!(says(TALK, &[asked[0].clone(), asked[1].clone(), failed]), "It failed: {{no}} file");
    let other = [call("call_1", "read"), Message::tool_results([ToolResult::new("call_1", [])])];
    assert_eq!(says(TALK, &[&[Message::user("hello")], &other[..]].concat()), "Second.");
}

#[test]
fn ids_of_calls_are_unique_within_a_conversation() {
    let (answer, _) = ask(TALK, &[call("call_1", "a"), call("call_2", "b"), Message::user("how many?")]);
    assert_eq!(answer.calls().next().unwrap().id, "call_3");
}

#[test]
fn a_conversation_that_no_rule_fits_is_an_error() {
    for talk in [&[Message::user("hello")][..], &[]] {
        let (answer, error) = ask(TALK, talk);
        assert!(answer.is_empty());
        assert_eq!(error.unwrap().kind(), ModelErrorKind::NoRule);
    }
}

#[test]
fn a_rule_fails_after_what_it_has_said() {
    let script = "[[rules]]\nanswer = \"So far\"\nfail = \"overloaded\"\nusage = { input = 4, output = 2 }";
    let (answer, error) = ask(script, &[Message::user("x")]);
    assert_eq!((answer.text().as_str(), answer.usage()), ("So far", Some(Usage::new(4, 2))));
    let error = error.unwrap();
    assert_eq!((error.code(), error.is_retryable()), ("model::overloaded", true));
}

#[test]
fn a_rule_breaks_off_in_the_midst_of_its_last_call() {
    let script = "[[rules]]\ncalls = [{ tool = \"a\" }, { tool = \"b\", raw = '{\"é\": 1}' }]\nbreak_off = true";
    let (answer, error) = ask(script, &[Message::user("x")]);
    assert_eq!((error, answer.stop()), (None, None));
    assert_eq!(answer.calls().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(answer.cut_calls().map(|call| call.arguments.as_str()).collect::<Vec<_>>(), ["{\"é"]);
}

#[test]
fn chunks_are_characters_and_each_waits() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let script = "[[rules]]\nreasoning = \"hm\"\nanswer = \"añb\"\nchunk = 2\ndelay_ms = 20";
    let model = ScriptedModel::parse(script).unwrap().sleep(move |duration| {
        sender.send(duration).unwrap();
        std::future::ready(())
    });
    let stream = model.stream(ModelRequest::new("scripted", [Message::user("x")]));
    let events: Vec<ModelEvent> = stream.map(Result::unwrap).collect().now_or_never().unwrap();
    let text = |text: &str| ModelEvent::Text(text.to_owned());
    let reasoning = ModelEvent::Reasoning("hm".to_owned());
    assert_eq!(events, [reasoning, text("añ"), text("b"), ModelEvent::Stop(StopReason::EndTurn)]);
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [Duration::from_millis(20); 4]);
}

#[test]
fn what_is_wrong_with_a_script_is_told_with_its_line() {
    let wrong = [
        ("[[rules]]\nanswr = \"x\"", "script::syntax", "line 2: unknown field `answr`"),
        ("[[rules]]\nfrom = \"model\"", "script::syntax", "line 2: unknown variant `model`"),
        ("rules = 3", "script::syntax", "line 1: invalid type"),
        ("[[rules]]\n", "script::invalid_rule", "line 1: a rule does nothing"),
        ("[[rules]]\nanswer = \"{{first}}\"", "script::invalid_rule", "line 2: `answer`: "),
        ("[[rules]]\nstop = \"later\"", "script::invalid_rule", "line 2: `later` is none of `end_turn`"),
        ("[[rules]]\nfail = \"x\"", "script::invalid_rule", "line 2: `x` is none of `rate_limited`"),
        ("[[rules]]\nanswer = \"x\"\nchunk = 0", "script::invalid_rule", "line 3: `chunk`"),
        ("[[rules]]\nanswer = \"x\"\nstep = 0", "script::invalid_rule", "line 1: `step` counts from 1"),
        ("[[rules]]\nfail = \"other\"\nbreak_off = true", "script::invalid_rule", "line 1: a rule either"),
        (
            "[[rules]]\ncalls = [{ tool = \"a\", raw = \"\", arguments = {} }]",
            "script::invalid_rule",
            "line 2: the call of",
        ),
        ("[[rules]\n", "script::syntax", "line 1: "),
    ];
    for (script, code, begins) in wrong {
        let error = ScriptedModel::parse(script).unwrap_err();
        assert_eq!(error.code(), code, "{script}");
        assert!(error.to_string().starts_with(begins), "{script}: {error}");
    }
}
