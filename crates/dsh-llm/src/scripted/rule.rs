//! The rules of a script, and which of them fits.

use std::ops::Range;
use std::sync::Arc;

use dsh_template::{Lookup, Template};
use serde::Deserialize;
use toml::Spanned;

use super::error::ScriptError;
use crate::message::{ContentBlock, Message, Role, StopReason, ToolCall, Usage};
use crate::model::ModelErrorKind;
use crate::request::ModelRequest;

/// The rules, in the order in which they are tried.
pub(super) struct Rules(Vec<Rule>);

pub(super) struct Rule {
    when: When,
    pub(super) reasoning: Option<String>,
    answer: Option<Template>,
    /// Tool and JSON text of the arguments.
    pub(super) calls: Vec<(String, String)>,
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<Usage>,
    pub(super) chunk: Option<usize>,
    pub(super) delay_ms: u64,
    pub(super) fail: Option<ModelErrorKind>,
    pub(super) break_off: bool,
}

struct When {
    from: Option<From>,
    /// In lower case.
    contains: Option<String>,
    equals: Option<String>,
    tool: Option<String>,
    error: Option<bool>,
    step: Option<usize>,
    system: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    User,
    Tool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScript {
    #[serde(default = "default_name")]
    name: String,
    #[serde(default)]
    rules: Vec<Spanned<RawRule>>,
}

fn default_name() -> String {
    "scripted".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    from: Option<From>,
    contains: Option<String>,
    equals: Option<String>,
    tool: Option<String>,
    error: Option<bool>,
    step: Option<usize>,
    system: Option<String>,
    reasoning: Option<String>,
    answer: Option<Spanned<String>>,
    #[serde(default)]
    calls: Vec<Spanned<RawCall>>,
    stop: Option<Spanned<String>>,
    usage: Option<RawUsage>,
    chunk: Option<Spanned<usize>>,
    #[serde(default)]
    delay_ms: u64,
    fail: Option<Spanned<String>>,
    #[serde(default)]
    break_off: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCall {
    tool: String,
    arguments: Option<serde_json::Map<String, serde_json::Value>>,
    raw: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawUsage {
    input: u64,
    output: u64,
}

/// The conversation as the conditions look at it.
pub(super) struct Talk<'r> {
    /// The text of the last message.
    last: String,
    /// The last message, where it is a user's or the tools'.
    message: Option<&'r Message>,
    /// The names of the tools whose results it holds.
    tools: Vec<&'r str>,
    /// Which answer since the user's last message comes now, from 1.
    step: usize,
    /// How many calls the conversation holds.
    pub(super) calls: usize,
}

impl Rules {
    pub(super) fn parse(script: &str) -> Result<(Arc<str>, Self), ScriptError> {
        let raw: RawScript = toml::from_str(script).map_err(|error| ScriptError::syntax(script, &error))?;
        let rules: Result<_, _> = raw.rules.into_iter().map(|rule| Rule::of(rule, script)).collect();
        Ok((raw.name.into(), Self(rules?)))
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The first rule that fits.
    pub(super) fn fitting<'r>(&self, request: &'r ModelRequest) -> Option<(&Rule, Talk<'r>)> {
        let talk = Talk::of(&request.messages);
        let rule = self.0.iter().find(|rule| rule.when.holds(&talk, &request.system))?;
        Some((rule, talk))
    }
}

impl Rule {
    fn of(raw: Spanned<RawRule>, script: &str) -> Result<Self, ScriptError> {
        let whole = raw.span();
        let raw = raw.into_inner();
        let refuse = |message: String, range: Range<usize>| ScriptError::rule(script, message, range);
        if raw.break_off && raw.fail.is_some() {
            return Err(refuse("a rule either fails or breaks off: keep `fail` or `break_off`".to_owned(), whole));
        }
        if raw.step == Some(0) {
            return Err(refuse("`step` counts from 1".to_owned(), whole));
        }
        let says_something = raw.answer.is_some() || raw.reasoning.is_some() || !raw.calls.is_empty();
        if !says_something && raw.fail.is_none() && !raw.break_off && raw.stop.is_none() {
            let message = "a rule does nothing: give it `answer`, `calls`, `reasoning`, `stop`, `fail` or `break_off`";
            return Err(refuse(message.to_owned(), whole));
        }
        if let Some(chunk) = raw.chunk.as_ref().filter(|chunk| *chunk.get_ref() == 0) {
            return Err(refuse("`chunk` is a number of characters, from 1".to_owned(), chunk.span()));
        }
        let answer = raw.answer.map(|answer| answer_of(&answer, script)).transpose()?;
        let stop = raw.stop.map(|stop| named(&stop, &STOPS, script)).transpose()?;
        let failures = ModelErrorKind::ALL.map(|kind| (kind.code().trim_start_matches("model::"), kind));
        let fail = raw.fail.map(|fail| named(&fail, &failures, script)).transpose()?;
        let calls: Result<_, _> = raw.calls.into_iter().map(|call| call_of(call, script)).collect();
        Ok(Self {
            when: When {
                from: raw.from,
                contains: raw.contains.map(|text| text.to_lowercase()),
                equals: raw.equals.map(|text| text.trim().to_owned()),
                tool: raw.tool,
                error: raw.error,
                step: raw.step,
                system: raw.system,
            },
            reasoning: raw.reasoning,
            answer,
            calls: calls?,
            stop,
            usage: raw.usage.map(|usage| Usage::new(usage.input, usage.output)),
            chunk: raw.chunk.map(Spanned::into_inner),
            delay_ms: raw.delay_ms,
            fail,
            break_off: raw.break_off,
        })
    }

    /// What is said, with the last message's text in its place.
    pub(super) fn said(&self, talk: &Talk<'_>) -> Option<String> {
        let answer = self.answer.as_ref()?;
        // It was tried when the script was read: only `last` is referred to.
        answer.render(|_last| Lookup::Value(&talk.last)).ok()
    }
}

const STOPS: [(&str, StopReason); 5] = [
    ("end_turn", StopReason::EndTurn),
    ("tool_calls", StopReason::ToolCalls),
    ("max_tokens", StopReason::MaxTokens),
    ("stop_sequence", StopReason::StopSequence),
    ("refusal", StopReason::Refusal),
];

/// What a word stands for.
fn named<T: Copy>(word: &Spanned<String>, known: &[(&str, T)], script: &str) -> Result<T, ScriptError> {
    if let Some((_, meaning)) = known.iter().find(|(name, _)| name == word.get_ref()) {
        return Ok(*meaning);
    }
    let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
    let message = format!("`{}` is none of {}", word.get_ref(), names.join(", "));
    Err(ScriptError::rule(script, message, word.span()))
}

fn answer_of(answer: &Spanned<String>, script: &str) -> Result<Template, ScriptError> {
    let template = Template::compile(answer.get_ref());
    let known = |name: &str| if name == "last" { Lookup::Value("") } else { Lookup::Unknown };
    match template.render(known) {
        Ok(_) => Ok(template),
        Err(error) => {
            let message = format!("`answer`: {}; only `{{{{last}}}}` is known here", error.headline());
            Err(ScriptError::rule(script, message, answer.span()))
        }
    }
}

fn call_of(call: Spanned<RawCall>, script: &str) -> Result<(String, String), ScriptError> {
    let range = call.span();
    let RawCall { tool, arguments, raw } = call.into_inner();
    let arguments = match (arguments, raw) {
        (Some(_), Some(_)) => {
            let message = format!("the call of `{tool}` has `arguments` and `raw`: keep one");
            return Err(ScriptError::rule(script, message, range));
        }
        (Some(arguments), None) => serde_json::Value::Object(arguments).to_string(),
        (None, Some(raw)) => raw,
        (None, None) => "{}".to_owned(),
    };
    Ok((tool, arguments))
}

impl<'r> Talk<'r> {
    fn of(messages: &'r [Message]) -> Self {
        let since = messages.iter().rposition(|message| message.role == Role::User).map_or(0, |user| user + 1);
        let answers = messages.iter().skip(since).filter(|message| message.role == Role::Assistant).count();
        let message = messages.last().filter(|message| message.role != Role::Assistant);
        let calls: Vec<&ToolCall> = messages.iter().flat_map(Message::tool_calls).collect();
        let results = message
            .into_iter()
            .flat_map(|message| &*message.content)
            .filter_map(|block| if let ContentBlock::ToolResult(result) = block { Some(result) } else { None });
        let name_of = |id: &str| calls.iter().rev().find(|call| call.id == id).map(|call| call.name.as_str());
        let tools = results.filter_map(|result| name_of(&result.call_id)).collect();
        let last = message.map(text).unwrap_or_default().trim().to_owned();
        Self { last, message, tools, step: answers + 1, calls: calls.len() }
    }

    fn has_error(&self) -> bool {
        let blocks = self.message.into_iter().flat_map(|message| &*message.content);
        blocks.into_iter().any(|block| matches!(block, ContentBlock::ToolResult(result) if result.is_error))
    }
}

/// The texts of a message, those of its results included, each on lines of its own.
fn text(message: &Message) -> String {
    let mut texts = Vec::new();
    for block in &*message.content {
        if let ContentBlock::ToolResult(result) = block {
            texts.extend(result.content.iter().filter_map(ContentBlock::as_text));
        } else {
            texts.extend(block.as_text());
        }
    }
    texts.join("\n")
}

impl When {
    fn holds(&self, talk: &Talk<'_>, system: &str) -> bool {
        let role = talk.message.map(|message| message.role);
        let from = match self.from {
            None => true,
            Some(From::User) => role == Some(Role::User),
            Some(From::Tool) => role == Some(Role::Tool),
        };
        let is_none_or =
            |condition: &Option<String>, holds: &dyn Fn(&str) -> bool| condition.as_deref().is_none_or(holds);
        from && is_none_or(&self.contains, &|part| talk.last.to_lowercase().contains(part))
            && is_none_or(&self.equals, &|whole| talk.last == whole)
            && is_none_or(&self.tool, &|name| talk.tools.contains(&name))
            && is_none_or(&self.system, &|part| system.contains(part))
            && self.error.is_none_or(|error| error == talk.has_error())
            && self.step.is_none_or(|step| step == talk.step)
    }
}
