//! A turn as it goes on: for a person, or as events in JSON.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dsh_agent::{Agent, AgentCompacted, AgentStream, AgentToolCall, AgentToolResult, AgentTurnEnd, AgentTurnStart};
use dsh_llm::ModelEvent;
use dsh_session::SessionId;
use dsh_subagent::{Lineage, SubagentEnd, SubagentStart};
use serde_json::Value;

use super::lines::{call_line, failure_line, reasoning_line, result_line};
use crate::commands::json::{object, or_null, string};
use crate::commands::visibly::for_a_terminal;
use crate::diagnostic::one_line;
use crate::outside::Screen;

/// So many bytes of what a model thinks are kept until they are shown.
const MOST_THOUGHT: usize = 64 << 10;

/// Shows what agents do. Listeners of their events call it, one at a time.
#[derive(Debug)]
pub(super) struct Shown {
    screen: Mutex<Screen>,
    json: bool,
    /// What the model has thought and nobody was shown.
    thought: Mutex<String>,
    /// Whether a call of anybody's was denied, since there was nobody to ask.
    denied: AtomicBool,
    /// The session whose answer is what the command is for. Those of sub-agents are another's.
    main: SessionId,
}

impl Shown {
    pub(super) fn new(screen: Screen, json: bool, main: SessionId) -> Self {
        Self { screen: Mutex::new(screen), json, thought: Mutex::default(), denied: AtomicBool::new(false), main }
    }

    pub(super) fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event<'a>(&self, event: &str, of: &SessionId, fields: impl IntoIterator<Item = (&'a str, String)>) {
        let begin = [("event", string(event)), ("session", string(of.as_str()))];
        let line = object(begin.into_iter().chain(fields)) + "\n";
        self.screen().print(&line);
    }

    /// Whether a call was denied, since there was nobody to ask: one of this agent, or of one that worked for it.
    pub(super) fn was_denied(&self) -> bool {
        self.denied.load(Ordering::Relaxed)
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
            let parent = start.agent.get::<Lineage>().and_then(|lineage| lineage.parent.as_ref());
            let fields = [
                ("turn", start.turn.to_string()),
                ("agent", string(start.agent.name())),
                ("parent", or_null(parent, |parent| string(parent.as_str()))),
            ];
            self.event("turn_start", start.agent.id(), fields);
        }
    }

    pub(super) fn stream(&self, stream: &AgentStream) {
        let of = stream.agent.id();
        match &stream.event {
            ModelEvent::Text(text) if self.json => self.event("text", of, [("text", string(text))]),
            ModelEvent::Text(text) if self.is_main(of) => {
                self.show_thought();
                let mut screen = self.screen();
                let shown = if screen.shows_output() { for_a_terminal(text, false) } else { None };
                screen.print(shown.as_deref().unwrap_or(text));
            }
            ModelEvent::Reasoning(text) if self.json => self.event("reasoning", of, [("text", string(text))]),
            ModelEvent::Reasoning(text) if self.is_main(of) => {
                let mut thought = self.thought.lock().unwrap_or_else(PoisonError::into_inner);
                if thought.len() < MOST_THOUGHT {
                    thought.push_str(text);
                }
            }
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
            self.beside(&called.agent, &call_line(call));
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
                ("failure", or_null(ended.failure.as_deref(), string)),
                ("content", value(serde_json::to_value(&result.content))),
            ];
            self.event("tool_result", of, fields);
        } else {
            self.beside(&ended.agent, &result_line(&call.name, result, ended.code));
            if let Some(failure) = &ended.failure {
                // The model reads only that it failed.
                self.beside_by(Screen::say_always, &ended.agent, &failure_line(&call.name, failure));
            }
        }
    }

    pub(super) fn compacted(&self, done: &AgentCompacted) {
        if self.json {
            let fields = [
                ("turn", done.turn.to_string()),
                ("step", done.step.to_string()),
                ("usage", or_null(done.compacted.usage, |usage| value(serde_json::to_value(usage)))),
            ];
            self.event("compacted", done.agent.id(), fields);
        } else {
            self.beside(&done.agent, "= the oldest part of the session gave way to a summary");
        }
    }

    pub(super) fn turn_end(&self, ended: &AgentTurnEnd) {
        let (of, summary) = (ended.agent.id(), &ended.summary);
        if summary.denied_for_want_of_approver {
            self.denied.store(true, Ordering::Relaxed);
        }
        if self.json {
            let fields = [
                ("turn", summary.turn.to_string()),
                ("end", value(serde_json::to_value(&summary.end))),
                ("steps", summary.steps.to_string()),
                ("usage", value(serde_json::to_value(summary.usage))),
                ("stop", value(serde_json::to_value(summary.stop))),
                ("denied_for_want_of_approver", summary.denied_for_want_of_approver.to_string()),
            ];
            self.event("turn_end", of, fields);
        } else if self.is_main(of) {
            self.show_thought();
            self.screen().end_line();
        }
    }

    pub(super) fn subagent_start(&self, begun: &SubagentStart) {
        let Some(parent) = begun.parent.as_ref().filter(|_| self.json) else { return };
        let fields = [
            ("run", string(&begun.id.to_string())),
            ("agent", string(begun.name.as_str())),
            ("description", string(&begun.description)),
        ];
        self.event("subagent_start", parent.id(), fields);
    }

    pub(super) fn subagent_end(&self, ended: &SubagentEnd) {
        let Some(parent) = ended.parent.as_ref().filter(|_| self.json) else { return };
        let result = &ended.result;
        let fields = [
            ("run", string(&ended.id.to_string())),
            ("agent", string(ended.name.as_str())),
            ("child", or_null(result.session.as_ref(), |session| string(session.as_str()))),
            ("stop", string(result.stop.as_str())),
            ("steps", result.steps.to_string()),
            ("usage", value(serde_json::to_value(result.usage))),
        ];
        self.event("subagent_end", parent.id(), fields);
    }

    /// Shows what the model has thought, if it has.
    fn show_thought(&self) {
        let thought = std::mem::take(&mut *self.thought.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(line) = reasoning_line(&thought) {
            self.screen().say_dimly(&line);
        }
    }

    /// A line beside the answer; of an agent that works for another one further to the right, and with its name.
    fn beside(&self, agent: &Agent, line: &str) {
        self.beside_by(Screen::say, agent, line);
    }

    fn beside_by(&self, say: fn(&mut Screen, &str), agent: &Agent, line: &str) {
        if self.is_main(agent.id()) {
            // What the next step says is another paragraph.
            self.screen().end_line();
            self.show_thought();
        }
        let line = match agent.get::<Lineage>() {
            Some(lineage) => {
                let indent = usize::try_from(lineage.depth).unwrap_or_default() * 2;
                format!("{:indent$}{} {line}", "", one_line(agent.name()))
            }
            None => line.to_owned(),
        };
        say(&mut self.screen(), &line);
    }
}

/// A value as JSON in which nothing is hidden.
fn value(value: Result<Value, serde_json::Error>) -> String {
    crate::diagnostic::json::escaped(&value.unwrap_or_default().to_string())
}
