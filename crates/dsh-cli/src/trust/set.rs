//! What a project's files ask for beyond being text, as an ordered set with a hash.

use std::collections::{BTreeMap, BTreeSet};

use super::TrustHash;
use crate::config::{Ask, Asked};
use crate::diagnostic::Span;

/// One thing that needs trust. Two are the same if they are equal: who asks for it, and where, is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub(crate) enum TrustItem {
    /// A variable of the environment is read.
    EnvironmentVariable {
        /// Its name there.
        name: String,
    },
    /// A command is run. What the files are that it names is no part of this: whoever trusts a command trusts those too.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
    },
    /// A script answers in a model's place.
    ScriptedModel {
        /// Its file, as it is written.
        path: String,
    },
    /// Calls of tools run without anybody being asked. What is denied belongs to it: to take that away is to permit more.
    Permissions {
        /// The agent that has them for itself; without one, they are everybody's.
        agent: Option<String>,
        /// Of these tools, where that is said.
        allow: Option<Vec<String>>,
        /// Never those of these tools, where that is said.
        deny: Option<Vec<String>>,
    },
    /// Agents have others work for them.
    Subagents {
        /// Those of the project that may, as they are written.
        agents: Vec<String>,
        /// Whom a model gets that names none, where that is said.
        usual: Option<String>,
        /// How deep and how many, as far as that is said.
        bounds: Vec<(&'static str, u64)>,
    },
}

/// Who asks for an item: shown to the person who is to trust it, and no part of the hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    /// What asks for it.
    pub(crate) by: Asking,
    /// The agent that has it for itself; without one, it is shared.
    pub(crate) agent: Option<String>,
    /// The profile that has it; without one, it is there in all of them.
    pub(crate) profile: Option<String>,
    /// Where it is asked for.
    pub(crate) span: Span,
}

/// What asks for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The variable that texts refer to by this name.
    Variable(String),
    /// The tool of this name.
    Tool(String),
    /// A key of the configuration that is there once.
    Key(&'static str),
}

/// All that a project asks for, in every agent and every profile of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrustSet {
    items: BTreeMap<TrustItem, Vec<Asker>>,
}

/// The first line of what is hashed; the number counts the form of the rest.
const HEADER: &str = "dsh trust set 1\n";

impl TrustItem {
    /// What kind of thing it is, as the hash and JSON name it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::EnvironmentVariable { .. } => "environment-variable",
            Self::Command { .. } => "command",
            Self::ScriptedModel { .. } => "scripted-model",
            Self::Permissions { .. } => "permissions",
            Self::Subagents { .. } => "subagents",
        }
    }

    /// What tells it from others of its kind.
    fn fields(&self) -> Vec<String> {
        match self {
            Self::EnvironmentVariable { name } => vec![name.clone()],
            Self::Command { words } => words.clone(),
            Self::ScriptedModel { path } => vec![path.clone()],
            Self::Permissions { agent, allow, deny } => {
                let list = |key: &str, list: &Option<Vec<String>>| {
                    let entries = list.iter().flatten().map(|entry| format!("{key} {entry}"));
                    list.iter().map(|_| key.to_owned()).chain(entries).collect::<Vec<_>>()
                };
                // No agent's name is empty.
                let agent = vec![agent.clone().unwrap_or_default()];
                [agent, list("allow", allow), list("deny", deny)].concat()
            }
            Self::Subagents { agents, usual, bounds } => {
                let agents = agents.iter().map(|agent| format!("agent {agent}"));
                let usual = usual.iter().map(|usual| format!("usual {usual}"));
                let bounds = bounds.iter().map(|(bound, number)| format!("{bound} {number}"));
                // Without a field no line could be told from another.
                std::iter::once("agents".to_owned()).chain(agents).chain(usual).chain(bounds).collect()
            }
        }
    }
}

impl TrustSet {
    /// All that these ask for.
    pub(crate) fn of(asks: Vec<Ask>) -> Self {
        let mut set = Self::default();
        for Ask { what, agent, profile, span } in asks {
            let (item, by) = match what {
                Asked::Environment { name, variable } => {
                    (TrustItem::EnvironmentVariable { name }, Asking::Variable(variable))
                }
                Asked::Command { words, tool } => (TrustItem::Command { words }, Asking::Tool(tool)),
                Asked::ScriptedModel { path } => (TrustItem::ScriptedModel { path }, Asking::Key("model")),
                Asked::Subagents { agents, usual, bounds } => {
                    (TrustItem::Subagents { agents, usual, bounds }, Asking::Key("subagents"))
                }
                Asked::Permissions { allow, deny } => {
                    (TrustItem::Permissions { agent: agent.clone(), allow, deny }, Asking::Key("permissions"))
                }
            };
            set.insert(item, Asker { by, agent, profile, span });
        }
        set
    }

    /// Whether this is asked for.
    pub(crate) fn contains(&self, item: &TrustItem) -> bool {
        self.items.contains_key(item)
    }

    /// Takes an item in. One that is there already has one more that asks for it.
    pub(crate) fn insert(&mut self, item: TrustItem, asker: Asker) {
        self.items.entry(item).or_default().push(asker);
    }

    /// The items, and who asks for each, in the order in which they were taken in.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&TrustItem, &[Asker])> {
        self.items.iter().map(|(item, askers)| (item, askers.as_slice()))
    }

    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The hash of the items: BLAKE3 over their [`encoding`].
    pub(crate) fn hash(&self) -> TrustHash {
        TrustHash::of(encoding(self.items.keys().map(|item| (item.kind(), item.fields()))).as_bytes())
    }
}

