//! `dsh.toml` as data, each value with its place in the file (C1).
//!
//! A document is parsed into a tree with places, documents are merged, profiles laid over them, and what comes of that is read by hand:
//! serde stops at the first mistake, and a person wants them all. What is wrong is reported and left out; what is right comes back, so
//! that later steps find their mistakes too.

pub(crate) mod agent_file;
#[cfg(test)]
mod agreement;
mod asks;
mod check;
mod commands;
mod compaction;
mod defaults;
mod in_one;
mod inline;
mod instructions;
mod limits;
mod merge;
mod misplaced;
mod model;
mod not_toml;
mod number;
mod overrides;
mod parse;
mod permissions;
mod profiles;
mod read;
mod subagents;
mod table;
mod tree;
mod variables;

pub(crate) use self::asks::{Ask, Asked, asks};
pub(crate) use self::check::{PERSONA, can_name_an_agent};
pub(crate) use self::commands::{CommandTool, CommandTools, Parameters};
pub(crate) use self::compaction::Compaction;
pub(crate) use self::defaults::defaults;
pub(crate) use self::in_one::{InOne, Moved, in_one};
pub(crate) use self::inline::OffsetMap;
pub(crate) use self::instructions::{INSTRUCTION_FILES, Instructions};
pub(crate) use self::limits::Limits;
pub(crate) use self::merge::overlay;
pub(crate) use self::misplaced::no_variable;
pub(crate) use self::model::Model;
pub(crate) use self::overrides::{ENVIRONMENT, environment, flag, set};
pub(crate) use self::parse::{NotToml, parse};
pub(crate) use self::permissions::Permissions;
pub(crate) use self::profiles::Profiles;
pub(crate) use self::read::{includes, read};
pub(crate) use self::subagents::Subagents;
pub(crate) use self::tree::{Branch, Node, Tier, Value};

use crate::diagnostic::Span;
use crate::outside::Reach;

/// The name of the file.
pub(crate) const FILE_NAME: &str = "dsh.toml";

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct At<T> {
    /// What was read.
    pub(crate) value: T,
    /// Where it stands.
    pub(crate) span: Span,
}

/// The whole file.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// What the file speaks of, in its order; plugins are mounted in this order.
    pub(crate) concerns: Vec<Topic>,
    /// What all agents share.
    pub(crate) layer: Layer,
    /// `identity`.
    pub(crate) identity: Option<At<bool>>,
    /// `instructions`.
    pub(crate) instructions: Instructions,
    /// `model`.
    pub(crate) model: Model,
    /// `tool_order`.
    pub(crate) tool_order: Option<At<Vec<At<String>>>>,
    /// `tool_schemas`.
    pub(crate) tool_schemas: Vec<FileRef>,
    /// `[[tools]]`.
    pub(crate) tools: CommandTools,
    /// `[permissions]`, for all agents.
    pub(crate) permissions: Permissions,
    /// `[limits]`, for all agents.
    pub(crate) limits: Limits,
    /// `[compaction]`.
    pub(crate) compaction: Option<Compaction>,
    /// `[subagents]`.
    pub(crate) subagents: Option<Subagents>,
    /// `[agents.NAME]`.
    pub(crate) agents: Vec<Agent>,
}

/// What a part of the file is about; each is a plugin of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// `tool_schemas`
    Tools,
    /// `[[tools]]`
    Commands,
    /// `[subagents]`
    Subagents,
    /// `[variables]`
    Variables,
    /// `[[sections]]`
    Sections,
    /// `[agents]`
    Agents,
}

/// What is said in one layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    /// `persona` or `persona_file`.
    pub(crate) persona: Option<Wording>,
    /// `[[sections]]`.
    pub(crate) sections: Vec<Section>,
    /// `[variables]`.
    pub(crate) variables: Vec<Variable>,
}

/// What texts can refer to by a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    /// Its name, and where it is given.
    pub(crate) name: At<String>,
    /// What it stands for.
    pub(crate) value: VariableValue,
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariableValue {
    /// This text.
    Constant(String),
    /// What the environment holds, in a project that is trusted (C4).
    Env {
        /// The name in the environment.
        name: At<String>,
        /// What holds where the environment is not read, or has nothing of that name.
        default: Option<String>,
    },
}

/// A section of the prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// Its name, unique in its layer.
    pub(crate) name: At<String>,
    /// Its place among the others.
    pub(crate) order: At<f64>,
    /// What it says.
    pub(crate) wording: Wording,
    /// The tools without which it is left out.
    pub(crate) requires_tools: Vec<At<String>>,
}

/// What a section or a persona says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wording {
    /// Where its words are.
    pub(crate) words: Words,
    /// Whether `{{…}}` in them is looked at.
    pub(crate) format: Format,
}

/// Where words are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Words {
    /// In the file itself.
    Inline(At<String>),
    /// In another file.
    File(FileRef),
    /// In the Markdown file of an agent, behind its front matter.
    Body(Span),
}

/// Whether `{{…}}` in a text is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Every byte stands for itself.
    Raw,
    /// `{{name}}` stands for a variable.
    Template,
}

/// A file that is named, relative to `dsh.toml`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileRef {
    /// The path as it is written.
    pub(crate) path: At<String>,
    /// Whether it may lead out of the folder.
    pub(crate) reach: Reach,
}

/// What one agent has for itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agent {
    /// Its name, the label of its scope.
    pub(crate) name: At<String>,
    /// Where it is written.
    pub(crate) home: Home,
    /// What it is for.
    pub(crate) description: Option<At<String>>,
    /// What is for it alone, in place of what is shared under the same names.
    pub(crate) layer: Layer,
    /// Which tools it sees.
    pub(crate) tools: Option<ToolRules>,
    /// `[agents.NAME.permissions]`, beside those of all agents.
    pub(crate) permissions: Permissions,
    /// `[agents.NAME.limits]`, each in place of that of all agents.
    pub(crate) limits: Limits,
}

/// Where an agent is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In a table `[agents.NAME]`.
    Table,
    /// In a Markdown file of its own.
    File,
}

/// Which of the tools are seen; a name, or a beginning of names and `*`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolRules {
    /// Only these; an empty list is none.
    pub(crate) allow: Option<Vec<At<String>>>,
    /// Not these, even where allowed.
    pub(crate) deny: Vec<At<String>>,
}
