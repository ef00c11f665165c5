//! A table of `dsh.toml` that is read key by key: what was not asked for is unknown, and every mistake is reported.

use super::agent_file::tools_elsewhere;
use super::misplaced::of_the_whole_file;
use super::overrides::ENVIRONMENT;
use super::tree::{ALLOW_OUTSIDE, Branch, Field, Node, Tier, Value};
use super::{At, FILE_NAME};
use crate::diagnostic::{Diagnostic, Report, SourceId, Span};
use crate::names::quoted;
use crate::outside::Reach;

/// A table while it is read.
#[derive(Debug)]
pub(super) struct Table<'t> {
    branch: &'t Branch,
    /// Where the table itself stands: its header, or its braces.
    pub(super) span: Span,
    /// What it is, like "a section", for messages.
    what: &'static str,
    asked: Vec<&'static str>,
}

/// Where the paths of a table may lead, as every document has it that says `allow_outside` there (C1, C5).
///
/// - `true` opens the way for the paths that its own document has in the table, and for no other's.
/// - `false` closes it for these; in a profile and in a flag, for the paths of all lower tiers too.
/// - A flag's `false` closes the tables within as well: sections have no keys by which a flag could name them.
///
/// What the command line says is one document, of which the last word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Reaches {
    /// What each document says, in the order of precedence.
    said: Vec<(Tier, SourceId, bool)>,
    /// Whether a flag closed a table around this one.
    closed: bool,
}

impl Reaches {
    /// What this table says, within one of these.
    pub(super) fn within(branch: &Branch, around: Option<&Self>) -> Self {
        let word = |field: &Field| Some((field.node.tier, field.node.span.source, field.node.value.as_bool()?));
        let said = branch.allow_outside.iter().filter_map(word).collect();
        Self { said, closed: around.is_some_and(|around| around.closed || around.flag() == Some(false)) }
    }

    /// How far it leads where no path stands beside it: the last word counts.
    pub(super) fn any(&self) -> Reach {
        if self.said.last().is_some_and(|(.., outside)| *outside) { Reach::Anywhere } else { Reach::Beneath }
    }

    /// How far a path may lead that this document has in the table.
    pub(super) fn of(&self, tier: Tier, span: Span) -> Reach {
        let is_beside = |other: Tier, source: SourceId| match tier {
            Tier::Environment | Tier::Flag => other >= Tier::Environment,
            Tier::User | Tier::Project | Tier::UserProfile | Tier::ProjectProfile => {
                other == tier && source == span.source
            }
        };
        let beside = self.said.iter().rev().find(|(tier, source, _)| is_beside(*tier, *source));
        let opened = beside.is_some_and(|(.., outside)| *outside);
        if opened && !self.closes(tier) { Reach::Anywhere } else { Reach::Beneath }
    }

    /// Whether somebody above this tier closes the way.
    fn closes(&self, tier: Tier) -> bool {
        let by_profile = |(other, _, outside): &(Tier, SourceId, bool)| {
            !outside && *other > tier && matches!(other, Tier::UserProfile | Tier::ProjectProfile)
        };
        let by_flag = self.closed || self.flag() == Some(false);
        self.said.iter().any(by_profile) || (by_flag && tier < Tier::Environment)
    }

    /// The last word of the flags.
    fn flag(&self) -> Option<bool> {
        self.said.iter().rev().find(|(tier, ..)| *tier == Tier::Flag).map(|(.., outside)| *outside)
    }
}

/// A value of a table, with the place of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'t> {
    /// The key's place.
    pub(super) key: Span,
    /// The value's place.
    pub(super) span: Span,
    /// Who says it.
    pub(super) tier: Tier,
    /// The value.
    pub(super) value: &'t Value,
}

impl<'t> Table<'t> {
    pub(super) fn new(branch: &'t Branch, span: Span, what: &'static str) -> Self {
        Self { branch, span, what, asked: Vec::new() }
    }

