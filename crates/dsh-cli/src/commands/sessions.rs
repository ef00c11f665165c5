//! `dsh sessions`: the sessions that `dsh run` keeps.

mod find;
mod list;
mod of_another;
mod show;
mod stray;

use std::path::{Path, PathBuf};

use dsh_kernel::Kernel;
use dsh_session::{
    ErrorKind, FileStore, Log, Opened, Record, SessionEvent, SessionId, SessionStore, Sessions, SessionsExt,
};
use dsh_system_prompt::show_path;

use crate::args::{GlobalArgs, SessionsAction, SessionsArgs};
use crate::commands::visibly::for_a_terminal;
use crate::commands::{open_folder, runtime};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::environment::{chance, now_millis, variable};
use crate::outside::{Console, UserFolders, real_path};
use crate::status::ExitStatus;

pub(super) use find::{Wanted, find};
pub(super) use of_another::of_another;

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
    let store = FileStore::new(state);
    // A folder that cannot be opened is told by what opens it.
    if let Ok(closed) = store.close_to_others()
        && let Some(warning) = was_open(&closed)
    {
        report.push(warning);
    }
    Ok(store)
}

/// Others could have had their hands on what was closed to them.
fn was_open(closed: &[PathBuf]) -> Option<Diagnostic> {
    let (first, more) = closed.split_first()?;
    let more = match more.len() {
        0 => String::new(),
        1 => " and one more".to_owned(),
        count => format!(" and {count} more"),
    };
    let headline = format!("others had rights to `{}`{more}, which are taken away now", first.display());
    let help = "sessions belong to you alone: look whether somebody has changed them";
    Some(Diagnostic::warning("session::open_to_others", headline).with_help(help))
}

/// A name that no session has.
pub(super) fn fresh_id() -> SessionId {
    SessionId::new(now_millis(), chance())
}

/// What is wrong with a session, or with the store.
pub(super) fn wrong(error: &dsh_session::Error, store: &FileStore) -> Diagnostic {
    use ErrorKind::{Broken, Corrupt, Io, NewerVersion, NotAFile, UnknownEvent};

    let whose = match (error.session(), error.line()) {
        (Some(id), Some(line)) => format!("session {id}, line {line}: "),
        (Some(id), None) => format!("session {id}: "),
        (None, _) => String::new(),
    };
    let holder = error.pid().map_or_else(String::new, |pid| format!(" (process {pid})"));
    // What the system says in words, without its number.
    let words = error.io().and_then(|_| error.problem().split_once(" (os error"));
    let problem = words.map_or(error.problem(), |(words, _)| words);
    let mut diagnostic = Diagnostic::error(error.code(), format!("{whose}{problem}{holder}"));
    if let Some(id) = error.session()
        && matches!(error.kind(), Broken | Corrupt | Io | NewerVersion | NotAFile | UnknownEvent)
    {
        diagnostic = diagnostic.with_note(format!("its file is `{}`", store.path(id).display()));
    }
    if !error.help().is_empty() {
        diagnostic = diagnostic.with_help(error.help());
    }
    if error.kind() == Io {
        let help = "sessions lie in the state folder: set XDG_STATE_HOME to one that you may write to";
        diagnostic = diagnostic.with_help(help);
    }
    if matches!(error.kind(), Corrupt | UnknownEvent) {
        diagnostic = diagnostic.with_help_if(before(error, store));
    }
    diagnostic
}

/// How to go on from what stands before a damaged line, where a turn has ended there.
fn before(error: &dsh_session::Error, store: &FileStore) -> Option<String> {
    let id = error.session().filter(|_| error.line() > Some(1))?;
    let turn = last_ended(&store.read_sound(id).ok()?.0);
    (turn > 0)
        .then(|| format!("`dsh sessions fork {id} --turn {turn}` makes a session of what stands before that line, and says its name: go on with `dsh run --session NAME`"))
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
    if let Some(stray) = stray::stray(arguments) {
        report.push(stray);
        return Err(ExitStatus::WrongUse);
    }
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
    let id = find(&store, here, Wanted::Named(name), report)?.id;
    let failed = |error: dsh_session::Error, report: &mut Report| {
        report.push(wrong(&error, &store));
        ExitStatus::Findings
    };
    match arguments.action {
        SessionsAction::List => Ok(String::new()),
        SessionsAction::Show => {
            let log = readable(&store, &id, report)?;
            Ok(if arguments.json { show::json(&log) } else { show::text(&log) })
        }
        SessionsAction::Export => Ok(lines(&readable(&store, &id, report)?.records)),
        SessionsAction::Fork => {
            let (log, refused) = store.read_sound(&id).map_err(|error| failed(error, report))?;
            tell_damage(&log.damage, &id, report);
            let turn = match (arguments.turn, refused) {
                // Whatever is wrong behind that turn, it is not read.
                (Some(turn), _) => turn,
                (None, None) => last_ended(&log),
                // Nobody said that the end may be left out.
                (None, Some(error)) => return Err(failed(error, report)),
            };
            let new = fork(&store, &id, turn, here, report)?;
            Ok(format!("{new}\n"))
        }
        SessionsAction::Remove => {
            store.remove(&id).map_err(|error| failed(error, report))?;
            Ok(String::new())
        }
    }
}

/// What can be read of a session; what had to be repaired, and what is wrong with the rest, is reported.
fn readable(store: &FileStore, id: &SessionId, report: &mut Report) -> Result<Log, ExitStatus> {
    let (log, refused) = store.read_sound(id).map_err(|error| {
        report.push(wrong(&error, store));
        ExitStatus::Findings
    })?;
    tell_damage(&log.damage, id, report);
    if let Some(error) = refused {
        report.push(wrong(&error, store));
    }
    Ok(log)
}

/// Makes a session of this folder of another's turns.
fn fork(
    store: &FileStore,
    id: &SessionId,
    turn: u32,
    here: &Path,
    report: &mut Report,
) -> Result<SessionId, ExitStatus> {
    let new = fresh_id();
    let header = Opened::new(new.clone()).cwd(show_path(here));
    let forked = runtime(report)?.block_on(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(Sessions::new(store.clone()).clock(now_millis))?.ready().await?;
        root.sessions().fork_as(id, turn, header)
    });
    match forked {
        Ok(_) => Ok(new),
        Err(error) => {
            report.push(wrong(&error, store));
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
