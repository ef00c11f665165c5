//! What each kind of error knows, and how it says it.

use std::fmt;

use dsh_kernel::{Failure, Name, Owner};
use dsh_template::Position;

use crate::assembly::AssembledSection;
use crate::error::ErrorKind;
use crate::order::TOOL_ORDER_REST;
use crate::provenance::Layer;

/// At most so many names are listed in a message; [`Error::known`](crate::Error::known) has all of them.
const LISTED: usize = 8;

/// A name in `tool_order` that no provider knows.
pub(crate) struct UnknownTool {
    pub(crate) name: Name,
    pub(crate) position: usize,
    pub(crate) nearest: Option<Name>,
}

/// A section that rendering refused, with the variables that there are.
pub(crate) struct Refused {
    pub(crate) section: AssembledSection,
    pub(crate) error: dsh_template::Error,
    pub(crate) known: Vec<Name>,
}

/// The part whose provider failed.
pub(crate) enum FailedPart {
    Section(Name),
    Variable(Name),
    Tools,
}

pub(crate) enum Detail {
    DuplicateSection { name: Name, layer: Layer },
    DuplicateVariable { name: Name, layer: Layer },
    InvalidVariableName { name: Name },
    InvalidOrder { name: Name, order: f64 },
    Refused(Refused),
    ToolOrderDuplicate { name: Name, first: usize, position: usize },
    ToolOrderMissingRest,
    ToolOrderUnknown { unknown: Vec<UnknownTool>, known: Vec<Name> },
    ReservedToolName,
    DuplicateTool { name: Name },
    ProviderFailed { part: FailedPart, failure: Failure },
    Unsettled { restarts: u32 },
    Kernel(dsh_kernel::Error),
}

impl Detail {
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::DuplicateSection { .. } => ErrorKind::DuplicateSection,
            Self::DuplicateVariable { .. } => ErrorKind::DuplicateVariable,
            Self::InvalidVariableName { .. } => ErrorKind::InvalidVariableName,
            Self::InvalidOrder { .. } => ErrorKind::InvalidOrder,
            Self::Refused(refused) if refused.is(dsh_template::ErrorKind::UnknownVariable) => {
                ErrorKind::UnknownVariable
            }
            Self::Refused(refused) if refused.is(dsh_template::ErrorKind::ValuelessVariable) => {
                ErrorKind::ValuelessVariable
            }
            Self::Refused(_) => ErrorKind::MalformedReference,
            Self::ToolOrderDuplicate { .. } => ErrorKind::ToolOrderDuplicate,
            Self::ToolOrderMissingRest => ErrorKind::ToolOrderMissingRest,
            Self::ToolOrderUnknown { .. } => ErrorKind::ToolOrderUnknown,
            Self::ReservedToolName => ErrorKind::ReservedToolName,
            Self::DuplicateTool { .. } => ErrorKind::DuplicateTool,
            Self::ProviderFailed { .. } => ErrorKind::ProviderFailed,
            Self::Unsettled { .. } => ErrorKind::Unsettled,
            Self::Kernel(_) => ErrorKind::Kernel,
        }
    }

    pub(crate) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        owner: Option<&Owner>,
        first: Option<&Owner>,
    ) -> fmt::Result {
        match self {
            Self::DuplicateSection { name, layer } => {
                write!(f, "the section `{name}` of {} is registered already by {}; ", By(owner), By(first))?;
                write_way_out(f, *layer)
            }
            Self::DuplicateVariable { name, layer } => {
                write!(f, "the variable `{name}` of {} is registered already by {}; ", By(owner), By(first))?;
                write_way_out(f, *layer)
            }
            Self::InvalidVariableName { name } => {
                write!(
                    f,
                    "`{}` of {} is no name for a variable; use [a-z][a-z0-9_]*",
                    name.as_str().escape_debug(),
                    By(owner)
                )
            }
            Self::InvalidOrder { name, order } => {
                write!(f, "the order of the section `{name}` of {} is {order}; give a finite number", By(owner))
            }
            Self::Refused(refused) => refused.write(f, owner),
            Self::ToolOrderDuplicate { name, first, position } => {
                write!(f, "`tool_order` lists `{name}` at place {position} and before that at place {first}; ")?;
                f.write_str("list each name once")
            }
            Self::ToolOrderMissingRest => {
                write!(f, "`tool_order` does not say where the other tools go; list `{TOOL_ORDER_REST}` once")
            }
            Self::ToolOrderUnknown { unknown, known } => write_unknown_tools(f, unknown, known),
            Self::ReservedToolName => {
                write!(f, "a tool of {} is named `{TOOL_ORDER_REST}`, which stands for the other tools ", By(owner))?;
                f.write_str("in `tool_order`; rename it")
            }
            Self::DuplicateTool { name } => {
                write!(f, "two tools are named `{name}`: one of {}, one of {}; ", By(first), By(owner))?;
                f.write_str("rename one of them, or hide one from this agent")
            }
            Self::ProviderFailed { part, failure } => {
                match part {
                    FailedPart::Section(name) => write!(f, "the text of the section `{name}`")?,
                    FailedPart::Variable(name) => write!(f, "the variable `{name}`")?,
                    FailedPart::Tools => f.write_str("a tool provider")?,
                }
                write!(f, " of {} failed: {failure}", By(owner))
            }
            Self::Unsettled { restarts } => {
                write!(f, "the prompt was assembled anew {restarts} times, since {} ", By(owner))?;
                f.write_str("and others unloaded meanwhile; assemble again when plugins have settled")
            }
            Self::Kernel(error) => fmt::Display::fmt(error, f),
        }
    }
}