    /// What is read.
    pub(super) fn branch(&self) -> &'t Branch {
        self.branch
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
        self.branch.fields.get(key).map(entry)
    }

    /// Makes these keys known ones: a message about an unknown one names them too.
    pub(super) fn knows(&mut self, keys: &[&'static str]) {
        self.asked.extend(keys);
    }

    /// All keys and values, in the order of the file, for tables whose keys are names.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'t str, Entry<'t>)> + use<'t> {
        let outside = self.branch.allow_outside.last().map(|field| (ALLOW_OUTSIDE, entry(field)));
        self.branch.fields.iter().map(|(key, field)| (key.as_str(), entry(field))).chain(outside)
    }

    /// The string of `key`.
    pub(super) fn string(&mut self, key: &'static str, report: &mut Report) -> Option<At<String>> {
        let entry = self.entry(key)?;
        string(entry, &quoted(key), report)
    }

    /// The truth of `key`.
    pub(super) fn boolean(&mut self, key: &'static str, report: &mut Report) -> Option<At<bool>> {
        let entry = self.entry(key)?;
        boolean(entry, key, report)
    }

    /// How far the paths of this table may lead, which stands within one of these.
    pub(super) fn reaches(&mut self, around: Option<&Reaches>, report: &mut Report) -> Reaches {
        self.asked.push(ALLOW_OUTSIDE);
        for field in &self.branch.allow_outside {
            boolean(entry(field), ALLOW_OUTSIDE, report);
        }
        Reaches::within(self.branch, around)
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
        let value = items.iter().filter_map(|item| string(item_entry(item), &each, report)).collect();
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
            let item = item_entry(item);
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

    /// What `key` says: a table, which is `what`, or only whether it is on. What is neither is reported, with this help.
    pub(super) fn switch(
        &mut self,
        key: &'static str,
        what: &'static str,
        help: &str,
        report: &mut Report,
    ) -> Option<Switch<'t>> {
        let entry = self.entry(key)?;
        if let Some(enabled) = entry.value.as_bool() {
            return Some(Switch::Enabled(enabled));
        }
        if entry.value.as_table().is_none() {
            report.push(wrong_type(entry, &quoted(key), "`true`, `false` or a table").with_help(help));
            return None;
        }
        table(entry, &quoted(key), what, report).map(Switch::Table)
    }

    /// The keys that were asked for and are there, in the order of the file.
    pub(super) fn order_of<T: Copy>(&self, topics: &[(&str, T)]) -> Vec<T> {
        let topic = |key: &str| topics.iter().find(|(name, _)| *name == key).map(|(_, topic)| *topic);
        self.branch.fields.keys().filter_map(|key| topic(key)).collect()
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
            let is_whole = matches!(self.what, FILE_NAME | "a profile");
            // Of the documents that make one table, dsh.toml is only that in which it begins.
            let is_elsewhere = self.what == FILE_NAME && entry.key.source != self.span.source;
            let what = if is_elsewhere { "the configuration" } else { self.what };
            let rules = tools_elsewhere(key).filter(|_| self.what == "an agent").map(|list| {
                let rule = if list == "tools" { "allow" } else { "deny" };
                format!("did you mean `tools = {{ {rule} = […] }}`?")
            });
            let misplaced = || of_the_whole_file(key, entry.value).filter(|_| !is_whole);
            let near = || report.guesses.nearest(key, self.asked.iter().copied());
            let near = || near().map(|near| format!("did you mean `{near}`?"));
            let help = match rules.or_else(misplaced).or_else(near) {
                Some(near) => near,
                None => format!("the keys of {what} are {}", known.join(", ")),
            };
            report.push(
                Diagnostic::error("config::unknown_key", format!("unknown key {} in {what}", quoted(key)))
                    .at(entry.key, "not a key that dsh knows here")
                    .with_help(help),
            );
        }
    }
}

fn entry(field: &Field) -> Entry<'_> {
    Entry { key: field.key, ..item_entry(&field.node) }
}

/// An entry of a list, which has no key of its own.
fn item_entry(node: &Node) -> Entry<'_> {
    Entry { key: node.span, span: node.span, tier: node.tier, value: &node.value }
}

