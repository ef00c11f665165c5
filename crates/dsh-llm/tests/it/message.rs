//! The JSON form of messages, which session logs are made of.

use dsh_llm::{
    ContentBlock, Image, Message, Reasoning, Resource, ResourceBody, Role, StopReason, ToolCall, ToolResult, Usage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Asserts that `record` is written as `json` and read back as itself.
#[expect(clippy::unwrap_used, reason = "a helper of tests fails the test by panicking")]
#[track_caller]
fn is_written<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(record: &T, json: &str) {
    assert_eq!(serde_json::to_string(record).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), *record);
}

#[test]
fn every_block_has_a_stable_form() {
    let arguments = r#"{"n":9007199254740993,"m":1.0"#; // cut by the model: kept all the same
    let mut resource = Resource::new("file:///a", ResourceBody::Text("x".into()));
    resource.media_type = Some("text/plain".into());
    is_written(&ContentBlock::text("hi"), r#"{"type":"text","text":"hi"}"#);
    is_written(
        &ContentBlock::Image(Image::new("image/png", "AA==")),
        r#"{"type":"image","media_type":"image/png","data":"AA=="}"#,
    );
    is_written(
        &ContentBlock::Resource(resource),
        r#"{"type":"resource","uri":"file:///a","media_type":"text/plain","body":{"text":"x"}}"#,
    );
    is_written(
        &ContentBlock::Resource(Resource::new("file:///a", ResourceBody::Link)),
        r#"{"type":"resource","uri":"file:///a","body":"link"}"#,
    );
    is_written(
        &ContentBlock::Resource(Resource::new("file:///a", ResourceBody::Data("AA==".into()))),
        r#"{"type":"resource","uri":"file:///a","body":{"data":"AA=="}}"#,
    );
    is_written(&ContentBlock::Reasoning(Reasoning::new("hm")), r#"{"type":"reasoning","text":"hm"}"#);
    is_written(
        &ContentBlock::Reasoning(Reasoning::signed("hm", "s")),
        r#"{"type":"reasoning","text":"hm","signature":"s"}"#,
    );
    is_written(
        &ContentBlock::ToolCall(ToolCall::new("c1", "find", arguments)),
        r#"{"type":"tool_call","id":"c1","name":"find","arguments":"{\"n\":9007199254740993,\"m\":1.0"}"#,
    );
    is_written(
        &ContentBlock::ToolResult(ToolResult::error("c1", "no")),
        r#"{"type":"tool_result","call_id":"c1","content":[{"type":"text","text":"no"}],"is_error":true}"#,
    );
}

#[test]
fn every_role_and_message_has_a_stable_form() {
    is_written(&Message::user("hi"), r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#);
    is_written(&Message::assistant([]), r#"{"role":"assistant","content":[]}"#);
    is_written(
        &Message::tool_results([ToolResult::new("c1", [])]),
        r#"{"role":"tool","content":[{"type":"tool_result","call_id":"c1","content":[],"is_error":false}]}"#,
    );
}

#[test]
fn usage_tells_unknown_from_zero() {
    is_written(&Usage::new(7, 2), r#"{"input_tokens":7,"output_tokens":2}"#);
    let mut usage = Usage::new(7, 2);
    usage.cache_read_tokens = Some(0);
    usage.cache_write_tokens = Some(3);
    usage.reasoning_tokens = Some(1);
    is_written(
        &usage,
        r#"{"input_tokens":7,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":3,"reasoning_tokens":1}"#,
    );
}

#[test]
fn every_stop_reason_has_a_stable_form_and_one_of_a_later_version_is_other() {
    for (reason, json) in [
        (StopReason::EndTurn, "\"end_turn\""),
        (StopReason::ToolCalls, "\"tool_calls\""),
        (StopReason::MaxTokens, "\"max_tokens\""),
        (StopReason::StopSequence, "\"stop_sequence\""),
        (StopReason::Refusal, "\"refusal\""),
        (StopReason::Other, "\"other\""),
    ] {
        is_written(&reason, json);
    }
    assert_eq!(serde_json::from_str::<StopReason>("\"asked_by_moon\"").unwrap(), StopReason::Other);
}

#[test]
fn the_calls_of_a_message_are_found_in_order() {
    let calls = [ToolCall::new("1", "a", "{}"), ToolCall::new("2", "b", "")];
    let blocks = calls.iter().cloned().map(ContentBlock::ToolCall);
    let message = Message::new(Role::Assistant, [ContentBlock::text("so")].into_iter().chain(blocks));
    assert!(message.tool_calls().eq(&calls));
    assert_eq!(message.content.first().and_then(ContentBlock::as_text), Some("so"));
}
