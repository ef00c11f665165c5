//! The reader of `dsh.toml`.

use super::check;
use super::commands::commands;
use super::compaction::compaction;
use super::instructions;
use super::limits::{Limits, limits};
use super::model::model;
use super::permissions::permissions;
use super::profiles::{Profiles, Unchosen};
use super::subagents::subagents;
use super::table::{Entry, Reaches, Table, string, table, wrong_type};
use super::tree::{Branch, Value};
use super::variables::variables;
use super::{Agent, At, Config, FileRef, Format, Home, Layer, Permissions, Section, ToolRules, Topic, Wording, Words};
use crate::diagnostic::{Concern, Diagnostic, Report, Span};
use crate::names::{nearest, quoted};

/// Reads the tree of a whole configuration; what is wrong in it is reported and left out. `others` are the profiles that were not
/// chosen: what is wrong in them is reported too.
pub(crate) fn read(tree: &Branch, span: Span, others: &Profiles, report: &mut Report) -> Config {
    let mut top = Table::new(tree, span, "dsh.toml");
    // They have been taken out, document by document.
    top.knows(&["include", "profiles"]);
    let config = file(top, report);
    for (name, profile) in others.others() {
        let found = unchosen(&profile, report);
        report.about(Concern::Profile(name.to_owned()), |report| {
            for diagnostic in found {
                report.push(diagnostic);
            }
        });
    }
    config
}

/// What is wrong with a profile that was not chosen: what its tables would be together with those that they are laid over, less what
/// is wrong with these alone.
fn unchosen(profile: &Unchosen<'_>, report: &mut Report) -> Vec<Diagnostic> {
    let mut findings = |branch: &Branch| {
        let mut own = Report::new();
        std::mem::swap(&mut own.guesses, &mut report.guesses);
        file(Table::new(branch, profile.span, "a profile"), &mut own);
        std::mem::swap(&mut own.guesses, &mut report.guesses);
        own.into_sorted()
    };
    let whole = findings(&profile.laid());
    if whole.is_empty() {
        return whole;
    }
    let before = findings(profile.under);
    let is_known =
        |found: &Diagnostic| before.iter().any(|known| known.code == found.code && known.headline == found.headline);
    whole.into_iter().filter(|found| !is_known(found)).collect()
}

/// Reports what a profile has that only a file can have.
pub(super) fn refuse_foreign(foreign: &Branch, span: Span, report: &mut Report) {
    file(Table::new(foreign, span, "a profile"), report);
}

fn file(mut top: Table<'_>, report: &mut Report) -> Config {
    let reaches = top.reaches(None, report);
    let identity = top.boolean("identity", report);
    let instructions = instructions::read(&mut top, report);
    let model = model(&mut top, &reaches, report);
    let tool_order = top.strings("tool_order", report);
    let tool_schemas = paths(&mut top, "tool_schemas", &reaches, report);
    let tools = commands(&mut top, &reaches, report);
    let permissions = permissions(&mut top, report);
    let limits = limits(&mut top, report);
    let compaction = compaction(&mut top, report);
    let subagents = subagents(&mut top, report);
    let layer = layer(&mut top, &reaches, report);
    let agents = agents(&mut top, &reaches, report);
    top.refuse_unknown(report);
    let concerns = top.order_of(&[
        ("tool_schemas", Topic::Tools),
        ("tools", Topic::Commands),
        ("subagents", Topic::Subagents),
        ("variables", Topic::Variables),
        ("sections", Topic::Sections),
        ("agents", Topic::Agents),
    ]);
    Config {
        concerns,
        layer,
        identity,
        instructions,
        model,
        tool_order,
        tool_schemas,
        tools,
        permissions,
        limits,
        compaction,
        subagents,
        agents,
    }
}

fn layer(table: &mut Table<'_>, reaches: &Reaches, report: &mut Report) -> Layer {
    let persona = persona(table, reaches, report);
    let variables = variables(table, report);
    let sections = check::distinct(persona.as_ref(), sections(table, reaches, report), report);
    Layer { persona, sections, variables }
}

/// The file of `key`.
pub(super) fn path(
    table: &mut Table<'_>,
    key: &'static str,
    reaches: &Reaches,
    report: &mut Report,
) -> Option<FileRef> {
    let entry = table.entry(key)?;
    let path = string(entry, &quoted(key), report)?;
    file_ref(entry, path, reaches, report)
}

