//! A tool as it stands in an assembly.

use dsh_kernel::Owner;
use dsh_llm::ToolSchema;

use crate::provenance::Layer;

/// A tool of one assembly: its schema, and who told of it (X3).
#[derive(Clone, Debug)]
pub struct AssembledTool {
    schema: ToolSchema,
    owner: Option<Owner>,
    layer: Layer,
}

impl AssembledTool {
    pub(crate) fn registered(schema: ToolSchema, owner: &Owner, layer: Layer) -> Self {
        Self { schema, owner: Some(owner.clone()), layer }
    }

    /// The schema.
    pub fn schema(&self) -> &ToolSchema {
        &self.schema
    }

    /// Replaces the schema by a changed copy; whoever else holds the old one keeps it.
    pub fn set_schema(&mut self, schema: ToolSchema) {
        self.schema = schema;
    }

    /// Whose provider told of it, or which listener added it; `None` in an assembly that was built by hand.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// The layer that its provider stands in.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    pub(crate) fn claim(&mut self, owner: &Owner) {
        self.owner.get_or_insert_with(|| owner.clone());
    }
}

/// A tool to be put into an assembly. A listener that adds it becomes its owner (S8).
impl From<ToolSchema> for AssembledTool {
    fn from(schema: ToolSchema) -> Self {
        Self { schema, owner: None, layer: Layer::Assembly }
    }
}
