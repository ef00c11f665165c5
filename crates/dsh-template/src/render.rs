//! Rendering: sum the lengths, allocate once, copy.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Error, Template};

/// What a caller knows of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lookup<'v> {
    /// Its value, put in as it is and never scanned.
    Value(&'v str),
    /// The variable is known and has no value this time: an error where it is referred to, never an empty string.
    Valueless,
    /// There is no such variable.
    Unknown,
}

/// Shows the state and the length, never the value, which may be a secret.
impl core::fmt::Debug for Lookup<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Value(value) => write!(f, "Value({} bytes)", value.len()),
            Self::Valueless => f.write_str("Valueless"),
            Self::Unknown => f.write_str("Unknown"),
        }
    }
}

impl Template {
    /// Renders with `lookup`, which is asked once for each distinct name in order of first use, and no more after the first
    /// failure.
    ///
    /// # Errors
    ///
    /// Whichever comes first in the text: `template::unknown_variable`, `template::valueless_variable`,
    /// `template::malformed_reference`. (S11)
    ///
    /// ```
    /// use dsh_template::{Lookup, Template};
    ///
    /// let template = Template::compile("N={{note}}");
    /// assert_eq!(template.render(|_| Lookup::Value("{{token}}"))?, "N={{token}}");
    /// assert_eq!(template.render(|_| Lookup::Unknown).unwrap_err().code(), "template::unknown_variable");
    /// # Ok::<(), dsh_template::Error>(())
    /// ```
    pub fn render<'v>(&self, mut lookup: impl FnMut(&str) -> Lookup<'v>) -> Result<String, Error> {
        let mut values = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let value = lookup(&name.text);
            values.push(value);
            if !matches!(value, Lookup::Value(_)) {
                break;
            }
        }
        self.render_slots(&values)
    }

    /// Renders with values by slot, that is in the order of [`names`](Self::names). A slot past the end of `values` is unknown.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    ///
    /// ```
    /// use dsh_template::{Lookup, Template};
    ///
    /// let template = Template::compile("{{a}}{{b}}{{a}}");
    /// assert_eq!(template.render_slots(&[Lookup::Value("x"), Lookup::Value("-")])?, "x-x");
    /// # Ok::<(), dsh_template::Error>(())
    /// ```
    pub fn render_slots(&self, values: &[Lookup<'_>]) -> Result<String, Error> {
        let len = self.measure(|slot| values.get(slot).copied().unwrap_or(Lookup::Unknown))?;
        let mut out = String::with_capacity(len);
        self.write_into(&mut out, |slot| match values.get(slot) {
            Some(Lookup::Value(value)) => value,
            Some(Lookup::Valueless | Lookup::Unknown) | None => "",
        });
        debug_assert_eq!(out.len(), len, "the length was measured");
        Ok(out)
    }

    /// The length in bytes of the rendering, or its error; `value` is asked once for each slot, in order.
    ///
    /// With [`write_into`](Self::write_into) this is rendering in two steps, for a caller that measures many templates and then
    /// writes them all into one buffer.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    ///
    /// ```
    /// use dsh_template::{Lookup, Template};
    ///
    /// let values = ["ab", "c"];
    /// let templates = [Template::compile("{{x}}, {{y}}"), Template::compile("; {{x}}")];
    /// let mut len = 0;
    /// for template in &templates {
    ///     len += template.measure(|slot| Lookup::Value(values[slot]))?;
    /// }
    /// let mut out = String::with_capacity(len);
    /// for template in &templates {
    ///     template.write_into(&mut out, |slot| values[slot]);
    /// }
    /// assert_eq!(out, "ab, c; ab");
    /// assert_eq!(out.len(), len);
    /// # Ok::<(), dsh_template::Error>(())
    /// ```
    pub fn measure<'v>(&self, mut value: impl FnMut(usize) -> Lookup<'v>) -> Result<usize, Error> {
        let mut len = self.literals.len();
        for (slot, name) in self.names.iter().enumerate() {
            match value(slot) {
                Lookup::Value(value) => len = len.saturating_add(value.len().saturating_mul(name.uses)),
                Lookup::Valueless => return Err(Error::valueless(&name.text, name.first_use())),
                Lookup::Unknown => return Err(Error::unknown(&name.text, name.first_use())),
            }
        }
        match &self.malformed {
            None => Ok(len),
            Some(error) => Err(error.clone()),
        }
    }

    /// Appends the rendering to `out`; `value` is asked for each reference, in order. It does not look for errors, which
    /// [`measure`](Self::measure) finds: of a malformed template it writes what stands before the malformed place.
    pub fn write_into<'v>(&self, out: &mut String, mut value: impl FnMut(usize) -> &'v str) {
        let (mut rest, mut from) = (&*self.literals, 0);
        for step in &self.steps {
            let (literal, after) = rest.split_at_checked(step.literal_end - from).unwrap_or((rest, ""));
            out.push_str(literal);
            out.push_str(value(step.slot));
            (rest, from) = (after, step.literal_end);
        }
        out.push_str(rest);
    }
}
