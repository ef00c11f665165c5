//! The usual case: nobody has edited the assembly, so the shape knows how long its words are and which slot is which variable.
//! Values are measured, one buffer is allocated, pieces are copied.

use dsh_template::{Lookup, Template};

use crate::assembly::AssembledSection;
use crate::render::SEPARATOR;
use crate::state::State;

/// [`SEPARATOR`], escaped.
const JSON_SEPARATOR: &str = "\\n\\n";

/// How the words of a prompt are written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// As they are.
    Text,
    /// As they stand in a JSON string.
    Json,
}

impl Form {
    fn template(self, section: &AssembledSection) -> &Template {
        match self {
            Self::Text => section.template(),
            Self::Json => section.json_template(),
        }
    }

    /// Written out in each arm, so that each is a store of known length.
    fn push_separator(self, out: &mut String) {
        match self {
            Self::Text => out.push_str(SEPARATOR),
            Self::Json => out.push_str(JSON_SEPARATOR),
        }
    }

    const fn separator_len(self) -> usize {
        match self {
            Self::Text => SEPARATOR.len(),
            Self::Json => JSON_SEPARATOR.len(),
        }
    }

    fn solid_literals(self, state: &State) -> usize {
        match self {
            Self::Text => state.shape.plan.literals,
            Self::Json => state.shape.plan.json_literals(&state.shape.sections),
        }
    }
}

/// A state, the form to write it in, and its values in that form.
pub(crate) struct Splice<'s> {
    state: &'s State,
    form: Form,
    /// The values of the shape's variables.
    values: Vec<Option<&'s str>>,
}

impl<'s> Splice<'s> {
    pub(crate) fn new(state: &'s State, form: Form, values: impl Iterator<Item = Option<&'s str>>) -> Self {
        Self { state, form, values: values.collect() }
    }

    fn value(&self, variable: usize) -> Option<&'s str> {
        self.values.get(variable).copied().flatten()
    }

    /// How many bytes [`write`](Self::write) appends; `None` where the prompt is an error.
    pub(crate) fn measure(&self) -> Option<usize> {
        let plan = &self.state.shape.plan;
        if !plan.sound {
            return None;
        }
        let mut len = self.form.solid_literals(self.state);
        for (variable, uses) in &plan.uses {
            len = len.saturating_add(self.value(*variable)?.len().saturating_mul(*uses));
        }
        let mut sections = plan.solid;
        for index in &plan.loose {
            let size = self.measure_loose(*index)?;
            len = len.saturating_add(size);
            sections += usize::from(size > 0);
        }
        Some(len.saturating_add(sections.saturating_sub(1).saturating_mul(self.form.separator_len())))
    }

    /// Appends the prompt, which [`measure`](Self::measure) has found to be none of an error.
    pub(crate) fn write(&self, out: &mut String) {
        let mut is_first = true;
        for (index, shaped) in self.state.shape.sections.iter().enumerate() {
            let bindings = shaped.solid();
            if bindings.is_none() && self.measure_loose(index).is_none_or(|size| size == 0) {
                continue;
            }
            if !is_first {
                self.form.push_separator(out);
            }
            is_first = false;
            match bindings {
                Some(bindings) => {
                    let value = |slot| bindings.get(slot).copied().flatten().and_then(|variable| self.value(variable));
                    self.form.template(&shaped.section).write_into(out, |slot| value(slot).unwrap_or_default());
                }
                None => {
                    if let Some(section) = self.state.section(index) {
                        let value = |slot| self.loose_value(section, slot);
                        self.form.template(section).write_into(out, |slot| value(slot).unwrap_or_default());
                    }
                }
            }
        }
    }

    fn measure_loose(&self, index: usize) -> Option<usize> {
        let section = self.state.section(index)?;
        let value = |slot| self.loose_value(section, slot).map_or(Lookup::Unknown, Lookup::Value);
        self.form.template(section).measure(value).ok()
    }

    fn loose_value(&self, section: &AssembledSection, slot: usize) -> Option<&'s str> {
        self.value(self.state.shape.variable(section.template().name(slot)?)?)
    }
}
