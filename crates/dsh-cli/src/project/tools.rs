//! The tools of a project: the schemas of the files it names, and which of them an agent sees.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use dsh_llm::{ListedTool, ToolList, ToolSchema, parse_each_tool};

use super::DroppedFields;
use super::commands::{self, Command};
use super::files::{Files, SCHEMA_LIMIT};
use super::oddities::{StrangeFields, no_object, unusual_name};
use crate::config::{At, CommandTools, FileRef, ToolRules};
use crate::diagnostic::{Diagnostic, Report, SourceId, Span};
use crate::names::{list, quoted};
use crate::trust::{Trust, TrustSet};

/// The tools of a project: those that its files describe, and those that are commands.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// Of those that files describe, the schemas, in the order of the files and in each file's own.
    pub(crate) schemas: Vec<ToolSchema>,
    /// Those that are commands, in their order.
    pub(crate) commands: Vec<Command>,
    /// The names of those that come with dsh, and that the configuration turns on.
    pub(crate) built_in: Vec<&'static str>,
    /// What the files say of tools that a schema has no place for.
    pub(crate) dropped: DroppedFields,
    /// Where each tool's name stands.
    places: BTreeMap<String, Span>,
    /// Where each tool's entry stands.
    entries: BTreeMap<String, Span>,
    /// Whether a file is missing here, so that a name that is not known may be right.
    incomplete: bool,
}

/// Reads the files of schemas.
pub(super) fn read(paths: &[FileRef], files: &mut Files<'_>, report: &mut Report) -> Tools {
    let mut tools = Tools::default();
    let mut read: BTreeMap<SourceId, Span> = BTreeMap::new();
    for path in paths {
        let Some(source) = files.named(path, SCHEMA_LIMIT, report) else {
            tools.incomplete = true;
            continue;
        };
        if let Some(first) = read.get(&source) {
            let headline = format!("`tool_schemas` names the file {} twice", quoted(&path.path.value));
            report.push(
                Diagnostic::error("config::invalid_value", headline)
                    .at(path.path.span, "the second")
                    .at(*first, "the first")
                    .with_help("keep one of the two: each file's tools are taken once"),
            );
            continue;
        }
        read.insert(source, path.path.span);
        let text = files.sources.text(source);
        let errors = match parse_each_tool(text) {
            Ok((list, errors)) => {
                tools.take(&list, path, source, report);
                errors
            }
            Err(error) => vec![error],
        };
        tools.incomplete |= !errors.is_empty();
        for error in errors {
            report.push(wrong(&error, path, source));
        }
    }
    tools
}

/// What is wrong with a file, or with one of its tools.
fn wrong(error: &dsh_llm::Error, path: &FileRef, source: SourceId) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(error.code(), headline(&path.path.value, error));
    let labels = if error.first_offset().is_some() { ["the second", "the first"] } else { ["", ""] };
    for (offset, label) in [error.offset(), error.first_offset()].into_iter().zip(labels) {
        if let Some(offset) = offset {
            diagnostic = diagnostic.at(Span::new(source, offset..offset + 1), label);
        }
    }
    diagnostic.at(path.path.span, "named here").with_help(error.help())
}

/// Beginnings of names that this may have been meant to be: of its length, and of one character more or less. One of two characters is like
/// everything.
fn beginnings<'n>(stem: &str, names: impl Iterator<Item = &'n str>) -> impl Iterator<Item = &'n str> {
    let length = stem.chars().count();
    let lengths = [length, length + 1, length - length.min(1)].into_iter().filter(move |_| length > 2);
    names.flat_map(move |name| {
        let ends = || name.char_indices().map(|(offset, _)| offset).chain([name.len()]);
        let beginning = move |length: usize| name.get(..ends().nth(length)?);
        lengths.clone().filter_map(beginning)
    })
}

fn headline(path: &str, error: &dsh_llm::Error) -> String {
    match (error.tool_name(), error.tool_index()) {
        (Some(name), _) => format!("{}, tool {}: {}", quoted(path), quoted(name), error.problem()),
        (None, Some(index)) => format!("{}, tool number {}: {}", quoted(path), index + 1, error.problem()),
        (None, None) => format!("{}: {}", quoted(path), error.problem()),
    }
}

/// Which tools an agent sees: those that are allowed, less those that are denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolFilter {
    /// Those that are allowed; every one, if none.
    allowed: Option<Arc<BTreeSet<String>>>,
    /// The entries that deny tools.
    denied: Arc<BTreeMap<String, Span>>,
}

