//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod prompt;

use crate::args::GlobalArgs;
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::{Environment, Folder, FolderError};
use crate::project::{NoProject, Project};
use crate::status::ExitStatus;

/// Reads the project that the arguments name; where there is none to be read, that is reported and wrong use.
fn open_project(global: &GlobalArgs, sources: &mut Sources, report: &mut Report) -> Result<Project, ExitStatus> {
    let folder = Folder::open(&global.dir).map_err(|error| {
        let path = global.dir.display();
        let problem = match error {
            FolderError::Missing => format!("there is no folder `{path}`"),
            FolderError::NotAFolder => format!("`{path}` is not a folder"),
            FolderError::Unreadable(error) => format!("the folder `{path}` cannot be opened: {error}"),
        };
        report.push(Diagnostic::error("cli::not_a_folder", problem).with_help("`--dir` takes the folder of a project"));
        ExitStatus::WrongUse
    })?;
    Project::read(&folder, &Environment::of_process(), sources, report).map_err(|NoProject| ExitStatus::WrongUse)
}