/// What to do about a name that is taken in this layer.
fn write_way_out(f: &mut fmt::Formatter<'_>, layer: Layer) -> fmt::Result {
    f.write_str(match layer {
        Layer::Global => {
            "register it through that agent's own context (`agent.ctx()`) to override it for one agent, or dispose the \
             first one"
        }
        Layer::Scope(_) | Layer::Assembly => "dispose the first one of this scope, or rename it",
    })
}

impl Refused {
    fn is(&self, kind: dsh_template::ErrorKind) -> bool {
        self.error.kind() == kind
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, owner: Option<&Owner>) -> fmt::Result {
        let Self { section, error, known } = self;
        let range = error.range();
        let at = Position::of(section.text().as_str(), range.start);
        write!(f, "{} in the section `{}` of {}", error.headline(), section.name(), By(owner))?;
        if let Some(source) = section.source() {
            write!(f, ", from {}", source.path())?;
        }
        write!(f, ", line {}, column {} (bytes {}..{}); ", at.line, at.column, range.start, range.end)?;
        if self.is(dsh_template::ErrorKind::UnknownVariable) {
            f.write_str("registered variables, nearest first: ")?;
            return write_names(f, known);
        }
        write!(f, "{}", error.help())
    }
}

fn write_unknown_tools(f: &mut fmt::Formatter<'_>, unknown: &[UnknownTool], known: &[Name]) -> fmt::Result {
    f.write_str("`tool_order` lists what no tool provider knows: ")?;
    for (index, tool) in unknown.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}`{}` (place {})", tool.name, tool.position)?;
        if let Some(nearest) = &tool.nearest {
            write!(f, ", perhaps `{nearest}`")?;
        }
    }
    f.write_str("; known tools: ")?;
    write_names(f, known)
}

fn write_names(f: &mut fmt::Formatter<'_>, names: &[Name]) -> fmt::Result {
    if names.is_empty() {
        return f.write_str("(none)");
    }
    for (index, name) in names.iter().take(LISTED).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}`{name}`")?;
    }
    match names.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

/// An owner, or whoever built the assembly by hand.
struct By<'a>(Option<&'a Owner>);

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(owner) => write!(f, "`{owner}`"),
            None => f.write_str("the assembly's maker"),
        }
    }
}
