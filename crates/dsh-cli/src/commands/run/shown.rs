//! A turn as it goes on: for a person, or as events in JSON.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dsh_agent::{AgentStream, AgentToolCall, AgentToolResult, AgentTurnEnd, AgentTurnStart};
use dsh_llm::ModelEvent;
use dsh_session::SessionId;
use serde_json::Value;

use super::lines::{call_line, result_line};
use crate::commands::json::{object, or_null, string};
use crate::commands::visibly::for_a_terminal;
use crate::outside::Screen;

/// Shows what agents do. Listeners of their events call it, one at a time.
#[derive(Debug)]
pub(super) struct Shown {
    screen: Mutex<Screen>,
    json: bool,
    /// The session whose answer is what the command is for. Those of sub-agents are another's.
    main: SessionId,
}

impl Shown {
    pub(super) fn new(screen: Screen, json: bool, main: SessionId) -> Self {
        Self { screen: Mutex::new(screen), json, main }
    }

    pub(super) fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event<'a>(&self, event: &str, of: &SessionId, fields: impl IntoIterator<Item = (&'a str, String)>) {
        let begin = [("event", string(event)), ("session", string(of.as_str()))];
        let line = object(begin.into_iter().chain(fields)) + "\n";
        self.screen().print(&line);
    }

    fn is_main(&self, of: &SessionId) -> bool {
        *of == self.main
    }

    /// The session that the turn is in.
    pub(super) fn opened(&self, agent: Option<&str>, model: &str, resumed: bool) {
        if self.json {
            let fields = [
                ("version", "1".to_owned()),
                ("agent", or_null(agent, string)),
                ("model", string(model)),
                ("resumed", resumed.to_string()),
            ];
            self.event("session", &self.main, fields);
        }
    }

    pub(super) fn turn_start(&self, start: &AgentTurnStart) {
        if self.json {
            self.event("turn_start", start.agent.id(), [("turn", start.turn.to_string())]);
        }
    }

    pub(super) fn stream(&self, stream: &AgentStream) {
        let of = stream.agent.id();
        match &stream.event {
            ModelEvent::Text(text) if self.json => self.event("text", of, [("text", string(text))]),
            ModelEvent::Text(text) if self.is_main(of) => {
                let mut screen = self.screen();
                let shown = if screen.shows_output() { for_a_terminal(text, false) } else { None };
                screen.print(shown.as_deref().unwrap_or(text));
            }
            ModelEvent::Reasoning(text) if self.json => self.event("reasoning", of, [("text", string(text))]),
            // Calls are shown when they run.
            ModelEvent::Text(_) | ModelEvent::Reasoning(_) | _ => {}
        }
    }

    pub(super) fn tool_call(&self, called: &AgentToolCall) {
        let (of, call) = (called.agent.id(), &called.call);
        if self.json {
            let fields =
                [("id", string(&call.id)), ("name", string(&call.name)), ("arguments", string(&call.arguments))];
            self.event("tool_call", of, fields);
        } else {
            self.beside(of, &call_line(call));
        }
    }

    pub(super) fn tool_result(&self, ended: &AgentToolResult) {
        let (of, call, result) = (ended.agent.id(), &ended.call, &ended.result);
        if self.json {
            let fields = [
                ("id", string(&call.id)),
                ("name", string(&call.name)),
                ("is_error", result.is_error.to_string()),
                ("code", or_null(ended.code, string)),
                ("content", value(serde_json::to_value(&result.content))),
            ];
            self.event("tool_result", of, fields);
        } else {
            self.beside(of, &result_line(&call.name, result, ended.code));
        }
    }

    pub(super) fn turn_end(&self, ended: &AgentTurnEnd) {
        let (of, summary) = (ended.agent.id(), &ended.summary);
        if self.json {
            let fields = [
                ("turn", summary.turn.to_string()),
                ("end", value(serde_json::to_value(&summary.end))),
                ("steps", summary.steps.to_string()),
                ("usage", value(serde_json::to_value(summary.usage))),
                ("denied_for_want_of_approver", summary.denied_for_want_of_approver.to_string()),
            ];
            self.event("turn_end", of, fields);
        } else if self.is_main(of) {
            self.screen().end_line();
        }
    }

    /// A line beside the answer; of a sub-agent further to the right.
    fn beside(&self, of: &SessionId, line: &str) {
        let indent = if self.is_main(of) { "" } else { "  " };
        let mut screen = self.screen();
        if indent.is_empty() {
            // What the next step says is another paragraph.
            screen.end_line();
        }
        screen.say(&format!("{indent}{line}"));
    }
}

/// A value as JSON in which nothing is hidden.
fn value(value: Result<Value, serde_json::Error>) -> String {
    crate::diagnostic::json::escaped(&value.unwrap_or_default().to_string())
}
