//! A project folder as it was read: `dsh.toml`, and the files that it names.
//!
//! [`Project::read`] takes everything in and reports what is wrong; `mount` makes plugins of it; `texts` finds what cannot
//! be rendered; `blame` leads what the registry refuses back to places in the files.

mod agent_files;
mod bases;
pub(crate) mod blame;
mod built_ins;
mod commands;
mod documents;
mod files;
mod handed_down;
mod instructions;
mod lacking;
mod left_texts;
mod limits;
pub(crate) mod lints;
mod misplaced;
mod model;
mod mount;
mod near_file;
mod oddities;
mod permissions;
mod plugins;
mod read;
mod subagents;
pub(crate) mod texts;
mod tool_order;
mod tools;

pub(crate) use self::commands::Command;
pub(crate) use self::documents::Overrides;
#[cfg(feature = "fuzzing")]
pub(crate) use self::files::decoded;
pub(crate) use self::handed_down::HandedDown;
#[cfg(feature = "fuzzing")]
pub(crate) use self::instructions::section as instruction_section;
pub(crate) use self::instructions::without_configuration as instruction_files;
pub(crate) use self::model::NoModel;
pub(crate) use self::mount::{Mounted, Purpose, Shared};
pub(crate) use self::plugins::{ToolSchemas as SchemaTools, Tools as SchemaFilter};
pub(crate) use self::read::{NoProject, Project, Surroundings};
pub(crate) use self::subagents::{MadeAs, TASK};
pub(crate) use self::tools::ToolFilter;

use std::collections::BTreeMap;
use std::ops::Range;

use dsh_template::Text;

use self::permissions::Permissions;
use crate::config::{At, Home, Limits, OffsetMap};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::trust::Resolved;

/// A text with where its bytes came from.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// The text, raw or template.
    pub(crate) text: Text,
    /// Where it came from.
    pub(crate) origin: Origin,
}

impl Loaded {
    /// Shows these bytes of the text; where they stand in a file of their own, where that is named, too.
    fn show(&self, diagnostic: Diagnostic, range: Range<usize>, label: &str) -> Diagnostic {
        self.read_from(diagnostic.at(self.origin.locate(range), label))
    }

    /// Shows where the text's file is named, if it has one.
    fn read_from(&self, diagnostic: Diagnostic) -> Diagnostic {
        let elsewhere = self.origin.source != self.origin.declared.source;
        if elsewhere { diagnostic.at(self.origin.declared, "read from here") } else { diagnostic }
    }
}

/// Where a text came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    source: SourceId,
    map: OffsetMap,
    /// Where `dsh.toml` gives the text, or names its file; the first line of what stands in an agent's own file.
    pub(crate) declared: Span,
}

impl Origin {
    /// Whether it is what stands behind the front matter of an agent's file.
    fn is_body(&self) -> bool {
        matches!(self.map, OffsetMap::From(_))
    }

    /// The place of these bytes of the text.
    pub(crate) fn locate(&self, range: Range<usize>) -> Span {
        Span::new(self.source, self.map.locate(range))
    }
}

/// A section that was read whole.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Its name.
    pub(crate) name: At<String>,
    /// Its place among the others.
    pub(crate) order: At<f64>,
    /// What it says.
    pub(crate) words: Loaded,
    /// The tools without which it is left out.
    pub(crate) requires_tools: Vec<String>,
}

/// What is registered in one layer.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// The persona.
    pub(crate) persona: Option<Loaded>,
    /// The sections, in the order of the file.
    pub(crate) sections: Vec<Section>,
    /// The variables, in the order of the file.
    pub(crate) variables: Vec<Resolved>,
}

/// An agent that was read whole.
#[derive(Debug)]
pub(crate) struct Agent {
    /// Its name.
    pub(crate) name: At<String>,
    /// Where it is written.
    pub(crate) home: Home,
    /// What it is for.
    pub(crate) description: Option<At<String>>,
    /// What is for it alone.
    pub(crate) layer: Layer,
    /// Which tools it sees; every one, if none.
    pub(crate) filter: Option<ToolFilter>,
    /// What its calls may do, beside what everybody's may.
    permissions: Permissions,
    /// What its turns may not have more of, where that is said for it alone.
    limits: Limits,
}

/// How many fields of tools were dropped, by name: a schema has no place for them.
pub(crate) type DroppedFields = BTreeMap<String, usize>;
