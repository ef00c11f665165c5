//! Profiles: what a configuration says under `[profiles.NAME]`, laid over the rest where it is chosen.

use indexmap::IndexMap;

use super::At;
use super::merge::{into_profile, overlay};
use super::table::{Table, table};
use super::tree::Branch;
use crate::diagnostic::Report;
use crate::names::quoted;

/// The profiles of a configuration, by name, each marked as said by a profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profiles(IndexMap<String, At<Branch>>);

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
            let mut branch = profile.branch().clone();
            into_profile(&mut branch);
            read.insert(name.to_owned(), At { value: branch, span: entry.key });
        }
        Self(read)
    }

    /// The names, in the order of the configuration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Lays the profile of this name over the tree; whether there is one.
    pub(crate) fn choose(&mut self, name: &str, tree: &mut Branch) -> bool {
        let Some(profile) = self.0.shift_remove(name) else { return false };
        overlay(tree, profile.value);
        true
    }

    /// Those that were not chosen.
    pub(crate) fn others(&self) -> impl Iterator<Item = (&str, &At<Branch>)> {
        self.0.iter().map(|(name, profile)| (name.as_str(), profile))
    }
}
