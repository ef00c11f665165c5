//! What is wrong with the texts of a project: each malformed `{{`, and each variable that is not there.
//!
//! Rendering would find the first mistake alone. Malformed references are looked for in every text that was read; variables in what
//! each agent sees. Nothing is rendered here, only measured: a text of a megabyte may stand for a gigabyte.

mod read;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use dsh_system_prompt::{AssembledSection, AssembledVariable, PartLayer, PromptAssembly};
use dsh_template::Lookup;

use self::read::{Read, ReadTexts, Reference, parts};
use super::built_ins::{help_without_value, is_built_in};
use super::lacking::Given;
use super::{Agent, Layer, Loaded, Project};
use crate::config::{Home, PERSONA};
use crate::diagnostic::{Diagnostic, Known, Report};
use crate::names::{list, quoted};

/// The most bytes that a prompt may have.
const PROMPT_LIMIT: usize = 64 << 20;

/// Of one text, so many variables are told one by one that are not there; then their number.
const MOST_UNRESOLVED: usize = 50;

const UNKNOWN: &str = "prompt::unknown_variable";

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

/// The texts of a project while its prompts are looked at: what is the same for all agents of one text is worked out once.
pub(super) struct Texts<'p> {
    project: &'p Project,
    read: ReadTexts,
    /// What was found in the sections that all share, of agents that have no variables of their own: by name, for those that lack
    /// something and for the others.
    shared: [HashMap<String, Found>; 2],
    /// The agents that give a variable of this name.
    givers: OnceCell<HashMap<&'p str, Vec<&'p str>>>,
}

/// What was found in a section.
#[derive(Clone, Debug)]
struct Found {
    /// The bytes that it is rendered to; none, where it cannot be.
    size: Option<usize>,
    told: Rc<[Known]>,
}

impl<'p> Texts<'p> {
    pub(super) fn new(project: &'p Project) -> Self {
        Self { project, read: ReadTexts::default(), shared: Default::default(), givers: OnceCell::new() }
    }

    /// Whether the prompt of this assembly can be rendered; what stands in the way is reported. Malformed references have been, and
    /// what the assembly lacks of variables, too; `given` has their names, where it lacks any.
    pub(super) fn check(
        &mut self,
        agent: Option<&'p Agent>,
        assembly: &PromptAssembly,
        given: Option<&Given>,
        report: &mut Report,
    ) -> bool {
        let scene = Scene { project: self.project, agent, assembly, given, names: OnceCell::new() };
        let has_own = agent.is_some_and(|agent| !agent.layer.variables.is_empty());
        let mut fine = true;
        let mut total = 0_usize;
        let mut longest: Option<(usize, &AssembledSection)> = None;
        for section in assembly.sections() {
            let is_shared = !has_own && section.layer() == PartLayer::Global;
            let known = self.shared.get(usize::from(given.is_some())).and_then(|found| found.get(section.name()));
            let found = if let Some(known) = known.filter(|_| is_shared) {
                known.told.iter().for_each(|known| report.push_again(*known));
                known.clone()
            } else {
                let read = self.read.of(section.text());
                let found = scene.look_at(section, &read, &self.givers, report);
                if let Some(shared) = self.shared.get_mut(usize::from(given.is_some())).filter(|_| is_shared) {
                    shared.insert(section.name().to_owned(), found.clone());
                }
                found
            };
            let Some(size) = found.size else {
                fine = false;
                continue;
            };
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
}

/// Whose prompt is looked at, and what it can refer to.
struct Scene<'a, 'p> {
    project: &'p Project,
    agent: Option<&'p Agent>,
    assembly: &'a PromptAssembly,
    /// What the prompt may lack, where it lacks something.
    given: Option<&'a Given>,
    names: OnceCell<Names<'a>>,
}

/// The names of variables, sorted.
struct Names<'a> {
    /// Those that the project gives.
    own: Vec<&'a str>,
    /// Those that are always there.
    always: Vec<&'a str>,
}

fn sorted<'a>(variables: &[AssembledVariable<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&'a str> = variables.iter().map(AssembledVariable::name).collect();
    names.sort_unstable();
    names
}

/// The agents that give a variable, by its name.
type Givers<'p> = OnceCell<HashMap<&'p str, Vec<&'p str>>>;

