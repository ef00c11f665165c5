//! The merged configuration as text: TOML that could be a `dsh.toml`, or JSON.

use std::collections::BTreeSet;

use dsh_system_prompt::hidden_characters;
use serde_json::json;

use crate::config::{Branch, InOne, Node, Tier, Value, in_one};
use crate::diagnostic::{Sources, Span, json as as_json, one_line};
use crate::project::Project;

/// A value of the configuration, and where it comes from.
#[derive(Debug)]
pub(super) struct Said {
    /// The way to it, a key each.
    path: Vec<String>,
    value: Spoken,
    origin: Origin,
    /// Of a list of tables, or of one that several documents add to: each with its own origin.
    entries: Option<Vec<(Spoken, Origin)>>,
    /// What TOML cannot say of it.
    remark: Option<String>,
}

/// A value in both forms.
#[derive(Debug)]
struct Spoken {
    toml: String,
    json: serde_json::Value,
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
    let InOne { tree, spread } =
        in_one(&project.tree, &|span, path, reach| project.bases.moved(span.source, path, reach));
    let mut values = Vec::new();
    let printing = Printing { sources, profile: project.profile.as_deref() };
    printing.branch(&tree, &mut Vec::new(), &mut values);
    if let Some((open, shut)) = spread
        && let Some(said) = values.iter_mut().find(|said| said.path == [ALLOW_OUTSIDE])
    {
        said.remark =
            Some(format!("`allow_outside` was said for `{open}` alone: in one file it holds for `{shut}` too"));
    }
    for (path, value) in crate::config::defaults() {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let is_beneath = |said: &Said| path.starts_with(&said.path) && (said.path == path || !said.says_nothing());
        if !values.iter().any(|said| said.path.starts_with(&path) || is_beneath(said)) {
            // Of truths, small numbers and lists of plain strings, the JSON is TOML.
            let value = Spoken { toml: value.to_string(), json: value };
            values.push(Said { path, value, origin: Origin::Default, entries: None, remark: None });
        }
    }
    // A table that says nothing is said by what it holds by default.
    let paths: Vec<Vec<String>> = values.iter().map(|said| said.path.clone()).collect();
    let has_more = |said: &Said| paths.iter().any(|path| *path != said.path && path.starts_with(&said.path));
    values.retain(|said| !said.says_nothing() || !has_more(said));
    values
}

/// One document's tree, as TOML and as JSON.
#[cfg(feature = "fuzzing")]
pub(crate) fn document(tree: &Branch, sources: &Sources) -> (String, serde_json::Value) {
    let mut values = Vec::new();
    Printing { sources, profile: None }.branch(tree, &mut Vec::new(), &mut values);
    (toml(&values, false), spoken(&Value::Table(tree.clone())).json)
}

impl Said {
    /// Whether it is a table without a key.
    fn says_nothing(&self) -> bool {
        self.value.toml == EMPTY
    }
}

struct Printing<'a> {
    sources: &'a Sources,
    profile: Option<&'a str>,
}

const ALLOW_OUTSIDE: &str = "allow_outside";

/// A table without a key.
const EMPTY: &str = "{}";

/// The keys of a table and their values.
fn fields(branch: &Branch) -> impl Iterator<Item = (&str, &Node)> {
    let outside = branch.allow_outside.last().map(|field| (ALLOW_OUTSIDE, &field.node));
    outside.into_iter().chain(branch.fields.iter().map(|(key, field)| (key.as_str(), &field.node)))
}

