//! A merged configuration as one document in the project's folder would say it.

use super::table::Reaches;
use super::tree::{Branch, Field, Kind, Node, Value};
use crate::diagnostic::Span;
use crate::outside::Reach;

/// A path as it is written in the project's folder.
#[derive(Debug)]
pub(crate) struct Moved {
    /// The path.
    pub(crate) path: String,
    /// Whether it leads out now and may, though it did not where it stood.
    pub(crate) leads_out: bool,
}

/// One document that says what several do.
#[derive(Debug)]
pub(crate) struct InOne {
    /// What it says.
    pub(crate) tree: Branch,
    /// Paths that may lead out only because another's `allow_outside` stands beside them now: the keys of both at the top level, the
    /// other's first.
    pub(crate) spread: Option<(&'static str, &'static str)>,
}

/// Makes one document of a tree; `moved` says how a path of a document is written in the project's folder.
pub(crate) fn in_one(tree: &Branch, moved: &dyn Fn(Span, &str, Reach) -> Moved) -> InOne {
    let mut moving = Moving { moved, spread: None };
    let tree = moving.branch(Kind::Settings, tree, None);
    InOne { tree, spread: moving.spread }
}

struct Moving<'m> {
    moved: &'m dyn Fn(Span, &str, Reach) -> Moved,
    spread: Option<(&'static str, &'static str)>,
}

/// What was found of the paths of a table.
#[derive(Default)]
struct Paths {
    /// The key of one that may lead out, and the path itself.
    open: Option<(&'static str, Node)>,
    /// The key of one that may not.
    shut: Option<&'static str>,
}

impl Moving<'_> {
    fn branch(&mut self, kind: Kind, branch: &Branch, around: Option<&Reaches>) -> Branch {
        let reaches = Reaches::within(branch, around);
        let mut one = Branch::default();
        let mut paths = Paths::default();
        for (key, field) in &branch.fields {
            let node = match path_key(kind, key) {
                Some(key) => self.paths(key, &field.node, &reaches, &mut paths),
                None => self.node(kind.of(key), &field.node, &reaches),
            };
            one.fields.insert(key.clone(), Field { key: field.key, node });
        }
        let last = branch.allow_outside.last();
        one.allow_outside = match (paths.open, paths.shut) {
            (Some((open, path)), shut) => {
                self.spread = shut.map(|shut| (open, shut)).or(self.spread);
                vec![opening(branch, &path)]
            }
            // What other documents may does not concern these paths.
            (None, Some(_)) => {
                last.filter(|last| last.node.value.as_bool() != Some(true)).into_iter().cloned().collect()
            }
            (None, None) => last.into_iter().cloned().collect(),
        };
        one
    }

    fn node(&mut self, kind: Kind, node: &Node, around: &Reaches) -> Node {
        let value = match &node.value {
            Value::Table(table) => Value::Table(self.branch(kind, table, Some(around))),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.node(kind, item, around)).collect()),
            other @ (Value::String(_)
            | Value::Integer(..)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)) => other.clone(),
        };
        Node { value, ..*node }
    }

    /// A path, or a list of them.
    fn paths(&mut self, key: &'static str, node: &Node, reaches: &Reaches, paths: &mut Paths) -> Node {
        let value = match &node.value {
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.paths(key, item, reaches, paths)).collect())
            }
            Value::String(path) => {
                let reach = reaches.of(node.tier, node.span);
                let moved = (self.moved)(node.span, path, reach);
                if reach == Reach::Anywhere || moved.leads_out {
                    paths.open = Some((key, node.clone()));
                } else {
                    paths.shut = Some(key);
                }
                Value::String(moved.path)
            }
            other @ (Value::Integer(..)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Table(_)) => other.clone(),
        };
        Node { value, ..*node }
    }
}

/// The key, if its value is a path or a list of paths.
fn path_key(kind: Kind, key: &str) -> Option<&'static str> {
    match (kind, key) {
        (Kind::Settings | Kind::Layer, "persona_file") => Some("persona_file"),
        (Kind::Settings, "tool_schemas") => Some("tool_schemas"),
        (Kind::Section, "file") => Some("file"),
        (Kind::Tool, "parameters") => Some("parameters"),
        (Kind::Model, "scripted") => Some("scripted"),
        _ => None,
    }
}

/// The `allow_outside = true` that lets this path lead out, or else one that comes from where the path does.
fn opening(branch: &Branch, path: &Node) -> Field {
    let said = branch.allow_outside.iter().rev().find(|field| field.node.value.as_bool() == Some(true));
    said.cloned().unwrap_or_else(|| Field {
        key: path.span,
        node: Node { span: path.span, tier: path.tier, value: Value::Boolean(true) },
    })
}
