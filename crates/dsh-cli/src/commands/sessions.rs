//! `dsh sessions`: the sessions that `dsh run` keeps.

mod find;
mod list;
mod show;

use dsh_kernel::Kernel;
use dsh_session::{FileStore, Log, Record, SessionEvent, SessionId, SessionStore, Sessions, SessionsExt};

use crate::args::{GlobalArgs, SessionsAction, SessionsArgs};
use crate::commands::visibly::for_a_terminal;
use crate::commands::{open_folder, runtime};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::environment::{chance, now_millis, variable};
use crate::outside::{Console, UserFolders, real_path};
use crate::status::ExitStatus;

pub(super) use find::{Wanted, find};

/// The folder of sessions in the user's state folder.
const FOLDER: &str = "sessions";

/// The store of this user's sessions; where there is none, that is reported.
pub(super) fn store(report: &mut Report) -> Result<FileStore, ExitStatus> {
    let Some(state) = UserFolders::of(variable).state().map(|state| state.join(FOLDER)) else {
        report.push(Diagnostic::error("session::no_folder", "there is no folder to keep sessions in").with_help(
            "set HOME or XDG_STATE_HOME to an absolute path: sessions lie in `dsh/sessions` of the state folder",
        ));
        return Err(ExitStatus::WrongUse);
    };
    Ok(FileStore::new(state))
}

/// A name that no session has.
pub(super) fn fresh_id() -> SessionId {
    SessionId::new(now_millis(), chance())
}

/// What is wrong with a session, or with the store.
pub(super) fn wrong(error: &dsh_session::Error) -> Diagnostic {
    let whose = error.session().map_or_else(String::new, |id| format!("session {id}: "));
    let diagnostic = Diagnostic::error(error.code(), format!("{whose}{}", error.problem()));
    if error.remedy().is_empty() { diagnostic } else { diagnostic.with_help(error.remedy()) }
}

/// What had to be repaired in a log.
pub(super) fn tell_damage(log: &[dsh_session::Damage], id: &SessionId, report: &mut Report) {
    for damage in log {
        report.push(Diagnostic::warning(damage.code(), format!("session {id}: {damage}")));
    }
}

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, arguments: &SessionsArgs, console: &mut Console) -> ExitStatus {
    let mut report = Report::new();
    let answer = answer(global, arguments, &mut report);
    let (text, status) = match answer {
        Ok(text) => (text, if report.has_errors() { ExitStatus::Findings } else { ExitStatus::Success }),
        Err(status) => (String::new(), status),
    };
    console.conclude(report, &Sources::new());
    let is_json = arguments.json || arguments.action == SessionsAction::Export;
    let shown = if console.shows_output() { for_a_terminal(&text, is_json) } else { None };
    console.print(shown.unwrap_or(text).as_bytes(), status)
}

fn answer(global: &GlobalArgs, arguments: &SessionsArgs, report: &mut Report) -> Result<String, ExitStatus> {
    let store = store(report)?;
    let folder = open_folder(global, report)?;
    // As `dsh run` notes it.
    let here = real_path(folder.path()).unwrap_or_else(|_| folder.path().to_path_buf());
    let here = here.as_path();
    if arguments.action == SessionsAction::List {
        let wanted = if arguments.all { None } else { Some(here) };
        return list::answer(&store, wanted, arguments.json, report);
    }
    let Some(name) = &arguments.session else {
        let headline = format!("`dsh sessions {}` takes the name of a session", word(arguments.action));
        report.push(
            Diagnostic::error("session::not_named", headline)
                .with_help("`dsh sessions` lists them; `last` is the last of this folder"),
        );
        return Err(ExitStatus::WrongUse);
    };
    let id = find(&store, here, Wanted::Named(name), report)?;
    let failed = |error: dsh_session::Error, report: &mut Report| {
        report.push(wrong(&error));
        ExitStatus::Findings
    };
    match arguments.action {
        SessionsAction::List => Ok(String::new()),
        SessionsAction::Show => {
            let log = store.read(&id).map_err(|error| failed(error, report))?;
            tell_damage(&log.damage, &id, report);
            Ok(if arguments.json { show::json(&log) } else { show::text(&log) })
        }
        SessionsAction::Export => {
            let log = store.read(&id).map_err(|error| failed(error, report))?;
            tell_damage(&log.damage, &id, report);
            Ok(lines(&log.records))
        }
        SessionsAction::Fork => {
            let turn = match arguments.turn {
                Some(turn) => turn,
                None => last_ended(&store.read(&id).map_err(|error| failed(error, report))?),
            };
            let new = fork(store, &id, turn, report)?;
            Ok(format!("{new}\n"))
        }
        SessionsAction::Remove => {
            store.remove(&id).map_err(|error| failed(error, report))?;
            Ok(String::new())
        }
    }
}

/// Makes a session of another's turns.
fn fork(store: FileStore, id: &SessionId, turn: u32, report: &mut Report) -> Result<SessionId, ExitStatus> {
    let new = fresh_id();
    let forked = runtime(report)?.block_on(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(Sessions::new(store).clock(now_millis))?.ready().await?;
        root.sessions().fork(id, turn, new.clone())
    });
    match forked {
        Ok(_) => Ok(new),
        Err(error) => {
            report.push(wrong(&error));
            Err(ExitStatus::Findings)
        }
    }
}

fn word(action: SessionsAction) -> &'static str {
    match action {
        SessionsAction::List => "list",
        SessionsAction::Show => "show",
        SessionsAction::Export => "export",
        SessionsAction::Fork => "fork",
        SessionsAction::Remove => "remove",
    }
}

/// The last turn that has ended; 0 where none has.
fn last_ended(log: &Log) -> u32 {
    let ended = |record: &&Record| matches!(record.event, SessionEvent::TurnEnded(_));
    log.records.iter().rev().find(ended).map_or(0, |record| record.turn)
}

/// Records as the lines of a file of sessions, without their sums: what was repaired in reading is repaired in them.
fn lines(records: &[Record]) -> String {
    let line = |record: &Record| serde_json::to_string(record).map(|line| line + "\n").unwrap_or_default();
    records.iter().map(line).collect()
}
