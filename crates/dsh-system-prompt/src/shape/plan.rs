//! What is known of a prompt's length before any value is: so that a step measures values, not sections.

use std::sync::OnceLock;

use crate::shape::{ShapeSection, ShapeText};

/// The lengths of a shape's fixed texts, added up.
pub(crate) struct Plan {
    /// The bytes of all words in the solid sections: those that have words of their own, and so are never empty.
    pub(crate) literals: usize,
    /// How many solid sections there are.
    pub(crate) solid: usize,
    /// Which variables the solid sections refer to, and how often.
    pub(crate) uses: Vec<(usize, usize)>,
    /// The other sections, in order: computed ones, and those that a value may leave empty.
    pub(crate) loose: Vec<usize>,
    /// Whether no fixed text is malformed or refers to what is not there. Otherwise the prompt is an error, whatever the values.
    pub(crate) sound: bool,
    /// As `literals`, of the words as they stand in a JSON string.
    json_literals: OnceLock<usize>,
}

impl Plan {
    pub(crate) fn new(sections: &[ShapeSection], variables: usize) -> Self {
        let mut uses = vec![0; variables];
        let mut plan = Self {
            literals: 0,
            solid: 0,
            uses: Vec::new(),
            loose: Vec::new(),
            sound: true,
            json_literals: OnceLock::new(),
        };
        for (index, section) in sections.iter().enumerate() {
            let Some(bindings) = section.solid() else {
                plan.loose.push(index);
                continue;
            };
            let template = section.section.template();
            plan.literals += template.literal_len();
            plan.solid += 1;
            plan.sound &= template.malformed().is_none();
            for (binding, count) in bindings.iter().zip(template.uses()) {
                match binding.and_then(|variable| uses.get_mut(variable)) {
                    Some(total) => *total += count,
                    None => plan.sound = false,
                }
            }
        }
        plan.uses = uses.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
        plan
    }

    /// The bytes of all words in the solid sections as they stand in a JSON string.
    pub(crate) fn json_literals(&self, sections: &[ShapeSection]) -> usize {
        let solid = || sections.iter().filter(|section| section.solid().is_some());
        *self.json_literals.get_or_init(|| solid().map(|section| section.section.json_template().literal_len()).sum())
    }
}

impl ShapeSection {
    /// The variables of its slots, if it is a fixed text with words of its own.
    pub(crate) fn solid(&self) -> Option<&[Option<usize>]> {
        match &self.text {
            ShapeText::Fixed(bindings) if self.section.template().literal_len() > 0 => Some(bindings),
            ShapeText::Fixed(_) | ShapeText::Computed(_) => None,
        }
    }
}
