//! What a configuration says, as a tree: each value with its place, and with the tier that it stands in (C5).
//!
//! Several documents make one tree (see `merge`), so a place names its document too. Strings, keys and lists are owned: a document's
//! text need not be kept for the tree's sake.

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

/// What a table is for, as far as that says how its keys are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole configuration, or a profile.
    Settings,
    /// What one agent has for itself.
    Layer,
    /// `[profiles]`: its keys are names.
    Profiles,
    /// `[agents]`: its keys are names.
    Agents,
    /// `[variables]`: its keys are names.
    Variables,
    /// One of `[[sections]]`.
    Section,
    /// One of `[[tools]]`.
    Tool,
    /// `[model]`.
    Model,
    /// `[permissions]`, of all or of an agent.
    Permissions,
    /// What is JSON, written as TOML: its keys are the author's.
    Json,
    /// Any other.
    Plain,
}

impl Kind {
    /// Whether a value of this key is none that could be read, and may have been meant to deny something.
    pub(super) fn is_wrong(self, key: &str, value: &Value) -> bool {
        match (self, key) {
            (Self::Permissions, "deny") => value.as_array().is_none(),
            (Self::Settings, "agents") | (Self::Settings | Self::Layer, "permissions") | (Self::Agents, _) => {
                value.as_table().is_none()
            }
            _ => false,
        }
    }

    /// The kind of the table `key`, or of those in the list `key`, of a table of this kind.
    pub(super) fn of(self, key: &str) -> Self {
        match (self, key) {
            (Self::Settings, "profiles") => Self::Profiles,
            (Self::Settings, "agents") => Self::Agents,
            (Self::Settings | Self::Layer, "variables") => Self::Variables,
            (Self::Settings | Self::Layer, "sections") => Self::Section,
            (Self::Settings, "tools") => Self::Tool,
            (Self::Settings, "model") => Self::Model,
            (Self::Settings | Self::Layer, "permissions") => Self::Permissions,
            (Self::Tool, "parameters") | (Self::Json, _) => Self::Json,
            (Self::Profiles, _) => Self::Settings,
            (Self::Agents, _) => Self::Layer,
            _ => Self::Plain,
        }
    }

    /// Whether a table of this kind has a persona, variables, sections.
    pub(super) fn is_layer(self) -> bool {
        matches!(self, Self::Settings | Self::Layer)
    }

    /// Whether the keys are names that somebody chose.
    fn has_names(self) -> bool {
        matches!(self, Self::Profiles | Self::Agents | Self::Variables | Self::Json)
    }

    /// Whether the string `key` of such a table is a text of a prompt.
    fn has_words(self, key: &str) -> bool {
        (self.is_layer() && key == "persona") || (self == Self::Section && key == "text")
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
    /// The tree of a document.
    pub(super) fn of(source: SourceId, tier: Tier, text: &str, document: DeTable<'_>) -> Self {
        Growing { source, tier, text }.branch(Kind::Settings, document)
    }

    /// Puts a field into a table of this kind; one of this name keeps its place in the order.
    pub(super) fn insert(&mut self, kind: Kind, name: &str, field: Field) {
        if name == ALLOW_OUTSIDE && !kind.has_names() {
            self.allow_outside.push(field);
        } else {
            self.fields.insert(name.to_owned(), field);
        }
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.allow_outside.is_empty()
    }
}

/// A document whose tree is made.
#[derive(Clone, Copy)]
struct Growing<'d> {
    source: SourceId,
    tier: Tier,
    text: &'d str,
}

impl Growing<'_> {
    fn branch(self, kind: Kind, table: DeTable<'_>) -> Branch {
        let mut branch = Branch::default();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let mut node = self.node(kind.of(name), value);
            if kind.has_words(name) {
                self.end_words(&mut node);
            }
            branch.insert(kind, name, Field { key: Span::new(self.source, key.span()), node });
        }
        branch
    }

    /// Quotes on a line of their own end a text's last line, as the end of a file does.
    fn end_words(self, node: &mut Node) {
        let raw = self.text.get(node.span.range()).unwrap_or_default();
        if let Value::String(words) = &mut node.value
            && words.ends_with('\n')
            && quotes_stand_alone(raw)
        {
            words.pop();
        }
    }

    /// A value; if it is a table or a list of such, they are of this kind.
    fn node(self, kind: Kind, value: Spanned<DeValue<'_>>) -> Node {
        let span = Span::new(self.source, value.span());
        let value = match value.into_inner() {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Integer(integer) => Value::Integer(integer.as_str().to_owned(), integer.radix()),
            DeValue::Float(float) => Value::Float(float.as_str().to_owned()),
            DeValue::Boolean(truth) => Value::Boolean(truth),
            DeValue::Datetime(time) => Value::Datetime(time.to_string()),
            DeValue::Array(items) => Value::Array(items.into_iter().map(|item| self.node(kind, item)).collect()),
            DeValue::Table(table) => Value::Table(self.branch(kind, table)),
        };
        Node { span, tier: self.tier, value }
    }
}

/// Whether the closing quotes of a string begin a line, so that the string ends with a newline for their sake alone.
fn quotes_stand_alone(raw: &str) -> bool {
    let backslashes = |body: &str| body.len() - body.trim_end_matches('\\').len();
    // A newline behind a backslash is none.
    raw.ends_with("\n'''") || raw.strip_suffix("\n\"\"\"").is_some_and(|body| backslashes(body) % 2 == 0)
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
