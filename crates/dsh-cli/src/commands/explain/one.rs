//! Everything about one name: as a section, as a tool, as a variable.

use std::collections::BTreeMap;

use dsh_kernel::Owner;
use dsh_system_prompt::{AssembledSection, Part, PartLayer};
use dsh_template::{Text, quotations};

use super::columns::Columns;
use super::facts::{Facts, HiddenTool, SectionFacts, ToolFacts, Use, VariableFacts};
use super::marked;
use super::paint::Paint;
use super::places::Place;
use super::words::{self, count, layer, name, over, owner, place, range, whose};
use crate::commands::json::number;
use crate::project::Agent;

/// The column in which facts begin.
const INDENT: usize = 13;

/// What is left in these facts, one thing after the other.
pub(super) fn things(facts: &Facts<'_>, all: &[VariableFacts<'_>]) -> String {
    let variables = facts.variables.iter().map(|variable| of_variable(facts, variable));
    let tools = facts.tools.iter().map(|tool| of_tool(facts, tool));
    let hidden = facts.hidden_tools.iter().map(|tool| of_hidden_tool(facts, tool));
    let sections = facts.sections.iter().map(|section| of_section(facts, section, all));
    // Sections last: their text goes to the end.
    variables.chain(tools).chain(hidden).chain(sections).collect::<Vec<_>>().join("\n")
}

/// The facts about something, a line each.
#[derive(Debug)]
struct Lines(String);

impl Lines {
    fn new(kind: &str, name_of: &str) -> Self {
        Self(format!("{}\n", Paint::Heading.of(&format!("{kind} {}", name(name_of)))))
    }

    fn line(mut self, label: &str, fact: &str) -> Self {
        let fill = " ".repeat(INDENT.saturating_sub(label.len() + 2));
        self.0.extend(["  ", label, fill.as_str(), fact, "\n"]);
        self
    }

    fn line_if(self, label: &str, fact: Option<String>) -> Self {
        match fact {
            Some(fact) => self.line(label, &fact),
            None => self,
        }
    }

    /// Who registered it, in which layer, over whom.
    fn provenance(self, who: Option<&Owner>, which: PartLayer, over: Option<&Owner>, agent: Option<&Agent>) -> Self {
        let layer = match (which, agent) {
            (PartLayer::Scope(_), Some(agent)) => format!("agent {}", name(&agent.name.value)),
            _ => layer(which).to_owned(),
        };
        self.line("owner", &owner(who)).line("layer", &layer).line_if("over", over.map(|over| owner(Some(over))))
    }

    fn source(self, source: Option<&Place<'_>>) -> Self {
        let Some(source) = source else { return self };
        let bytes = source.within.as_ref().map(|within| format!(" (bytes {})", range(&within.bytes)));
        self.line("source", &[place(source), bytes.unwrap_or_default()].concat())
    }
}