impl ToolFilter {
    /// Whether the tool of this name is seen.
    pub(crate) fn admits(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name)) && !self.denied.contains_key(name)
    }

    /// What it leaves of these tools, which the registry has, as the registry takes it; nothing, where it leaves all.
    pub(super) fn of_registry<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<dsh_tools::ToolFilter> {
        let names: Vec<&str> = names.collect();
        let mut filter = dsh_tools::ToolFilter::new();
        if let Some(allowed) = &self.allowed {
            filter = filter.allow(names.iter().filter(|name| allowed.contains(**name)).map(|name| (*name).to_owned()));
        }
        filter =
            filter.deny(names.iter().filter(|name| self.denied.contains_key(**name)).map(|name| (*name).to_owned()));
        (!filter.is_empty()).then_some(filter)
    }

    /// Where the tool of this name is denied.
    pub(super) fn denied(&self, name: &str) -> Option<Span> {
        self.denied.get(name).copied()
    }
}

impl Tools {
    /// Takes in the tools of a file; two of one name, and what is most likely a mistake, are reported.
    fn take(&mut self, list: &ToolList, path: &FileRef, source: SourceId, report: &mut Report) {
        if list.next_cursor().is_some() {
            report.push(
                Diagnostic::warning(
                    "tools::partial_list",
                    format!("{} is not the whole list", quoted(&path.path.value)),
                )
                .at(path.path.span, "has a `nextCursor`: the server has more tools")
                .with_help(
                    "ask the server for the next pages, and put their tools into the file or name their files too",
                ),
            );
        }
        let mut strange = StrangeFields::default();
        for tool in list.tools() {
            strange.look_at(tool);
            self.take_tool(tool, source, report);
        }
        strange.report(source, report);
    }

    fn take_tool(&mut self, tool: &ListedTool, source: SourceId, report: &mut Report) {
        let here = Span::new(source, tool.name_range.clone());
        if !self.is_new(&tool.schema, here, Span::new(source, tool.range.clone()), report) {
            return;
        }
        self.schemas.push(tool.schema.clone());
        for field in &tool.dropped {
            *self.dropped.entry(field.name.to_string()).or_default() += 1;
        }
    }

    /// Takes in the tools that are commands.
    pub(super) fn take_commands(
        &mut self,
        tools: &CommandTools,
        trust: Trust,
        asks: &TrustSet,
        files: &mut Files<'_>,
        report: &mut Report,
    ) {
        self.incomplete |= !tools.are_all;
        for tool in &tools.list {
            match commands::read(tool, trust, asks, files, report) {
                Some(command) if self.is_new(&command.schema, tool.name.span, tool.span, report) => {
                    self.commands.push(command);
                }
                Some(_) => {}
                None => self.incomplete = true,
            }
        }
    }

    /// Takes in a tool that comes with dsh; where a tool of the project has its name, that is reported, and it is not taken.
    pub(super) fn take_built_in(&mut self, name: &'static str, place: Span, report: &mut Report) -> bool {
        let is_new = self.has_no_other(name, place, report);
        if is_new {
            self.built_in.push(name);
        }
        is_new
    }

