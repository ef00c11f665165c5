//! What the environment and the command line say in the configuration's place (C5): small documents of one key each.

use super::parse::{NotToml, parse};
use super::tree::{Branch, Field, Kind, Node, Tier, Value};
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
    branch.insert(Kind::Settings, key, Field { key: span, node: Node { span, tier: Tier::Environment, value } });
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
    if value.starts_with('[') || (value.starts_with('{') && !value.starts_with("{{")) {
        return meant_as_toml(source, text, report);
    }
    if value.is_empty() || value.starts_with(['"', '\'']) {
        return parse(source, Tier::Flag, text, report);
    }
    // The same key with a value that is TOML: it gives the tree, and every place but the value's.
    let mut tree = parse(source, Tier::Flag, &format!("{key}=0"), report)?;
    let span = Span::new(source, start..start + value.len());
    put(&mut tree, span, value);
    Ok(tree)
}

/// Why a value is not TOML that begins like a list or a table, with the way to give it as a string.
fn meant_as_toml(source: SourceId, text: &str, report: &mut Report) -> Result<Branch, NotToml> {
    let mut own = Report::new();
    let tree = parse(source, Tier::Flag, text, &mut own);
    // The errors behind the first come of it.
    if let Some(first) = own.into_sorted().into_iter().next() {
        let help =
            "what begins with `[` or `{` is read as TOML; a string of that beginning stands in quotes, `KEY=\"…\"`";
        report.push(Diagnostic { helps: vec![help.to_owned()], ..first });
    }
    tree
}

/// Lays `--set NAME=VALUE`, which `source` is but for the value, over the variables of a tree: in every layer that has one of this name, and in the
/// shared one.
pub(crate) fn set(tree: &mut Branch, source: SourceId, name: &str, value: &str) {
    let key = Span::new(source, 0..name.len());
    let said = |value| Field { key, node: Node { span: key, tier: Tier::Flag, value } };
    let constant = said(Value::String(value.to_owned()));
    if let Some(Value::Table(agents)) = tree.fields.get_mut("agents").map(|field| &mut field.node.value) {
        for agent in agents.fields.values_mut() {
            if let Value::Table(agent) = &mut agent.node.value
                && let Some(Value::Table(own)) = agent.fields.get_mut("variables").map(|field| &mut field.node.value)
                && own.fields.contains_key(name)
            {
                own.insert(Kind::Variables, name, constant.clone());
            }
        }
    }
    let shared = tree.fields.entry("variables".to_owned()).or_insert_with(|| said(Value::Table(Branch::default())));
    if let Value::Table(shared) = &mut shared.node.value {
        shared.insert(Kind::Variables, name, constant);
    }
}

/// Puts a string at the end of the one path that the tree has.
fn put(tree: &mut Branch, span: Span, text: &str) {
    let field = tree.fields.values_mut().chain(&mut tree.allow_outside).next();
    if let Some(Field { node, .. }) = field {
        if let Value::Table(inner) = &mut node.value {
            put(inner, span, text);
        } else {
            *node = Node { span, tier: Tier::Flag, value: Value::String(text.to_owned()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Value;
    use super::flag;
    use crate::diagnostic::{Report, Sources};

    /// The value of the one path in the tree of a flag, and the text at its place; or the codes of what is wrong.
    fn read(text: &str) -> Result<(String, String), Vec<&'static str>> {
        let source = Sources::new().add(String::new(), text.to_owned());
        let mut report = Report::new();
        let Ok(tree) = flag(source, text, &mut report) else {
            return Err(report.into_sorted().iter().map(|diagnostic| diagnostic.code).collect());
        };
        let mut field = tree.fields.first().unwrap().1;
        while let Value::Table(inner) = &field.node.value {
            field = inner.fields.first().unwrap().1;
        }
        Ok((format!("{:?}", field.node.value), text.get(field.node.span.range()).unwrap().to_owned()))
    }

    #[test]
    fn a_value_is_toml_and_a_bare_word_is_a_string() {
        let string = |text: &str, place: &str| Ok((format!("String({text:?})"), place.to_owned()));
        assert_eq!(read("identity=false"), Ok(("Boolean(false)".to_owned(), "false".to_owned())));
        assert_eq!(read("model=\"x y\""), string("x y", "\"x y\""));
        assert_eq!(read("model=some-model"), string("some-model", "some-model"));
        for bare in ["{{date}} is today", "{{date}}", "Say # this", "two\nlines", "a = b", "it's", "5 apples", "true?"]
        {
            assert_eq!(read(&format!("persona={bare}")), string(bare, bare));
        }
        for toml in ["\"x", "'x", "[a", "{a", "{ {a}}", "\"a\" b", ""] {
            assert_eq!(read(&format!("persona={toml}")), Err(vec!["config::not_toml"]), "{toml}");
        }
        assert_eq!(read("agents.a.persona =  You {{help}}. "), string("You {{help}}.", "You {{help}}."));
    }

    #[test]
    fn what_is_no_key_and_value_is_refused() {
        assert_eq!(read("model"), Err(vec!["cli::bad_config"]));
        assert_eq!(read("model=\"x"), Err(vec!["config::not_toml"]));
        assert_eq!(read("model="), Err(vec!["config::not_toml"]));
        assert_eq!(read("a b=c"), Err(vec!["config::not_toml"]));
        assert_eq!(read("include=[]"), Err(vec!["cli::bad_config"]));
    }
}
