//! How an error says it: what is wrong, of whom, where, and what would be right. Names are foreign, so all are quoted and escaped.

use std::fmt;

use dsh_kernel::{Name, Owner};
use dsh_template::Position;

use crate::error::{Detail, Error, FailedPart, LISTED, Refused};
use crate::order::TOOL_ORDER_REST;
use crate::provenance::PartLayer;

impl Error {
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (owner, first) = (By(self.owner()), By(self.first_owner()));
        match self.detail() {
            Detail::DuplicateSection { name, layer } => {
                write!(f, "the section {} of {owner} is registered already by {first}; ", Quoted(name.as_str()))?;
                write_way_out(f, *layer)
            }
            Detail::DuplicateVariable { name, layer } => {
                write!(f, "the variable {} of {owner} is registered already by {first}; ", Quoted(name.as_str()))?;
                write_way_out(f, *layer)
            }
            Detail::InvalidVariableName { name } => {
                write!(f, "{} of {owner} is no name for a variable; use [a-z][a-z0-9_]*", Quoted(name.as_str()))
            }
            Detail::InvalidOrder { name, order } => {
                let name = Quoted(name.as_str());
                write!(f, "the order of the section {name} of {owner} is {order}; give a finite number")
            }
            Detail::Refused(refused) => write_refused(f, refused, self.owner()),
            Detail::ToolOrderDuplicate { name, first, position } => {
                let (name, first, second) = (Quoted(name.as_str()), first + 1, position + 1);
                write!(f, "`tool_order` lists {name} at place {second} and before that at place {first}; ")?;
                f.write_str("list each name once")
            }
            Detail::ToolOrderMissingRest => {
                write!(f, "`tool_order` does not say where the other tools go; list `{TOOL_ORDER_REST}` once")
            }
            Detail::ToolOrderUnknown { known, .. } => self.write_unknown_tools(f, known),
            Detail::ReservedToolName { editor } => {
                write!(f, "a tool of {owner}{} is named `{TOOL_ORDER_REST}`, ", AsEditedBy(editor.as_ref()))?;
                f.write_str("which stands for the other tools in `tool_order`; rename it")
            }
            Detail::DuplicateTool { name, editor } => {
                write!(f, "two tools are named {}: one of {first}, one of {owner}", Quoted(name.as_str()))?;
                if let Some(editor) = editor {
                    write!(f, ", after the listeners, of which `{editor}` edited one of them last")?;
                }
                f.write_str("; rename one of them, or hide one from this agent")
            }
            Detail::ProviderFailed { part, failure } => {
                match part {
                    FailedPart::Section(name) => write!(f, "the text of the section {}", Quoted(name.as_str()))?,
                    FailedPart::Variable(name) => write!(f, "the variable {}", Quoted(name.as_str()))?,
                    FailedPart::Tools => f.write_str("a tool provider")?,
                }
                write!(f, " of {owner} failed: {failure}")
            }
            Detail::Unsettled { restarts } => {
                write!(f, "the prompt was assembled anew {restarts} times, since {owner} ")?;
                f.write_str("and others unloaded meanwhile; assemble again when plugins have settled")
            }
            Detail::Kernel(error) => fmt::Display::fmt(error, f),
        }
    }

    fn write_unknown_tools(&self, f: &mut fmt::Formatter<'_>, known: &[Name]) -> fmt::Result {
        f.write_str("`tool_order` lists what no tool provider knows: ")?;
        for (index, tool) in self.unknown_tools().take(LISTED).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} (place {})", Quoted(tool.name), tool.position + 1)?;
            if let Some(nearest) = tool.nearest {
                write!(f, ", perhaps {}", Quoted(nearest))?;
            }
        }
        write_more(f, self.unlisted().len())?;
        f.write_str("; known tools: ")?;
        write_names(f, known)
    }
}

/// What to do about a name that is taken in this layer.
fn write_way_out(f: &mut fmt::Formatter<'_>, layer: PartLayer) -> fmt::Result {
    f.write_str(match layer {
        PartLayer::Global => {
            "register it through that agent's own context (`agent.ctx()`) to override it for one agent, or dispose the \
             first one"
        }
        PartLayer::Scope(_) | PartLayer::Assembly => "dispose the first one of this scope, or rename it",
    })
}

fn write_refused(f: &mut fmt::Formatter<'_>, refused: &Refused, owner: Option<&Owner>) -> fmt::Result {
    let Refused { section, error, known, variable_owner } = refused;
    let range = error.range();
    let at = Position::of(section.text().as_str(), range.start);
    write!(f, "{} in the section {} of {}", error.headline(), Quoted(section.name()), By(owner))?;
    write!(f, "{}", AsEditedBy(section.edited_by().last()))?;
    if let Some(source) = section.source() {
        write!(f, ", from {}", source.path().escape_debug())?;
        if let Some(of_file) = source.range() {
            write!(f, " (its byte {})", of_file.start.saturating_add(range.start))?;
        }
    }
    let Position { line, column, .. } = at;
    write!(f, ", line {line} of the section, column {column} (bytes {}..{}); ", range.start, range.end)?;
    if refused.is(dsh_template::ErrorKind::UnknownVariable) {
        f.write_str("registered variables, nearest first: ")?;
        return write_names(f, known);
    }
    if let Some(variable_owner) =
        variable_owner.as_ref().filter(|_| refused.is(dsh_template::ErrorKind::ValuelessVariable))
    {
        write!(f, "the variable is of `{variable_owner}`; ")?;
    }
    write!(f, "{}", error.help())
}

fn write_names(f: &mut fmt::Formatter<'_>, names: &[Name]) -> fmt::Result {
    if names.is_empty() {
        return f.write_str("(none)");
    }
    for (index, name) in names.iter().take(LISTED).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{}", Quoted(name.as_str()))?;
    }
    write_more(f, names.len())
}

/// How many there are beside those that were listed.
fn write_more(f: &mut fmt::Formatter<'_>, all: usize) -> fmt::Result {
    match all.saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

/// A foreign name, which can neither end a line nor hide anything.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.escape_debug())
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

/// The listener that had the last word on a part, if any had.
struct AsEditedBy<'a>(Option<&'a Owner>);

impl fmt::Display for AsEditedBy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |editor| write!(f, ", as edited by `{editor}`"))
    }
}
