//! A tool as it stands in an assembly.

use dsh_kernel::Owner;
use dsh_llm::ToolSchema;

use crate::provenance::PartLayer;
use crate::tools::ToolOrigin;

/// A tool of one assembly: its schema, and who told of it (X3).
#[derive(Clone, Debug)]
pub struct AssembledTool {
    schema: ToolSchema,
    owner: Option<Owner>,
    layer: PartLayer,
    shadows: Option<Owner>,
    /// Edited since the last claim, by whoever claims next.
    edited: bool,
    edited_by: Vec<Owner>,
}

impl AssembledTool {
    pub(crate) fn registered(schema: ToolSchema, owner: &Owner, layer: PartLayer) -> Self {
        Self { owner: Some(owner.clone()), layer, ..schema.into() }
    }

    pub(crate) fn provided(schema: ToolSchema, origin: &ToolOrigin) -> Self {
        let ToolOrigin { owner, layer, shadows } = origin.clone();
        Self { owner: Some(owner), layer, shadows, ..schema.into() }
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

    /// Whose it is: who registered it with its provider, or else whose provider told of it, or which listener added it; `None` in
    /// an assembly that was built by hand.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// The layer that it stands in: that of its registration where its provider says so, else the provider's.
    pub fn layer(&self) -> PartLayer {
        self.layer
    }

    /// Whose tool of the same name it replaces for this scope, where its provider says so.
    pub fn shadows(&self) -> Option<&Owner> {
        self.shadows.as_ref()
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
        Self { schema, owner: None, layer: PartLayer::Assembly, shadows: None, edited: false, edited_by: Vec::new() }
    }
}
