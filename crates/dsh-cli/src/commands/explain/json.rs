//! The JSON of `dsh explain`, version 1: docs/json.md describes it.

use std::ops::Range;

use dsh_system_prompt::{Part, PartPiece};

use super::facts::{Facts, HiddenTool, SectionFacts, ToolFacts, Use, VariableFacts};
use super::places::Place;
use crate::commands::json::{array, layer, number, object, or_null, owner, string};

/// The shape's version.
const VERSION: u32 = 1;

/// The whole; or, where the facts are `named` alike, these alone: nothing stands between them then.
pub(super) fn facts(facts: &Facts<'_>, named: bool) -> String {
    let (empty, made): (Vec<_>, Vec<_>) = facts.sections.iter().partition(|section| section.bytes == Some(0));
    let parts: Vec<String> = match facts.rendered.filter(|_| !named) {
        Some(rendered) => {
            let mut made = made.into_iter();
            let part =
                |part: Part<'_>| if part.is_separator() { Some(separator(part)) } else { made.next().map(section) };
            rendered.parts().filter_map(part).collect()
        }
        None => made.into_iter().map(section).collect(),
    };
    object([
        ("version", VERSION.to_string()),
        ("agent", or_null(facts.agent, |agent| string(&agent.name.value))),
        ("prompt_bytes", or_null(facts.rendered, |rendered| rendered.text().len().to_string())),
        ("prompt_fingerprint", or_null(facts.rendered, |rendered| string(&rendered.fingerprint().to_hex()))),
        ("tools_bytes", facts.assembly.tools_json().len().to_string()),
        ("tools_fingerprint", string(&facts.assembly.tools_fingerprint().to_hex())),
        ("parts", array(parts)),
        ("empty", array(empty.into_iter().map(section))),
        ("tools", array(facts.tools.iter().map(tool))),
        ("hidden_tools", array(facts.hidden_tools.iter().map(hidden_tool))),
        ("variables", array(facts.variables.iter().map(variable))),
    ])
}

fn section(facts: &SectionFacts<'_>) -> String {
    let SectionFacts { section, source: place, part, bytes } = facts;
    let range = part.map(Part::range);
    object([
        ("kind", string("section")),
        ("name", string(section.name())),
        ("order", number(section.order())),
        ("owner", owner(section.owner())),
        ("layer", layer(section.layer())),
        ("shadows", owner(section.shadows())),
        ("source", source(place.as_ref())),
        ("stability", string(section.stability().as_str())),
        ("raw", section.text().is_raw().to_string()),
        ("start", start(range.as_ref())),
        ("end", end(range.as_ref())),
        ("bytes", or_null(*bytes, |bytes| bytes.to_string())),
        ("pieces", array(part.iter().flat_map(|part| part.pieces()).map(|each| piece(&each)))),
        ("fingerprint", or_null(*part, |part| string(&part.fingerprint().to_hex()))),
    ])
}

fn separator(part: Part<'_>) -> String {
    let range = part.range();
    object([
        ("kind", string("separator")),
        ("start", range.start.to_string()),
        ("end", range.end.to_string()),
        ("bytes", range.len().to_string()),
        ("fingerprint", string(&part.fingerprint().to_hex())),
    ])
}

fn piece(piece: &PartPiece) -> String {
    let name = piece.variable.as_ref().map(|variable| variable.name.as_str());
    object([
        ("kind", string(if name.is_some() { "variable" } else { "literal" })),
        ("name", or_null(name, string)),
        ("start", piece.range.start.to_string()),
        ("end", piece.range.end.to_string()),
    ])
}

fn tool(facts: &ToolFacts<'_>) -> String {
    let schema = facts.tool.schema();
    object([
        ("name", string(schema.name())),
        ("owner", owner(facts.tool.owner())),
        ("layer", layer(facts.tool.layer())),
        ("source", source(facts.source.as_ref())),
        ("start", facts.range.start.to_string()),
        ("end", facts.range.end.to_string()),
        ("bytes", facts.range.len().to_string()),
        ("fingerprint", string(&schema.fingerprint().to_hex())),
    ])
}

fn hidden_tool(tool: &HiddenTool<'_>) -> String {
    object([("name", string(tool.name)), ("source", source(tool.source.as_ref()))])
}

fn variable(facts: &VariableFacts<'_>) -> String {
    let variable = facts.variable;
    let uses = facts.uses.iter().map(|Use { section, range }| {
        object([("section", string(section)), ("start", start(range.as_ref())), ("end", end(range.as_ref()))])
    });
    object([
        ("name", string(variable.name())),
        ("owner", owner(variable.owner())),
        ("layer", layer(variable.layer())),
        ("shadows", owner(variable.shadows())),
        ("source", source(facts.source.as_ref())),
        ("stability", string(variable.stability().as_str())),
        ("bytes", or_null(variable.value(), |value| value.as_str().len().to_string())),
        ("uses", array(uses)),
    ])
}

fn source(place: Option<&Place<'_>>) -> String {
    or_null(place, |place| {
        let within = place.within.as_ref();
        object([
            ("file", string(place.file)),
            ("start", start(within.map(|within| &within.bytes))),
            ("end", end(within.map(|within| &within.bytes))),
            ("start_line", or_null(within, |within| within.first_line.to_string())),
            ("end_line", or_null(within, |within| within.last_line.to_string())),
        ])
    })
}

fn start(range: Option<&Range<usize>>) -> String {
    or_null(range, |range| range.start.to_string())
}

fn end(range: Option<&Range<usize>>) -> String {
    or_null(range, |range| range.end.to_string())
}
