//! The merged configuration as text: TOML that could be a `dsh.toml`, or JSON.

use std::collections::BTreeSet;

use dsh_system_prompt::hidden_characters;
use serde_json::json;

use crate::config::{Branch, Node, Tier, Value};
use crate::diagnostic::{Sources, Span, json as as_json, one_line};
use crate::project::Project;

/// A value of the configuration, and where it comes from.
#[derive(Debug)]
pub(super) struct Said {
    /// The way to it, a key each.
    path: Vec<String>,
    value: Spoken,
    origin: Origin,
}

/// What is said.
#[derive(Debug)]
enum Spoken {
    /// One value, or a list of such.
    Plain(serde_json::Value),
    /// A list of tables, each with its own origin.
    Tables(Vec<(serde_json::Value, Origin)>),
}

/// Where a value comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// Nobody says it: it holds by itself.
    Default,
    /// Somebody says it, at this place of a document.
    Place { tier: Tier, profile: Option<String>, file: String, line: usize },
}

/// Every value of the project's configuration, those included that hold by default.
pub(super) fn values(project: &Project, sources: &Sources) -> Vec<Said> {
    let mut values = Vec::new();
    let printing = Printing { sources, profile: project.profile.as_deref() };
    printing.branch(&project.tree, &mut Vec::new(), &mut values);
    for (path, value) in crate::config::defaults() {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let is_said = |said: &Said| said.path.starts_with(&path) || path.starts_with(&said.path);
        if !values.iter().any(is_said) {
            values.push(Said { path, value: Spoken::Plain(value), origin: Origin::Default });
        }
    }
    values
}

struct Printing<'a> {
    sources: &'a Sources,
    profile: Option<&'a str>,
}

impl Printing<'_> {
    fn branch(&self, branch: &Branch, path: &mut Vec<String>, values: &mut Vec<Said>) {
        let outside = branch.allow_outside.last().map(|field| ("allow_outside", field));
        let fields = branch.fields.iter().map(|(key, field)| (key.as_str(), field));
        for (key, field) in outside.into_iter().chain(fields) {
            path.push(key.to_owned());
            match field.node.value.as_table().filter(|inner| !inner.fields.is_empty()) {
                Some(inner) => self.branch(inner, path, values),
                None => values.push(self.said(path.clone(), &field.node)),
            }
            path.pop();
        }
    }

    fn said(&self, path: Vec<String>, node: &Node) -> Said {
        let origin = self.origin(node.tier, node.span);
        let value = match node.value.as_array() {
            Some(items) if !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some()) => {
                let tables = items.iter().map(|item| (plain(&item.value), self.origin(item.tier, item.span)));
                Spoken::Tables(tables.collect())
            }
            _ => Spoken::Plain(plain(&node.value)),
        };
        Said { path, value, origin }
    }

    fn origin(&self, tier: Tier, span: Span) -> Origin {
        let place = self.sources.locate(span);
        let (file, line) = place.map_or_else(Default::default, |place| (place.path.to_owned(), place.start.line));
        let profile = matches!(tier, Tier::UserProfile | Tier::ProjectProfile).then_some(self.profile).flatten();
        Origin::Place { tier, profile: profile.map(str::to_owned), file, line }
    }
}

fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) | Value::Datetime(text) => json!(text),
        Value::Integer(digits, radix) => match i64::from_str_radix(digits, *radix) {
            Ok(integer) => json!(integer),
            Err(_) => json!(digits),
        },
        Value::Float(text) => text.parse::<f64>().map_or_else(|_| json!(text), |float| json!(float)),
        Value::Boolean(truth) => json!(truth),
        Value::Array(items) => items.iter().map(|item| plain(&item.value)).collect(),
        Value::Table(table) => {
            let outside = table.allow_outside.last().map(|field| ("allow_outside", field));
            let fields = table.fields.iter().map(|(key, field)| (key.as_str(), field)).chain(outside);
            fields.map(|(key, field)| (key.to_owned(), plain(&field.node.value))).collect()
        }
    }
}

impl Origin {
    /// For people.
    fn words(&self) -> String {
        one_line(&match self {
            Self::Default => "default".to_owned(),
            Self::Place { tier: Tier::Environment, file, .. } => format!("{file}, environment"),
            Self::Place { tier: Tier::Flag, file, .. } => file.clone(),
            Self::Place { profile: Some(profile), file, line, .. } => {
                format!("{file}:{line}, profile {}", string(profile))
            }
            Self::Place { file, line, .. } => format!("{file}:{line}"),
        })
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Self::Default => json!({ "tier": "default" }),
            Self::Place { tier, profile, file, line } => {
                let name = match tier {
                    Tier::User => "user",
                    Tier::Project => "project",
                    Tier::UserProfile | Tier::ProjectProfile => "profile",
                    Tier::Environment => "environment",
                    Tier::Flag => "flag",
                };
                json!({ "tier": name, "profile": profile, "file": file, "line": line })
            }
        }
    }
}

/// TOML, a line for each value; with where it comes from, if that is asked for.
pub(super) fn toml(values: &[Said], origins: bool) -> String {
    let comment = |origin: &Origin| if origins { format!("  # {}", origin.words()) } else { String::new() };
    let line = |Said { path, value, origin }: &Said| {
        let keys: Vec<String> = path.iter().map(|key| toml_key(key)).collect();
        let key = keys.join(".");
        match value {
            Spoken::Plain(value) => format!("{key} = {}{}\n", toml_value(value), comment(origin)),
            Spoken::Tables(tables) => {
                let tables =
                    tables.iter().map(|(table, origin)| format!("  {},{}\n", toml_value(table), comment(origin)));
                format!("{key} = [\n{}]\n", tables.collect::<String>())
            }
        }
    };
    values.iter().map(line).collect()
}

fn toml_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { string(key) }
}

fn toml_value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => string(text),
        serde_json::Value::Array(items) => format!("[{}]", items.iter().map(toml_value).collect::<Vec<_>>().join(", ")),
        serde_json::Value::Object(table) if table.is_empty() => "{}".to_owned(),
        serde_json::Value::Object(table) => {
            let fields = table.iter().map(|(key, value)| format!("{} = {}", toml_key(key), toml_value(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        // TOML has no null, and nothing here is one.
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => value.to_string(),
    }
}

/// A TOML string on one line, with everything escaped that does not show.
fn string(text: &str) -> String {
    let hidden: BTreeSet<usize> = hidden_characters(text).map(|hidden| hidden.offset).collect();
    let mut quoted = String::from("\"");
    for (offset, character) in text.char_indices() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            character if character.is_control() || hidden.contains(&offset) => quoted.push_str(&escape(character)),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// A character as an escape of TOML.
fn escape(character: char) -> String {
    let code = u32::from(character);
    if code > 0xFFFF { format!("\\U{code:08X}") } else { format!("\\u{code:04X}") }
}

/// The JSON of `dsh config --json`, version 1: docs/json.md describes it.
pub(super) fn json(project: &Project, values: &[Said]) -> String {
    let values: Vec<serde_json::Value> = values
        .iter()
        .map(|said| {
            let (value, entries) = match &said.value {
                Spoken::Plain(value) => (value.clone(), serde_json::Value::Null),
                Spoken::Tables(tables) => (
                    tables.iter().map(|(table, _)| table.clone()).collect(),
                    tables.iter().map(|(_, origin)| origin.json()).collect(),
                ),
            };
            json!({ "key": said.path, "value": value, "origin": said.origin.json(), "entries": entries })
        })
        .collect();
    as_json::printed(&json!({ "version": 1, "config": project.config, "profile": project.profile, "values": values }))
}
