//! The tools as a person reads them.

use super::listing::{ListedTool, Listing, Runner};
use crate::commands::explain::columns::Columns;
use crate::commands::explain::words::{count, layer, name, place, source};
use crate::trust::shown;

/// The column in which facts begin.
const INDENT: usize = 13;

const NOT_NOW: &str = "not now: this folder is not trusted";

/// All of them, a line each.
pub(super) fn all(listing: &Listing<'_>) -> String {
    let kept = listing.tools.iter().filter(|tool| !tool.kept_by.is_empty()).count();
    let whose = match listing.agent {
        Some(agent) => format!("of agent {}", name(&agent.name.value)),
        None => "of this project".to_owned(),
    };
    let seen = count(listing.tools.len() - kept, "tool", "tools");
    let kept = if kept == 0 { String::new() } else { format!(", and {kept} kept from it") };
    let heading = format!("{seen} {whose}{kept}\n");
    if listing.tools.is_empty() {
        return heading;
    }
    let mut columns = Columns::new(["name", "runs", "owner", "layer", "bytes>"]);
    for tool in &listing.tools {
        let cells = [
            name(tool.schema.name()),
            runs(tool.runner).to_owned(),
            name(&tool.owner),
            layer(tool.layer).to_owned(),
            tool.schema.json().len().to_string(),
        ];
        columns.row(cells, source(tool.source.as_ref()));
        let kept = (!tool.kept_by.is_empty()).then(|| format!("kept back by {}", tool.kept_by.join(", ")));
        columns.more(1, kept);
    }
    format!("{heading}\n{}", columns.write())
}

/// What runs a tool, in a word or two.
fn runs(runner: Runner<'_>) -> &'static str {
    match runner {
        Runner::Nothing => "schema alone",
        Runner::Command(command) if command.may_run => "command",
        Runner::BuiltIn { may_run: true } => "dsh",
        Runner::Command(_) | Runner::BuiltIn { .. } => "not trusted",
    }
}

/// Everything about one.
pub(super) fn one(listing: &Listing<'_>, tool: &ListedTool<'_>) -> String {
    let mut lines = vec![format!("tool {}", name(tool.schema.name()))];
    let mut line = |label: &str, fact: String| {
        lines.push(format!("  {label:width$}{fact}", width = INDENT - 2));
    };
    line("owner", name(&tool.owner));
    line("layer", layer(tool.layer).to_owned());
    if let Some(source) = &tool.source {
        line("source", place(source));
    }
    if let Some(agent) = listing.agent {
        let (who, by) = (name(&agent.name.value), tool.kept_by.join(", "));
        let is_seen = tool.kept_by.is_empty();
        line(
            "seen",
            if is_seen { format!("by agent {who}") } else { format!("not by agent {who}: kept back by {by}") },
        );
    }
    match tool.runner {
        Runner::BuiltIn { may_run } => {
            line("runs", "dsh itself, in the turn of an agent".to_owned());
            if !may_run {
                line("", NOT_NOW.to_owned());
            }
        }
        Runner::Nothing => line("runs", "nothing: it is known by its schema alone, and left out of runs".to_owned()),
        Runner::Command(command) => {
            let words: Vec<String> = command.words.iter().map(|word| format!("\"{}\"", shown(word))).collect();
            line("runs", format!("[{}]", words.join(", ")));
            if !command.may_run {
                line("", NOT_NOW.to_owned());
            }
            line("timeout", format!("{} s", command.timeout.as_secs_f64()));
            line("exclusive", if command.exclusive { "yes" } else { "no" }.to_owned());
        }
    }
    line("bytes", tool.schema.json().len().to_string());
    line("blake3", tool.schema.fingerprint().to_hex().to_string());
    lines.push(String::new());
    lines.push("description".to_owned());
    lines.push(String::new());
    lines.extend(tool.schema.description().lines().map(name_line));
    lines.push(String::new());
    lines.push("parameters".to_owned());
    lines.push(String::new());
    lines.push(parameters(tool));
    lines.join("\n") + "\n"
}

fn name_line(line: &str) -> String {
    dsh_system_prompt::show_hidden(line).into_owned()
}

/// The JSON Schema of the parameters, for reading.
fn parameters(tool: &ListedTool<'_>) -> String {
    let parameters = tool.schema.parameters();
    let text = parameters.ok().and_then(|parameters| serde_json::to_string_pretty(&parameters).ok());
    let text = text.unwrap_or_else(|| tool.schema.parameters_json().to_owned());
    crate::diagnostic::json::escaped(&text)
}
