//! A table of `dsh.toml` that is read key by key: what was not asked for is unknown, and every mistake is reported.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::config::At;
use crate::diagnostic::{Diagnostic, Report, SourceId, Span};
use crate::names::quoted;

/// A table while it is read.
#[derive(Debug)]
pub(super) struct Table<'t> {
    entries: &'t DeTable<'t>,
    source: SourceId,
    /// Where the table itself stands: its header, or its braces.
    pub(super) span: Span,
    /// What it is, like "a section", for messages.
    what: &'static str,
    asked: Vec<&'static str>,
}

/// A value of a table, with the place of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'t> {
    /// The key's place.
    pub(super) key: Span,
    /// The value's place.
    pub(super) span: Span,
    /// The value.
    pub(super) value: &'t DeValue<'t>,
}

impl<'t> Table<'t> {
    pub(super) fn new(entries: &'t DeTable<'t>, span: Span, what: &'static str) -> Self {
        Self { entries, source: span.source, span, what, asked: Vec::new() }
    }

    /// What this table is, for messages.
    pub(super) fn what(&self) -> &'static str {
        self.what
    }

    /// The value of `key`; asking makes the key a known one.
    pub(super) fn entry(&mut self, key: &'static str) -> Option<Entry<'t>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let (key, value) = self.entries.get_key_value(key)?;
        Some(self.as_entry(key, value))
    }

    /// All keys and values, in the order of the file, for tables whose keys are names.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'t str, Entry<'t>)> + use<'t> {
        let (entries, source) = (self.entries, self.source);
        entries.iter().map(move |(key, value)| (key.get_ref().as_ref(), entry(source, key.span(), value)))
    }

    /// The string of `key`.
    pub(super) fn string(&mut self, key: &'static str, report: &mut Report) -> Option<At<String>> {
        let entry = self.entry(key)?;
        string(entry, &quoted(key), report)
    }

    /// The truth of `key`.
    pub(super) fn boolean(&mut self, key: &'static str, report: &mut Report) -> Option<At<bool>> {
        let entry = self.entry(key)?;
        let Some(value) = entry.value.as_bool() else {
            let help = match entry.value.as_str() {
                Some("true" | "false") => Some("leave the quotes out".to_owned()),
                Some("no" | "off") => Some(format!("write `{key} = false`")),
                Some("yes" | "on") => Some(format!("write `{key} = true`")),
                _ => None,
            };
            report.push(wrong_type(entry, &quoted(key), "`true` or `false`").with_help_if(help));
            return None;
        };
        Some(At { value, span: entry.span })
    }

    /// The list of strings of `key`; what is no string in it is reported and left out.
    pub(super) fn strings(&mut self, key: &'static str, report: &mut Report) -> Option<At<Vec<At<String>>>> {
        let entry = self.entry(key)?;
        let what = quoted(key);
        let Some(items) = entry.value.as_array() else {
            let help = entry.value.as_str().is_some().then(|| "put it into brackets: a list of one".to_owned());
            report.push(wrong_type(entry, &what, "a list of strings").with_help_if(help));
            return None;
        };
        let each = format!("each entry of {what}");
        let value = items.iter().filter_map(|item| string(self.item(item), &each, report)).collect();
        Some(At { value, span: entry.span })
    }

    /// The tables of the list `key`, each of them `what`.
    pub(super) fn tables(&mut self, key: &'static str, what: &'static str, report: &mut Report) -> Vec<Table<'t>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        let header = format!("a list of tables, each under `[[{key}]]`");
        let Some(items) = entry.value.as_array() else {
            let help =
                entry.value.as_table().is_some().then(|| format!("double the brackets of the header: `[[{key}]]`"));
            report.push(wrong_type(entry, &quoted(key), &header).with_help_if(help));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            let item = self.item(item);
            match item.value.as_table() {
                Some(entries) => tables.push(Table::new(entries, item.span, what)),
                None => report.push(wrong_type(item, &format!("each entry of `{key}`"), "a table")),
            }
        }
        tables
    }

    /// The table of `key`, which is `what`.
    pub(super) fn table(&mut self, key: &'static str, what: &'static str, report: &mut Report) -> Option<Table<'t>> {
        let entry = self.entry(key)?;
        table(entry, &quoted(key), what, report)
    }

    /// The keys that were asked for and are there, in the order of the file.
    pub(super) fn order_of<T: Copy>(&self, topics: &[(&str, T)]) -> Vec<T> {
        let topic = |key: &str| topics.iter().find(|(name, _)| *name == key).map(|(_, topic)| *topic);
        self.entries.keys().filter_map(|key| topic(key.get_ref())).collect()
    }

    /// Reports every key that was not asked for.
    pub(super) fn refuse_unknown(&self, report: &mut Report) {
        for (key, entry) in self.named() {
            if self.asked.contains(&key) {
                continue;
            }
            let mut known = self.asked.clone();
            known.sort_unstable();
            let known: Vec<String> = known.into_iter().map(quoted).collect();
            let help = match report.guesses.nearest(key, self.asked.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys of {} are {}", self.what, known.join(", ")),
            };
            report.push(
                Diagnostic::error("config::unknown_key", format!("unknown key {} in {}", quoted(key), self.what))
                    .at(entry.key, "not a key that dsh knows here")
                    .with_help(help),
            );
        }
    }

    fn item(&self, item: &'t Spanned<DeValue<'t>>) -> Entry<'t> {
        entry(self.source, item.span(), item)
    }

    fn as_entry(&self, key: &'t Spanned<std::borrow::Cow<'t, str>>, value: &'t Spanned<DeValue<'t>>) -> Entry<'t> {
        entry(self.source, key.span(), value)
    }
}

