//! Agents that do not get an instruction file: a shared section has it for its text, and they have their own in that one's place.

use super::agents_of;
use crate::config::PERSONA;
use crate::diagnostic::{Diagnostic, Report};
use crate::names::quoted;
use crate::project::instructions::KeptFile;
use crate::project::{Agent, Loaded, Project};

/// Reports each agent that such a file does not reach.
pub(super) fn report(project: &Project, report: &mut Report) {
    for file in &project.kept_files {
        let Some(shared) = project.words(None, &file.section) else { continue };
        for agent in &project.agents {
            let Some(own) = project.words(Some(agent), &file.section) else { continue };
            // One that names the file itself loses nothing.
            if own.text.as_str() != shared.text.as_str() {
                report.push_about(agents_of(Some(agent)), diagnostic(file, agent, own, shared));
            }
        }
    }
}

fn diagnostic(file: &KeptFile, agent: &Agent, own: &Loaded, shared: &Loaded) -> Diagnostic {
    let (path, name) = (quoted(&file.path), quoted(&agent.name.value));
    let (section, key) = match file.section.as_str() {
        PERSONA => ("persona".to_owned(), "`persona_file`"),
        section => (format!("section {}", quoted(section)), "`[[sections]]`"),
    };
    Diagnostic::warning("instructions::shadowed", format!("the instructions of {path} do not reach agent {name}"))
        .at(own.origin.declared, format!("stands in the place of the shared {section}"))
        .at(shared.origin.declared, "which is this file")
        .with_note("an instruction file that a shared text is made of stands in that text alone")
        .with_help(format!("take it out of {key}: dsh finds it by its name, and gives it to every agent"))
}
