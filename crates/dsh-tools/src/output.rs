//! What a tool answers: content blocks.

use dsh_llm::{ContentBlock, Image, Resource};

/// What a tool answers: text, pictures and resources, in order (T4).
///
/// A string is one block of text, `()` is no content. Of what is longer than the configured limit, the rest is cut off with a
/// mark that says how much is missing ([`ToolsConfig::result_limit`](crate::ToolsConfig::result_limit)).
///
/// ```
/// use dsh_llm::{ContentBlock, Image};
/// use dsh_tools::ToolOutput;
///
/// let words = ToolOutput::from("3 files");
/// let shot = ToolOutput::new([ContentBlock::text("the page:"), ContentBlock::Image(Image::new("image/png", "iVBORw0="))]);
/// assert_eq!((words.content().len(), shot.content().len()), (1, 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    content: Vec<ContentBlock>,
}

impl ToolOutput {
    /// These blocks. Only text, pictures and resources are told to the model.
    pub fn new(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { content: content.into_iter().collect() }
    }

    /// The blocks.
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    pub(crate) fn into_content(self) -> Vec<ContentBlock> {
        self.content
    }
}

impl From<()> for ToolOutput {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::new([ContentBlock::text(text)])
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::new([ContentBlock::text(text)])
    }
}

impl From<Vec<ContentBlock>> for ToolOutput {
    fn from(content: Vec<ContentBlock>) -> Self {
        Self { content }
    }
}

impl From<ContentBlock> for ToolOutput {
    fn from(block: ContentBlock) -> Self {
        Self::new([block])
    }
}

impl From<Image> for ToolOutput {
    fn from(image: Image) -> Self {
        ContentBlock::Image(image).into()
    }
}

impl From<Resource> for ToolOutput {
    fn from(resource: Resource) -> Self {
        ContentBlock::Resource(resource).into()
    }
}

/// JSON, as one block of text.
impl From<serde_json::Value> for ToolOutput {
    fn from(value: serde_json::Value) -> Self {
        value.to_string().into()
    }
}
