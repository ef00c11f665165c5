//! From an assembly to the text that the model sees (S11, S12).

mod parts;
mod slots;
mod splice;

use std::fmt;
use std::sync::{Arc, OnceLock};

use dsh_kernel::nearest_first;
use dsh_template::Lookup;

use crate::assembly::{AssembledSection, PromptAssembly};
use crate::error::{Detail, Error, Refused};
use crate::state::State;
use crate::value::Value;
use crate::wire::WireBody;

use parts::PartTable;
use slots::{Slots, Table};

pub(crate) use splice::{Form, Splice};

pub use parts::{Part, PartPiece, Parts, PieceVariable};

/// What stands between two sections.
const SEPARATOR: &str = "\n\n";

/// Renders an assembly: each section interpolated by itself, empty ones dropped, the rest joined by one blank line (S11).
///
/// An assembly that nobody has edited keeps what it was rendered to, and an assembly that equals the last one of its scope is the
/// same object: rendering it again hands out the same bytes.
///
/// # Errors
///
/// Whichever comes first in the prompt: `prompt::unknown_variable`, `prompt::valueless_variable`,
/// `prompt::malformed_reference`, each with section, owner, byte range and what would be right.
///
/// ```
/// use dsh_system_prompt::{AssembledSection, PromptAssembly, render};
///
/// let mut assembly = PromptAssembly::new();
/// assembly.set_variable("team", "harbour");
/// assembly.sections_mut().push(AssembledSection::new("persona", 0, "You work for {{team}}."));
/// assembly.sections_mut().push(AssembledSection::new("empty", 1, ""));
/// assembly.sections_mut().push(AssembledSection::new("rules", 2, "Be brief."));
/// let rendered = render(&assembly)?;
/// assert_eq!(&**rendered.text(), "You work for harbour.\n\nBe brief.");
/// let ranges: Vec<_> = rendered.parts().map(|part| part.range()).collect();
/// assert_eq!(ranges, [0..21, 21..23, 23..32]);
/// # Ok::<(), dsh_system_prompt::Error>(())
/// ```
pub fn render(assembly: &PromptAssembly) -> Result<RenderedPrompt, Error> {
    let text = render_prompt(assembly)?;
    Ok(RenderedPrompt { text, assembly: assembly.clone(), kept: Kept::default() })
}

/// The text of [`render`] alone.
///
/// # Errors
///
/// As [`render`].
pub fn render_prompt(assembly: &PromptAssembly) -> Result<Arc<str>, Error> {
    let Some(state) = assembly.shared_state() else { return write(assembly) };
    if let Some(text) = state.text.get() {
        return Ok(Arc::clone(text));
    }
    let text = match spliced(state) {
        Some(text) => text,
        // The long way finds the first error.
        None => write(assembly)?,
    };
    Ok(Arc::clone(state.text.get_or_init(|| text)))
}

fn spliced(state: &State) -> Option<Arc<str>> {
    let splice = Splice::new(state, Form::Text, state.values.iter().map(|value| value.as_ref().map(Value::as_str)));
    let mut text = String::with_capacity(splice.measure()?);
    splice.write(&mut text);
    Some(text.into())
}

/// Measures every section, allocates once, copies.
fn write(assembly: &PromptAssembly) -> Result<Arc<str>, Error> {
    let table = Table::new(assembly);
    let mut measured: Vec<(&AssembledSection, Slots<'_>)> = Vec::with_capacity(assembly.sections().len());
    let mut len = 0_usize;
    for (index, section) in assembly.sections().enumerate() {
        let slots = table.slots(index, section);
        let size = section.template().measure(|slot| slots.get(slot));
        let size = size.map_err(|error| refused(assembly, section, error))?;
        if size > 0 {
            let separator = if measured.is_empty() { 0 } else { SEPARATOR.len() };
            len = len.saturating_add(size).saturating_add(separator);
            measured.push((section, slots));
        }
    }
    let mut text = String::with_capacity(len);
    for (index, (section, slots)) in measured.iter().enumerate() {
        if index > 0 {
            text.push_str(SEPARATOR);
        }
        section.template().write_into(&mut text, |slot| match slots.get(slot) {
            Lookup::Value(value) => value,
            // Found by measuring.
            Lookup::Valueless | Lookup::Unknown => "",
        });
    }
    Ok(text.into())
}

fn refused(assembly: &PromptAssembly, section: &AssembledSection, error: dsh_template::Error) -> Error {
    let is_unknown = error.kind() == dsh_template::ErrorKind::UnknownVariable;
    let wrong = error.name().filter(|_| is_unknown);
    let known = nearest_first(wrong, assembly.variables().map(|variable| variable.shared_name().clone()));
    let variable_owner = error.name().and_then(|name| assembly.variable(name)?.owner().cloned());
    let detail = Detail::Refused(Refused { section: section.clone(), error, known, variable_owner });
    Error::about(detail, section.owner().cloned(), None)
}

/// A rendered prompt: its text, and the table of its parts (S11, X3).
#[derive(Clone)]
pub struct RenderedPrompt {
    text: Arc<str>,
    assembly: PromptAssembly,
    /// Of an edited assembly; any other has it in the state that it shares.
    kept: Kept,
}

/// What is made of a rendered prompt when somebody asks for it.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    parts: OnceLock<Arc<PartTable>>,
    fingerprint: OnceLock<blake3::Hash>,
    whole: OnceLock<blake3::Hash>,
    pub(crate) wire: OnceLock<WireBody>,
}

impl RenderedPrompt {
    /// The text that the model sees.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What it was rendered from.
    pub fn assembly(&self) -> &PromptAssembly {
        &self.assembly
    }

    /// The parts, in order: sections and the separators between them. Their ranges partition the text (X3).
    ///
    /// Their places are worked out when first asked for, and kept.
    pub fn parts(&self) -> Parts<'_> {
        Parts::of(self)
    }

    fn part_table(&self) -> &PartTable {
        self.text_kept().parts.get_or_init(|| Arc::new(PartTable::new(&self.assembly)))
    }

    /// The BLAKE3 of the text (X5).
    pub fn fingerprint(&self) -> blake3::Hash {
        *self.text_kept().fingerprint.get_or_init(|| blake3::hash(self.text.as_bytes()))
    }

    /// The BLAKE3 of the whole that the model is told, text and tools: that of both fingerprints, one after the other (X5).
    pub fn whole_fingerprint(&self) -> blake3::Hash {
        let kept = if self.assembly.has_edited_tools() { &self.kept } else { self.text_kept() };
        *kept.whole.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(self.fingerprint().as_bytes());
            hasher.update(self.assembly.tools_fingerprint().as_bytes());
            hasher.finalize()
        })
    }

    /// Where that is kept which depends on the text alone.
    fn text_kept(&self) -> &Kept {
        self.assembly.shared_state().map_or(&self.kept, |state| &state.kept)
    }
}

/// Shows the length alone: values may be secrets.
impl fmt::Debug for RenderedPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedPrompt")
            .field("bytes", &self.text.len())
            .field("assembly", &self.assembly)
            .finish_non_exhaustive()
    }
}
