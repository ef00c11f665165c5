//! A whole prompt as tables: its sections, tools and variables.

use super::columns::{Columns, filled};
use super::facts::{Facts, SectionFacts, VariableFacts};
use super::paint::Paint;
use super::words::{self, count, layer, name, over, owner, range, whose};
use crate::commands::json::number;

/// The tables.
pub(super) fn tables(facts: &Facts<'_>) -> String {
    let tables = [Some(sections(facts)), empty(facts), tools(facts), hidden_tools(facts), variables(facts)];
    tables.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn titled(title: &str, table: &str) -> String {
    format!("{}\n{table}", Paint::Heading.of(title))
}

fn sections(facts: &Facts<'_>) -> String {
    let shown: Vec<&SectionFacts<'_>> = facts.sections.iter().filter(|section| section.bytes != Some(0)).collect();
    let what = whose(facts.agent);
    let of = count(shown.len(), "section", "sections");
    let title = match facts.rendered {
        Some(rendered) => {
            let bytes = count(rendered.text().len(), "byte", "bytes");
            let between: usize =
                rendered.parts().filter(|part| part.is_separator()).map(|part| part.range().len()).sum();
            let blank = rendered.parts().filter(|part| part.is_separator()).count();
            match count(blank, "blank line", "blank lines") {
                _ if blank == 0 => format!("{what}: {bytes} in {of}"),
                blank => format!("{what}: {bytes} in {of} and {blank} between them ({between} bytes)"),
            }
        }
        None => format!("{what} cannot be made (the errors say why); {of} of it can be shown"),
    };
    titled(&title, &section_table(&shown))
}

fn section_table(sections: &[&SectionFacts<'_>]) -> String {
    let mut columns = Columns::new(["order>", "name", "owner", "layer", "bytes>", "range>"]);
    for SectionFacts { section, source, part, bytes } in sections {
        let range = match (part, bytes) {
            (Some(part), _) => range(&part.range()),
            (None, None) => "fails".to_owned(),
            (None, Some(_)) => "-".to_owned(),
        };
        columns.row(
            [
                number(section.order()),
                name(section.name()),
                owner(section.owner()),
                layer(section.layer()).to_owned(),
                bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string()),
                range,
            ],
            words::source(source.as_ref()),
        );
        columns.more(2, over(section.shadows()));
    }
    columns.write()
}

fn empty(facts: &Facts<'_>) -> Option<String> {
    let shown: Vec<&SectionFacts<'_>> = facts.sections.iter().filter(|section| section.bytes == Some(0)).collect();
    if shown.is_empty() {
        return None;
    }
    let title = count(shown.len(), "section that renders to nothing", "sections that render to nothing");
    Some(titled(&title, &section_table(&shown)))
}

fn tools(facts: &Facts<'_>) -> Option<String> {
    if facts.tools.is_empty() {
        return None;
    }
    let block = facts.assembly.tools_json().len();
    let mut columns = Columns::new(["name", "owner", "layer", "bytes>"]);
    for facts in &facts.tools {
        let tool = facts.tool;
        columns.row(
            [
                name(tool.schema().name()),
                owner(tool.owner()),
                layer(tool.layer()).to_owned(),
                facts.range.len().to_string(),
            ],
            words::source(facts.source.as_ref()),
        );
    }
    let title = format!("{}: {block} bytes, as one JSON array", count(facts.tools.len(), "tool", "tools"));
    Some(titled(&title, &columns.write()))
}

fn hidden_tools(facts: &Facts<'_>) -> Option<String> {
    if facts.hidden_tools.is_empty() {
        return None;
    }
    let title = format!("{} that this agent does not see", count(facts.hidden_tools.len(), "tool", "tools"));
    Some(titled(&title, &filled(facts.hidden_tools.iter().map(|tool| name(tool.name)))))
}

fn variables(facts: &Facts<'_>) -> Option<String> {
    // What no file gives and no text refers to is of no interest here.
    let is_idle = |facts: &&VariableFacts<'_>| facts.source.is_none() && facts.uses.is_empty();
    let (idle, shown): (Vec<_>, Vec<_>) = facts.variables.iter().partition(is_idle);
    let idle = (!idle.is_empty()).then(|| {
        let more = count(idle.len(), "variable that is always there", "variables that are always there");
        titled(
            &format!("{more}, and not referred to"),
            &filled(idle.into_iter().map(|facts| name(facts.variable.name()))),
        )
    });
    let tables = (!shown.is_empty()).then(|| variable_table(&shown)).into_iter().chain(idle);
    Some(tables.collect::<Vec<_>>().join("\n")).filter(|tables| !tables.is_empty())
}

fn variable_table(variables: &[&VariableFacts<'_>]) -> String {
    let mut columns = Columns::new(["name", "owner", "layer", "bytes>", "uses>"]);
    for facts in variables {
        let variable = facts.variable;
        columns.row(
            [
                name(variable.name()),
                owner(variable.owner()),
                layer(variable.layer()).to_owned(),
                variable.value().map_or_else(|| "no value".to_owned(), |value| value.as_str().len().to_string()),
                facts.uses.len().to_string(),
            ],
            words::source(facts.source.as_ref()),
        );
        columns.more(1, over(variable.shadows()));
    }
    titled(&count(variables.len(), "variable", "variables"), &columns.write())
}