impl Printing<'_> {
    fn branch(&self, branch: &Branch, path: &mut Vec<String>, values: &mut Vec<Said>) {
        for (key, node) in fields(branch) {
            path.push(key.to_owned());
            match node.value.as_table().filter(|inner| !inner.is_empty()) {
                Some(inner) => self.branch(inner, path, values),
                None => values.push(self.said(path.clone(), node)),
            }
            path.pop();
        }
    }

    fn said(&self, path: Vec<String>, node: &Node) -> Said {
        let is_tables = |items: &[Node]| !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some());
        let is_added_to =
            |items: &[Node]| items.iter().any(|item| item.span.source != node.span.source || item.tier != node.tier);
        let entries = node.value.as_array().filter(|items| is_tables(items) || is_added_to(items));
        let entry = |item: &Node| (spoken(&item.value), self.origin(item.tier, item.span));
        Said {
            path,
            value: spoken(&node.value),
            origin: self.origin(node.tier, node.span),
            entries: entries.map(|items| items.iter().map(entry).collect()),
            remark: None,
        }
    }

    fn origin(&self, tier: Tier, span: Span) -> Origin {
        let place = self.sources.locate(span);
        let (file, line) = place.map_or_else(Default::default, |place| (place.path.to_owned(), place.start.line));
        let profile = matches!(tier, Tier::UserProfile | Tier::ProjectProfile).then_some(self.profile).flatten();
        Origin::Place { tier, profile: profile.map(str::to_owned), file, line }
    }
}

fn spoken(value: &Value) -> Spoken {
    match value {
        Value::String(text) => Spoken { toml: string(text), json: json!(text) },
        Value::Datetime(text) => Spoken { toml: text.clone(), json: json!(text) },
        Value::Integer(digits, radix) => {
            if let Ok(integer) = i64::from_str_radix(digits, *radix) {
                return Spoken { toml: integer.to_string(), json: json!(integer) };
            }
            let base = match radix {
                2 => "0b",
                8 => "0o",
                16 => "0x",
                _ => "",
            };
            let toml = format!("{base}{digits}");
            Spoken { json: json!(toml), toml }
        }
        Value::Float(text) => {
            let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
            Spoken { toml: text.clone(), json: float.map_or_else(|| json!(text), |float| json!(float)) }
        }
        Value::Boolean(truth) => Spoken { toml: truth.to_string(), json: json!(truth) },
        Value::Array(items) => {
            let (toml, json): (Vec<String>, Vec<serde_json::Value>) =
                items.iter().map(|item| spoken(&item.value)).map(|Spoken { toml, json }| (toml, json)).unzip();
            Spoken { toml: format!("[{}]", toml.join(", ")), json: json.into() }
        }
        Value::Table(table) if table.is_empty() => Spoken { toml: EMPTY.to_owned(), json: json!({}) },
        Value::Table(table) => {
            let (mut toml, mut json) = (Vec::new(), serde_json::Map::new());
            for (key, node) in fields(table) {
                let value = spoken(&node.value);
                toml.push(format!("{} = {}", toml_key(key), value.toml));
                json.insert(key.to_owned(), value.json);
            }
            Spoken { toml: format!("{{ {} }}", toml.join(", ")), json: json.into() }
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
    let line = |Said { path, value, origin, entries, remark }: &Said| {
        let keys: Vec<String> = path.iter().map(|key| toml_key(key)).collect();
        let key = keys.join(".");
        let remark = remark.as_ref().map_or_else(String::new, |remark| format!("# {}\n", one_line(remark)));
        match entries {
            None => format!("{remark}{key} = {}{}\n", value.toml, comment(origin)),
            Some(entries) => {
                let entries = entries.iter().map(|(entry, origin)| format!("  {},{}\n", entry.toml, comment(origin)));
                format!("{key} = [\n{}]\n", entries.collect::<String>())
            }
        }
    };
    values.iter().map(line).collect()
}

fn toml_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { string(key) }
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
    let value = |said: &Said| {
        let entries = said.entries.as_ref();
        let entries = entries.map(|entries| entries.iter().map(|(_, origin)| origin.json()).collect::<Vec<_>>());
        json!({ "key": said.path, "value": said.value.json, "origin": said.origin.json(), "entries": entries })
    };
    let values: Vec<serde_json::Value> = values.iter().map(value).collect();
    as_json::printed(&json!({ "version": 1, "config": project.config, "profile": project.profile, "values": values }))
}
