//! What a configuration says, as a tree: each value with its place, and with the tier that it stands in (C5).
//!
//! Several documents make one tree (see `merge`), so a place names its document too. Strings, keys and lists are owned: a document's
//! text need not be kept for the tree's sake.

use std::borrow::Cow;

use indexmap::IndexMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{SourceId, Span};

/// Who says a value; what comes later here wins (C5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Tier {
    /// The user's own file.
    User,
    /// The project's `dsh.toml`, and what it includes.
    Project,
    /// The chosen profile, as the user's file has it.
    UserProfile,
    /// The chosen profile, as the project has it.
    ProjectProfile,
    /// A variable of the environment: `DSH_…`.
    Environment,
    /// The command line: `--config`.
    Flag,
}

impl Tier {
    /// The same document's tier for what it says under `[profiles.NAME]`.
    pub(crate) fn in_profile(self) -> Self {
        match self {
            Self::User | Self::UserProfile => Self::UserProfile,
            Self::Project | Self::ProjectProfile => Self::ProjectProfile,
            Self::Environment | Self::Flag => self,
        }
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    /// Its keys, in the order in which they were first given.
    pub(crate) fields: IndexMap<String, Field>,
    /// `allow_outside`: it speaks for the paths beside it, in the same document, so that merging must not spread it.
    pub(crate) allow_outside: Vec<Field>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The key's place.
    pub(crate) key: Span,
    /// The value.
    pub(crate) node: Node,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its place; a table's is its header, or its braces.
    pub(crate) span: Span,
    /// Who says it; a table that several say belongs to the last.
    pub(crate) tier: Tier,
    /// What it is.
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Text.
    String(String),
    /// A whole number: its digits, and their base.
    Integer(String, u32),
    /// A number with a fraction, as it is written.
    Float(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A date or a time, as it is written.
    Datetime(String),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(Branch),
}

/// The key that [`Branch::allow_outside`] keeps.
pub(super) const ALLOW_OUTSIDE: &str = "allow_outside";

impl Branch {
    /// A document's table.
    pub(super) fn of(source: SourceId, tier: Tier, table: DeTable<'_>) -> Self {
        let mut branch = Self::default();
        for (key, value) in table {
            branch.insert(key.get_ref().as_ref(), field(source, tier, &key, value));
        }
        branch
    }

    /// Puts a field in; one of this name keeps its place in the order.
    pub(super) fn insert(&mut self, name: &str, field: Field) {
        if name == ALLOW_OUTSIDE {
            self.allow_outside.push(field);
        } else {
            self.fields.insert(name.to_owned(), field);
        }
    }
}

fn field(source: SourceId, tier: Tier, key: &Spanned<Cow<'_, str>>, value: Spanned<DeValue<'_>>) -> Field {
    Field { key: Span::new(source, key.span()), node: node(source, tier, value) }
}

fn node(source: SourceId, tier: Tier, value: Spanned<DeValue<'_>>) -> Node {
    let span = Span::new(source, value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(integer) => Value::Integer(integer.as_str().to_owned(), integer.radix()),
        DeValue::Float(float) => Value::Float(float.as_str().to_owned()),
        DeValue::Boolean(truth) => Value::Boolean(truth),
        DeValue::Datetime(time) => Value::Datetime(time.to_string()),
        DeValue::Array(items) => Value::Array(items.into_iter().map(|item| node(source, tier, item)).collect()),
        DeValue::Table(table) => Value::Table(Branch::of(source, tier, table)),
    };
    Node { span, tier, value }
}

impl Value {
    /// The text, if it is one.
    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The truth, if it is one.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(truth) = self { Some(*truth) } else { None }
    }

    /// The list, if it is one.
    pub(crate) fn as_array(&self) -> Option<&[Node]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The table, if it is one.
    pub(crate) fn as_table(&self) -> Option<&Branch> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }
}
