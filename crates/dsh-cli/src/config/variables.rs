//! The reader of `[variables]`: constants, and what comes from the environment.

use super::check;
use super::misplaced::no_variable;
use super::table::{Entry, Table, table, wrong_type};
use super::tree::{Branch, Field, Value};
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
        Value::String(constant) => return Some(VariableValue::Constant(constant.clone())),
        Value::Table(_) => return environment(&name, table(entry, &name, "a variable", report)?, report),
        Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            Some("put it into quotes".to_owned())
        }
        Value::Array(_) => None,
    };
    report.push(wrong_type(entry, &name, EXPECTED).with_help_if(no_variable(variable).or(help)));
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
    if !check::not_empty(name, "the name of an environment variable", report) {
        return false;
    }
    if is_environment_name(&name.value) {
        return true;
    }
    let mut help = None;
    let label = match name.value.chars().find(|character| matches!(character, '=' | '\0')) {
        Some('=') => "a name in the environment has no `=` in it",
        Some(_) => "a name in the environment has no zero byte in it",
        None => {
            let bare = name.value.trim_start_matches(['$', '{']).trim_end_matches('}');
            help = (!bare.is_empty()).then(|| format!("write the name alone: `env = \"{bare}\"`"));
            "the name alone is meant, as it is without a shell"
        }
    };
    let headline = format!("{} cannot be the name of an environment variable", quoted(&name.value));
    report.push(Diagnostic::error("config::invalid_value", headline).at(name.span, label).with_help_if(help));
    false
}

/// Systems allow a `$` at the beginning too; whoever writes one means what a shell would make of it.
fn is_environment_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('$') && !name.contains(['=', '\0'])
}

/// A name in the environment that a document asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EnvironmentUse {
    /// The name, and where it stands.
    pub(super) name: At<String>,
    /// The variable that texts refer to.
    pub(super) variable: String,
    /// The agent that has it for itself.
    pub(super) agent: Option<String>,
    /// The profile that has it.
    pub(super) profile: Option<String>,
}

/// All that a document may come to ask of the environment, in any profile, whatever is laid over it: each `env` that the reader could
/// take, be it that something else is wrong with the variable now.
pub(super) fn environment_uses(document: &Branch) -> Vec<EnvironmentUse> {
    let mut uses = Vec::new();
    uses_of_settings(document, None, &mut uses);
    for (profile, settings) in tables_of(document, "profiles") {
        uses_of_settings(settings, Some(profile), &mut uses);
    }
    uses
}

fn uses_of_settings(settings: &Branch, profile: Option<&str>, uses: &mut Vec<EnvironmentUse>) {
    uses_of_layer(settings, None, profile, uses);
    for (agent, layer) in tables_of(settings, "agents") {
        uses_of_layer(layer, Some(agent), profile, uses);
    }
}

fn uses_of_layer(layer: &Branch, agent: Option<&str>, profile: Option<&str>, uses: &mut Vec<EnvironmentUse>) {
    for (variable, value) in tables_of(layer, "variables") {
        let Some(env) = value.fields.get("env") else { continue };
        let Some(name) = env.node.value.as_str().filter(|name| is_environment_name(name)) else { continue };
        uses.push(EnvironmentUse {
            name: At { value: name.to_owned(), span: env.node.span },
            variable: variable.to_owned(),
            agent: agent.map(str::to_owned),
            profile: profile.map(str::to_owned),
        });
    }
}

/// The tables in the table `key`, by name.
pub(super) fn tables_of<'t>(branch: &'t Branch, key: &str) -> impl Iterator<Item = (&'t str, &'t Branch)> + use<'t> {
    let named = branch.fields.get(key).and_then(|field| field.node.value.as_table());
    let table = |(name, field): (&'t str, &'t Field)| Some((name, field.node.value.as_table()?));
    let fields = named.into_iter().flat_map(|named| named.fields.iter().map(|(name, field)| (name.as_str(), field)));
    fields.filter_map(table)
}

#[cfg(test)]
mod tests {
    use super::super::{Tier, parse};
    use super::environment_uses;
    use crate::diagnostic::{Report, Sources};

    /// Profile, agent, variable and name of each use, `-` for none.
    fn uses(text: &str) -> Vec<String> {
        let source = Sources::new().add(String::new(), text.to_owned());
        let document = parse(source, Tier::Project, text, &mut Report::new()).unwrap();
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        environment_uses(&document)
            .iter()
            .map(|found| {
                format!("{} {} {} {}", shown(&found.profile), shown(&found.agent), found.variable, found.name.value)
            })
            .collect()
    }

    #[test]
    fn every_place_that_may_ask_is_looked_at() {
        // C4
        let text = "
[variables]
a = { env = 'A' }
allow_outside = { env = 'B' }
[agents.x.variables]
a = { env = 'C' }
[agents.allow_outside.variables]
a = { env = 'D' }
[profiles.p.variables]
a = { env = 'E' }
[profiles.allow_outside.agents.y.variables.a]
env = 'F'
";
        let all =
            ["- - a A", "- - allow_outside B", "- x a C", "- allow_outside a D", "p - a E", "allow_outside y a F"];
        assert_eq!(uses(text), all);
    }

    #[test]
    fn what_no_reader_takes_asks_for_nothing() {
        let text = "variables = { a = 'x', b = { env = 5 }, c = { env = '' }, d = { env = 'A=B' }, e = ['A'], f = { env = '$A' } }";
        assert_eq!(uses(text), [] as [&str; 0]);
        assert_eq!(uses("variables = 'x'\nagents = [1]\nprofiles = 5"), [] as [&str; 0]);
        // Something else may be wrong, and mended from outside.
        assert_eq!(uses("variables = { a = { env = 'A', default = 5, more = 1 } }"), ["- - a A"]);
    }
}
