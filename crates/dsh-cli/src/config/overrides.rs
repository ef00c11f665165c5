//! What the environment and the command line say in the configuration's place (C5): small documents of one key each.

use super::parse::{NotToml, parse};
use super::tree::{Branch, Field, Node, Tier, Value};
use crate::diagnostic::{Diagnostic, Report, SourceId, Span};
use crate::names::quoted;

/// The variables of the environment that stand for a key of the configuration.
pub(crate) const ENVIRONMENT: [(&str, &str); 4] = [
    ("DSH_MODEL", "model"),
    ("DSH_IDENTITY", "identity"),
    ("DSH_PERSONA", "persona"),
    ("DSH_PERSONA_FILE", "persona_file"),
];

/// The tree of a variable of the environment, whose whole value `source` is.
pub(crate) fn environment(key: &str, source: SourceId, text: &str) -> Branch {
    let value = match (key, text) {
        ("identity", "true" | "1") => Value::Boolean(true),
        ("identity", "false" | "0") => Value::Boolean(false),
        _ => Value::String(text.to_owned()),
    };
    let span = Span::new(source, 0..text.len());
    let mut branch = Branch::default();
    branch.insert(key, Field { key: span, node: Node { span, tier: Tier::Environment, value } });
    branch
}

/// The tree of a `--config KEY=VALUE`, which `source` is. The value is TOML; what could not be any is taken for a string, so that
/// `--config model=some-model` needs no second pair of quotes.
pub(crate) fn flag(source: SourceId, text: &str, report: &mut Report) -> Result<Branch, NotToml> {
    let tree = match toml::de::DeTable::parse(text) {
        Ok(_) => parse(source, Tier::Flag, text, report)?,
        Err(_) => bare(source, text, report)?,
    };
    for key in ["include", "profiles"] {
        if let Some(field) = tree.fields.get(key) {
            report.push(
                Diagnostic::error("cli::bad_config", format!("{} cannot be given by `--config`", quoted(key)))
                    .at(field.key, "is for files alone")
                    .with_help("write it into dsh.toml, or into your own configuration file"),
            );
            return Err(NotToml);
        }
    }
    Ok(tree)
}

/// `KEY=VALUE` with a value that is a string without its quotes.
fn bare(source: SourceId, text: &str, report: &mut Report) -> Result<Branch, NotToml> {
    let Some((key, value)) = text.split_once('=') else {
        report.push(
            Diagnostic::error(
                "cli::bad_config",
                format!("`--config` takes KEY=VALUE, and {} has no `=`", quoted(text)),
            )
            .with_help("KEY is a key of dsh.toml, as in `--config identity=false`"),
        );
        return Err(NotToml);
    };
    let start = key.len() + 1 + (value.len() - value.trim_start().len());
    let value = value.trim();
    if value.is_empty() || value.starts_with(['"', '\'', '[', '{']) || value.contains(['\n', '#']) {
        return parse(source, Tier::Flag, text, report);
    }
    // The same key with a value that is TOML: it gives the tree, and every place but the value's.
    let mut tree = parse(source, Tier::Flag, &format!("{key}=0"), report)?;
    let span = Span::new(source, start..start + value.len());
    put(&mut tree, span, value);
    Ok(tree)
}

/// Puts a string at the end of the one path that the tree has.
fn put(tree: &mut Branch, span: Span, text: &str) {
    let field = tree.fields.values_mut().chain(&mut tree.allow_outside).next();
    if let Some(Field { node, .. }) = field {
        match &mut node.value {
            Value::Table(inner) => put(inner, span, text),
            value => {
                *value = Value::String(text.to_owned());
                node.span = span;
            }
        }
    }
}