/// The files of the list `key`.
pub(super) fn paths(table: &mut Table<'_>, key: &'static str, reaches: &Reaches, report: &mut Report) -> Vec<FileRef> {
    let Some((entry, list)) = table.entry(key).zip(table.strings(key, report)) else { return Vec::new() };
    list.value.into_iter().filter_map(|path| file_ref(entry, path, reaches, report)).collect()
}

/// The file of this path; `entry` is the value that the path stands in.
pub(super) fn file_ref(entry: Entry<'_>, path: At<String>, reaches: &Reaches, report: &mut Report) -> Option<FileRef> {
    if path.value.is_empty() {
        report.push(
            Diagnostic::error("config::invalid_value", "a path must not be empty")
                .at(path.span, "names no file")
                .with_help("write the path of a file, relative to dsh.toml"),
        );
        return None;
    }
    if path.value.contains('\0') {
        report.push(
            Diagnostic::error("config::invalid_value", "a path cannot have a zero byte in it")
                .at(path.span, "names no file"),
        );
        return None;
    }
    Some(FileRef { reach: reaches.of(entry.tier, path.span), path })
}

fn persona(table: &mut Table<'_>, reaches: &Reaches, report: &mut Report) -> Option<Wording> {
    let inline = table.string("persona", report);
    let file = path(table, "persona_file", reaches, report);
    if let (Some(inline), Some(file)) = (&inline, &file) {
        report.push(both("persona", inline.span, "persona_file", file.path.span, table.what()));
    }
    // An empty persona says nothing, and keeps the name taken.
    let words = match (inline, file) {
        (Some(text), _) => Words::Inline(text),
        (None, Some(file)) => Words::File(file),
        (None, None) => return None,
    };
    Some(Wording { words, format: Format::Template })
}

fn both(first: &str, first_span: Span, second: &str, second_span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("config::conflicting_keys", format!("{what} has both `{first}` and `{second}`"))
        .at(second_span, format!("`{second}`"))
        .at(first_span, format!("`{first}`"))
        .with_help("keep one of the two")
}

fn sections(table: &mut Table<'_>, around: &Reaches, report: &mut Report) -> Vec<Section> {
    let tables = table.tables("sections", "a section", report);
    tables.into_iter().filter_map(|table| section(table, around, report)).collect()
}

fn section(mut table: Table<'_>, around: &Reaches, report: &mut Report) -> Option<Section> {
    let name_is_there = table.entry("name").is_some();
    let name = table.string("name", report).filter(|name| check::not_empty(name, "a section's name", report));
    let order = order(&mut table, name.as_ref(), report);
    let reaches = table.reaches(Some(around), report);
    let text = table.string("text", report);
    let text_is_there = table.entry("text").is_some();
    let file = path(&mut table, "file", &reaches, report);
    let file_is_there = table.entry("file").is_some();
    let format = format(&mut table, report);
    let requires_tools = table.strings("requires_tools", report).map(|names| names.value).unwrap_or_default();
    table.refuse_unknown(report);

    if !name_is_there {
        report.push(
            Diagnostic::error("config::missing_key", "a section has no `name`")
                .at(table.span, "this section")
                .with_help("add `name = \"…\"`; agents replace a shared section by giving one of the same name"),
        );
    }
    if let (Some(text), Some(file)) = (&text, &file) {
        report.push(both("text", text.span, "file", file.path.span, &called(name.as_ref())));
    }
    if !text_is_there && !file_is_there {
        report.push(
            Diagnostic::error(
                "config::missing_key",
                format!("{} has neither `text` nor `file`", called(name.as_ref())),
            )
            .at(name.as_ref().map_or(table.span, |name| name.span), "this section says nothing")
            .with_help("add `text = \"…\"`, or `file = \"…\"` with a path relative to dsh.toml"),
        );
    }
    let (words, usual) = match (text, file) {
        (Some(text), _) => (Words::Inline(text), Format::Template),
        (None, Some(file)) => (Words::File(file), Format::Raw),
        (None, None) => return None,
    };
    let wording = Wording { words, format: format.unwrap_or(usual) };
    Some(Section { name: name?, order: order?, wording, requires_tools })
}

/// A section as messages call it.
fn called(name: Option<&At<String>>) -> String {
    name.map_or_else(|| "a section".to_owned(), |name| format!("section {}", quoted(&name.value)))
}

