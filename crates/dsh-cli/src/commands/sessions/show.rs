//! `dsh sessions show`: what was said and done, for a person and as JSON.

use dsh_llm::{ContentBlock, Message, ToolCall};
use dsh_session::{Log, SessionEvent, derive};

use crate::calendar::minute;
use crate::commands::json::{object, or_null, string};
use crate::commands::run::lines::{call_line, result_line};

/// What happened, in its order.
pub(super) fn text(log: &Log) -> String {
    let mut text = String::new();
    let mut calls: Vec<ToolCall> = Vec::new();
    for record in &log.records {
        match &record.event {
            SessionEvent::Opened(opened) => {
                line(&mut text, &format!("session {}, begun {} UTC", opened.id, minute(record.at_ms)));
                if let Some(origin) = &opened.forked_from {
                    line(&mut text, &format!("forked from {} after turn {}", origin.session, origin.turn));
                }
            }
            SessionEvent::TurnStarted(_) => {
                line(&mut text, &format!("\n# Turn {}, {} UTC", record.turn, minute(record.at_ms)));
            }
            SessionEvent::Input(input) => said(&mut text, "user", &input.message),
            SessionEvent::Attached(attached) => said(&mut text, "attached", &attached.message),
            SessionEvent::Answered(answered) => {
                said(&mut text, "assistant", &answered.message);
                for call in answered.message.tool_calls() {
                    line(&mut text, &call_line(call));
                    calls.push(call.clone());
                }
            }
            SessionEvent::CallEnded(ended) => {
                let name =
                    calls.iter().rev().find(|call| call.id == ended.result.call_id).map_or("?", |call| &call.name);
                line(&mut text, &result_line(name, &ended.result, ended.code.as_deref()));
            }
            SessionEvent::StepFailed(failed) => {
                line(&mut text, &format!("step {} failed: {} ({})", failed.step, failed.message, failed.code));
            }
            SessionEvent::Compacted(compacted) => said(&mut text, "summary of what was before", &compacted.summary),
            SessionEvent::TurnEnded(ended) => line(&mut text, &format!("turn {} {}", record.turn, ended.end)),
            SessionEvent::Repaired(_) => line(&mut text, "the torn end of the file was cut here"),
            SessionEvent::Prompt(_) | SessionEvent::Request(_) | SessionEvent::CallStarted(_) | _ => {}
        }
    }
    text
}

fn said(text: &mut String, who: &str, message: &Message) {
    let words: Vec<&str> = message.content.iter().filter_map(ContentBlock::as_text).collect();
    if !words.is_empty() {
        line(text, &format!("\n[{who}]\n{}", words.join("\n").trim_end()));
    }
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The conversation as the next request would have it.
pub(super) fn json(log: &Log) -> String {
    let messages = serde_json::to_string(&derive(&log.records)).unwrap_or_default();
    let opened = log.opened();
    object([
        ("version", "1".to_owned()),
        ("session", or_null(opened, |opened| string(opened.id.as_str()))),
        ("agent", or_null(opened.filter(|opened| !opened.agent.is_empty()), |opened| string(&opened.agent))),
        ("turns", log.records.last().map_or(0, |record| record.turn).to_string()),
        ("messages", messages),
    ]) + "\n"
}
