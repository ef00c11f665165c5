//! The sequential model: what is registered, as plain lists, and what follows from it by the letter of the contract.

use std::collections::BTreeMap;

/// The layer for everyone; all others are scopes.
pub(crate) const GLOBAL: u32 = 0;

/// One registration.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: u32,
    /// The scope whose layer it stands in.
    pub(crate) place: u32,
    pub(crate) name: String,
    /// The path of its owner.
    pub(crate) owner: String,
    pub(crate) part: Part,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Section {
        order: f64,
        text: String,
        raw: bool,
    },
    Variable {
        value: String,
    },
    Tools {
        names: Vec<String>,
    },
    /// A listener of `Ping`; put before all others or not.
    Ear {
        first: bool,
    },
    /// A listener of the waterfall, which puts a section in its place among those of the other hooks, after all others.
    Hook {
        order: f64,
        text: String,
    },
}

impl Row {
    pub(crate) fn is_section(&self) -> bool {
        matches!(self.part, Part::Section { .. })
    }

    pub(crate) fn is_variable(&self) -> bool {
        matches!(self.part, Part::Variable { .. })
    }

    pub(crate) fn is_ear(&self) -> bool {
        matches!(self.part, Part::Ear { .. })
    }

    fn order(&self) -> f64 {
        if let Part::Section { order, .. } | Part::Hook { order, .. } = &self.part { *order } else { 0.0 }
    }

    /// Whether an assembly or a dispatch for `place` has to do with it, shadows left aside.
    fn concerns(&self, place: u32) -> bool {
        self.place == GLOBAL || self.place == place
    }
}

/// What is registered, in order of registration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) rows: Vec<Row>,
}

impl Model {
    /// S2
    pub(crate) fn sections(&self, place: u32) -> Vec<&Row> {
        let of = |wanted: u32| self.rows.iter().filter(move |row| row.is_section() && row.place == wanted);
        let own = |name: &str| of(place).find(|own| place != GLOBAL && own.name == name);
        let mut merged: Vec<&Row> = of(GLOBAL).map(|global| own(&global.name).unwrap_or(global)).collect();
        if place != GLOBAL {
            merged.extend(of(place).filter(|own| of(GLOBAL).all(|global| global.name != own.name)));
        }
        merged.sort_by(|a, b| a.order().total_cmp(&b.order()));
        merged
    }

    /// S4: what each visible variable is worth.
    pub(crate) fn variables(&self, place: u32) -> BTreeMap<&str, &str> {
        let of = |wanted: u32| self.rows.iter().filter(move |row| row.is_variable() && row.place == wanted);
        let mut seen = BTreeMap::new();
        for row in of(GLOBAL).chain(of(place)) {
            if let Part::Variable { value } = &row.part {
                seen.insert(row.name.as_str(), value.as_str());
            }
        }
        seen
    }

    /// S5, S6: the listed ones at their places, the others between them by name.
    pub(crate) fn tools(&self, place: u32, first: &str, last: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| row.concerns(place)) {
            if let Part::Tools { names: own } = &row.part {
                names.extend(own.iter().cloned());
            }
        }
        names.sort_by_key(|name| (u8::from(name != first) + u8::from(name == last), name.clone()));
        names
    }

    /// S9, S11: byte for byte.
    pub(crate) fn prompt(&self, place: u32) -> String {
        let variables = self.variables(place);
        let mut texts = Vec::new();
        for row in self.sections(place) {
            if let Part::Section { text, raw, .. } = &row.part {
                texts.push(if *raw { text.clone() } else { filled(text, &variables) });
            }
        }
        let mut hooks: Vec<&Row> =
            self.rows.iter().filter(|row| matches!(row.part, Part::Hook { .. }) && row.concerns(place)).collect();
        hooks.sort_by(|a, b| a.order().total_cmp(&b.order()));
        for hook in hooks {
            if let Part::Hook { text, .. } = &hook.part {
                texts.push(text.clone());
            }
        }
        texts.retain(|text| !text.is_empty());
        texts.join("\n\n")
    }

    /// K11, K12: who hears a dispatch, in order; `None` is an unfiltered one.
    pub(crate) fn ears(&self, place: Option<u32>) -> Vec<u32> {
        let hears = |row: &&Row| row.is_ear() && place.is_none_or(|place| row.concerns(place));
        let is_first = |row: &&Row| matches!(row.part, Part::Ear { first: true });
        let firsts = self.rows.iter().rev().filter(hears).filter(is_first);
        let others = self.rows.iter().filter(hears).filter(|row| !is_first(row));
        firsts.chain(others).map(|row| row.id).collect()
    }
}

/// A template with its references replaced; those of the stress are all well-formed.
fn filled(text: &str, variables: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(variables.get(name).copied().unwrap_or("(unknown)"));
        rest = after;
    }
    out.push_str(rest);
    out
}