fn of_section(facts: &Facts<'_>, section: &SectionFacts<'_>, variables: &[VariableFacts<'_>]) -> String {
    let SectionFacts { section, source, part, bytes } = section;
    let form = if section.text().is_raw() { "raw: literal, no brace in it is looked at" } else { "template" };
    let size = match bytes {
        Some(0) => "0: it renders to nothing, and has no place in the prompt".to_owned(),
        Some(bytes) => bytes.to_string(),
        None => "it cannot be rendered: see what was found".to_owned(),
    };
    let lines = Lines::new("section", section.name())
        .line("order", &number(section.order()))
        .provenance(section.owner(), section.layer(), section.shadows(), facts.agent)
        .source(source.as_ref())
        .line("form", form)
        .line("stability", section.stability().as_str())
        .line("bytes", &size)
        .line_if(
            "range",
            part.zip(facts.rendered).map(|(part, rendered)| {
                format!("{} of {} of {}", range(&part.range()), rendered.text().len(), whose(facts.agent))
            }),
        )
        .line_if("blake3", part.map(|part| part.fingerprint().to_hex().to_string()));
    let uses = uses(section.text());
    let variables = referred_to(&uses, variables);
    [lines.0, variables, text(section, *part)]
        .into_iter()
        .filter(|shown| !shown.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// How often a text refers to which variable.
fn uses(text: &Text) -> BTreeMap<&str, usize> {
    let mut uses = BTreeMap::new();
    for reference in text.references() {
        *uses.entry(reference.name).or_default() += 1;
    }
    uses
}

/// The variables that a section refers to.
fn referred_to(uses: &BTreeMap<&str, usize>, variables: &[VariableFacts<'_>]) -> String {
    if uses.is_empty() {
        return String::new();
    }
    let mut columns = Columns::new(["variable", "owner", "layer", "uses>"]);
    for (of, uses) in uses {
        let (of, uses) = (*of, uses.to_string());
        match variables.iter().find(|facts| facts.variable.name() == of) {
            Some(VariableFacts { variable, source, .. }) => {
                let layer = layer(variable.layer()).to_owned();
                columns.row([name(of), owner(variable.owner()), layer, uses], words::source(source.as_ref()));
                columns.more(1, over(variable.shadows()));
            }
            None => columns.row([name(of), "nobody".to_owned(), "-".to_owned(), uses], String::new()),
        }
    }
    columns.write()
}

/// The text of a section with its marks, and what they mean.
fn text(section: &AssembledSection, part: Option<Part<'_>>) -> String {
    let text = section.text();
    let has_variables = text.references().next().is_some();
    let has_quotations = !text.is_raw() && quotations(text.as_str()).next().is_some();
    let title = match (part, has_variables, has_quotations) {
        (None, ..) => "text, as it is written",
        (Some(_), false, false) => "text",
        (Some(_), true, false) => "text, with ⟦name=value⟧ for a variable",
        (Some(_), false, true) => "text, with ⟦\"…\"⟧ for what it quotes",
        (Some(_), true, true) => "text, with ⟦name=value⟧ for a variable and ⟦\"…\"⟧ for what it quotes",
    };
    let marked = part.map_or_else(|| marked::text(text.as_str()), marked::part);
    format!("{}\n\n{marked}\n", Paint::Heading.of(title))
}

fn of_tool(facts: &Facts<'_>, of: &ToolFacts<'_>) -> String {
    let block = facts.assembly.tools_json().len();
    let place = facts.assembly.tools().iter().position(|tool| tool.schema().name() == of.tool.schema().name());
    let place = place.map_or(0, |place| place + 1);
    let of_all = count(facts.assembly.tools().len(), "tool", "tools");
    Lines::new("tool", of.tool.schema().name())
        .line("order", &format!("{place} of {of_all} of {}", whose(facts.agent)))
        .provenance(of.tool.owner(), of.tool.layer(), None, facts.agent)
        .source(of.source.as_ref())
        .line("bytes", &of.range.len().to_string())
        .line("range", &format!("{} of {block} of the tool block", range(&of.range)))
        .line("blake3", &of.tool.schema().fingerprint().to_hex())
        .line_if("seen by", seen_by(facts, of.tool.schema().name()))
        .0
}

fn of_hidden_tool(facts: &Facts<'_>, of: &HiddenTool<'_>) -> String {
    let kept_from = facts.agent.map(|agent| format!("agent {}, by its `tools`", name(&agent.name.value)));
    Lines::new("tool", of.name)
        .source(of.source.as_ref())
        .line_if("kept from", kept_from)
        .line_if("seen by", seen_by(facts, of.name))
        .0
}

/// Which agents see a tool, and which do not.
fn seen_by(facts: &Facts<'_>, tool: &str) -> Option<String> {
    let sees = |agent: &&Agent| agent.filter.as_ref().is_none_or(|filter| filter.admits(tool));
    let (seeing, others): (Vec<&Agent>, Vec<&Agent>) = facts.project.agents.iter().partition(sees);
    let names = |agents: &[&Agent]| agents.iter().map(|agent| name(&agent.name.value)).collect::<Vec<_>>().join(", ");
    match (seeing.as_slice(), others.as_slice()) {
        ([], []) => None,
        (_, []) => Some("every agent".to_owned()),
        ([], _) => Some("no agent".to_owned()),
        (seeing, others) => Some(format!("{}; not by {}", names(seeing), names(others))),
    }
}

fn of_variable(facts: &Facts<'_>, of: &VariableFacts<'_>) -> String {
    let variable = of.variable;
    let size = match variable.value() {
        Some(value) => value.as_str().len().to_string(),
        None => match &of.absence {
            Some(why) => format!("no value: {why}"),
            None => "no value".to_owned(),
        },
    };
    let lines = Lines::new("variable", variable.name())
        .provenance(variable.owner(), variable.layer(), variable.shadows(), facts.agent)
        .source(of.source.as_ref())
        .line("stability", variable.stability().as_str())
        .line("bytes", &size);
    if of.uses.is_empty() {
        return lines.line("uses", "no section refers to it").0;
    }
    let mut columns = Columns::new(["in section", "range>"]);
    for Use { section, range: place } in &of.uses {
        columns.row([name(section), place.as_ref().map_or_else(|| "-".to_owned(), range)], String::new());
    }
    format!("{}\n{}", lines.0, columns.write())
}
