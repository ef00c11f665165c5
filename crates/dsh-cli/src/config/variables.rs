//! The reader of `[variables]`: constants, and what comes from the environment.

use super::check;
use super::table::{Entry, Table, table, wrong_type};
use super::tree::Value;
use super::{At, Variable, VariableValue};
use crate::diagnostic::{Diagnostic, Report};
use crate::names::quoted;

/// What a variable may be given.
const EXPECTED: &str = "a string, or `{ env = \"NAME\" }`";

/// Reads the variables of a layer; what is wrong is reported and left out.
pub(super) fn variables(layer: &mut Table<'_>, report: &mut Report) -> Vec<Variable> {
    let Some(table) = layer.table("variables", "the variables", report) else { return Vec::new() };
    let mut variables = Vec::new();
    for (name, entry) in table.named() {
        let name_is_right = check::variable_name(name, entry.key, report);
        let value = value(name, entry, report);
        if let (true, Some(value)) = (name_is_right, value) {
            variables.push(Variable { name: At { value: name.to_owned(), span: entry.key }, value });
        }
    }
    variables
}

fn value(variable: &str, entry: Entry<'_>, report: &mut Report) -> Option<VariableValue> {
    let name = format!("variable {}", quoted(variable));
    let help = match entry.value {
        Value::String(constant) => return Some(VariableValue::Constant(constant.to_string())),
        Value::Table(_) => return environment(&name, table(entry, &name, "a variable", report)?, report),
        Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            Some("put it into quotes".to_owned())
        }
        Value::Array(_) => None,
    };
    report.push(wrong_type(entry, &name, EXPECTED).with_help_if(help));
    None
}

/// `{ env = "NAME", default = "…" }`. Where a part of it is wrong there is no variable: a default that is left out would change what
/// a prompt says.
fn environment(name: &str, mut table: Table<'_>, report: &mut Report) -> Option<VariableValue> {
    let env_is_there = table.entry("env").is_some();
    let env = table.string("env", report).filter(|env| environment_name(env, report));
    let default_is_there = table.entry("default").is_some();
    let default = table.string("default", report);
    table.refuse_unknown(report);
    if !env_is_there {
        report.push(
            Diagnostic::error("config::missing_key", format!("{name} has no `env`"))
                .at(table.span, "says not where its value comes from")
                .with_help("add `env = \"NAME\"`, the name in the environment; a constant is written without braces"),
        );
    }
    if default_is_there && default.is_none() {
        return None;
    }
    Some(VariableValue::Env { name: env?, default: default.map(|default| default.value) })
}

/// Whether an environment can hold something of this name.
fn environment_name(name: &At<String>, report: &mut Report) -> bool {
    let (label, help) = match name.value.chars().find(|character| matches!(character, '=' | '\0')) {
        Some('=') => ("a name in the environment has no `=` in it", None),
        Some(_) => ("a name in the environment has no zero byte in it", None),
        None if name.value.is_empty() => ("empty", None),
        None => match name.value.strip_prefix('$') {
            // What a shell would take. Systems allow such a name, and nobody has one.
            Some(rest) => {
                let bare = rest.trim_start_matches('{').trim_end_matches('}');
                let help = (!bare.is_empty()).then(|| format!("write the name alone: `env = \"{bare}\"`"));
                ("the name alone is meant, as it is without a shell", help)
            }
            None => return true,
        },
    };
    let headline = format!("{} cannot be the name of an environment variable", quoted(&name.value));
    report.push(Diagnostic::error("config::invalid_value", headline).at(name.span, label).with_help_if(help));
    false
}
