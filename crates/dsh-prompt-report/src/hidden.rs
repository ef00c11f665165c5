//! Characters of an assembly that no reader sees (X12).

mod schema;

use std::sync::Arc;

use dsh_system_prompt::{AssembledSection, AssembledTool, HiddenCharacter, PromptAssembly, hidden_characters};

use schema::{Role, may_hide, strings};

/// Of how many hidden characters of one part the places are kept.
pub const MOST_HIDDEN_PLACES: usize = 32;

/// How many bytes the pointers of one part's places may have together: keys of a schema may be long.
const MOST_POINTER_BYTES: usize = 64 * 1024;

/// The hidden characters of one section or one tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hidden<'a> {
    /// The part that has them.
    pub part: HiddenPart<'a>,
    /// How many there are.
    pub count: usize,
    /// Where the first of them stand, in order: at most [`MOST_HIDDEN_PLACES`], and none behind a place in a schema that would
    /// take too much room to say.
    pub places: Vec<HiddenPlace>,
}

/// A part of an assembly that has hidden characters.
///
/// Exhaustive on purpose, as [`HiddenText`] is: who reports on them must say where each kind stands.
#[derive(Clone, Copy, Debug)]
pub enum HiddenPart<'a> {
    /// A section, in its text as it was written.
    Section(&'a AssembledSection),
    /// A tool, in what a model is told of it.
    Tool(&'a AssembledTool),
}

/// Where a hidden character stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HiddenPlace {
    /// The text that it stands in.
    pub text: HiddenText,
    /// The character, with its offset in that text.
    pub character: HiddenCharacter,
}

/// Which text of a part.
///
/// A pointer is a JSON Pointer (RFC 6901) into the tool's parameters. It is made of names that somebody else chose, so it may have
/// hidden characters itself: [`show_hidden`](dsh_system_prompt::show_hidden) is for printing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HiddenText {
    /// The text of a section.
    Section,
    /// The name of a tool.
    Name,
    /// The description of a tool.
    Description,
    /// A string of the parameters: a nested description, a value of an `enum`, a default.
    Value(Arc<str>),
    /// The name of a member of the parameters, such as a property; the pointer is that of its value.
    Key(Arc<str>),
}

/// The hidden characters of an assembly: in each section's text, raw or template, and in each tool's name, description and all
/// strings of its parameters. One finding for each part that has any, sections first, in order (X12).
///
/// All are counted, and the places of the first ones are kept, so that hostile text costs time and no room.
///
/// ```
/// use dsh_llm::ToolSchema;
/// use dsh_prompt_report::{HiddenText, hidden_parts};
/// use dsh_system_prompt::PromptAssembly;
///
/// let parameters = r#"{"type": "object", "properties": {"path": {"description": "A \u202Epath."}}}"#;
/// let mut assembly = PromptAssembly::new();
/// assembly.tools_mut().push(ToolSchema::new("peek", "Reads.\u{200B}", parameters)?.into());
///
/// let found = hidden_parts(&assembly);
/// let places: Vec<String> =
///     found[0].places.iter().map(|place| format!("{:?} {} {}", place.text, place.character.offset, place.character)).collect();
/// assert_eq!(places, ["Description 6 U+200B", "Value(\"/properties/path/description\") 2 U+202E"]);
/// # Ok::<(), dsh_llm::Error>(())
/// ```
pub fn hidden_parts(assembly: &PromptAssembly) -> Vec<Hidden<'_>> {
    let sections = assembly.sections().filter_map(hidden_of_section);
    sections.chain(assembly.tools().iter().filter_map(hidden_of_tool)).collect()
}

fn hidden_of_section(section: &AssembledSection) -> Option<Hidden<'_>> {
    let mut found = Found::default();
    found.look(section.text().as_str(), || HiddenText::Section);
    found.of(HiddenPart::Section(section))
}

fn hidden_of_tool(tool: &AssembledTool) -> Option<Hidden<'_>> {
    let schema = tool.schema();
    let mut found = Found::default();
    found.look(schema.name(), || HiddenText::Name);
    found.look(schema.description(), || HiddenText::Description);
    if may_hide(schema.parameters_json()) {
        strings(schema.parameters_json(), |role, path, text| {
            found.look(text, || match role {
                Role::Key => HiddenText::Key(path.pointer().into()),
                Role::Value => HiddenText::Value(path.pointer().into()),
            });
        });
    }
    found.of(HiddenPart::Tool(tool))
}

/// What was found in the texts of one part so far.
#[derive(Default)]
struct Found {
    count: usize,
    places: Vec<HiddenPlace>,
    pointer_bytes: usize,
}

impl Found {
    /// `place` is asked once at most.
    fn look(&mut self, text: &str, place: impl FnOnce() -> HiddenText) {
        let mut characters = hidden_characters(text).peekable();
        if characters.peek().is_none() {
            return;
        }
        if self.has_room() {
            let place = place();
            self.pointer_bytes += place.pointer_len();
            while self.has_room()
                && let Some(character) = characters.next()
            {
                self.count += 1;
                self.places.push(HiddenPlace { text: place.clone(), character });
            }
        }
        self.count += characters.count();
    }

    fn has_room(&self) -> bool {
        self.places.len() < MOST_HIDDEN_PLACES && self.pointer_bytes <= MOST_POINTER_BYTES
    }

    fn of(self, part: HiddenPart<'_>) -> Option<Hidden<'_>> {
        (self.count > 0).then_some(Hidden { part, count: self.count, places: self.places })
    }
}

impl HiddenText {
    fn pointer_len(&self) -> usize {
        match self {
            Self::Value(pointer) | Self::Key(pointer) => pointer.len(),
            Self::Section | Self::Name | Self::Description => 0,
        }
    }
}
