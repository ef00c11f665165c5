//! Which tools a run leaves out.

use dsh_llm::ToolSchema;

use crate::diagnostic::Diagnostic;
use crate::names::{list, quoted};
use crate::project::{Agent, Project};

/// So many names are listed.
const MOST_LISTED: usize = 5;

/// What is said of the tools that the agent would see, and that are known by their schemas alone: nothing runs them.
pub(super) fn left_out(project: &Project, agent: Option<&Agent>) -> Option<Diagnostic> {
    let filter = agent.and_then(|agent| agent.filter.as_ref());
    let names = project.tools.schemas.iter().map(ToolSchema::name);
    let names: Vec<&str> = names.filter(|name| filter.is_none_or(|filter| filter.admits(name))).collect();
    let listed = match names.get(..MOST_LISTED).filter(|_| names.len() > MOST_LISTED + 1) {
        Some(first) => {
            let first: Vec<String> = first.iter().map(|name| quoted(name)).collect();
            format!("{} and {} more", first.join(", "), names.len() - MOST_LISTED)
        }
        None => list(names.iter().copied()),
    };
    let headline = match names.len() {
        0 => return None,
        1 => format!("the tool {listed} is left out: nothing runs it"),
        many => format!("{many} tools are left out, since nothing runs them: {listed}"),
    };
    let help =
        "they are known by their schemas alone; a table `[[tools]]` with a `command` makes a tool that can be run";
    Some(Diagnostic::note("run::left_out", headline).with_help(help))
}
