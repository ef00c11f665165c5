//! Which session is meant.

use std::path::Path;

use dsh_session::{FileStore, Listed, SessionId, SessionStore};
use dsh_system_prompt::show_path;

use super::wrong;
use crate::diagnostic::{Diagnostic, Report};
use crate::names::{list, quoted};
use crate::status::ExitStatus;

/// Which session is wanted.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) enum Wanted<'a> {
    /// The one of this name, or the one whose name begins so; `last` is the last of the folder.
    Named(&'a str),
    /// The one of the folder that was used last; of this agent, if one is named.
    Last {
        /// The agent.
        agent: Option<&'a str>,
    },
}

/// What names the last session of a folder.
const LAST: &str = "last";

/// The session that is wanted of a folder; where there is none, or more than one, that is reported and wrong use.
pub(in crate::commands) fn find(
    store: &FileStore,
    here: &Path,
    wanted: Wanted<'_>,
    report: &mut Report,
) -> Result<SessionId, ExitStatus> {
    let all = store.list().map_err(|error| {
        report.push(wrong(&error));
        ExitStatus::Findings
    })?;
    let refuse = |diagnostic: Diagnostic, report: &mut Report| {
        report.push(diagnostic);
        ExitStatus::WrongUse
    };
    match wanted {
        Wanted::Named(LAST) => find(store, here, Wanted::Last { agent: None }, report),
        Wanted::Named(name) => {
            if let Some(exact) = all.iter().find(|listed| listed.id.as_str() == name) {
                return Ok(exact.id.clone());
            }
            let begin: Vec<&Listed> =
                all.iter().filter(|listed| !name.is_empty() && listed.id.as_str().starts_with(name)).collect();
            match begin.as_slice() {
                [one] => Ok(one.id.clone()),
                [] => {
                    let headline = format!("there is no session {}", quoted(name));
                    Err(refuse(
                        Diagnostic::error("session::not_found", headline).with_help("`dsh sessions --all` lists them"),
                        report,
                    ))
                }
                several => {
                    let names = list(several.iter().map(|listed| listed.id.as_str()));
                    let headline = format!("more than one session begins with {}", quoted(name));
                    Err(refuse(
                        Diagnostic::error("session::ambiguous", headline).with_help(format!("they are {names}")),
                        report,
                    ))
                }
            }
        }
        Wanted::Last { agent } => last(&all, here, agent).cloned().ok_or_else(|| {
            let whose = agent.map_or_else(String::new, |agent| format!(" of agent {}", quoted(agent)));
            let headline = format!("there is no session{whose} of this folder to go on with");
            refuse(
                Diagnostic::error("session::not_found", headline).with_help("begin one without `--continue`"),
                report,
            )
        }),
    }
}

fn last<'l>(all: &'l [Listed], here: &Path, agent: Option<&str>) -> Option<&'l SessionId> {
    let here = show_path(here);
    let fits = all.iter().filter_map(|listed| Some((listed, listed.summary.as_ref().ok()?))).filter(|(_, summary)| {
        summary.opened.cwd.as_deref() == Some(&*here) && agent.is_none_or(|agent| summary.opened.agent == agent)
    });
    fits.max_by_key(|(listed, summary)| (summary.last_ms, &listed.id)).map(|(listed, _)| &listed.id)
}
