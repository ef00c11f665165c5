//! A tool as it stands in an assembly.

use dsh_kernel::Owner;
use dsh_llm::ToolSchema;

use crate::provenance::PartLayer;

/// A tool of one assembly: its schema, and who told of it (X3).
#[derive(Clone, Debug)]
pub struct AssembledTool {
    schema: ToolSchema,
    owner: Option<Owner>,
    layer: PartLayer,
    /// Edited since the last claim, by whoever claims next.
    edited: bool,
    edited_by: Vec<Owner>,
}

impl AssembledTool {
    pub(crate) fn registered(schema: ToolSchema, owner: &Owner, layer: PartLayer) -> Self {
        Self { owner: Some(owner.clone()), layer, ..schema.into() }
    }

    /// The schema.
    pub fn schema(&self) -> &ToolSchema {
        &self.schema
    }

    /// Replaces the schema by a changed copy; whoever else holds the old one keeps it.
    pub fn set_schema(&mut self, schema: ToolSchema) {
        self.schema = schema;
        self.edited = true;
    }

    /// Whose provider told of it, or which listener added it; `None` in an assembly that was built by hand.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// The layer that its provider stands in.
    pub fn layer(&self) -> PartLayer {
        self.layer
    }

    /// Which listeners have edited it, in order.
    pub fn edited_by(&self) -> &[Owner] {
        &self.edited_by
    }

    /// Gives the tool to a listener if it has no owner, and notes the listener as its editor if it was edited.
    pub(crate) fn claim(&mut self, owner: &Owner) {
        let edited = std::mem::take(&mut self.edited);
        match &self.owner {
            None => self.owner = Some(owner.clone()),
            Some(own) if edited && own != owner && self.edited_by.last() != Some(owner) => {
                self.edited_by.push(owner.clone());
            }
            Some(_) => {}
        }
    }
}

/// A tool to be put into an assembly. A listener that adds it becomes its owner (S8).
impl From<ToolSchema> for AssembledTool {
    fn from(schema: ToolSchema) -> Self {
        Self { schema, owner: None, layer: PartLayer::Assembly, edited: false, edited_by: Vec::new() }
    }
}
