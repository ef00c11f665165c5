//! The keys of front matter.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::yaml::{self, Node, Value};
use super::{AgentFile, stem};
use crate::config::check;
use crate::config::{At, Format, ToolRules};
use crate::diagnostic::{Concern, Diagnostic, Report, Span};
use crate::names::{list, nearest, quoted};

/// The keys that are read.
const KEYS: [&str; 5] = ["name", "description", "tools", "deny_tools", "format"];

/// What other harnesses, and `dsh.toml`, call the same.
const ELSEWHERE: [(&str, &str); 9] = [
    ("allow", "tools"),
    ("allow_tools", "tools"),
    ("allowed_tools", "tools"),
    ("allowed-tools", "tools"),
    ("allowedTools", "tools"),
    ("deny", "deny_tools"),
    ("disallowed_tools", "deny_tools"),
    ("disallowed-tools", "deny_tools"),
    ("disallowedTools", "deny_tools"),
];

/// The key of front matter, `tools` or `deny_tools`, that this one is elsewhere; for an agent's table `deny_tools` is one of these, too.
pub(in crate::config) fn tools_elsewhere(key: &str) -> Option<&'static str> {
    ELSEWHERE
        .iter()
        .find(|(other, _)| *other == key)
        .map(|(_, ours)| *ours)
        .or((key == "deny_tools").then_some("deny_tools"))
}

/// What the keys say.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) description: Option<At<String>>,
    pub(super) tools: Option<ToolRules>,
    pub(super) format: Option<Format>,
}

/// Reads the keys between `first`, the line that opens the front matter, and the one that closes it; with the agent's name, whom all
/// that is found is about.
pub(super) fn read(
    file: &AgentFile<'_>,
    first: Range<usize>,
    front: Range<usize>,
    report: &mut Report,
) -> (At<String>, Keys) {
    let text = file.text.get(front.clone()).unwrap_or_default();
    let (root, problem) = yaml::parse(text);
    let front = Front { file, start: front.start, text };
    let pairs = match &root {
        Some(Node { value: Value::Map(pairs), .. }) => pairs.as_slice(),
        _ => &[],
    };
    let given = pairs.iter().find_map(|(key, value)| match (&key.value, &value.value) {
        (Value::String(key), Value::String(name)) if key == "name" => {
            Some(At { value: name.clone(), span: front.span(value) })
        }
        _ => None,
    });
    let by_file = || At { value: stem(file.path).to_owned(), span: file.span(first.clone()) };
    let is_named = pairs.iter().any(|(key, _)| front.key(key) == Some("name"));
    let name = given.unwrap_or_else(by_file);
    let keys = report.about(Concern::Agent(name.value.clone()), |report| {
        if let Some(problem) = problem {
            report.push(front.not_yaml(problem));
        } else if !is_named {
            front.check_stem(&name, report);
        }
        match &root {
            None | Some(Node { value: Value::Map(_), .. }) => {}
            Some(other) => report.push(
                front
                    .wrong_type(None, other, "the front matter", "keys and values")
                    .with_help("write one key in a line: `description: …`"),
            ),
        }
        front.keys(pairs, report)
    });
    (name, keys)
}

/// Front matter while it is read.
#[derive(Debug)]
struct Front<'a> {
    file: &'a AgentFile<'a>,
    /// Where it begins in the file.
    start: usize,
    text: &'a str,
}

impl<'a> Front<'a> {
    fn keys(&self, pairs: &'a [(Node, Node)], report: &mut Report) -> Keys {
        let mut keys = Keys::default();
        let (mut allow, mut deny) = (None, None);
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let given: BTreeSet<&str> = pairs.iter().filter_map(|(key, _)| self.key(key)).collect();
        for (key, value) in pairs {
            let Some(name) = self.key(key) else {
                report.push(self.wrong_type(None, key, "a key", "a string"));
                continue;
            };
            if let Some(first) = seen.get(name) {
                report.push(self.twice(name, self.span(key), *first));
                continue;
            }
            seen.insert(name, self.span(key));
            match name {
                "name" => {
                    if let Some(name) = self.string(Some(key), value, "`name`", report) {
                        check::agent_name(&name.value, name.span, report);
                    }
                }
                "description" => keys.description = self.string(Some(key), value, "`description`", report),
                "tools" => allow = Some(self.names(key, value, "`tools`", report)),
                "deny_tools" => deny = Some(self.names(key, value, "`deny_tools`", report)),
                "format" => keys.format = self.format(key, value, report),
                unknown => {
                    let missing = KEYS.into_iter().filter(|known| !given.contains(known)).collect();
                    report.push(self.unknown(unknown, self.span(key), missing, report));
                }
            }
        }
        keys.tools = (allow.is_some() || deny.is_some()).then(|| ToolRules { allow, deny: deny.unwrap_or_default() });
        keys
    }

