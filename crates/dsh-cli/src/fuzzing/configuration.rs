//! `dsh.toml`, read alone: without the files that it names.

use std::ops::Range;

use super::found::{Decoded, Looked, Shown};
use crate::commands::config::document;
use crate::config::{Branch, Node, OffsetMap, Profiles, Tier, Value, asks, flag, includes, parse, read};
use crate::diagnostic::{Report, Sources, Span};

/// The JSON Schema of `dsh.toml`, for editors.
pub const SCHEMA: &str = crate::commands::config::SCHEMA;

/// What was made of a `dsh.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Its text.
    pub decoded: Decoded,
    /// What it says, where it is TOML.
    pub reading: Option<ConfigurationReading>,
    /// What was found.
    pub shown: Shown,
}

/// What a `dsh.toml` says.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationReading {
    /// Its values as `dsh config` prints them, in TOML.
    pub toml: String,
    /// The same as JSON.
    pub json: serde_json::Value,
    /// All that was read, to compare two readings.
    pub config: String,
    /// Its strings.
    pub texts: Vec<InlineText>,
}

/// A string of a `dsh.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineText {
    /// What it says.
    pub value: String,
    /// Where it stands.
    pub place: Range<usize>,
    /// Where each of its characters comes from.
    pub characters: Vec<Range<usize>>,
}

/// Reads these bytes as a project's `dsh.toml`.
pub fn configuration(bytes: &[u8]) -> Configuration {
    let mut looked = Looked::at("dsh.toml", bytes);
    let decoded = looked.decoded();
    let reading = reading(&mut looked, &decoded.text);
    Configuration { decoded, reading, shown: looked.shown() }
}

/// Reads this text as a project's `dsh.toml`, and says nothing of what was found.
pub fn configuration_says(text: &str) -> Option<ConfigurationReading> {
    reading(&mut Looked::at("dsh.toml", text.as_bytes()), text)
}

fn reading(looked: &mut Looked, text: &str) -> Option<ConfigurationReading> {
    let (source, report) = (looked.source?, &mut looked.report);
    let mut tree = parse(source, Tier::Project, text, report).ok()?;
    let (toml, json) = document(&tree, &looked.sources);
    let mut texts = Vec::new();
    texts_of(&tree, text, &mut texts);
    let start = Span::new(source, 0..0);
    let included = includes(&mut tree, start, report);
    let asks = asks(&tree);
    let profiles = Profiles::take(&mut tree, report);
    let config = read(&tree, start, &profiles, report);
    Some(ConfigurationReading { toml, json, config: format!("{config:#?}\n{included:#?}\n{asks:#?}"), texts })
}

fn texts_of(branch: &Branch, text: &str, texts: &mut Vec<InlineText>) {
    let fields = branch.fields.values().chain(&branch.allow_outside);
    fields.for_each(|field| texts_of_value(&field.node, text, texts));
}

fn texts_of_value(node: &Node, text: &str, texts: &mut Vec<InlineText>) {
    match &node.value {
        Value::String(value) => {
            let place = node.span.range();
            let map = OffsetMap::of_toml_string(text, place.clone(), value);
            let characters = value.char_indices().map(|(at, character)| map.locate(at..at + character.len_utf8()));
            texts.push(InlineText { characters: characters.collect(), value: value.clone(), place });
        }
        Value::Array(items) => items.iter().for_each(|item| texts_of_value(item, text, texts)),
        Value::Table(table) => texts_of(table, text, texts),
        Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// Reads this text as a `--config KEY=VALUE`.
pub fn configuration_flag(text: &str) -> Shown {
    let (mut sources, mut report) = (Sources::new(), Report::new());
    let source = sources.add_said("--config", text.to_owned());
    if let Ok(tree) = flag(source, text, &mut report) {
        read(&tree, Span::new(source, 0..0), &Profiles::default(), &mut report);
    }
    Looked { sources, report, source: Some(source) }.shown()
}
