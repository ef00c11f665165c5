//! What is registered, as it stands for one scope.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dsh_kernel::Owner;
use dsh_llm::{ToolSchema, utf16_cmp};
use dsh_system_prompt::PartLayer;

use crate::entry::ToolFacts;
use crate::sight::{Seen, Sight};

/// A tool as it stands for one scope. A clone is a few reference counts, and keeps no code of a plugin.
#[derive(Clone)]
pub struct RegisteredTool {
    facts: Arc<ToolFacts>,
    shadows: Option<Owner>,
    hidden_by: Vec<Owner>,
}

impl RegisteredTool {
    /// What there is under a name, visible or not.
    pub(crate) fn seen(sight: Sight<'_>, name: &str) -> Option<Self> {
        match sight.look(name) {
            Seen::Nothing => None,
            Seen::Hidden(entry) => {
                let hidden_by = sight.hiding(name, entry).cloned().collect();
                Some(Self { facts: Arc::clone(&entry.facts), shadows: None, hidden_by })
            }
            Seen::Visible { entry, shadows } => {
                Some(Self { facts: Arc::clone(&entry.facts), shadows: shadows.cloned(), hidden_by: Vec::new() })
            }
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.facts.name.as_str()
    }

    /// What a model is told of it.
    pub fn schema(&self) -> &ToolSchema {
        &self.facts.schema
    }

    /// Whose it is.
    pub fn owner(&self) -> &Owner {
        &self.facts.owner
    }

    /// The layer that it stands in.
    pub fn layer(&self) -> PartLayer {
        self.facts.layer()
    }

    /// Whose tool of everybody's it replaces for this scope.
    pub fn shadows(&self) -> Option<&Owner> {
        self.shadows.as_ref()
    }

    /// Whether it runs alone (T5).
    pub fn is_exclusive(&self) -> bool {
        self.facts.exclusive
    }

    /// How long one run may take, as the tool says.
    pub fn timeout(&self) -> Option<Duration> {
        self.facts.timeout
    }

    /// Whether the scope has it: it is told of in its prompt, is found, and runs (T3).
    pub fn is_visible(&self) -> bool {
        self.hidden_by.is_empty()
    }

    /// Whose restrictions and bounds hide it from the scope, in order of registration (T2).
    pub fn hidden_by(&self) -> &[Owner] {
        &self.hidden_by
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.facts.name)
            .field("owner", &self.facts.owner)
            .field("layer", &self.layer())
            .field("hidden_by", &self.hidden_by)
            .finish_non_exhaustive()
    }
}

/// What is registered for a scope, or for everyone: a snapshot, which keeps no code of a plugin.
#[derive(Clone, Debug)]
pub struct ToolView {
    tools: Vec<RegisteredTool>,
}

impl ToolView {
    pub(crate) fn new(sight: Sight<'_>) -> Self {
        let mut tools: Vec<_> = sight.names().filter_map(|name| RegisteredTool::seen(sight, name.as_str())).collect();
        tools.sort_by(|a, b| utf16_cmp(a.name(), b.name()));
        Self { tools }
    }

    /// All that there is, those included that restrictions hide, in ascending order of their names' UTF-16 code units.
    pub fn all(&self) -> &[RegisteredTool] {
        &self.tools
    }

    /// What the scope has, in the same order.
    pub fn visible(&self) -> impl Iterator<Item = &RegisteredTool> {
        self.tools.iter().filter(|tool| tool.is_visible())
    }

    /// The tool of that name, visible or not.
    pub fn get(&self, name: &str) -> Option<&RegisteredTool> {
        let found = self.tools.binary_search_by(|tool| utf16_cmp(tool.name(), name)).ok()?;
        self.tools.get(found)
    }
}
