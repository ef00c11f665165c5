//! The reader of `model`: the name alone, or `[model]` with where answers come from.

use super::check;
use super::read::path;
use super::table::{Reaches, Table, string, table, wrong_type};
use super::tree::Value;
use super::{At, FileRef};
use crate::diagnostic::Report;

/// The model that is spoken to. Providers are to have their keys here, beside `scripted`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// What it is called: `model = "…"`, or `name` in the table.
    pub(crate) name: Option<At<String>>,
    /// The script of a model that needs no network.
    pub(crate) scripted: Option<FileRef>,
}

/// Reads the key `model`; what is wrong is reported and left out.
pub(super) fn model(top: &mut Table<'_>, around: &Reaches, report: &mut Report) -> Model {
    let Some(entry) = top.entry("model") else { return Model::default() };
    match entry.value {
        Value::String(_) => {
            Model { name: string(entry, "`model`", report).filter(|name| is_name(name, report)), scripted: None }
        }
        Value::Table(_) => table(entry, "`model`", "the model", report)
            .map(|table| of_table(table, around, report))
            .unwrap_or_default(),
        Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            report.push(wrong_type(entry, "`model`", "a string or a table").with_help("put it into quotes"));
            Model::default()
        }
        Value::Array(_) => {
            report.push(wrong_type(entry, "`model`", "a string or a table"));
            Model::default()
        }
    }
}

fn of_table(mut table: Table<'_>, around: &Reaches, report: &mut Report) -> Model {
    let reaches = table.reaches(Some(around), report);
    let name = table.string("name", report).filter(|name| is_name(name, report));
    let scripted = path(&mut table, "scripted", &reaches, report);
    table.refuse_unknown(report);
    Model { name, scripted }
}

fn is_name(name: &At<String>, report: &mut Report) -> bool {
    check::not_empty(name, "a model's name", report)
}
