//! `dsh trust`: what a project's files ask for, and the one place where a person trusts it (C4).
//!
//! What is asked for goes to standard output, the conversation to standard error. What is stored is the hash of what was shown, however
//! the files may have changed since.

mod json;
mod list;

use crate::args::{GlobalArgs, TrustArgs};
use crate::commands::{open_folder, read_project, user_store};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::{Console, Folder};
use crate::project::Project;
use crate::status::ExitStatus;
use crate::trust::{Reason, Trust, TrustHash, hash_differs};

/// Runs the command.
pub(crate) fn run(global: &GlobalArgs, arguments: &TrustArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let folder = match open_folder(global, &mut report) {
        Ok(folder) => folder,
        Err(status) => return ended(status, report, &sources, console),
    };
    if arguments.revoke {
        return revoke(&folder, report, console);
    }
    let project = match read_project(&folder, global, &mut sources, &mut report) {
        Ok(project) => project,
        Err(status) => return ended(status, report, &sources, console),
    };
    // What is wrong in the files was left out; mended, it may ask for more, and the folder is then untrusted again.
    let fine = if report.has_errors() { ExitStatus::Findings } else { ExitStatus::Success };
    console.report(&report.into_sorted(), &sources);
    if arguments.json {
        return console.print(json::answer(&project.asks, project.trust, &sources).as_bytes(), fine);
    }
    if project.asks.is_empty() {
        return console.print(b"This folder asks for nothing that needs trust.\n", fine);
    }
    let list = list::of(&project.asks, &sources);
    // Another status than this one is told where nobody has read it.
    let printed = console.print(list.as_bytes(), ExitStatus::Findings);
    if printed != ExitStatus::Findings {
        return printed;
    }
    if is_trusted(&folder, &project, global.trust, &list, console) { fine } else { ExitStatus::Findings }
}

/// Trusts the folder if it is not, and somebody says so.
fn is_trusted(folder: &Folder, project: &Project, given: Option<TrustHash>, list: &str, console: &mut Console) -> bool {
    match (project.trust, given) {
        (Trust::Trusted, None) => {
            console.say("This folder is trusted.\n");
            return true;
        }
        // The hash that was given is the right one: this is the answer yes.
        (Trust::Trusted, Some(_)) => {}
        (Trust::Untrusted(Reason::OtherHash { given }), _) => {
            let headline = "nothing is stored: `--trust` has the hash of something else than this folder asks for";
            let diagnostic = hash_differs(Diagnostic::error("trust::hash_differs", headline), &given, &project.asks);
            console.report(&[diagnostic], &Sources::new());
            return false;
        }
        (Trust::Untrusted(reason), _) => {
            if !console.can_ask() {
                let headline = "this folder is not trusted, and there is no terminal to ask on";
                let diagnostic = Diagnostic::error("trust::no_terminal", headline).with_help(
                    "once you have read what it asks for, `dsh trust --trust HASH` with the hash above trusts it",
                );
                console.report(&[diagnostic], &Sources::new());
                return false;
            }
            if !console.shows_output() {
                console.say(list);
            }
            if reason == Reason::Changed {
                console.say("It asks for something else than when it was trusted.\n");
            }
            if !console.ask("Trust this folder?") {
                console.say("It is not trusted.\n");
                return false;
            }
        }
    }
    let hash = project.asks.hash();
    match user_store().trust(folder.path(), &hash) {
        Ok(()) => {
            console.say("This folder is trusted from now on; `dsh trust --revoke` takes that back.\n");
            true
        }
        Err(error) => {
            console.report(&[error.diagnostic(Some(&hash))], &Sources::new());
            false
        }
    }
}

fn revoke(folder: &Folder, mut report: Report, console: &mut Console) -> ExitStatus {
    match user_store().revoke(folder.path()) {
        Ok(true) => console.say("This folder is no longer trusted.\n"),
        Ok(false) => console.say("This folder was not trusted.\n"),
        Err(error) => {
            report.push(error.diagnostic(None));
            return ended(ExitStatus::Findings, report, &Sources::new(), console);
        }
    }
    ExitStatus::Success
}

fn ended(status: ExitStatus, report: Report, sources: &Sources, console: &mut Console) -> ExitStatus {
    console.report(&report.into_sorted(), sources);
    status
}
