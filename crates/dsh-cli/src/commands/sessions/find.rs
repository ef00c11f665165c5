//! Which session is meant.

use std::path::Path;

use dsh_session::{Error, ErrorKind, FileStore, Listed, SessionStore};
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
) -> Result<Listed, ExitStatus> {
    let all = store.list().map_err(|error| {
        report.push(wrong(&error, store));
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
                return Ok(exact.clone());
            }
            let begin: Vec<&Listed> =
                all.iter().filter(|listed| !name.is_empty() && listed.id.as_str().starts_with(name)).collect();
            match begin.as_slice() {
                [one] => Ok(Listed::clone(one)),
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
        Wanted::Last { agent } => {
            let last = last(&all, here, agent);
            let mut unread = unread_since(store, &all, last.map(|(_, last_ms)| last_ms)).peekable();
            if unread.peek().is_some() {
                // To go on with an older one would say the message in another conversation.
                for error in unread {
                    report.push(may_be_last(error, store));
                }
                return Err(ExitStatus::Findings);
            }
            last.map(|(listed, _)| listed.clone()).ok_or_else(|| {
                let whose = agent.map_or_else(String::new, |agent| format!(" of agent {}", quoted(agent)));
                let headline = format!("there is no session{whose} of this folder to go on with");
                refuse(
                    Diagnostic::error("session::not_found", headline).with_help("begin one without `--continue`"),
                    report,
                )
            })
        }
    }
}

/// The sessions that cannot be read, and may have been used after this time: nobody can tell of which folder they are.
fn unread_since<'l>(
    store: &'l FileStore,
    all: &'l [Listed],
    last_ms: Option<u64>,
) -> impl Iterator<Item = &'l Error> + use<'l> {
    let unread = all.iter().filter_map(|listed| Some((listed, listed.summary.as_ref().err()?)));
    let later = move |listed: &Listed| store.written_ms(&listed.id).is_none_or(|written| last_ms <= Some(written));
    unread.filter(move |(listed, _)| later(listed)).map(|(_, error)| error)
}

fn may_be_last(error: &Error, store: &FileStore) -> Diagnostic {
    // One that is no file of a session is not dsh's to remove.
    let removable = error.session().filter(|_| error.kind() != ErrorKind::NotAFile);
    let removing = removable.map_or_else(String::new, |id| format!(", or remove it with `dsh sessions remove {id}`"));
    wrong(error, store)
        .with_note("it may be the last session of this folder: an older one is not taken in its place")
        .with_help(format!(
            "name the session that is meant with `--session` (`dsh sessions` lists them), move that file away{removing}"
        ))
}

/// The session that was used last, and when.
fn last<'l>(all: &'l [Listed], here: &Path, agent: Option<&str>) -> Option<(&'l Listed, u64)> {
    let here = show_path(here);
    let fits = all.iter().filter_map(|listed| Some((listed, listed.summary.as_ref().ok()?))).filter(|(_, summary)| {
        // Of one that works for another nobody goes on with it by chance.
        let is_own = summary.opened.parent.is_none();
        is_own
            && summary.opened.cwd.as_deref() == Some(&*here)
            && agent.is_none_or(|agent| summary.opened.agent == agent)
    });
    // Of two in one moment the older one is meant: it had the younger one made.
    fits.max_by_key(|(listed, summary)| (summary.last_ms, std::cmp::Reverse(&listed.id)))
        .map(|(listed, summary)| (listed, summary.last_ms))
}