fn entry<'t>(source: SourceId, key: Range<usize>, value: &'t Spanned<DeValue<'t>>) -> Entry<'t> {
    Entry { key: Span::new(source, key), span: Span::new(source, value.span()), value: value.get_ref() }
}

/// The string of an entry, which messages call `name`.
pub(super) fn string(entry: Entry<'_>, name: &str, report: &mut Report) -> Option<At<String>> {
    let Some(value) = entry.value.as_str() else {
        let help = match entry.value {
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                Some("put it into quotes".to_owned())
            }
            DeValue::String(_) | DeValue::Array(_) | DeValue::Table(_) => None,
        };
        report.push(wrong_type(entry, name, "a string").with_help_if(help));
        return None;
    };
    Some(At { value: value.to_owned(), span: entry.span })
}

/// The table of an entry, which messages call `name` and which is `what`.
pub(super) fn table<'t>(entry: Entry<'t>, name: &str, what: &'static str, report: &mut Report) -> Option<Table<'t>> {
    let Some(entries) = entry.value.as_table() else {
        let is_list = entry.value.as_array().is_some();
        let help = match what {
            "the agents" if is_list => {
                Some("each agent is a table of its own, with its name: `[agents.NAME]`".to_owned())
            }
            "an agent" => Some("an agent is a table of its own: `[agents.NAME]`, and its keys under that".to_owned()),
            "the tools of an agent" if is_list => {
                let list = entry.value.as_array().map(allowed).unwrap_or_default();
                Some(format!("write `tools = {{ allow = [{list}] }}` for these tools and no others"))
            }
            "the variables" if is_list => {
                Some("write one table, `[variables]`, with a line `name = \"value\"` for each".to_owned())
            }
            _ => None,
        };
        report.push(wrong_type(entry, name, "a table").with_help_if(help));
        return None;
    };
    Some(Table::new(entries, entry.span, what))
}

/// A value of the wrong type, at its place.
pub(super) fn wrong_type(entry: Entry<'_>, name: &str, expected: &str) -> Diagnostic {
    let found = match entry.value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Diagnostic::error("config::wrong_type", format!("{name} must be {expected}"))
        .at(entry.span, format!("this is {found}"))
}

/// A list as it would stand in the file, if it is short.
fn allowed(list: &DeArray<'_>) -> String {
    let names: Option<Vec<String>> =
        list.iter().map(|item| item.get_ref().as_str().map(|name| format!("\"{name}\""))).collect();
    names.map(|names| names.join(", ")).filter(|list| list.len() < 80).unwrap_or_else(|| "…".to_owned())
}
