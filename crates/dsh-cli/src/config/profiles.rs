//! Profiles: what a configuration says under `[profiles.NAME]`, laid over the rest where it is chosen.

use indexmap::IndexMap;

use super::merge::{into_profile, overlay};
use super::read::refuse_foreign;
use super::table::{Table, table};
use super::tree::{Branch, Field, Kind, Node, Value};
use crate::diagnostic::{Report, Span};
use crate::names::quoted;

/// The profiles of a configuration, by name, each marked as said by a profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profiles(IndexMap<String, Profile>);

/// What a profile says.
#[derive(Clone, Debug)]
struct Profile {
    span: Span,
    own: Branch,
    /// The tables of the rest that it would be laid over.
    under: Branch,
}

/// A profile that was not chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unchosen<'p> {
    /// Its place.
    pub(crate) span: Span,
    /// What it says.
    pub(crate) own: &'p Branch,
    /// The tables of the rest that it would be laid over.
    pub(super) under: &'p Branch,
}

impl Unchosen<'_> {
    /// The profile's tables as they would be, if it were chosen.
    pub(super) fn laid(&self) -> Branch {
        let mut laid = self.under.clone();
        overlay(&mut laid, self.own.clone());
        laid
    }
}

/// Keys that only a file has.
const OF_FILES: [&str; 2] = ["include", "profiles"];

impl Profiles {
    /// Takes the profiles out of a tree; what is no table is reported and left out.
    pub(crate) fn take(tree: &mut Branch, report: &mut Report) -> Self {
        let Some(field) = tree.fields.shift_remove("profiles") else { return Self::default() };
        let whole = Branch { fields: [("profiles".to_owned(), field)].into_iter().collect(), ..Branch::default() };
        let span = whole.fields.values().next().map(|field| field.node.span);
        let Some(mut top) = span.map(|span| Table::new(&whole, span, "dsh.toml")) else { return Self::default() };
        let Some(profiles) = top.table("profiles", "the profiles", report) else { return Self::default() };
        let mut read = IndexMap::new();
        for (name, entry) in profiles.named() {
            let Some(profile) = table(entry, &format!("profile {}", quoted(name)), "a profile", report) else {
                continue;
            };
            let mut own = profile.branch().clone();
            into_profile(&mut own);
            let under = touched(Kind::Settings, tree, &own);
            read.insert(name.to_owned(), Profile { span: entry.key, own, under });
        }
        Self(read)
    }

    /// The names, in the order of the configuration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Lays the profile of this name over the tree; whether there is one.
    pub(crate) fn choose(&mut self, name: &str, tree: &mut Branch, report: &mut Report) -> bool {
        let Some(Profile { span, mut own, .. }) = self.0.shift_remove(name) else { return false };
        let foreign = OF_FILES.iter().filter_map(|key| own.fields.shift_remove_entry(*key)).collect();
        refuse_foreign(&Branch { fields: foreign, ..Branch::default() }, span, report);
        overlay(tree, own);
        true
    }

    /// Those that were not chosen.
    pub(crate) fn others(&self) -> impl Iterator<Item = (&str, Unchosen<'_>)> {
        self.0.iter().map(|(name, Profile { span, own, under })| (name.as_str(), Unchosen { span: *span, own, under }))
    }
}

/// The tables of `base` in which `over` says something: whole where they are read as one, else those of their keys alone. It costs
/// what `over` is long, not what `base` is.
fn touched(kind: Kind, base: &Branch, over: &Branch) -> Branch {
    let mut part = Branch::default();
    for (name, Field { node, .. }) in &over.fields {
        let Some(old) = base.fields.get(name) else { continue };
        let (Value::Table(old_table), Value::Table(table)) = (&old.node.value, &node.value) else { continue };
        let kind = kind.of(name);
        let table = if kind == Kind::Plain { old_table.clone() } else { touched(kind, old_table, table) };
        let node = Node { span: old.node.span, tier: old.node.tier, value: Value::Table(table) };
        part.fields.insert(name.clone(), Field { key: old.key, node });
    }
    part
}