impl<'p> Scene<'_, 'p> {
    /// Looks at a section, and reports what stands in the way of rendering it.
    fn look_at(&self, section: &AssembledSection, read: &Read, givers: &Givers<'p>, report: &mut Report) -> Found {
        let value = |name: &str| self.assembly.variable(name).and_then(|variable| variable.value());
        let unresolved: Vec<&Reference> =
            read.references.iter().filter(|reference| value(&reference.name).is_none()).collect();
        let size = read.template.as_ref().filter(|_| unresolved.is_empty()).and_then(|template| {
            let lookup = |slot| template.name(slot).and_then(value);
            template.measure(|slot| lookup(slot).map_or(Lookup::Unknown, |value| Lookup::Value(value.as_str()))).ok()
        });
        let lacks = |name: &str| self.given.is_some_and(|given| given.has(name));
        let wrong: Vec<&Reference> = unresolved.into_iter().filter(|reference| !lacks(&reference.name)).collect();
        let (named, more) = wrong.split_at(wrong.len().min(MOST_UNRESOLVED));
        let mut told: Vec<Known> = Vec::with_capacity(named.len() + 1);
        for reference in named {
            let diagnostic = self.unresolved(section, reference, givers, report);
            told.push(report.push_known(diagnostic));
        }
        if let Some(next) = more.first() {
            told.push(report.push_known(self.more_unresolved(section, next, more.len())));
        }
        Found { size, told: told.into() }
    }

    /// A variable that is not there or has no value.
    fn unresolved(
        &self,
        section: &AssembledSection,
        reference: &Reference,
        givers: &Givers<'p>,
        report: &Report,
    ) -> Diagnostic {
        let name = quoted(&reference.name);
        let is_known = self.assembly.variable(&reference.name).is_some();
        let (code, what, label) = if is_known {
            ("prompt::valueless_variable", format!("variable {name} has no value"), "refers to it")
        } else {
            (UNKNOWN, format!("unknown variable {name}"), "no variable of this name")
        };
        let diagnostic = Diagnostic::error(code, headline(section.name(), &owner(section), &what));
        let diagnostic = self.shown(diagnostic, section, reference, label);
        if is_known {
            self.with_cause(diagnostic, &reference.name)
        } else {
            self.with_remedy(diagnostic, &reference.name, givers, report)
        }
    }

    /// What is said of all that come behind the most that are told one by one.
    fn more_unresolved(&self, section: &AssembledSection, next: &Reference, count: usize) -> Diagnostic {
        let what = match count {
            1 => "1 more variable is unknown or has no value".to_owned(),
            _ => format!("{count} more variables are unknown or have no value"),
        };
        let diagnostic = Diagnostic::error(UNKNOWN, headline(section.name(), &owner(section), &what));
        let help = if section.name() == PERSONA {
            "if the braces of this text are no references, write each `{{` as `{{\"{{\"}}`"
        } else {
            "if the braces of this text are no references, `format = \"raw\"` keeps them"
        };
        self.shown(diagnostic, section, next, "the first of them").with_help(help)
    }

    fn shown(
        &self,
        diagnostic: Diagnostic,
        section: &AssembledSection,
        reference: &Reference,
        label: &str,
    ) -> Diagnostic {
        match self.project.words(self.agent, section.name()) {
            Some(words) => words.show(diagnostic, reference.range.clone(), label),
            None => diagnostic,
        }
    }

    fn names(&self) -> &Names<'_> {
        self.names.get_or_init(|| {
            let (always, own): (Vec<_>, Vec<_>) = self.assembly.variables().partition(is_built_in);
            Names { own: sorted(&own), always: sorted(&always) }
        })
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
    fn with_remedy(&self, diagnostic: Diagnostic, name: &str, givers: &Givers<'p>, report: &Report) -> Diagnostic {
        let givers = givers.get_or_init(|| givers_in(self.project));
        let elsewhere = givers.get(name).map_or(&[][..], Vec::as_slice);
        let Names { own, always } = self.names();
        let known = own.iter().chain(always).copied();
        let diagnostic = if elsewhere.is_empty() {
            let own = match own.as_slice() {
                [] => "the project gives no variables".to_owned(),
                own => format!("the variables are {}", list(own.iter().copied())),
            };
            diagnostic.with_note(match always.as_slice() {
                [] => own,
                always => format!("{own}; always there: {}", list(always.iter().copied())),
            })
        } else {
            let agents = list(elsewhere.iter().copied());
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

/// The agents that give variables, by the names of these.
fn givers_in(project: &Project) -> HashMap<&str, Vec<&str>> {
    let mut givers: HashMap<&str, Vec<&str>> = HashMap::new();
    for agent in &project.agents {
        for variable in &agent.layer.variables {
            givers.entry(&variable.name.value).or_default().push(&agent.name.value);
        }
    }
    givers
}

fn owner(section: &AssembledSection) -> String {
    section.owner().map_or_else(|| "nobody".to_owned(), ToString::to_string)
}
