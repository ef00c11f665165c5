//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod prompt;
pub(crate) mod trust;

use crate::args::GlobalArgs;
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::{Folder, FolderError, UserFolders, environment_variable};
use crate::project::{NoProject, Project};
use crate::status::ExitStatus;
use crate::trust::{Store, TrustContext, left_out};

/// Reads the project that the arguments name, and says what is left out of it for want of trust (C4); where there is none to be read,
/// that is reported and wrong use.
fn open_project(global: &GlobalArgs, sources: &mut Sources, report: &mut Report) -> Result<Project, ExitStatus> {
    let folder = open_folder(global, report)?;
    let project = read_project(&folder, global, sources, report)?;
    left_out(&project.asks, project.trust, report);
    Ok(project)
}

fn open_folder(global: &GlobalArgs, report: &mut Report) -> Result<Folder, ExitStatus> {
    Folder::open(&global.dir).map_err(|error| {
        let path = global.dir.display();
        let problem = match error {
            FolderError::Missing => format!("there is no folder `{path}`"),
            FolderError::NotAFolder => format!("`{path}` is not a folder"),
            FolderError::Unreadable(error) => format!("the folder `{path}` cannot be opened: {error}"),
        };
        report.push(Diagnostic::error("cli::not_a_folder", problem).with_help("`--dir` takes the folder of a project"));
        ExitStatus::WrongUse
    })
}

fn read_project(
    folder: &Folder,
    global: &GlobalArgs,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Project, ExitStatus> {
    let trust = TrustContext { store: user_store(), given: global.trust };
    Project::read(folder, &trust, &environment_variable, sources, report).map_err(|NoProject| ExitStatus::WrongUse)
}

/// What this user has trusted.
fn user_store() -> Store {
    Store::new(&UserFolders::of(environment_variable))
}
