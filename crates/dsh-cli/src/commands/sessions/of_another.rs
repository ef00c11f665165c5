//! A session that goes on where it did not begin.

use std::path::Path;

use dsh_session::Listed;
use dsh_system_prompt::show_path;

use crate::commands::run::MAIN;
use crate::diagnostic::Diagnostic;
use crate::names::quoted;

/// What is to be known where a session of another folder, or of another agent, goes on here with this one.
pub(in crate::commands) fn of_another(session: &Listed, here: &Path, agent: &str) -> Option<Diagnostic> {
    // One that cannot be read is told by who opens it.
    let (opened, id) = (&session.summary.as_ref().ok()?.opened, &session.id);
    let here = show_path(here);
    let folder = opened.cwd.as_deref().filter(|folder| *folder != here);
    let other = Some(opened.agent.as_str()).filter(|other| !other.is_empty() && *other != agent);
    let (of, goes_on) = match (folder, other) {
        (None, None) => return None,
        (Some(folder), None) => (format!("the folder {}", quoted(folder)), format!("in {}", quoted(&here))),
        (None, Some(other)) => (named(other), format!("with {}", named(agent))),
        (Some(folder), Some(other)) => (
            format!("{} in the folder {}", named(other), quoted(folder)),
            format!("with {} in {}", named(agent), quoted(&here)),
        ),
    };
    let mut warning =
        Diagnostic::warning("session::of_another", format!("session {id} is of {of}, and goes on {goes_on}"));
    if folder.is_none() {
        let as_before = match opened.agent.as_str() {
            MAIN => "without `--agent` it goes on as before".to_owned(),
            other => format!("with `--agent {other}` it goes on as before"),
        };
        return Some(warning.with_help(as_before));
    }
    warning = warning.with_note("it stays a session of that folder: `--continue` finds it there, and not here");
    Some(warning.with_help(format!("`dsh sessions fork {id}` makes one of this folder, and leaves that one as it is")))
}

fn named(agent: &str) -> String {
    if agent == MAIN { "no agent".to_owned() } else { format!("agent {}", quoted(agent)) }
}
