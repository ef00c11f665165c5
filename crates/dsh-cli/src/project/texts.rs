//! What is wrong with the texts of a project: each malformed `{{`, and each variable that is not there.
//!
//! Rendering would find the first mistake alone. Malformed references are looked for in every text that was read; variables in what
//! each agent sees. Nothing is rendered here, only measured: a text of a megabyte may stand for a gigabyte.

use std::collections::{BTreeMap, BTreeSet};

use dsh_system_prompt::{AssembledSection, PromptAssembly, Value};
use dsh_template::{Lookup, Piece, Template, Text};

use super::built_ins::{help_without_value, is_built_in};
use super::{Agent, Layer, Loaded, Project};
use crate::config::{Home, PERSONA};
use crate::diagnostic::{Diagnostic, Report};
use crate::names::{list, quoted};

/// The most bytes that a prompt may have.
const PROMPT_LIMIT: usize = 64 << 20;

/// Of one text, so many malformed references are reported; then it is something else than a template.
const MOST_IN_A_TEXT: usize = 20;

/// Reports every malformed reference in the texts of a layer, and a `{{name` at the end of one, which is prose and hardly meant so.
/// `owner` begins the paths of those who register them.
pub(super) fn malformed(layer: &Layer, owner: Option<&str>, report: &mut Report) {
    let path = |plugin: &str| owner.map_or_else(|| plugin.to_owned(), |owner| format!("{owner}/{plugin}"));
    if let Some(persona) = &layer.persona {
        let plugin = if owner.is_none() { "system-prompt" } else { "persona" };
        malformed_in(persona, PERSONA, &path(plugin), report);
    }
    for section in &layer.sections {
        malformed_in(&section.words, &section.name.value, &path("sections"), report);
    }
}

fn malformed_in(words: &Loaded, section: &str, owner: &str, report: &mut Report) {
    if words.text.is_raw() {
        return;
    }
    for (offset, template) in parts(&words.text) {
        let Some(error) = template.malformed() else { break };
        let range = error.range();
        let place = offset + range.start..offset + range.end;
        let raw = if words.origin.is_body() {
            Some("without `format: template`, every brace of this text is kept".to_owned())
        } else {
            (section != PERSONA).then(|| "`format = \"raw\"` keeps every brace of this section".to_owned())
        };
        let headline = headline(section, owner, &error.headline().to_string());
        let diagnostic = Diagnostic::error("prompt::malformed_reference", headline);
        let mut diagnostic = words.show(diagnostic, place, "");
        if let Some(at) = error.broken_at() {
            diagnostic = diagnostic.at(words.origin.locate(offset + at..offset + at + 1), "breaks off here");
        }
        report.push(diagnostic.with_help(error.help().to_string()).with_help_if(raw));
    }
    if let Some(place) = unclosed(words.text.as_str()) {
        let name = words.text.as_str().get(place.start + 2..place.end).unwrap_or_default();
        let headline = headline(section, owner, &format!("`{{{{{name}` is never closed, and so it is prose"));
        let diagnostic = Diagnostic::warning("prompt::unclosed_reference", headline);
        report.push(
            words.show(diagnostic, place, "no `}}` follows").with_help(format!("did you mean `{{{{{name}}}}}`?")),
        );
    }
}

/// A template in parts, each with its offset: one ends with a malformed reference, and the next begins behind that.
fn parts(text: &Text) -> Vec<(usize, Template)> {
    let mut parts = vec![(0, text.compile())];
    while parts.len() < MOST_IN_A_TEXT {
        let Some((offset, malformed)) = parts.last().and_then(|(at, part)| Some((at, part.malformed()?))) else {
            break;
        };
        let next = offset + malformed.range().end;
        parts.push((next, Template::compile(text.as_str().get(next..).unwrap_or_default())));
    }
    parts
}

fn headline(section: &str, owner: &str, what: &str) -> String {
    format!("section {} of {}: {what}", quoted(section), quoted(owner))
}

/// A `{{name` with no `}}` after it that nothing follows, or one `}`.
fn unclosed(text: &str) -> Option<std::ops::Range<usize>> {
    let from = text.rfind("}}").map_or(0, |closed| closed + 2);
    let start = from + text.get(from..)?.rfind("{{")?;
    let rest = text.get(start + 2..)?;
    let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end)?;
    let is_end = after.starts_with('}') || after.trim_end().is_empty();
    (is_end && dsh_template::is_variable_name(name)).then_some(start..start + 2 + end)
}

/// How many bytes a section of this assembly is rendered to; none, where it cannot be.
pub(crate) fn size(section: &AssembledSection, assembly: &PromptAssembly) -> Option<usize> {
    let template = section.text().compile();
    let lookup = |slot| match template.name(slot).and_then(|name| assembly.variable(name)) {
        Some(variable) => variable.value().map_or(Lookup::Valueless, |value| Lookup::Value(value.as_str())),
        None => Lookup::Unknown,
    };
    template.measure(lookup).ok()
}