/// Items as what is hashed: a header with a version, then a line for each item, in the order of their bytes, each once.
///
/// A line is the item's kind, and after a blank each of its fields as its length in bytes, a colon, and its bytes: `environment-variable
/// 5:TOKEN`. Lengths stand before what they measure, so that no name can pass for another line, or for two; different sets have
/// different encodings, also of kinds that are yet to come. A kind is made of letters and `-`.
fn encoding<F: AsRef<str>>(items: impl Iterator<Item = (&'static str, Vec<F>)>) -> String {
    let lines: BTreeSet<String> = items
        .map(|(kind, fields)| {
            let field = |field: &F| format!("{}:{}", field.as_ref().len(), field.as_ref());
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{kind} {}\n", fields.join(" "))
        })
        .collect();
    let lines: String = lines.into_iter().collect();
    format!("{HEADER}{lines}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Asker, Asking, HEADER, TrustItem, TrustSet, encoding};
    use crate::diagnostic::{Sources, Span};

    fn set<'a>(names: impl IntoIterator<Item = &'a String>) -> TrustSet {
        let source = Sources::new().add("dsh.toml".to_owned(), String::new());
        let mut set = TrustSet::default();
        for (index, name) in names.into_iter().enumerate() {
            let span = Span::new(source, index..index);
            let by = Asking::Variable(format!("v{index}"));
            let asker = Asker { by, agent: None, profile: None, span };
            set.insert(TrustItem::EnvironmentVariable { name: name.clone() }, asker);
        }
        set
    }

    type Items = BTreeSet<(&'static str, Vec<String>)>;

    fn encode(items: &Items) -> String {
        encoding(items.iter().map(|(kind, fields)| (*kind, fields.iter().map(String::as_str).collect())))
    }

    /// Reads an encoding back. That this can be done is what makes it unambiguous.
    fn decode(text: &str) -> Option<Items> {
        let mut rest = text.strip_prefix(HEADER)?;
        let mut items = Items::new();
        while !rest.is_empty() {
            let kind = KINDS.into_iter().find(|kind| rest.starts_with(&format!("{kind} ")))?;
            rest = rest.strip_prefix(kind)?;
            let mut fields = Vec::new();
            while let Some(field) = rest.strip_prefix(' ') {
                let (length, field) = field.split_once(':')?;
                let (field, after) = field.split_at(length.parse().ok()?);
                fields.push(field.to_owned());
                rest = after;
            }
            rest = rest.strip_prefix('\n')?;
            items.insert((kind, fields));
        }
        Some(items)
    }

    const KINDS: [&str; 3] = ["command", "environment-variable", "url"];

    /// Names that are likely to be taken for something else.
    fn name() -> impl Strategy<Value = String> {
        prop_oneof!["[A-Z]{1,3}", "[0-9: \n\\-a-zé]{0,12}", Just("5:TOKEN\nenvironment-variable 4:USER".to_owned())]
    }

    fn items() -> impl Strategy<Value = Items> {
        let item = (prop::sample::select(&KINDS), prop::collection::vec(name(), 1..4));
        prop::collection::btree_set(item, 0..6)
    }

    proptest! {
        #[test]
        fn neither_order_nor_repetition_changes_the_hash(
            names in prop::collection::vec(name(), 0..8),
            again in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let hash = set(&names).hash();
            prop_assert_eq!(set(names.iter().rev()).hash(), hash);
            let repeated = again.iter().filter(|_| !names.is_empty()).map(|index| index.get(&names));
            prop_assert_eq!(set(names.iter().chain(repeated)).hash(), hash);
        }

        #[test]
        fn any_other_name_changes_the_hash(
            names in prop::collection::btree_set(name(), 0..8),
            others in prop::collection::btree_set(name(), 0..8),
        ) {
            prop_assert_eq!(set(&names).hash() == set(&others).hash(), names == others);
        }

        #[test]
        fn what_is_hashed_can_be_read_back(items in items()) {
            prop_assert_eq!(decode(&encode(&items)), Some(items));
        }
    }

    #[test]
    fn permissions_that_are_not_the_same_have_another_hash() {
        let list = |entries: &[&str]| Some(entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>());
        let of =
            |agent: Option<&str>, allow, deny| TrustItem::Permissions { agent: agent.map(str::to_owned), allow, deny };
        let all = [
            of(None, list(&["a"]), None),
            of(Some("a"), list(&["a"]), None),
            of(None, list(&["a"]), list(&[])),
            of(None, list(&[]), list(&["a"])),
            of(None, None, list(&["a"])),
            of(None, list(&["a", "deny", "deny b"]), None),
            of(None, list(&["a"]), list(&["b"])),
        ];
        let fields: BTreeSet<Vec<String>> = all.iter().map(TrustItem::fields).collect();
        assert_eq!(fields.len(), all.len(), "{fields:?}");
    }

    #[test]
    fn the_hash_is_that_of_the_documented_form() {
        // Records and continuous integration hold such hashes: this one must never change.
        let hash = set(&["USER".to_owned(), "TOKEN".to_owned()]).hash();
        let form = "dsh trust set 1\nenvironment-variable 4:USER\nenvironment-variable 5:TOKEN\n";
        assert_eq!(hash, super::TrustHash::of(form.as_bytes()));
        assert_eq!(hash.to_string(), "81aeec0aac69893d7cdddadd416a665c6bd5ce40c4665517cd23a22a8f57e6f0");
    }
}
