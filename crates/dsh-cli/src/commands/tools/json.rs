//! The JSON of `dsh tools`, version 1: docs/json.md describes it.

use dsh_tools::Executed;
use serde_json::{Value, json};

use super::listing::{ListedTool, Listing, Runner};
use crate::commands::explain::places::Place;
use crate::commands::json::{array, layer, object, or_null, string};
use crate::diagnostic::json::printed;

/// The shape's version.
const VERSION: u32 = 1;

/// All tools.
pub(super) fn all(listing: &Listing<'_>) -> String {
    whole(listing, listing.tools.iter())
}

/// One tool, in a list of one.
pub(super) fn one(listing: &Listing<'_>, tool: &ListedTool<'_>) -> String {
    whole(listing, [tool])
}

fn whole<'t, 'a: 't>(listing: &Listing<'_>, tools: impl IntoIterator<Item = &'t ListedTool<'a>>) -> String {
    let agent = or_null(listing.agent, |agent| string(&agent.name.value));
    let fields = [
        ("version", VERSION.to_string()),
        ("agent", agent),
        ("tools", array(tools.into_iter().map(|tool| of_tool(tool)))),
    ];
    object(fields) + "\n"
}

fn of_tool(tool: &ListedTool<'_>) -> String {
    let (command, built_in) = match tool.runner {
        Runner::Nothing => (None, None),
        Runner::Command(command) => (Some(command), None),
        Runner::BuiltIn { may_run } => (None, Some(may_run)),
    };
    let built_in = or_null(built_in, |may_run| object([("may_run", may_run.to_string())]));
    let command = or_null(command, |command| {
        object([
            ("words", array(command.words.iter().map(|word| string(word)))),
            ("may_run", command.may_run.to_string()),
            ("timeout", Value::from(command.timeout.as_secs_f64()).to_string()),
            ("exclusive", command.exclusive.to_string()),
        ])
    });
    object([
        ("name", string(tool.schema.name())),
        ("owner", string(&tool.owner)),
        ("layer", layer(tool.layer)),
        ("kept_by", array(tool.kept_by.iter().map(|by| string(by)))),
        ("command", command),
        ("built_in", built_in),
        ("bytes", tool.schema.json().len().to_string()),
        ("source", or_null(tool.source.as_ref(), source)),
        // As it goes to a model.
        ("schema", tool.schema.json().to_owned()),
    ])
}

fn source(place: &Place<'_>) -> String {
    object([
        ("file", string(place.file)),
        ("line", or_null(place.within.as_ref(), |within| within.first_line.to_string())),
    ])
}

/// What came of a call.
pub(super) fn executed(tool: &str, agent: Option<&str>, executed: &Executed) -> String {
    printed(&json!({
        "version": VERSION,
        "tool": tool,
        "agent": agent,
        "is_error": executed.result.is_error,
        "code": executed.code,
        "content": serde_json::to_value(&executed.result.content).unwrap_or_default(),
    }))
}