/// The truth of an entry, whose key is `key`.
fn boolean(entry: Entry<'_>, key: &str, report: &mut Report) -> Option<At<bool>> {
    let Some(value) = entry.value.as_bool() else {
        let help = match entry.value.as_str() {
            Some("true" | "false") if entry.tier < Tier::Environment => Some("leave the quotes out".to_owned()),
            Some(text) if truth_of(text).is_some() => {
                truth_of(text).map(|truth| format!("write `{}`", said(entry.tier, key, truth)))
            }
            _ => Some(format!("write `{}` or `{}`", said(entry.tier, key, true), said(entry.tier, key, false))),
        };
        report.push(wrong_type(entry, &quoted(key), "`true` or `false`").with_help_if(help));
        return None;
    };
    Some(At { value, span: entry.span })
}

/// The truth that a word most likely stands for.
fn truth_of(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// How a truth is given where the value stands.
fn said(tier: Tier, key: &str, truth: bool) -> String {
    let variable = ENVIRONMENT.iter().find(|(_, its)| *its == key).filter(|_| tier == Tier::Environment);
    match (variable, tier) {
        (Some((variable, _)), _) => format!("{variable}={truth}"),
        (None, Tier::Flag) => format!("--config {key}={truth}"),
        (None, _) => format!("{key} = {truth}"),
    }
}

/// The string of an entry, which messages call `name`.
pub(super) fn string(entry: Entry<'_>, name: &str, report: &mut Report) -> Option<At<String>> {
    let Some(value) = entry.value.as_str() else {
        let help = match entry.value {
            Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
                Some("put it into quotes".to_owned())
            }
            Value::Array(items) if items.len() == 1 => Some("take it out of the brackets".to_owned()),
            Value::Array(_) => Some(r#"write one string: `"…"`, or lines between `"""` and `"""`"#.to_owned()),
            Value::String(_) | Value::Table(_) => Some(r#"write a string: `"…"`"#.to_owned()),
        };
        report.push(wrong_type(entry, name, "a string").with_help_if(help));
        return None;
    };
    Some(At { value: value.to_owned(), span: entry.span })
}

/// What is a table, or only on or off.
pub(super) enum Switch<'t> {
    /// On, with all that holds by itself, or off.
    Enabled(bool),
    /// On, with this.
    Table(Table<'t>),
}

/// The table of an entry, which messages call `name` and which is `what`.
pub(super) fn table<'t>(entry: Entry<'t>, name: &str, what: &'static str, report: &mut Report) -> Option<Table<'t>> {
    let Some(entries) = entry.value.as_table() else {
        let is_list = entry.value.as_array().is_some();
        let help = match what {
            "the agents" => Some("each agent is a table of its own, with its name: `[agents.NAME]`".to_owned()),
            "the profiles" | "a profile" => {
                Some("each profile is a table of its own, with its name: `[profiles.NAME]`".to_owned())
            }
            "an agent" => Some("an agent is a table of its own: `[agents.NAME]`, and its keys under that".to_owned()),
            "the tools of an agent" if is_list || entry.value.as_str().is_some() => {
                let list = entry.value.as_array().map_or_else(|| "\"…\"".to_owned(), allowed);
                Some(format!("write `tools = {{ allow = [{list}] }}` for these tools and no others"))
            }
            "the variables" => {
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
        Value::String(_) => "a string",
        Value::Integer(..) => "an integer",
        Value::Float(_) => "a float",
        Value::Boolean(_) => "a boolean",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    };
    Diagnostic::error("config::wrong_type", format!("{name} must be {expected}"))
        .at(entry.span, format!("this is {found}"))
}

/// A list as it would stand in the file, if it is short.
fn allowed(list: &[Node]) -> String {
    let names: Option<Vec<String>> =
        list.iter().map(|item| item.value.as_str().map(|name| format!("\"{name}\""))).collect();
    names.map(|names| names.join(", ")).filter(|list| list.len() < 80).unwrap_or_else(|| "…".to_owned())
}
