//! What must hold of the file's names.

use std::collections::BTreeMap;

use super::{At, Section, Wording, Words};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::quoted;

/// The name that a persona takes among the sections of its layer.
pub(crate) const PERSONA: &str = "deployment:persona";

/// The sections of a layer, each name once, the persona's being one; a second one is reported and left out.
///
/// The registry would refuse it too, but only the first of them. Variables cannot repeat: TOML refuses the second key.
pub(super) fn distinct(persona: Option<&Wording>, sections: Vec<Section>, report: &mut Report) -> Vec<Section> {
    let mut taken: BTreeMap<String, (Span, &str)> = BTreeMap::new();
    if let Some(persona) = persona {
        taken.insert(PERSONA.to_owned(), (words_span(persona), "this persona takes the name"));
    }
    let mut is_first = |section: &Section| {
        let name = &section.name;
        let Some((first, label)) = taken.get(&name.value) else {
            taken.insert(name.value.clone(), (name.span, "the first of this name"));
            return true;
        };
        let headline = format!("two sections of one layer are called {}", quoted(&name.value));
        report.push(
            Diagnostic::error("prompt::duplicate_section", headline)
                .at(name.span, "the second")
                .at(*first, *label)
                .with_help("give it another name; an agent replaces a shared section by one of the same name"),
        );
        false
    };
    sections.into_iter().filter(|section| is_first(section)).collect()
}

fn words_span(wording: &Wording) -> Span {
    match &wording.words {
        Words::Inline(text) => text.span,
        Words::File(file) => file.path.span,
        Words::Body(span) => *span,
    }
}

/// Whether texts can refer to this name.
pub(super) fn variable_name(name: &str, span: Span, report: &mut Report) -> bool {
    if dsh_template::is_variable_name(name) {
        return true;
    }
    let near = variable_name_near(name).map(|near| quoted(&near));
    report.push(
        Diagnostic::error(
            "prompt::invalid_variable_name",
            format!("{} cannot be the name of a variable", quoted(name)),
        )
        .at(span, "a letter a to z first, then letters, digits and `_`")
        .with_help_if(near.map(|near| format!("{near} can"))),
    );
    false
}

/// A right name that is made like this one.
fn variable_name_near(name: &str) -> Option<String> {
    let near: String = name
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '_' })
        .collect();
    dsh_template::is_variable_name(&near).then_some(near)
}

/// Reports a name that cannot be an agent's.
pub(super) fn agent_name(name: &str, span: Span, report: &mut Report) {
    if let Some(what) = not_for_an_agent(name) {
        report.push(
            Diagnostic::error("config::invalid_value", format!("{} cannot be the name of an agent", quoted(name)))
                .at(span, what)
                .with_help(AGENT_NAMES),
        );
    }
}

/// What makes an agent's name.
pub(super) const AGENT_NAMES: &str = "letters and digits of any script, `-`, `_`, `.` and `:` make a name";

/// Whether this can be an agent's name.
pub(crate) fn can_name_an_agent(name: &str) -> bool {
    not_for_an_agent(name).is_none()
}

/// What keeps this from being an agent's name: it labels a scope, and the paths of owners are made of labels.
pub(super) fn not_for_an_agent(name: &str) -> Option<String> {
    let fits = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | ':');
    match name.chars().find(|character| !fits(*character)) {
        Some(wrong) => Some(format!("`{wrong}` cannot stand in it")),
        None => name.is_empty().then(|| "empty".to_owned()),
    }
}

/// Whether a string says something.
pub(super) fn not_empty(string: &At<String>, what: &str, report: &mut Report) -> bool {
    if string.value.is_empty() {
        report.push(
            Diagnostic::error("config::invalid_value", format!("{what} must not be empty")).at(string.span, "empty"),
        );
    }
    !string.value.is_empty()
}

/// The entries that can name tools: a `*` stands at the end alone.
pub(super) fn patterns(entries: Vec<At<String>>, report: &mut Report) -> Vec<At<String>> {
    let fine = |entry: &At<String>| {
        let stem = entry.value.strip_suffix('*').unwrap_or(&entry.value);
        if stem.contains('*') {
            report.push(
                Diagnostic::error(
                    "config::invalid_value",
                    format!("{} is not a pattern that dsh knows", quoted(&entry.value)),
                )
                .at(entry.span, "a `*` that is not at the end")
                .with_help("a `*` at the end stands for any rest of a name, and nowhere else"),
            );
            return false;
        }
        not_empty(entry, "a tool's name", report)
    };
    entries.into_iter().filter(fine).collect()
}
