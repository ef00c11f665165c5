//! The agents of a project that have Markdown files of their own.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::files::{Files, Problem};
use crate::config::agent_file::{AgentFile, stem};
use crate::config::{Agent, Home};
use crate::diagnostic::{Concern, Diagnostic, Report, Span};
use crate::names::quoted;
use crate::outside::{ListError, ReadError, may_read};

/// Where they are, in the project's folder.
const FOLDER: &str = "agents";

/// The most entries of that folder.
const MOST: usize = 10_000;

/// The agents by name: where each has its name, and whether that is a file's.
type Known = BTreeMap<String, (Span, bool)>;

/// Reads `agents/*.md`, by name, and puts what they say behind the agents that are there. Two of one name are reported; the first stays.
/// Whether the folder could be read comes back: if not, there may be agents that nobody knows of.
pub(super) fn read(agents: &mut Vec<Agent>, files: &mut Files<'_>, report: &mut Report) -> bool {
    let names = match files.list(FOLDER, MOST) {
        Ok(names) => names,
        Err(error) => {
            // No agent has a name with a `/` in it: this stands in the way of none that can be read.
            let is_no_folder = matches!(error, ListError::NotAFolder);
            let diagnostic = not_listed(error).at(files.blank(FOLDER), "");
            report.about(Concern::Agent(format!("{FOLDER}/")), |report| report.push(diagnostic));
            return is_no_folder;
        }
    };
    let mut known: Known = agents.iter().map(|agent| (agent.name.value.clone(), place_of_name(agent))).collect();
    for name in names {
        let lossy = name.to_string_lossy();
        if lossy.starts_with('.') || !lossy.ends_with(".md") {
            continue;
        }
        let path = format!("{FOLDER}/{lossy}");
        if name.to_str().is_none() {
            let headline = format!("the name of {} is not UTF-8", quoted(&path));
            let diagnostic = Diagnostic::error("file::name_not_utf8", headline)
                .at(files.blank(&path), "")
                .with_help("give the file another name");
            report.about(Concern::Agent(stem(&path).to_owned()), |report| report.push(diagnostic));
            continue;
        }
        agents.extend(agent(&path, &mut known, files, report));
    }
    true
}

/// The agent of a file. One that cannot be taken in is reported, and its agent known all the same: asking for it is no wrong use.
fn agent(path: &str, known: &mut Known, files: &mut Files<'_>, report: &mut Report) -> Option<Agent> {
    let agent = match files.found(path) {
        Ok(source) => AgentFile { source, path, text: files.sources.text(source) }.read(report)?,
        Err(problem) => {
            let help = problem.help_for_found().map(str::to_owned);
            let diagnostic = files.refused(&problem, path).with_help_if(help);
            report.about(Concern::Agent(stem(path).to_owned()), |report| report.push(diagnostic));
            if known.contains_key(stem(path)) {
                return None;
            }
            AgentFile { source: files.blank(path).source, path, text: "" }.unread(0..0)
        }
    };
    match known.entry(agent.name.value.clone()) {
        Entry::Vacant(free) => {
            free.insert(place_of_name(&agent));
            Some(agent)
        }
        Entry::Occupied(first) => {
            let diagnostic = duplicate(&agent, *first.get());
            report.about(Concern::Agent(agent.name.value), |report| report.push(diagnostic));
            None
        }
    }
}

/// Where an agent has its name, and whether it is that of its file: front matter begins where no key can.
fn place_of_name(agent: &Agent) -> (Span, bool) {
    (agent.name.span, agent.home == Home::File && agent.name.span.start == 0)
}

fn duplicate(second: &Agent, (first, first_by_file): (Span, bool)) -> Diagnostic {
    let headline = format!("two agents are called {}", quoted(&second.name.value));
    let (place, by_file) = place_of_name(second);
    let diagnostic = Diagnostic::error("config::duplicate_agent", headline)
        .at(place, "the second")
        .at(first, "the first")
        .with_help("give one of them another name, or take it away");
    if by_file || first_by_file {
        diagnostic.with_note("a file without `name` gives its own name to its agent")
    } else {
        diagnostic
    }
}

/// What is said of a folder whose names cannot be read.
fn not_listed(error: ListError) -> Diagnostic {
    let path = quoted(FOLDER);
    match error {
        ListError::NotAFolder => Diagnostic::warning(
            "file::not_a_folder",
            format!("{path} is a file, and agents are looked for in a folder"),
        )
        .with_help("move the file, if it is meant for agents: `agents/NAME.md` makes one"),
        ListError::TooMany => {
            let headline = format!("the folder {path} has more than {MOST} entries, and none of them is read");
            Diagnostic::error("file::too_many", headline).with_help("keep nothing in it but the files of agents")
        }
        ListError::Read(error) => {
            let help = match &error {
                ReadError::Outside(_) => Some("put the folder itself there"),
                ReadError::Dangling | ReadError::Circle => Some("make the link anew, or take it away"),
                ReadError::Unreadable(error) => may_read(error),
                ReadError::Missing
                | ReadError::ThroughAFile
                | ReadError::Roundabout(_)
                | ReadError::NotAFile(_)
                | ReadError::OfProcesses
                | ReadError::TooLarge { .. } => None,
            };
            Problem::Read(error).diagnostic(FOLDER).with_help_if(help.map(str::to_owned))
        }
    }
}
