//! The reader of `[[tools]]`: executables that are tools.

use std::time::Duration;

use super::check;
use super::number::{Wrong, seconds};
use super::read::file_ref;
use super::table::{Reaches, Table, string, wrong_type};
use super::tree::{Branch, Value};
use super::{At, FileRef};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::quoted;

/// A tool that is a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommandTool {
    /// Its name.
    pub(crate) name: At<String>,
    /// What models are told that it does.
    pub(crate) description: String,
    /// What it takes; nothing, if none.
    pub(crate) parameters: Option<Parameters>,
    /// The program and its arguments.
    pub(crate) command: At<Vec<String>>,
    /// How long a call may take.
    pub(crate) timeout: Option<Duration>,
    /// Whether it runs alone.
    pub(crate) exclusive: bool,
    /// Where the whole stands.
    pub(crate) span: Span,
}

/// The tools that are commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommandTools {
    /// Those that could be read.
    pub(crate) list: Vec<CommandTool>,
    /// Whether there are no others.
    pub(crate) are_all: bool,
}

/// Where the JSON Schema of a tool's parameters is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Parameters {
    /// In the configuration: as JSON, its keys in the order in which they are written.
    Inline(At<String>),
    /// In a file of JSON.
    File(FileRef),
}

/// Reads the command tools; one that has a mistake is reported and left out.
pub(super) fn commands(top: &mut Table<'_>, around: &Reaches, report: &mut Report) -> CommandTools {
    let written = top.entry("tools").map_or(0, |entry| entry.value.as_array().map_or(1, <[_]>::len));
    let tables = top.tables("tools", "a tool", report);
    let list: Vec<_> = tables.into_iter().filter_map(|table| command_tool(table, around, report)).collect();
    CommandTools { are_all: list.len() == written, list }
}

fn command_tool(mut table: Table<'_>, around: &Reaches, report: &mut Report) -> Option<CommandTool> {
    let is_there = ["name", "description", "command"].map(|key| table.entry(key).is_some());
    let name = table.string("name", report).filter(|name| check::not_empty(name, "a tool's name", report));
    let description = table.string("description", report);
    let description = description.filter(|text| check::not_empty(text, "a tool's description", report));
    let reaches = table.reaches(Some(around), report);
    let parameters = parameters(&mut table, &reaches, report);
    let command = command(&mut table, report);
    let timeout = seconds(&mut table, "timeout", report);
    let exclusive = table.boolean("exclusive", report);
    table.refuse_unknown(report);
    let called = name.as_ref().map_or_else(|| "a tool".to_owned(), |name| format!("tool {}", quoted(&name.value)));
    let place = name.as_ref().map_or(table.span, |name| name.span);
    let helps = [
        ("name", "add `name = \"…\"`: models call it by that"),
        ("description", "add `description = \"…\"`: what models are told that it does"),
        (
            "command",
            "add `command = [\"…\"]`, the program and its arguments; a tool that dsh cannot run stands in a file of `tool_schemas`",
        ),
    ];
    for ((key, help), _) in helps.into_iter().zip(is_there).filter(|(_, is_there)| !is_there) {
        report.push(
            Diagnostic::error("config::missing_key", format!("{called} has no `{key}`"))
                .at(place, "this tool")
                .with_help(help),
        );
    }
    Some(CommandTool {
        name: name?,
        description: description?.value,
        parameters: parameters.ok()?,
        command: command?,
        timeout: timeout.ok()?,
        exclusive: exclusive.is_some_and(|exclusive| exclusive.value),
        span: table.span,
    })
}

fn parameters(table: &mut Table<'_>, reaches: &Reaches, report: &mut Report) -> Result<Option<Parameters>, Wrong> {
    let Some(entry) = table.entry("parameters") else { return Ok(None) };
    match entry.value {
        Value::String(_) => {
            let path = string(entry, "`parameters`", report).ok_or(Wrong)?;
            file_ref(entry, path, reaches, report).map(|file| Some(Parameters::File(file))).ok_or(Wrong)
        }
        Value::Table(inline) => match json_table(inline) {
            Ok(json) => Ok(Some(Parameters::Inline(At { value: json, span: entry.span }))),
            Err((span, what)) => {
                report.push(
                    Diagnostic::error("config::invalid_value", format!("{what} has no place in JSON"))
                        .at(span, "not JSON")
                        .with_help(
                            "parameters are a JSON Schema: objects, lists, strings, numbers, `true` and `false`",
                        ),
                );
                Err(Wrong)
            }
        },
        Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) => {
            report.push(
                wrong_type(entry, "`parameters`", "a table, or the path of a file")
                    .with_help("write a JSON Schema as a table, or in a file of its own: `parameters = \"….json\"`"),
            );
            Err(Wrong)
        }
    }
}

/// What cannot be JSON, and where it stands.
type NotJson = (Span, &'static str);

/// A table as JSON.
fn json_table(table: &Branch) -> Result<String, NotJson> {
    let fields: Result<Vec<String>, NotJson> = table
        .fields
        .iter()
        .map(|(key, field)| {
            Ok(format!("{}:{}", serde_json::Value::from(key.as_str()), json(&field.node.value, field.node.span)?))
        })
        .collect();
    Ok(format!("{{{}}}", fields?.join(",")))
}

fn json(value: &Value, span: Span) -> Result<String, NotJson> {
    match value {
        Value::String(text) => Ok(serde_json::Value::from(text.as_str()).to_string()),
        Value::Boolean(truth) => Ok(truth.to_string()),
        Value::Integer(digits, radix) => match i64::from_str_radix(digits, *radix) {
            Ok(integer) => Ok(integer.to_string()),
            Err(_) => Err((span, "an integer of more than 64 bits")),
        },
        Value::Float(text) => {
            let written = text.replace('_', "");
            let is_finite = written.parse::<f64>().is_ok_and(f64::is_finite);
            if is_finite {
                Ok(written.trim_start_matches('+').to_owned())
            } else {
                Err((span, "a float that is not finite"))
            }
        }
        Value::Datetime(_) => Err((span, "a date")),
        Value::Array(items) => {
            let items: Result<Vec<String>, NotJson> = items.iter().map(|item| json(&item.value, item.span)).collect();
            Ok(format!("[{}]", items?.join(",")))
        }
        Value::Table(table) => json_table(table),
    }
}

fn command(table: &mut Table<'_>, report: &mut Report) -> Option<At<Vec<String>>> {
    let entry = table.entry("command")?;
    if entry.value.as_str().is_some() {
        report.push(wrong_type(entry, "`command`", "a list of strings").with_help(
            "give the program and each of its arguments as a string of its own, since no shell parts them: `command = [\"python3\", \"tools/count.py\"]`",
        ));
        return None;
    }
    let list = table.strings("command", report)?;
    let is_whole = entry.value.as_array().is_some_and(|items| items.len() == list.value.len());
    let program = list.value.first();
    if is_whole && program.is_none_or(|program| program.value.is_empty()) {
        report.push(
            Diagnostic::error("config::invalid_value", "`command` names no program")
                .at(program.map_or(list.span, |program| program.span), "empty")
                .with_help(
                    "the first string is the program: its name on the PATH, or its path from the project's folder",
                ),
        );
        return None;
    }
    if let Some(word) = list.value.iter().find(|word| word.value.contains('\0')) {
        report.push(
            Diagnostic::error("config::invalid_value", "a word of a command cannot have a zero byte in it")
                .at(word.span, "no system hands this over"),
        );
        return None;
    }
    let words = list.value.into_iter().map(|word| word.value).collect();
    is_whole.then_some(At { value: words, span: list.span })
}