pub(super) fn order(table: &mut Table<'_>, name: Option<&At<String>>, report: &mut Report) -> Option<At<f64>> {
    const BANDS: &str = "-100 is the harness's identity, 0 the persona, 100 to 199 the guidance for tools";
    let Some(entry) = table.entry("order") else {
        report.push(
            Diagnostic::error("config::missing_key", format!("{} has no `order`", called(name)))
                .at(name.map_or(table.span, |name| name.span), "this section")
                .with_help(format!("add `order = …`, a number: {BANDS}")),
        );
        return None;
    };
    let number = match entry.value {
        Value::Integer(digits, radix) => i64::from_str_radix(digits, *radix).ok().map(to_float),
        Value::Float(float) => float.parse::<f64>().ok(),
        Value::String(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            let is_number =
                entry.value.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite));
            let help = if is_number { "leave the quotes out" } else { BANDS };
            report.push(wrong_type(entry, "`order`", "a number").with_help(help));
            return None;
        }
    };
    let Some(value) = number.filter(|number| number.is_finite()) else {
        let (headline, label) = if matches!(entry.value, Value::Integer(..)) {
            (format!("`order` must be from {} to {}", i64::MIN, i64::MAX), "out of this range")
        } else {
            ("`order` must be a finite number".to_owned(), "not a number that sections can be sorted by")
        };
        report.push(Diagnostic::error("prompt::invalid_order", headline).at(entry.span, label).with_help(BANDS));
        return None;
    };
    Some(At { value, span: entry.span })
}

#[expect(clippy::cast_precision_loss, reason = "an order of 2^53 and more may move to its neighbour")]
pub(super) fn to_float(integer: i64) -> f64 {
    integer as f64
}

fn format(table: &mut Table<'_>, report: &mut Report) -> Option<Format> {
    let format = table.string("format", report)?;
    match format.value.as_str() {
        "raw" => Some(Format::Raw),
        "template" => Some(Format::Template),
        other => {
            let help = match nearest(other, ["raw", "template"]) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "\"raw\" keeps every byte, \"template\" replaces {{name}} by a variable".to_owned(),
            };
            report.push(
                Diagnostic::error("config::invalid_value", "`format` must be \"raw\" or \"template\"")
                    .at(format.span, "neither of the two")
                    .with_help(help),
            );
            None
        }
    }
}

fn agents(top: &mut Table<'_>, around: &Reaches, report: &mut Report) -> Vec<Agent> {
    let Some(agents) = top.table("agents", "the agents", report) else { return Vec::new() };
    let mut read = Vec::new();
    for (name, entry) in agents.named() {
        let agent = report.about(Concern::Agent(name.to_owned()), |report| {
            check::agent_name(name, entry.key, report);
            let name = At { value: name.to_owned(), span: entry.key };
            let table = table(entry, &format!("agent {}", quoted(&name.value)), "an agent", report);
            match table {
                Some(table) => agent(name, table, around, report),
                // The agent is known all the same: asking for it is no wrong use.
                None => Agent {
                    name,
                    home: Home::Table,
                    description: None,
                    layer: Layer::default(),
                    tools: None,
                    permissions: Permissions::default(),
                    limits: Limits::default(),
                },
            }
        });
        read.push(agent);
    }
    read
}

fn agent(name: At<String>, mut table: Table<'_>, around: &Reaches, report: &mut Report) -> Agent {
    let description = table.string("description", report);
    let reaches = table.reaches(Some(around), report);
    let layer = layer(&mut table, &reaches, report);
    let tools = tool_rules(&mut table, report);
    let permissions = permissions(&mut table, report);
    let limits = limits(&mut table, report);
    table.refuse_unknown(report);
    Agent { name, home: Home::Table, description, layer, tools, permissions, limits }
}

fn tool_rules(agent: &mut Table<'_>, report: &mut Report) -> Option<ToolRules> {
    let mut table = agent.table("tools", "the tools of an agent", report)?;
    let allow = table.strings("allow", report).map(|list| check::patterns(list.value, report));
    let deny = table.strings("deny", report).map(|list| check::patterns(list.value, report));
    let says_nothing = table.entry("allow").is_none() && table.entry("deny").is_none();
    table.refuse_unknown(report);
    if says_nothing {
        report.push(
            Diagnostic::error("config::missing_key", "`tools` has neither `allow` nor `deny`")
                .at(table.span, "rules nothing")
                .with_help("add `allow = […]` or `deny = […]`, or leave `tools` out: the agent then sees every tool"),
        );
    }
    Some(ToolRules { allow, deny: deny.unwrap_or_default() })
}

/// Takes `include` out of a document: the files whose keys stand below its own.
pub(crate) fn includes(document: &mut Branch, span: Span, report: &mut Report) -> Vec<FileRef> {
    let mut table = Table::new(document, span, "dsh.toml");
    let reaches = table.reaches(None, &mut Report::new());
    let files = paths(&mut table, "include", &reaches, report);
    document.fields.shift_remove("include");
    files
}