/// Whether the prompt of this assembly can be rendered; what stands in the way is reported. Malformed references have been, and
/// what the assembly `lacks` of variables, too.
pub(super) fn check(
    project: &Project,
    agent: Option<&Agent>,
    assembly: &PromptAssembly,
    lacks: impl Fn(&str) -> bool,
    report: &mut Report,
) -> bool {
    let variables: BTreeMap<&str, Option<&Value>> =
        assembly.variables().map(|variable| (variable.name(), variable.value())).collect();
    let always: BTreeSet<&str> =
        assembly.variables().filter(|variable| is_built_in(variable)).map(|variable| variable.name()).collect();
    let (always, own) = variables.keys().partition(|name| always.contains(*name));
    let scene = Scene { project, agent, variables, own, always };
    let mut fine = true;
    let mut total = 0_usize;
    let mut longest: Option<(usize, &AssembledSection)> = None;
    for section in assembly.sections() {
        let parts = parts(section.text());
        let unresolved = scene.unresolved(section, &parts, &lacks, report);
        let [(_, template)] = parts.as_slice() else {
            fine = false;
            continue;
        };
        fine &= !unresolved;
        let value = |slot| template.name(slot).and_then(|name| scene.variables.get(name).copied().flatten());
        let size = template.measure(|slot| value(slot).map_or(Lookup::Unknown, |value| Lookup::Value(value.as_str())));
        let size = size.unwrap_or(0);
        total = total.saturating_add(size);
        if longest.is_none_or(|(most, _)| size > most) {
            longest = Some((size, section));
        }
    }
    match longest {
        Some((size, section)) if total > PROMPT_LIMIT => {
            report.push(scene.too_large(total, size, section));
            false
        }
        _ => fine,
    }
}

/// Whose prompt is looked at, and what it can refer to.
struct Scene<'a> {
    project: &'a Project,
    agent: Option<&'a Agent>,
    variables: BTreeMap<&'a str, Option<&'a Value>>,
    /// The names that the project gives, sorted.
    own: Vec<&'a str>,
    /// The names that are always there, sorted.
    always: Vec<&'a str>,
}

impl Scene<'_> {
    /// Reports each variable of a section that is not there or has no value; whether there was one.
    fn unresolved(
        &self,
        section: &AssembledSection,
        parts: &[(usize, Template)],
        lacks: impl Fn(&str) -> bool,
        report: &mut Report,
    ) -> bool {
        let mut seen = BTreeSet::new();
        let variables = parts.iter().flat_map(|(offset, part)| {
            part.pieces().filter_map(move |piece| match piece {
                Piece::Variable(variable) => Some((*offset, variable)),
                Piece::Literal(_) => None,
            })
        });
        for (offset, variable) in variables {
            let known = self.variables.get(variable.name);
            if known.is_some_and(Option::is_some) || !seen.insert(variable.name) || lacks(variable.name) {
                continue;
            }
            let name = quoted(variable.name);
            let range = offset + variable.range.start..offset + variable.range.end;
            let (code, what, label) = match known {
                Some(_) => ("prompt::valueless_variable", format!("variable {name} has no value"), "refers to it"),
                None => ("prompt::unknown_variable", format!("unknown variable {name}"), "no variable of this name"),
            };
            let diagnostic = Diagnostic::error(code, headline(section.name(), &owner(section), &what));
            let diagnostic = match self.project.words(self.agent, section.name()) {
                Some(words) => words.show(diagnostic, range, label),
                None => diagnostic,
            };
            report.push(match known {
                Some(_) => self.with_cause(diagnostic, variable.name),
                None => self.with_remedy(diagnostic, variable.name, report),
            });
        }
        !seen.is_empty()
    }

    /// Why a variable has no value, where it was given one that cannot be had.
    fn with_cause(&self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        let layers = self.agent.map(|agent| &agent.layer).into_iter().chain([&self.project.layer]);
        let given = layers.flat_map(|layer| &layer.variables).find(|variable| variable.name.value == name);
        match given.and_then(|variable| variable.value.as_ref().err()) {
            Some(absence) => {
                let (place, label, help) = absence.explained();
                diagnostic.at(place, label).with_help(help)
            }
            None => diagnostic.with_help_if(help_without_value(name).map(str::to_owned)),
        }
    }

    /// What would be right in place of an unknown variable.
    fn with_remedy(&self, diagnostic: Diagnostic, name: &str, report: &Report) -> Diagnostic {
        let elsewhere: Vec<&str> = self
            .project
            .agents
            .iter()
            .filter(|agent| agent.layer.variables.iter().any(|variable| variable.name.value == name))
            .map(|agent| agent.name.value.as_str())
            .collect();
        let known = self.own.iter().chain(&self.always).copied();
        let diagnostic = if elsewhere.is_empty() {
            let own = match self.own.as_slice() {
                [] => "the project gives no variables".to_owned(),
                own => format!("the variables are {}", list(own.iter().copied())),
            };
            diagnostic.with_note(match self.always.as_slice() {
                [] => own,
                always => format!("{own}; always there: {}", list(always.iter().copied())),
            })
        } else {
            let agents = list(elsewhere);
            diagnostic.with_note(format!("it is a variable of {agents} alone, and the text is not theirs alone"))
        };
        diagnostic.with_help(match (report.guesses.nearest(name, known), self.agent) {
            (Some(near), _) => format!("did you mean `{{{{{near}}}}}`?"),
            // A table for an agent that has a file of its own would be a second agent.
            (None, Some(Agent { home: Home::Table, name, .. })) => {
                let agent = &name.value;
                format!(
                    "give it a value under `[variables]`, or for this agent alone under `[agents.{agent}.variables]`"
                )
            }
            (None, _) => "give it a value under `[variables]`".to_owned(),
        })
    }

    fn too_large(&self, total: usize, size: usize, section: &AssembledSection) -> Diagnostic {
        let limit = PROMPT_LIMIT >> 20;
        let what = format!("it is {size} bytes of a prompt of {total}, and the limit is {limit} MiB");
        let diagnostic = Diagnostic::error("prompt::too_large", headline(section.name(), &owner(section), &what));
        let diagnostic = match self.project.words(self.agent, section.name()) {
            Some(words) => diagnostic.at(words.origin.declared, "the longest section"),
            None => diagnostic,
        };
        diagnostic.with_help("take out references to long values, or sections that repeat one text")
    }
}

fn owner(section: &AssembledSection) -> String {
    section.owner().map_or_else(|| "nobody".to_owned(), ToString::to_string)
}
