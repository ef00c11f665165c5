//! Texts of the configuration that hold in another run: those of profiles that were not chosen, and those that something was laid over.
//!
//! A variable that only they refer to is not unused: it waits for that run.

use std::collections::BTreeSet;

use dsh_template::references;

use crate::config::Branch;
use crate::diagnostic::Span;

/// Texts, by the places where they stand or their files are named.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftTexts(Vec<(Span, Uses)>);

/// What a text refers to.
#[derive(Clone, Debug)]
enum Uses {
    /// These names.
    Names(BTreeSet<String>),
    /// Whatever its file does, which is not read: it is of no use in this run.
    File,
}

impl LeftTexts {
    /// The templates of a document, or of a profile.
    pub(super) fn of(document: &Branch) -> Self {
        let mut texts = Self::default();
        texts.take(document);
        let agents = document.fields.get("agents").and_then(|field| field.node.value.as_table());
        for agent in agents.into_iter().flat_map(|agents| agents.fields.values()) {
            if let Some(agent) = agent.node.value.as_table() {
                texts.take(agent);
            }
        }
        texts
    }

    /// Takes in the texts of a layer.
    fn take(&mut self, layer: &Branch) {
        self.inline(layer, "persona");
        self.file(layer, "persona_file");
        let sections = layer.fields.get("sections").and_then(|field| field.node.value.as_array());
        for section in sections.into_iter().flatten().filter_map(|item| item.value.as_table()) {
            match section.fields.get("format").and_then(|field| field.node.value.as_str()) {
                Some("raw") => {}
                Some("template") => {
                    self.inline(section, "text");
                    self.file(section, "file");
                }
                // A file is raw where nothing is said.
                _ => self.inline(section, "text"),
            }
        }
    }

    fn inline(&mut self, table: &Branch, key: &str) {
        let Some(node) = table.fields.get(key).map(|field| &field.node) else { return };
        if let Some(text) = node.value.as_str() {
            self.0
                .push((node.span, Uses::Names(references(text).map(|reference| reference.name.to_owned()).collect())));
        }
    }

    fn file(&mut self, table: &Branch, key: &str) {
        if let Some(field) = table.fields.get(key) {
            self.0.push((field.node.span, Uses::File));
        }
    }

    /// These and those, less what is `present` in this run.
    pub(super) fn with(mut self, others: Self, present: &Self) -> Self {
        let present: BTreeSet<Span> = present.0.iter().map(|(place, _)| *place).collect();
        self.0.extend(others.0);
        self.0.retain(|(place, _)| !present.contains(place));
        self
    }

    /// Whether one of them refers to the variable, or may do so.
    pub(super) fn may_refer_to(&self, variable: &str) -> bool {
        self.0.iter().any(|(_, uses)| match uses {
            Uses::Names(names) => names.contains(variable),
            Uses::File => true,
        })
    }
}
