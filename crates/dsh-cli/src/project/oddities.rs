//! What is most likely a mistake in a file of tool schemas, though it can be read: reported as warnings.

use std::collections::BTreeMap;
use std::ops::Range;

use dsh_llm::{ListedTool, ToolSchema};
use dsh_system_prompt::TOOL_ORDER_REST;

use crate::diagnostic::{Diagnostic, Report, SourceId, Span};
use crate::names::quoted;

/// The longest name of a tool that a provider takes.
const LONGEST_NAME: usize = 128;

/// The fields of a tool that are read.
const READ: [&str; 5] = ["name", "description", "parameters", "inputSchema", "input_schema"];

/// The fields that MCP and providers know besides, and a schema has no place for.
const KNOWN: [&str; 13] = [
    "title",
    "annotations",
    "icons",
    "execution",
    "outputSchema",
    "_meta",
    "type",
    "strict",
    "cache_control",
    "defer_loading",
    "allowed_callers",
    "input_examples",
    "eager_input_streaming",
];

/// The fields of a file's tools that nobody knows: how often, and the tool that has the first, and where.
#[derive(Debug, Default)]
pub(super) struct StrangeFields(BTreeMap<String, (usize, String, Range<usize>)>);

impl StrangeFields {
    /// Takes note of a tool's.
    pub(super) fn look_at(&mut self, tool: &ListedTool) {
        for field in tool.dropped.iter().filter(|field| !KNOWN.contains(&&*field.name)) {
            let first = || (0, tool.schema.name().to_owned(), field.range.clone());
            self.0.entry(field.name.to_string()).or_insert_with(first).0 += 1;
        }
    }

    /// Warns of each, once for the file.
    pub(super) fn report(self, source: SourceId, report: &mut Report) {
        for (field, (count, tool, key)) in self.0 {
            let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            let headline = format!("tool {}{others}: the field {} is not read", quoted(&tool), quoted(&field));
            let near = report.guesses.nearest(&field, READ).map(|near| format!("did you mean `{near}`?"));
            let help = near
                .unwrap_or_else(|| "a tool has `name`, `description` and `parameters` (or `inputSchema`)".to_owned());
            report.push(
                Diagnostic::warning("tools::unknown_field", headline)
                    .at(Span::new(source, key), "left out")
                    .with_help(help),
            );
        }
    }
}

/// Warns of a name that no provider takes.
pub(super) fn unusual_name(name: &str, place: Span, report: &mut Report) {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if name == TOOL_ORDER_REST || (name.len() <= LONGEST_NAME && name.chars().all(fits)) {
        return;
    }
    report.push(
        Diagnostic::warning("tools::unusual_name", format!("no provider takes a tool called {}", quoted(name)))
            .at(place, "")
            .with_help(format!(
                "letters a to z and A to Z, digits, `_` and `-` make a name, {LONGEST_NAME} of them at most (some take 64)"
            )),
    );
}

/// Warns of parameters that no provider takes: a call has an object of arguments. Where the schema does not say so, it can be said for it.
pub(super) fn no_object(schema: &ToolSchema, place: Span, report: &mut Report) {
    // Canonical, so that `type` stands last in nearly every schema.
    if schema.parameters_json().ends_with(r#""type":"object"}"#) {
        return;
    }
    let parameters = schema.parameters().unwrap_or_default();
    let Some(kind) = parameters.get("type").filter(|kind| *kind != "object") else { return };
    let (tool, kind) = (quoted(schema.name()), quoted(&kind.to_string()));
    let headline = format!("no provider takes tool {tool}: the type of its parameters is {kind}");
    report.push(
        Diagnostic::warning("tools::not_an_object", headline)
            .at(place, "this tool")
            .with_help("write `\"type\": \"object\"`, and under `properties` what the tool takes"),
    );
}