    /// The text of a key; `None` where it is made of several values, or of another's name.
    fn key(&self, key: &'a Node) -> Option<&'a str> {
        match &key.value {
            Value::String(text) => Some(text),
            Value::Null | Value::Boolean | Value::Integer | Value::Float => self.text.get(key.range.clone()),
            Value::List(_) | Value::Map(_) | Value::Alias | Value::Tagged => None,
        }
    }

    fn string(&self, key: Option<&Node>, value: &Node, what: &str, report: &mut Report) -> Option<At<String>> {
        if let Value::String(text) = &value.value {
            return Some(At { value: text.clone(), span: self.span(value) });
        }
        let opened = self.text.get(value.range.clone()).is_some_and(|text| text.starts_with(['{', '[']));
        let help = match &value.value {
            Value::Null if key.is_some() => Some("write one, or leave the key out"),
            Value::Null => Some("write one, or take the entry out"),
            Value::Boolean | Value::Integer | Value::Float => Some("put it into quotes"),
            Value::List(_) | Value::Map(_) if opened && key.is_some() => Some("put it into quotes, if it is a text"),
            Value::List(_) | Value::Map(_) | Value::String(_) | Value::Alias | Value::Tagged => None,
        };
        report.push(self.wrong_type(key, value, what, "a string").with_help_if(help.map(str::to_owned)));
        None
    }

    /// The names of tools: a list of strings, or one string with commas in it. What is none of these is reported, and stands for no
    /// tool, never for all of them.
    fn names(&self, key: &Node, value: &Node, what: &str, report: &mut Report) -> Vec<At<String>> {
        let entries = if let Value::List(items) = &value.value {
            let each = format!("each entry of {what}");
            items.iter().filter_map(|item| self.string(None, item, &each, report)).collect()
        } else if let Value::String(text) = &value.value {
            self.between_commas(value, text)
        } else {
            let help = if matches!(value.value, Value::Map(_)) {
                "`tools` lists what is allowed, and `deny_tools` what is not"
            } else if matches!(value.value, Value::Integer | Value::Float) {
                "put it into quotes"
            } else if what == "`tools`" {
                "`tools: []` allows none; without the key, the agent sees every tool"
            } else {
                "`deny_tools: []` denies none, as does leaving the key out"
            };
            let expected = "a list of names, or names with commas between them";
            report.push(self.wrong_type(Some(key), value, what, expected).with_help(help));
            Vec::new()
        };
        check::patterns(entries, report)
    }

    /// The entries of a text; a comma behind the last is allowed, as it is in a list.
    fn between_commas(&self, value: &Node, text: &str) -> Vec<At<String>> {
        let text = text.trim();
        if text.is_empty() {
            return Vec::new();
        }
        let written = self.text.get(value.range.clone()).unwrap_or_default();
        // Escapes stand for other bytes than they are made of: then the whole text is pointed at.
        let mut from = if written.starts_with('"') && written.contains('\\') { written.len() } else { 0 };
        let mut entries = Vec::new();
        for entry in text.strip_suffix(',').unwrap_or(text).split(',').map(str::trim) {
            let here = written.get(from..).and_then(|rest| rest.find(entry)).filter(|_| !entry.is_empty());
            let range = match here {
                Some(offset) => {
                    let start = value.range.start + from + offset;
                    from += offset + entry.len();
                    start..start + entry.len()
                }
                None => value.range.clone(),
            };
            entries.push(At { value: entry.to_owned(), span: self.place(range) });
        }
        entries
    }

    fn format(&self, key: &Node, value: &Node, report: &mut Report) -> Option<Format> {
        const FORMATS: &str = "`raw` keeps every byte, `template` replaces {{name}} by a variable";
        let expected = "`raw` or `template`";
        let Value::String(format) = &value.value else {
            report.push(self.wrong_type(Some(key), value, "`format`", expected).with_help(FORMATS));
            return None;
        };
        match format.as_str() {
            "raw" => Some(Format::Raw),
            "template" => Some(Format::Template),
            other => {
                let help = match nearest(other, ["raw", "template"]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => FORMATS.to_owned(),
                };
                report.push(
                    Diagnostic::error("config::invalid_value", format!("`format` must be {expected}"))
                        .at(self.span(value), "neither of the two")
                        .with_help(help),
                );
                None
            }
        }
    }

    /// An unknown key is a warning: files of agents are shared with other harnesses, which know more of them.
    /// It is one of those that are `missing`, if it is any.
    fn unknown(&self, key: &str, span: Span, missing: Vec<&'static str>, report: &Report) -> Diagnostic {
        let diagnostic = Diagnostic::warning(
            "agents::unknown_key",
            format!("{}: the key {} is not read", quoted(self.file.path), quoted(key)),
        )
        .at(span, "left out");
        let elsewhere = ELSEWHERE.iter().find(|(other, ours)| *other == key && missing.contains(ours));
        let near = elsewhere.map(|(_, ours)| *ours).or_else(|| report.guesses.nearest(key, missing));
        match near {
            Some("tools") => diagnostic
                .with_note("without `tools`, the agent sees every tool that is not denied")
                .with_help("did you mean `tools`?"),
            Some("deny_tools") => {
                diagnostic.with_note("without `deny_tools`, no tool is denied").with_help("did you mean `deny_tools`?")
            }
            Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
            None if matches!(key, "persona" | "prompt" | "system_prompt" | "instructions") => {
                diagnostic.with_help("the persona is the text behind the second line `---`")
            }
            None => diagnostic.with_help(format!("the keys of an agent's file are {}", list(KEYS))),
        }
    }

    fn twice(&self, key: &str, second: Span, first: Span) -> Diagnostic {
        let headline = format!("the front matter of {} has the key {} twice", quoted(self.file.path), quoted(key));
        Diagnostic::error("agents::not_yaml", headline)
            .at(second, "the second")
            .at(first, "the first")
            .with_help("keep one of the two")
    }

    fn not_yaml(&self, problem: yaml::Problem) -> Diagnostic {
        let headline =
            format!("the front matter of {} is not readable as YAML: {}", quoted(self.file.path), problem.headline);
        Diagnostic::error("agents::not_yaml", headline)
            .at(self.place(problem.range), "")
            .with_help_if(problem.help.map(str::to_owned))
    }

    /// Reports a name of the file that cannot be an agent's.
    fn check_stem(&self, name: &At<String>, report: &mut Report) {
        let Some(what) = check::not_for_an_agent(&name.value) else { return };
        let headline =
            format!("{} has no `name`, and that of the file cannot be an agent's: {what}", quoted(self.file.path));
        report.push(
            Diagnostic::error("config::invalid_value", headline)
                .at(name.span, "add `name: …` below this line")
                .with_help(check::AGENT_NAMES),
        );
    }

    /// A value of the wrong type. Where there is nothing at all behind a key, that is pointed at.
    fn wrong_type(&self, key: Option<&Node>, value: &Node, name: &str, expected: &str) -> Diagnostic {
        let (node, label) = match (&value.value, key) {
            (Value::Null, Some(key)) if value.range.is_empty() => (key, "nothing stands behind it"),
            (Value::Null, None) if value.range.is_empty() => (value, "nothing stands here"),
            (Value::Null, _) => (value, "this is null"),
            (Value::Boolean, _) => (value, "this is a boolean"),
            (Value::Integer, _) => (value, "this is an integer"),
            (Value::Float, _) => (value, "this is a float"),
            (Value::String(_), _) => (value, "this is a string"),
            (Value::List(_), _) => (value, "this is a list"),
            (Value::Map(_), _) => (value, "these are keys and values"),
            (Value::Alias, _) => (value, "this names another value; write that here"),
            (Value::Tagged, _) => (value, "this has a tag; leave that out"),
        };
        Diagnostic::error("config::wrong_type", format!("{name} must be {expected}")).at(self.span(node), label)
    }

    fn span(&self, node: &Node) -> Span {
        self.place(node.range.clone())
    }

    /// The place in the file of these bytes of the YAML.
    fn place(&self, range: Range<usize>) -> Span {
        self.file.span(self.start + range.start..self.start + range.end)
    }
}