    /// The names of all, those of files first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.all().map(ToolSchema::name).chain(self.built_in.iter().copied())
    }

    /// What to say of a name that none of them has.
    pub(super) fn guess(&self, name: &str, report: &Report) -> Option<String> {
        report.guesses.nearest(name, self.names()).map(|near| format!("did you mean {}?", quoted(near)))
    }

    /// The schemas of those that the project has, those of files first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &ToolSchema> + Clone {
        self.schemas.iter().chain(self.commands.iter().map(|command| &command.schema))
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.schemas.is_empty() && self.commands.is_empty() && self.built_in.is_empty()
    }

    /// Takes the name of a tool, which is at its place; two of one name, and what is most likely a mistake, are reported.
    fn is_new(&mut self, schema: &ToolSchema, here: Span, entry: Span, report: &mut Report) -> bool {
        let name = schema.name();
        unusual_name(name, here, report);
        no_object(schema, here, report);
        let is_new = self.has_no_other(name, here, report);
        if is_new {
            self.entries.insert(name.to_owned(), entry);
        }
        is_new
    }

    /// Takes a name; where there is a tool of that name, that is reported.
    fn has_no_other(&mut self, name: &str, here: Span, report: &mut Report) -> bool {
        if let Some(there) = self.places.get(name) {
            report.push(
                Diagnostic::error("prompt::duplicate_tool", format!("two tools are called {}", quoted(name)))
                    .at(here, "the second")
                    .at(*there, "the first")
                    .with_help("providers refuse a request with two tools of one name: take one out of its file"),
            );
            return false;
        }
        self.places.insert(name.to_owned(), here);
        true
    }

    /// Whether every file was read.
    pub(super) fn is_complete(&self) -> bool {
        !self.incomplete
    }

    /// Where the entry of this tool stands in its file.
    pub(super) fn entry(&self, name: &str) -> Option<Span> {
        self.entries.get(name).copied()
    }

    /// Where the name of this tool stands.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).copied()
    }

    /// The filter that an agent's rules make of these tools. An entry that matches no tool is reported: a denial that blocks nothing
    /// must not pass for one.
    pub(super) fn filter(&self, rules: &ToolRules, agent: &str, report: &mut Report) -> ToolFilter {
        let allowed = rules.allow.as_ref().map(|entries| self.matches(entries, agent, report));
        let denied = self.matches(&rules.deny, agent, report);
        let allowed = allowed.map(|allowed| Arc::new(allowed.into_keys().map(str::to_owned).collect()));
        let denied = denied.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect();
        ToolFilter { allowed, denied: Arc::new(denied) }
    }

    /// The names that these entries match, each with the first that does.
    fn matches(&self, entries: &[At<String>], agent: &str, report: &mut Report) -> BTreeMap<&str, Span> {
        let mut matched = BTreeMap::new();
        let mut seen: HashMap<&str, bool> = HashMap::new();
        for entry in entries {
            let any = *seen.entry(&entry.value).or_insert_with(|| {
                let mut any = false;
                for name in self.names_that_fit(&entry.value) {
                    any = true;
                    matched.entry(name).or_insert(entry.span);
                }
                any
            });
            if !any && !self.incomplete {
                report.push(self.no_match(entry, agent, report));
            }
        }
        matched
    }

    /// The names that an entry stands for: its own, or all that begin with what stands before its `*`.
    pub(super) fn names_that_fit<'t>(&'t self, entry: &str) -> impl Iterator<Item = &'t str> {
        let (own, stem) = match entry.strip_suffix('*') {
            Some(stem) => (None, Some(stem.to_owned())),
            None => (self.places.get_key_value(entry), None),
        };
        // In the order of names, those that begin with a stem stand together.
        let begin = stem.into_iter().flat_map(|stem| {
            let from = (Bound::Included(stem.as_str()), Bound::Unbounded);
            self.places.range::<str, _>(from).take_while(move |(name, _)| name.starts_with(&stem))
        });
        own.into_iter().chain(begin).map(|(name, _)| name.as_str())
    }

    fn no_match(&self, entry: &At<String>, agent: &str, report: &Report) -> Diagnostic {
        let agent = quoted(agent);
        let (code, headline) = match entry.value.strip_suffix('*') {
            Some("") => {
                ("config::unmatched_pattern", format!("agent {agent}: there are no tools for `*` to stand for"))
            }
            Some(stem) => {
                ("config::unmatched_pattern", format!("agent {agent}: no tool's name begins with {}", quoted(stem)))
            }
            None => ("config::unknown_tool", format!("agent {agent}: unknown tool {}", quoted(&entry.value))),
        };
        let names = self.names();
        let stem = entry.value.strip_suffix('*');
        let near = stem.and_then(|stem| report.guesses.nearest(stem, beginnings(stem, names.clone())));
        let near = near.map(|near| format!("{near}*"));
        let whole = || report.guesses.nearest(entry.value.trim_end_matches('*'), names.clone()).map(str::to_owned);
        let help = match near.or_else(whole) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.is_empty() => {
                "`tool_schemas` names the files that describe tools, and `[[tools]]` makes one of a command".to_owned()
            }
            None => format!("the tools are {}", list(names)),
        };
        Diagnostic::error(code, headline).at(entry.span, "matches no tool").with_help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::Tools;
    use crate::diagnostic::{Sources, Span};

    #[test]
    fn an_entry_stands_for_its_name_or_for_all_that_begin_like_it() {
        let source = Sources::new().add(String::new(), String::new());
        let mut tools = Tools::default();
        for name in ["read", "read_file", "readme", "rea", "write", "*"] {
            tools.places.insert(name.to_owned(), Span::new(source, 0..0));
        }
        let fit = |entry: &str| tools.names_that_fit(entry).collect::<Vec<_>>();
        assert_eq!(fit("read"), ["read"]);
        assert_eq!(fit("read*"), ["read", "read_file", "readme"]);
        assert_eq!(fit("read_*"), ["read_file"]);
        assert_eq!(fit("x*"), [""; 0]);
        assert_eq!(fit("readm"), [""; 0]);
        assert_eq!(fit("*").len(), 6);
        assert_eq!(fit("**"), ["*"]);
    }
}
