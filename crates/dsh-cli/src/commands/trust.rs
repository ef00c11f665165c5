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
    console.say_more(&report, &sources);
    let found = report.into_sorted();
    console.report(&found, &sources);
    if arguments.json {
        return console.print(json::answer(&project.asks, project.trust, &sources).as_bytes(), fine);
    }
    if project.asks.is_empty() {
        return console.print(b"This folder asks for nothing that needs trust.\n", fine);
    }
    if !found.is_empty() {
        // What was found ends here.
        console.say("\n");
    }
    let list = list::of(&project.asks, &sources);
    // Another status than this one is told where nobody has read it.
    let printed = console.print(list.as_bytes(), ExitStatus::Findings);
    if printed != ExitStatus::Findings {
        return printed;
    }
    match next(&project, global.trust, console.can_ask()) {
        Next::Nothing => {
            console.say("This folder is trusted.\n");
            fine
        }
        Next::Refuse(diagnostic) => {
            console.report(&[*diagnostic], &Sources::new());
            ExitStatus::Findings
        }
        Next::Ask { changed } => {
            let shown = if console.shows_output() { "" } else { &list };
            let before = if changed { "It asks for something else than when it was trusted.\n" } else { "" };
            let count = list::count(&project.asks);
            if console.ask(&format!("{shown}{before}It asks for {count}. Trust this folder?")) {
                return store(&folder, &project.asks.hash(), fine, console);
            }
            console.say("It is not trusted.\n");
            ExitStatus::Findings
        }
        Next::Store => store(&folder, &project.asks.hash(), fine, console),
    }
}

/// What is to be done about a folder that asks for something.
#[derive(Debug, PartialEq)]
enum Next {
    /// It is trusted already.
    Nothing,
    /// Trust it: somebody has given the hash of what it asks for.
    Store,
    /// Ask.
    Ask {
        /// It has been trusted with something else.
        changed: bool,
    },
    /// Say why it is not trusted.
    Refuse(Box<Diagnostic>),
}

fn next(project: &Project, given: Option<TrustHash>, can_ask: bool) -> Next {
    match project.trust {
        Trust::Trusted if given.is_some() => Next::Store,
        Trust::Trusted => Next::Nothing,
        Trust::Untrusted(Reason::OtherHash { given }) => {
            let headline = "nothing is stored: the hash that was given is not that of what this folder asks for";
            let refusal = Diagnostic::error("trust::hash_differs", headline);
            Next::Refuse(Box::new(hash_differs(refusal, &given, &project.asks)))
        }
        Trust::Untrusted(reason) if can_ask => Next::Ask { changed: reason == Reason::Changed },
        Trust::Untrusted(_) => {
            let headline = "this folder is not trusted, and there is no terminal to ask on";
            let help = "once you have read what it asks for, `dsh trust --trust HASH` with the hash above trusts it";
            Next::Refuse(Box::new(Diagnostic::error("trust::no_terminal", headline).with_help(help)))
        }
    }
}

fn store(folder: &Folder, hash: &TrustHash, fine: ExitStatus, console: &mut Console) -> ExitStatus {
    match user_store().trust(folder.path(), hash) {
        Ok(()) => {
            console.say("This folder is trusted from now on; `dsh trust --revoke` takes that back.\n");
            fine
        }
        Err(error) => {
            console.report(&[error.diagnostic(Some(hash))], &Sources::new());
            ExitStatus::Findings
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
    console.conclude(report, sources);
    status
}

#[cfg(test)]
mod tests {
    use super::{Next, next};
    use crate::diagnostic::{Report, Sources};
    use crate::outside::{Environment, Folder, UserFolders};
    use crate::project::{Overrides, Project, Surroundings};
    use crate::trust::{Reason, Store, Trust, TrustContext};

    /// A project that asks for something, and is trusted as `trust` says.
    fn project(trust: Trust) -> Project {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dsh.toml"), "[variables]\ntoken = { env = \"TOKEN\" }\n").unwrap();
        let folder = Folder::open(folder.path()).unwrap();
        let surroundings = Surroundings {
            overrides: Overrides::default(),
            environment: Environment::of_process(),
            trust: TrustContext { store: Store::new(&UserFolders::default()), given: None },
        };
        let project = Project::read(&folder, &surroundings, &mut Sources::new(), &mut Report::new());
        Project { trust, ..project.unwrap() }
    }

    #[test]
    fn only_an_untrusted_folder_is_asked_about_and_only_on_a_terminal() {
        // C4
        let code = |next: Next| match next {
            Next::Refuse(diagnostic) => diagnostic.code,
            Next::Nothing | Next::Store | Next::Ask { .. } => "",
        };
        let never = project(Trust::Untrusted(Reason::NeverTrusted));
        let hash = never.asks.hash();
        assert_eq!(next(&never, None, true), Next::Ask { changed: false });
        assert_eq!(next(&project(Trust::Untrusted(Reason::Changed)), None, true), Next::Ask { changed: true });
        assert_eq!(code(next(&never, None, false)), "trust::no_terminal");
        let other = project(Trust::Untrusted(Reason::OtherHash { given: hash }));
        for can_ask in [false, true] {
            assert_eq!(code(next(&other, Some(hash), can_ask)), "trust::hash_differs");
            assert_eq!(next(&project(Trust::Trusted), None, can_ask), Next::Nothing);
            assert_eq!(next(&project(Trust::Trusted), Some(hash), can_ask), Next::Store);
        }
    }
}
