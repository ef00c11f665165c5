//! Hidden characters in what models are told of tools, led back to the files of schemas.

use std::ops::Range;

use dsh_llm::ToolSchema;
use dsh_prompt_report::{Hidden, HiddenPart, HiddenText, hidden_parts};
use dsh_system_prompt::PromptAssembly;
use serde_json::Value;

use super::Found;
use crate::diagnostic::{Report, Sources, Span};
use crate::names::quoted;
use crate::project::Project;
use crate::project::lints::json_strings::{decode, locate, strings};

/// Reports every tool that has such characters. Whoever sees the tool is told them.
pub(super) fn report(project: &Project, sources: &Sources, report: &mut Report) {
    let mut assembly = PromptAssembly::new();
    assembly.tools_mut().extend(project.tools.all().cloned().map(Into::into));
    for found in hidden_parts(&assembly) {
        let HiddenPart::Tool(tool) = found.part else { continue };
        let schema = tool.schema();
        let Some(entry) = project.tools.entry(schema.name()) else { continue };
        let found = placed(&found, schema, entry, sources);
        if let Some(diagnostic) = found.diagnostic(&format!("tool {}", quoted(schema.name())), sources) {
            report.push_about(Vec::new(), diagnostic);
        }
    }
}

fn placed(hidden: &Hidden<'_>, schema: &ToolSchema, entry: Span, sources: &Sources) -> Found {
    let text = sources.text(entry.source).get(entry.range()).unwrap_or_default();
    let parameters = schema.parameters().unwrap_or_default();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut found = Found::default();
    for of_one_text in hidden.places.chunk_by(|one, next| one.text == next.text) {
        let Some(first) = of_one_text.first() else { continue };
        let said = said(&first.text, schema, &parameters);
        // Of equal strings each is taken once: which of them is which makes no difference.
        let written = strings(text).find(|range| {
            !taken.contains(range)
                && text.get(range.clone()).is_some_and(|raw| said.as_ref().is_some_and(|said| decode(raw) == *said))
        });
        taken.extend(written.clone());
        let raw = written.clone().and_then(|range| text.get(range)).unwrap_or_default();
        for place in of_one_text {
            let range = written.as_ref().and_then(|written| {
                let range = locate(raw, place.character.offset)?;
                Some(written.start + range.start..written.start + range.end)
            });
            let range = range.unwrap_or(0..1);
            let place_in_file = Span::new(entry.source, entry.start + range.start..entry.start + range.end);
            found.add(place.character, Some(part(&place.text)), || place_in_file);
        }
    }
    found.add_uncounted(hidden.count);
    found
}

/// What the text says.
fn said(text: &HiddenText, schema: &ToolSchema, parameters: &Value) -> Option<String> {
    match text {
        HiddenText::Name => Some(schema.name().to_owned()),
        HiddenText::Description => Some(schema.description().to_owned()),
        HiddenText::Value(pointer) => parameters.pointer(pointer)?.as_str().map(str::to_owned),
        HiddenText::Key(pointer) => Some(pointer.rsplit('/').next()?.replace("~1", "/").replace("~0", "~")),
        HiddenText::Section => None,
    }
}

/// Which part of the tool a text is.
fn part(text: &HiddenText) -> String {
    match text {
        HiddenText::Name => "its name".to_owned(),
        HiddenText::Description => "its description".to_owned(),
        HiddenText::Value(pointer) => format!("{} of its parameters", quoted(pointer)),
        HiddenText::Key(pointer) => format!("the key {} of its parameters", quoted(pointer)),
        HiddenText::Section => "it".to_owned(),
    }
}
